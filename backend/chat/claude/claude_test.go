//go:build unix

package claude_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pilotfish/backend/chat/claude"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// limit ends a test that hangs; no test takes this long.
const limit = 3 * time.Minute

const envScripted = "CLAUDE_TEST_SCRIPTED"

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "scripted")
	if err != nil {
		panic(err)
	}
	program := filepath.Join(folder, "claude")
	if out, err := exec.CommandContext(context.Background(), "go", "build", "-o", program, "./fakes/scripted").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the scripted claude: %v\n%s", err, out)
		os.Exit(1)
	}
	if err := os.Setenv(envScripted, program); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(folder) // it is in the system's temporary folder
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// sink records what it receives.
type sink struct {
	answer func(answer func(string))
	change chan struct{}

	mu      sync.Mutex
	text    strings.Builder
	updates []driver.Update
	asks    []driver.Ask
}

func newSink() *sink {
	return &sink{answer: func(answer func(string)) { answer("once") }, change: make(chan struct{}, 1)}
}

func (s *sink) Update(u driver.Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updates = append(s.updates, u)
	if u.Text != nil {
		s.text.WriteString(u.Text.Text)
	}
	select {
	case s.change <- struct{}{}:
	default:
	}
}

func (s *sink) Ask(_ context.Context, ask driver.Ask, answer func(string)) {
	s.mu.Lock()
	s.asks = append(s.asks, ask)
	s.mu.Unlock()
	s.answer(answer)
}

func (s *sink) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (s *sink) wait(t *testing.T, text string) {
	t.Helper()
	ctx := within(t)
	for !strings.Contains(s.said(), text) {
		select {
		case <-s.change:
		case <-ctx.Done():
			t.Fatalf("%q did not come; what came is %q", text, s.said())
		}
	}
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

// open starts a scripted claude that ends with the test.
func open(t *testing.T, cfg driver.SessionConfig) (driver.Agent, driver.Session, *sink, error) {
	t.Helper()
	a, err := claude.New(claude.Config{}).Start(context.WithoutCancel(t.Context()), driver.Launch{
		Kind: protocol.AgentClaude, Name: "Claude", Path: os.Getenv(envScripted), Env: []string{"PATH=" + os.Getenv("PATH")},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	cfg.Dir = t.TempDir()
	s := newSink()
	session, err := a.Open(within(t), cfg, s)
	return a, session, s, err
}

func opened(t *testing.T) (driver.Agent, driver.Session, *sink) {
	t.Helper()
	a, session, s, err := open(t, driver.SessionConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return a, session, s
}

func TestATurn(t *testing.T) {
	_, session, sink := opened(t)
	end, err := session.Prompt(within(t), driver.Prompt{Text: "say Grüße from claude; rubbish; todo; say  and more"})
	if err != nil || end.Reason != protocol.EndDone || end.Usage.Input != 100 || end.Usage.Output != 20 {
		t.Fatalf("%+v, %v", end, err)
	}
	if sink.said() != "Grüße from claude and more" {
		t.Errorf("%q", sink.said())
	}
	var usage *protocol.ChatUsage
	var plan []protocol.ChatPlanItem
	for _, u := range sink.updates {
		if u.Usage != nil {
			usage = u.Usage
		}
		if u.Plan != nil {
			plan = u.Plan
		}
	}
	if usage == nil || usage.ContextSize != 200000 || usage.Context != 105 || usage.Cost != 0.25 {
		t.Errorf("usage %+v", usage)
	}
	if len(plan) != 2 || plan[0].Status != "completed" {
		t.Errorf("plan %+v", plan)
	}
}

func TestPermissions(t *testing.T) {
	for option, want := range map[string]string{"once": "answer allow", "always": "answer allow always", "deny": "answer deny", "": "answer deny"} {
		_, session, sink := opened(t)
		sink.answer = func(answer func(string)) { answer(option) }
		if _, err := session.Prompt(within(t), driver.Prompt{Text: "ask"}); err != nil {
			t.Fatal(err)
		}
		if sink.said() != want {
			t.Errorf("%q: %q, want %q", option, sink.said(), want)
		}
		ask := sink.asks[0]
		if *ask.Tool.Title != "rm -r build" || *ask.Tool.Kind != "execute" || len(ask.Options) != 3 || ask.Options[1].Scope != "Bash rm:* in this session" {
			t.Errorf("%+v", ask)
		}
	}
}

func TestAnEditIsADiff(t *testing.T) {
	_, session, sink := opened(t)
	if _, err := session.Prompt(within(t), driver.Prompt{Text: "edit"}); err != nil {
		t.Fatal(err)
	}
	c := sink.asks[0].Tool.Content
	if len(c) != 1 || c[0].Kind != protocol.ContentDiff || c[0].Old != "a" || c[0].New != "b" || c[0].Path != "/src/main.go" {
		t.Errorf("%+v", c)
	}
	last := sink.updates[len(sink.updates)-2].Tool
	if last == nil || *last.Status != protocol.ToolDone || last.Content != nil {
		t.Errorf("the diff is replaced: %+v", last)
	}
}

func TestCancel(t *testing.T) {
	for _, words := range []string{"say begun; silent", "say begun; wait"} {
		_, session, sink := opened(t)
		sink.answer = func(func(string)) {}
		ended := make(chan driver.TurnEnd, 1)
		go func() {
			end, err := session.Prompt(within(t), driver.Prompt{Text: words})
			if err != nil {
				t.Error(err)
			}
			ended <- end
		}()
		sink.wait(t, "begun")
		if words == "say begun; wait" {
			// The cancel answers the question; this claude then ends its turn.
			if err := session.Cancel(t.Context()); err != nil {
				t.Fatal(err)
			}
			<-ended
			continue
		}
		if err := session.Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
		if end := <-ended; end.Reason != protocol.EndCancelled {
			t.Errorf("%s: ended with %s", words, end.Reason)
		}
		if _, err := session.Prompt(within(t), driver.Prompt{Text: "say next"}); err != nil {
			t.Error(err)
		}
	}
}

func TestAMessageIntoARunningTurn(t *testing.T) {
	_, session, sink := opened(t)
	asked := make(chan func(string), 1)
	sink.answer = func(answer func(string)) { asked <- answer }
	ended := make(chan error, 1)
	go func() {
		_, err := session.Prompt(within(t), driver.Prompt{Text: "wait"})
		ended <- err
	}()
	answer := <-asked
	if err := session.Steer(t.Context(), driver.Prompt{Text: "the blue one"}); err != nil {
		t.Fatal(err)
	}
	answer("once")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if sink.said() != "read the blue one" {
		t.Errorf("%q", sink.said())
	}
	if session.Steer(t.Context(), driver.Prompt{Text: "too late"}) == nil {
		t.Error("a message went into no turn")
	}
}

func TestModelAndMode(t *testing.T) {
	_, session, sink := opened(t)
	for _, step := range []struct{ model, want string }{{"haiku", "model haiku mode default"}, {"", "model default mode default"}, {"unheard-of", "model default mode default"}} {
		before := len(sink.said())
		if _, err := session.Prompt(within(t), driver.Prompt{Text: "model", Model: step.model}); err != nil {
			t.Fatal(err)
		}
		if got := sink.said()[before:]; got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
	}
	for id, value := range map[string]string{"model": "haiku", "mode": "plan"} {
		if err := session.SetOption(within(t), id, value); err != nil {
			t.Fatal(err)
		}
	}
	before := len(sink.said())
	if _, err := session.Prompt(within(t), driver.Prompt{Text: "model"}); err != nil || sink.said()[before:] != "model haiku mode plan" {
		t.Errorf("%q, %v", sink.said()[before:], err)
	}
	if session.SetOption(t.Context(), "mode", "bypassPermissions") == nil {
		t.Error("a mode that is not offered was set")
	}
}

func TestTheEndOfTheProcess(t *testing.T) {
	a, session, sink := opened(t)
	end, err := session.Prompt(within(t), driver.Prompt{Text: "say begun; die"})
	if end.Reason != protocol.EndCrashed || err == nil || !strings.Contains(err.Error(), "exit code 3") || !strings.Contains(protocol.AsError(err).Detail, "out of memory") {
		t.Errorf("%+v, %v", end, err)
	}
	<-a.Done()
	if a.Err() == nil || sink.said() != "begun" {
		t.Errorf("%v, %q", a.Err(), sink.said())
	}
	if _, err := session.Prompt(within(t), driver.Prompt{Text: "say x"}); err == nil {
		t.Error("a turn without a process")
	}
}

func TestWhatGoesWrong(t *testing.T) {
	_, session, _ := opened(t)
	end, err := session.Prompt(within(t), driver.Prompt{Text: "fail the model is overloaded"})
	if end.Reason != protocol.EndFailed || err == nil || !strings.Contains(err.Error(), "the model is overloaded") {
		t.Errorf("%+v, %v", end, err)
	}
	_, err = session.Prompt(within(t), driver.Prompt{Text: "login"})
	if _, ok := errors.AsType[*driver.NeedsSignIn](err); !ok {
		t.Errorf("%v, want NeedsSignIn", err)
	}
	if _, _, _, err := open(t, driver.SessionConfig{Resume: "gone"}); !errors.Is(err, driver.ErrNoResume) {
		t.Errorf("%v, want ErrNoResume", err)
	}
}

// The arguments of a process, which everybody on the machine can read, have no
// token in them, and nor has any file: claude's environment has it.
func TestTheTokenIsInTheEnvironment(t *testing.T) {
	_, session, sink, err := open(t, driver.SessionConfig{
		System: "The tab is t7.",
		Tools:  []driver.ToolServer{{Name: "pilotfish", Command: "pilotfish", Args: []string{"mcp"}, Env: []string{protocol.EnvToken + "=secret"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.Prompt(within(t), driver.Prompt{Text: "args"}); err != nil {
		t.Fatal(err)
	}
	args := sink.said()
	if strings.Contains(args, "secret") || !strings.Contains(args, "--append-system-prompt The tab is t7.") || !strings.Contains(args, "--session-id "+session.ID()) {
		t.Errorf("%q", args)
	}
	if want := `--mcp-config {"mcpServers":{"pilotfish":{"command":"pilotfish","args":["mcp"],"env":{"PILOTFISH_TOKEN":"${PILOTFISH_TOKEN}"}}}}`; !strings.Contains(args, want) {
		t.Errorf("%q lacks %q", args, want)
	}
	if _, err := session.Prompt(within(t), driver.Prompt{Text: "env " + protocol.EnvToken}); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimPrefix(sink.said(), args); got != "secret" {
		t.Errorf("its environment has the token %q", got)
	}
}

// The address and the headers of a server may be credentials: they are in claude's
// environment, too.
func TestAServerAtAnAddress(t *testing.T) {
	_, session, sink, err := open(t, driver.SessionConfig{Tools: []driver.ToolServer{
		{Name: "pilotfish", Command: "pilotfish", Args: []string{"mcp"}},
		{Name: "hub", URL: "https://hub.example/mcp?key=k1", Headers: []driver.ToolHeader{{Name: "X-Team", Value: "blue"}, {Name: "Authorization", Value: "Bearer secret"}}},
		{Name: "locked", URL: "https://locked.example", Missing: "the keychain is locked"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	said := func(text string) string {
		t.Helper()
		before := sink.said()
		if _, err := session.Prompt(within(t), driver.Prompt{Text: text}); err != nil {
			t.Fatal(err)
		}
		return strings.TrimPrefix(sink.said(), before)
	}
	args := said("args")
	if want := `"hub":{"type":"http","url":"${PILOTFISH_SERVER_1_URL}","headers":{"Authorization":"${PILOTFISH_SERVER_1_HEADER_1}","X-Team":"${PILOTFISH_SERVER_1_HEADER_0}"}}`; !strings.Contains(args, want) {
		t.Errorf("%q lacks %q", args, want)
	}
	if strings.Contains(args, "secret") || strings.Contains(args, "key=k1") || strings.Contains(args, `"locked"`) {
		t.Errorf("%q", args)
	}
	for name, want := range map[string]string{"URL": "https://hub.example/mcp?key=k1", "HEADER_0": "blue", "HEADER_1": "Bearer secret"} {
		if got := said("env PILOTFISH_SERVER_1_" + name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	sink.mu.Lock()
	defer sink.mu.Unlock()
	if !slices.ContainsFunc(sink.updates, func(u driver.Update) bool {
		return u.Notice != nil && strings.Contains(*u.Notice, "locked (the keychain is locked)")
	}) {
		t.Error("the user is not told which server claude lacks")
	}
}

// Claude reports at the beginning of each turn which MCP servers it is connected to. The
// user gets one notice about a server that does not work.
func TestAServerThatDoesNotWork(t *testing.T) {
	_, session, sink, err := open(t, driver.SessionConfig{Tools: []driver.ToolServer{
		{Name: "pilotfish", Command: "pilotfish", Args: []string{"mcp"}}, {Name: "broken", URL: "https://broken.example"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := session.Prompt(within(t), driver.Prompt{Text: "say hello"}); err != nil {
			t.Fatal(err)
		}
	}
	sink.mu.Lock()
	defer sink.mu.Unlock()
	var notices []string
	for _, u := range sink.updates {
		if u.Notice != nil {
			notices = append(notices, *u.Notice)
		}
	}
	if len(notices) != 1 || !strings.Contains(notices[0], " cannot use the MCP server broken: ") {
		t.Errorf("the notices are %q", notices)
	}
}
