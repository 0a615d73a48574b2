// Command scripted is an agent for tests. It speaks the Agent Client Protocol as
// real agents do, does what the words of a prompt say, and, on request, much that
// the protocol does not allow. It uses the standard library only, so that it
// shares no mistake with the driver.
//
// # Words
//
// A prompt is a list of steps, divided by ";" or line ends; what is no step is
// answered by "You said: …". %N below is a number, with a default.
//
//	say TEXT         one chunk of text
//	think TEXT       one chunk of thinking
//	words %N         N words, a chunk each
//	slow %N %MS      N words, MS milliseconds apart
//	flood %N         N chunks ("0 ", "1 ", …) as fast as they can be written
//	big %N           one chunk of N megabytes
//	markdown         a heading, a list, a table, code, a link, and HTML that must not run
//	messages         two messages with ids of their own
//	split            a text that is cut within its characters, as bytes and as surrogates
//	image            a picture, and one more in a tool call
//	echo             what else was in the prompt: pictures, files and their sizes
//	tool TITLE       a tool call: announced, running, done, with input and content
//	failing TITLE    a tool call that fails
//	open TITLE       a tool call that is never ended
//	unannounced      updates of a call that was never announced, the first without a status
//	replace          a call whose content is replaced as a whole, twice
//	raw              a call that says its outcome as rawOutput only
//	diff             an edit of a file and a new file, as diffs
//	plan             a plan of three items that are done one after the other
//	ask TITLE        a permission for an announced call; says what was answered
//	ask-new TITLE    the same for a call that was never announced
//	ask-two          two permissions at once
//	ask-late         a permission for which the turn's end does not wait
//	ask-then TEXT    a permission with a chunk of text right behind it
//	commands         two slash commands
//	mode ID          the mode is changed by the agent
//	title TEXT       the session gets a title
//	usage            usage, with a cost
//	model            says which model and mode the session has
//	tools            says which MCP servers the session has
//	system           says the system prompt of the session
//	cwd, env NAME    says its folder, a variable of its environment
//	stranger         an update for a session that does not exist
//	unknown          an update, a notification and a request of kinds that do not exist
//	same-id          a request with the id of the prompt that it works on
//	silent           says nothing until the turn is cancelled
//	ignore-cancel TEXT   says it, never ends the turn, and ignores a cancel
//	rubbish %N       N lines that are no messages
//	broken           a message that is cut off, with a line end
//	stderr TEXT      a line beside the protocol
//	close-out        closes its output and stays
//	close-in         closes its input, says "closed" and stays
//	die %CODE        ends at once with that code, in the middle of a line
//	kill             ends itself by SIGKILL
//	child            starts a process that outlives it, and says its number
//	error TEXT       answers the prompt with an error
//	abort            waits for the cancel and answers it with an error, as some do
//	refuse, max-tokens, max-turns   the turn's end
//
// # Arguments
//
//	-early          updates and a permission come before the answer to session/new
//	-sign-in        session/new is refused until authenticate
//	-no-load        sessions cannot be loaded
//	-resume         sessions can be resumed without their history
//	-boasts         says that sessions can be resumed, and does not know how
//	-blank          loads a session that it does not know, with nothing in it
//	-hasty          tells of an option's value before it answers
//	-no-images      takes no pictures
//	-legacy         modes and models of their own, no config options
//	-plain          neither
//	-version N      another version of the protocol
//	-die-at METHOD  ends when it gets this request
//	-mute METHOD    never answers this request
//	-hello TEXT     a line on its output before anything else
//	-state DIR      keeps its sessions there, so that another process can load them
//	-late           keeps a session only when it is closed
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"
)

func main() {
	a := &agent{
		out: os.Stdout, sessions: map[string]*session{}, waiting: map[string]chan json.RawMessage{},
	}
	flag.BoolVar(&a.early, "early", false, "")
	flag.BoolVar(&a.signIn, "sign-in", false, "")
	flag.BoolVar(&a.noLoad, "no-load", false, "")
	flag.BoolVar(&a.resume, "resume", false, "")
	flag.BoolVar(&a.boasts, "boasts", false, "")
	flag.BoolVar(&a.blank, "blank", false, "")
	flag.BoolVar(&a.hasty, "hasty", false, "")
	flag.BoolVar(&a.noImages, "no-images", false, "")
	flag.BoolVar(&a.legacy, "legacy", false, "")
	flag.BoolVar(&a.plain, "plain", false, "")
	flag.IntVar(&a.version, "version", 1, "")
	flag.StringVar(&a.dieAt, "die-at", "", "")
	flag.StringVar(&a.mute, "mute", "", "")
	flag.StringVar(&a.hello, "hello", "", "")
	flag.StringVar(&a.state, "state", "", "")
	flag.BoolVar(&a.late, "late", false, "")
	flag.Parse()
	if a.hello != "" {
		fmt.Fprintln(os.Stdout, a.hello)
	}
	if err := a.serve(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "scripted:", err)
		os.Exit(1)
	}
}

// agent is the process.
type agent struct {
	early, signIn, noLoad, resume, noImages, legacy, plain bool
	boasts, blank, hasty, late                             bool
	version                                                int
	dieAt, mute, hello, state                              string

	writing sync.Mutex
	out     io.Writer

	mu       sync.Mutex
	signedIn bool
	sessions map[string]*session
	count    int
	asked    int
	waiting  map[string]chan json.RawMessage // our requests
}

// message is any message of JSON-RPC.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// serve reads until the end of its input.
func (a *agent) serve(from io.Reader) error {
	in := bufio.NewReaderSize(from, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, os.ErrClosed) {
			select {} // close-in closed it; the turn goes on
		}
		if err != nil {
			a.mu.Lock()
			for _, s := range a.sessions {
				s.stop()
			}
			a.mu.Unlock()
			return nil // the client closed our input: that is how it says goodbye
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("the client wrote %q: %w", line, err)
		}
		if m.Method == "" {
			a.mu.Lock()
			answer := a.waiting[string(m.ID)]
			delete(a.waiting, string(m.ID))
			a.mu.Unlock()
			if answer != nil {
				answer <- m.Result
			}
			continue
		}
		switch m.Method {
		case a.dieAt:
			fmt.Fprintln(os.Stderr, "scripted: ends at", m.Method)
			os.Exit(7)
		case a.mute:
		default:
			a.handle(m.ID, m.Method, m.Params)
		}
	}
}

// write writes one message as one line.
func (a *agent) write(m message) {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		panic(err) // our own maps and strings always have a JSON
	}
	a.writeRaw(append(line, '\n'))
}

func (a *agent) writeRaw(bytes []byte) {
	a.writing.Lock()
	defer a.writing.Unlock()
	_, _ = a.out.Write(bytes) // without a client there is nobody to tell
}

func (a *agent) reply(id json.RawMessage, result any) { a.write(message{ID: id, Result: result}) }

func (a *agent) refuse(id json.RawMessage, code int, why string) {
	a.write(message{ID: id, Error: &failure{code, why}})
}

// request sends a request of ours and returns where its answer comes.
func (a *agent) request(id json.RawMessage, method string, params any) <-chan json.RawMessage {
	answer := make(chan json.RawMessage, 1)
	a.mu.Lock()
	if id == nil {
		a.asked++
		id = fmt.Appendf(nil, "%d", a.asked)
	}
	a.waiting[string(id)] = answer
	a.mu.Unlock()
	a.write(message{ID: id, Method: method, Params: params})
	return answer
}

// update sends a session/update.
func (a *agent) update(session string, update map[string]any) {
	a.write(message{Method: "session/update", Params: map[string]any{"sessionId": session, "update": update}})
}
