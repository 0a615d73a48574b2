// Command scripted is an agent for tests. It implements the Agent Client
// Protocol as real agents do, and carries out the words of a prompt. On request
// it also does much that the protocol does not allow. It uses only the standard
// library, so that it shares no bug with the driver.
//
// # Words
//
// A prompt is a list of steps, separated by ";" or newlines. The answer to an
// unknown step is "You said: …". %N below is a number, with a default.
//
//	say TEXT         one chunk of text
//	think TEXT       one chunk of thinking
//	words %N         N words, one chunk each
//	slow %N %MS      N words, MS milliseconds apart
//	flood %N         N chunks ("0 ", "1 ", …) as fast as they can be written
//	big %N           one chunk of N megabytes
//	markdown         a heading, a list, a table, code, a link, and HTML that must not run
//	messages         two messages with ids of their own
//	split            a text that is cut within its characters, as bytes and as surrogates
//	image            an image, and one more in a tool call
//	echo             says what else was in the prompt: images, files and their sizes
//	tool TITLE       a tool call: announced, running, done, with input and content
//	failing TITLE    a tool call that fails
//	open TITLE       a tool call that never ends
//	unannounced      updates of a call that was never announced, the first without a status
//	replace          a call whose content is replaced completely, twice
//	raw              a call with its outcome only in rawOutput
//	diff             an edit of a file and a new file, as diffs
//	plan             a plan of three items that are done one after the other
//	ask TITLE        asks for permission for an announced call; says the answer
//	ask-new TITLE    the same for a call that was never announced
//	ask-two          asks for two permissions at once
//	ask-late         asks for a permission, and ends the turn without waiting for it
//	ask-then TEXT    asks for a permission, with a chunk of text directly after it
//	commands         two slash commands
//	mode ID          the agent changes the mode
//	title TEXT       the session gets a title
//	usage            usage, with a cost
//	model            says which model and mode the session has
//	tools            says which MCP servers the session has
//	system           says the system prompt of the session
//	cwd, env NAME    says its folder, or an environment variable
//	stranger         an update for a session that does not exist
//	unknown          an update, a notification and a request of kinds that do not exist
//	same-id          a request with the id of the prompt that it is working on
//	silent           sends nothing until the turn is cancelled
//	ignore-cancel TEXT   says it, never ends the turn, and ignores a cancel
//	rubbish %N       N lines that are no messages
//	broken           an incomplete message, with a newline
//	stderr TEXT      a line on its standard error
//	close-out        closes its output and continues to run
//	close-in         closes its input, says "closed" and continues to run
//	die %CODE        exits at once with that code, in the middle of a line
//	kill             ends itself by SIGKILL
//	child            starts a process that outlives it, and says its process id
//	error TEXT       answers the prompt with an error
//	abort            waits for the cancel and answers it with an error, as some agents do
//	refuse, max-tokens, max-turns   the turn's stop reason
//
// # Arguments
//
//	-early          sends updates and a permission request before the response to session/new
//	-sign-in        refuses session/new until authenticate
//	-no-load        sessions cannot be loaded
//	-resume         sessions can be resumed without their history
//	-lists          it lists its sessions, without end
//	-boasts         announces that sessions can be resumed, but does not implement it
//	-blank          loads a session that it does not know, as an empty one
//	-hasty          announces an option's value before it responds
//	-no-images      accepts no images
//	-mcp-http       connects to MCP servers at an address
//	-legacy         announces modes and models separately, no config options
//	-plain          announces neither
//	-version N      another version of the protocol
//	-die-at METHOD  exits when it gets this request
//	-mute METHOD    never answers this request
//	-hello TEXT     writes a line on its output before anything else
//	-state DIR      saves its sessions there, so that another process can load them
//	-late           saves a session only when it is closed
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
	flag.BoolVar(&a.lists, "lists", false, "")
	flag.BoolVar(&a.boasts, "boasts", false, "")
	flag.BoolVar(&a.blank, "blank", false, "")
	flag.BoolVar(&a.hasty, "hasty", false, "")
	flag.BoolVar(&a.noImages, "no-images", false, "")
	flag.BoolVar(&a.mcpHTTP, "mcp-http", false, "")
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
	early, signIn, noLoad, resume, lists, noImages, mcpHTTP, legacy, plain bool
	boasts, blank, hasty, late                                             bool
	version                                                                int
	dieAt, mute, hello, state                                              string

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
			select {} // close-in closed it; the turn continues
		}
		if err != nil {
			a.mu.Lock()
			for _, s := range a.sessions {
				s.stop()
			}
			a.mu.Unlock()
			return nil // the client closed our input, which is its way to end the session
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
		panic(err) // our own maps and strings can always be encoded
	}
	a.writeRaw(append(line, '\n'))
}

func (a *agent) writeRaw(bytes []byte) {
	a.writing.Lock()
	defer a.writing.Unlock()
	_, _ = a.out.Write(bytes) // without a client there is nobody to report to
}

func (a *agent) reply(id json.RawMessage, result any) { a.write(message{ID: id, Result: result}) }

func (a *agent) refuse(id json.RawMessage, code int, why string) {
	a.write(message{ID: id, Error: &failure{code, why}})
}

// request sends a request of ours and returns the channel for the response.
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
