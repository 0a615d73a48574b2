//go:build unix

package acp_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

func TestASessionIsLoadedWithoutItsHistory(t *testing.T) {
	for _, args := range [][]string{{}, {"-resume", "-no-load"}, {"-boasts"}} {
		state := t.TempDir()
		args = append(args, "-state", state)
		a := start(t, args...)
		session, _ := open(t, a)
		if !session.Abilities().Resume {
			t.Error("it does not say that it can resume")
		}
		prompt(t, session, "say before")
		if err := a.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		loaded, sink := openWith(t, start(t, args...), driver.SessionConfig{Resume: session.ID()})
		if loaded.ID() != session.ID() {
			t.Errorf("the session is %s, want %s", loaded.ID(), session.ID())
		}
		prompt(t, loaded, "say after")
		got := sink.history()
		if got[len(got)-1] != "text after" || slices.ContainsFunc(got, func(line string) bool { return strings.Contains(line, "before") && !strings.HasPrefix(line, "title") }) {
			t.Errorf("%v: %q", args, got)
		}
	}
}

// An agent that can do both repeats the history of a session that the conversation does not
// have.
func TestASessionIsReplayed(t *testing.T) {
	for _, replay := range []bool{true, false} {
		_, sink := openWith(t, start(t, "-resume"), driver.SessionConfig{Resume: "before", Replay: replay})
		repeated := slices.ContainsFunc(sink.history(), func(line string) bool { return strings.Contains(line, "before") })
		if repeated != replay {
			t.Errorf("replay %v: %q", replay, sink.history())
		}
	}
}

func TestPastSessions(t *testing.T) {
	past := func(args ...string) ([]protocol.PastSession, error) {
		return start(t, args...).Past(within(t))
	}
	list, err := past("-lists")
	if err != nil || len(list) != 5 {
		t.Fatalf("%d sessions, %v", len(list), err)
	}
	want := protocol.PastSession{
		Agent: "scripted", AgentName: "Scripted", ID: "old-1", Title: "Mend the cart\n\u202enow", Folder: "/home/ada/src/shop",
		Updated: time.Date(2025, 11, 20, 9, 0, 0, 0, time.UTC), Chat: true,
	}
	if list[0] != want {
		t.Errorf("%+v", list[0])
	}
	// It does not offer it, or what it lists could not be continued.
	for _, args := range [][]string{{}, {"-lists", "-no-load"}} {
		if list, err := past(args...); err != nil || list != nil {
			t.Errorf("%v: %v, %v", args, list, err)
		}
	}
	_, err = past("-lists", "-sign-in")
	if _, ok := errors.AsType[*driver.NeedsSignIn](err); !ok {
		t.Errorf("without a sign-in: %v", err)
	}
}

// Some agents save the conversation only when the session is closed.
func TestACloseIsWaitedFor(t *testing.T) {
	args := []string{"-late", "-state", t.TempDir()}
	a := start(t, args...)
	session, _ := open(t, a)
	prompt(t, session, "say before")
	if err := session.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := start(t, args...).Open(within(t), driver.SessionConfig{Resume: session.ID(), Dir: t.TempDir()}, newSink()); err != nil {
		t.Errorf("it was not written down: %v", err)
	}

	mute, _ := open(t, start(t, "-mute", "session/close"))
	ctx, cancel := context.WithCancelCause(within(t))
	enough := errors.New("enough")
	cancel(enough)
	if err := mute.Close(ctx); !errors.Is(err, enough) {
		t.Errorf("an agent that does not answer: %v", err)
	}
}

func TestASessionThatCannotBeLoaded(t *testing.T) {
	for _, args := range [][]string{{"-no-load"}, {"-state", t.TempDir()}, {"-state", t.TempDir(), "-blank"}} {
		_, err := start(t, args...).Open(within(t), driver.SessionConfig{Resume: "gone", Dir: t.TempDir()}, newSink())
		if !errors.Is(err, driver.ErrNoResume) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestSignIn(t *testing.T) {
	a := start(t, "-sign-in")
	_, err := a.Open(within(t), driver.SessionConfig{Dir: t.TempDir()}, newSink())
	needs, ok := errors.AsType[*driver.NeedsSignIn](err)
	if !ok {
		t.Fatalf("%v, want NeedsSignIn", err)
	}
	if want := (protocol.SignInMethod{ID: "browser", Name: "Sign in with a browser", About: "Opens a page"}); len(needs.Methods) != 1 || needs.Methods[0] != want {
		t.Errorf("%+v", needs.Methods)
	}
	if err := a.SignIn(within(t), needs.Methods[0].ID); err != nil {
		t.Fatal(err)
	}
	session, _ := open(t, a)
	prompt(t, session, "say in")
}

func TestWhatASessionIsGiven(t *testing.T) {
	dir := t.TempDir()
	cfg := driver.SessionConfig{
		Dir: dir, System: "You are beside the tab t7.",
		Tools: []driver.ToolServer{{Name: "pilotfish", Command: "pilotfish", Args: []string{"mcp"}, Env: []string{"A=b=c"}}},
	}
	// An agent whose protocol has no field for the system prompt gets it before
	// the first message.
	session, sink := openWith(t, start(t), cfg)
	prompt(t, session, "tools; cwd; env COLOUR")
	if want := "tools pilotfishcwd " + dir + "COLOUR=green"; sink.text() != want {
		t.Errorf("%q, want %q", sink.text(), want)
	}
	prompt(t, session, "system")
	if said := sink.text(); strings.Count(said, "<pilotfish>") != 1 || !strings.Contains(said, "You are beside the tab t7.\n</pilotfish>") {
		t.Errorf("%q", said)
	}
	// Claude's adapter gets it with the session.
	session, sink = openWith(t, startKind(t, protocol.AgentClaude), cfg)
	prompt(t, session, "system")
	if sink.text() != "system You are beside the tab t7." {
		t.Errorf("%q", sink.text())
	}
	if !session.Abilities().Terminal {
		t.Error("claude's sessions go on in a terminal")
	}
}

// A server at an address goes to an agent that announces that it can connect to one. The
// user is informed once which servers another agent does not get, and why.
func TestServersAtAnAddress(t *testing.T) {
	cfg := driver.SessionConfig{Dir: t.TempDir(), Tools: []driver.ToolServer{
		{Name: "pilotfish", Command: "pilotfish"},
		{Name: "hub", URL: "https://hub.example/mcp", Headers: []driver.ToolHeader{{Name: "Authorization", Value: "Bearer abc"}}},
		{Name: "bare", URL: "http://127.0.0.1:9/mcp"},
		{Name: "locked", URL: "https://locked.example/mcp", Missing: "the keychain is locked"},
	}}
	session, sink := openWith(t, start(t, "-mcp-http"), cfg)
	prompt(t, session, "tools")
	if want := "tools pilotfish, hub http https://hub.example/mcp [{Authorization Bearer abc}], bare http http://127.0.0.1:9/mcp []"; sink.text() != want {
		t.Errorf("%q, want %q", sink.text(), want)
	}
	sink.wait(t, "notice Scripted does not have these of your MCP servers: locked (the keychain is locked).")
	session, sink = openWith(t, start(t), cfg)
	prompt(t, session, "tools")
	prompt(t, session, "tools")
	if want := "tools pilotfishtools pilotfish"; sink.text() != want {
		t.Errorf("%q, want %q", sink.text(), want)
	}
	notices := 0
	for _, line := range sink.log {
		if strings.HasPrefix(line, "notice ") {
			notices++
			if !strings.Contains(line, "hub (") || !strings.Contains(line, "bare (") || strings.Contains(line, "pilotfish (") || strings.Contains(line, "abc") {
				t.Error(line)
			}
		}
	}
	if notices != 1 {
		t.Errorf("%d notices, want 1", notices)
	}
}

func TestPicturesAndFiles(t *testing.T) {
	session, sink := open(t, start(t))
	_, err := session.Prompt(within(t), driver.Prompt{
		Text: "echo", Images: []driver.Image{{Mime: "image/png", Data: []byte("123456")}}, Files: []driver.File{{Path: "/home/me/a b.txt", Mime: "text/plain"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "[text   0][image image/png  8][resource_link text/plain file:///home/me/a%20b.txt 0]"; sink.text() != want {
		t.Errorf("%q, want %q", sink.text(), want)
	}
	blind, _ := open(t, start(t, "-no-images"))
	if blind.Abilities().Images {
		t.Error("it says that it takes pictures")
	}
	if _, err := blind.Prompt(within(t), driver.Prompt{Text: "echo", Images: []driver.Image{{Mime: "image/png", Data: []byte{1}}}}); err == nil {
		t.Error("a picture went to an agent that takes none")
	}
}

func TestOptions(t *testing.T) {
	for _, test := range []struct {
		args  []string
		begin string
		fast  string
	}{
		{nil, "options mode=ask model=strong telemetry=false", "options mode=code model=fast telemetry=false"},
		{[]string{"-legacy"}, "options mode=ask model=strong", "options mode=code model=fast"},
	} {
		session, sink := open(t, start(t, test.args...))
		sink.wait(t, test.begin)
		for id, value := range map[string]string{"mode": "code", "model": "fast"} {
			if err := session.SetOption(within(t), id, value); err != nil {
				t.Fatal(err)
			}
		}
		prompt(t, session, "model")
		if sink.text() != "model fast mode code" {
			t.Errorf("%q", sink.text())
		}
		sink.wait(t, test.fast)
		if session.SetOption(t.Context(), "mode", "fly") == nil || session.SetOption(t.Context(), "weather", "fair") == nil {
			t.Error("an option took what it has not")
		}
		// The agent changes its mode itself.
		prompt(t, session, "mode ask")
		sink.wait(t, strings.Replace(test.fast, "mode=code", "mode=ask", 1))
	}
}

// A model for one turn does not change the user's choice.
func TestAModelForOneTurn(t *testing.T) {
	for _, args := range [][]string{nil, {"-legacy"}, {"-hasty"}} {
		session, sink := open(t, start(t, args...))
		turn := func(model, want string) {
			t.Helper()
			before := len(sink.text())
			if _, err := session.Prompt(within(t), driver.Prompt{Text: "model", Model: model}); err != nil {
				t.Fatal(err)
			}
			if got := sink.text()[before:]; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		turn("fast", "model fast mode ask")
		turn("", "model strong mode ask")
		turn("unheard-of", "model strong mode ask")
		for _, line := range sink.log {
			if strings.HasPrefix(line, "options") && !strings.Contains(line, "model=strong") {
				t.Errorf("the person is shown %q", line)
			}
		}
	}
	plain, sink := open(t, start(t, "-plain"))
	if _, err := plain.Prompt(within(t), driver.Prompt{Text: "say x", Model: "fast"}); err != nil || sink.text() != "x" {
		t.Errorf("%v: %q", err, sink.text())
	}
}

func TestAClosedSessionIsQuiet(t *testing.T) {
	a := start(t)
	session, sink := open(t, a)
	ended := make(chan driver.TurnEnd, 1)
	go func() {
		end, _ := session.Prompt(within(t), driver.Prompt{Text: "say begun; slow 100000 1"})
		ended <- end
	}()
	sink.wait(t, "text begun")
	if err := session.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end := <-ended; end.Reason != protocol.EndCancelled {
		t.Errorf("ended with %s", end.Reason)
	}
	other, _ := open(t, a)
	prompt(t, other, "say other")
}
