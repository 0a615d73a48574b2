package e2e

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/desktop"
	"pilotfish/backend/protocol"
)

// TestSingleInstance starts the app twice: the second instance brings the window
// of the first to the front and exits with 0.
func TestSingleInstance(t *testing.T) {
	p, _, _ := shared(t)
	window, err := p.desk.WaitWindow(p.ctx, "^Pilotfish$")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.desk.CloseWindow(p.ctx, window); err != nil {
		t.Fatal(err)
	}
	p.eventually("the window is hidden, the app lives", func() bool { return len(p.desk.Windows(p.ctx, "^Pilotfish$")) == 0 })
	first := p.app.Process.Pid

	second := &product{t: t, ctx: p.ctx, home: p.home, bin: p.bin, desk: p.desk, atEnd: withTest(t)}
	second.launch(options{})
	select {
	case <-second.done:
	case <-p.ctx.Done():
		t.Fatal("the second app did not end")
	}
	if code := second.app.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the second app ended with %d:\n%s", code, p.tail())
	}
	if _, err := p.desk.WaitWindow(p.ctx, "^Pilotfish$"); err != nil {
		t.Errorf("the window did not come back: %v", err)
	}
	if err := syscall.Kill(first, 0); err != nil {
		t.Errorf("the first app is gone: %v", err)
	}
}

// TestStartOnABareMachine starts the app where almost everything is missing: the browser at
// its path, a host for tray icons, the agent; and on files that a newer version wrote. The
// session says why it failed, and starts after the setting is fixed. The panel says how to
// install the agent. Each file of the newer version is kept beside its place byte by byte,
// the log names it, and the session works without it.
func TestStartOnABareMachine(t *testing.T) {
	t.Parallel()
	home := shortDir(t)
	newer := map[string]string{
		"config/models.json":                  `{"version":99,"profiles":{"a":"in a new form"}}`,
		"state/sessions/default/rules.json":   `{"version":99,"rules":[{"site":"https://a.example","effect":"new"}]}`,
		"state/sessions/default/session.json": `{"version":99,"tabs":"in a new form"}`,
	}
	for name, text := range newer {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	desk := newDesktop(t, desktop.Config{NoPanel: true, Width: 1440, Height: 900})
	p := start(t, options{Home: home, Desktop: desk, NoBrowser: true, Settings: []string{`browser_path = "/nowhere/chromium"`, `agent = "claude"`}, Env: []string{"PATH=/usr/bin:/bin"}})
	p.eventually("the session says why it failed", func() bool {
		all, err := p.status()
		return err == nil && len(all) == 1 && all[0].Error != nil && all[0].Error.Code == protocol.CodeNoBrowser
	})
	if _, err := desk.WaitWindow(p.ctx, "^Pilotfish$"); err != nil {
		t.Fatal(err)
	}
	if err := desk.Screenshot(p.ctx, artifact(t, "no-browser.png")); err != nil {
		t.Error(err)
	}

	p.writeSettings([]string{"browser_path = " + strconv.Quote(filepath.Join(p.bin, "chromium")), `agent = "claude"`})
	p.eventually("the session starts with the setting that was fixed", func() bool {
		_, err := p.cliRun("sessions", "start", "default")
		return err == nil
	})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.until(panel, "the panel names the missing agent and how to install it", `/claude/i.test(document.body.innerText) && document.body.innerText.includes('install')`)
	if err := desk.Screenshot(p.ctx, artifact(t, "agent-missing.png")); err != nil {
		t.Error(err)
	}
	if rules := p.cli("rules"); strings.Contains(rules, "a.example") {
		t.Errorf("a rule of the newer version applies: %s", rules)
	}
	logged, err := os.ReadFile(filepath.Join(home, "state/logs/pilotfish.log"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range newer {
		if kept, err := os.ReadFile(filepath.Join(home, name+".bad")); err != nil || string(kept) != text {
			t.Errorf("%s is not kept: %q, %v", name, kept, err)
		}
	}
	if n := strings.Count(string(logged), "put aside"); n != len(newer) {
		t.Errorf("the log names %d of %d files", n, len(newer))
	}
}

// TestTwoSessions runs two sessions side by side: neither sees the other's tabs
// or terminals, and stopping one does not affect the other.
func TestTwoSessions(t *testing.T) {
	pages := site(t)
	p, _, _ := shared(t)
	p.cli("sessions", "new", "work")
	p.cli("sessions", "start", "work")
	two := p.panel(p.browser("work"))
	p.untilScreen(two, "ready>")
	p.typeLine(two, "pilotfish goto "+pages+"/work; echo $PILOTFISH_SESSION $PILOTFISH_TAB")
	p.untilScreen(two, "work t1")
	p.cli("--session", "default", "goto", pages+"/home")
	p.eventually("each session has its own tab at its own page", func() bool {
		work, home := p.session("work").Tabs, p.session(protocol.DefaultSession).Tabs
		return len(work) == 1 && strings.HasSuffix(work[0].URL, "/work") && len(home) == 1 && strings.HasSuffix(home[0].URL, "/home")
	})
	// What runs by itself in one session does not mind that the window of the other is in front.
	for session, front := range map[string]string{"default": "work", "work": "default"} {
		p.cli("tab", "t1", "--session", front)
		for what, args := range map[string][]string{"commands": {"--command", "title", "--command", "url"}, "task": {"--task", "title"}} {
			p.cli(append([]string{"schedule", "add", "look", "--at", "daily 00:00", "--open", pages + "/look", "--session", session}, args...)...)
			p.cli("schedule", "run", "look")
			p.eventually("the schedule has run", func() bool { return p.lastRun("look").DurationMS > 0 })
			if run := p.lastRun("look"); run.State != protocol.ScheduleDone {
				t.Errorf("%s in %s ended with %+v", what, session, run)
			}
			p.cli("schedule", "remove", "look")
		}
	}
	p.cli("sessions", "stop", "work")
	if got := p.session("work"); got.State != protocol.SessionStopped || len(got.Terminals) != 0 {
		t.Errorf("session work is %s with %d terminals", got.State, len(got.Terminals))
	}
	one := p.panel(p.browser(protocol.DefaultSession)) // a browser serves the test that came last
	p.typeLine(one, "echo alone $((5+5))")
	p.untilScreen(one, "alone 10")
	p.cli("sessions", "delete", "work")
}

// TestStartAgain ends the app and starts it again. Its port is taken meanwhile: it uses
// another one, and all clients find it. A price on a page changes: the start notices it,
// runs its schedule, and shows a notification on the desktop. The machine has no keychain:
// a message to a model waits for the key.
func TestStartAgain(t *testing.T) {
	var price atomic.Value
	price.Store("3 €")
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		// Only the price counts: the time of the page changes with each request.
		_, _ = fmt.Fprintf(w, "<!doctype html><meta charset=utf-8><title>Tea</title><p>%s<p id=price>%s", time.Now(), price.Load())
	}))
	defer shop.Close()
	hosted := model.New(chatting)
	t.Cleanup(hosted.Close)
	p, _, panel := shared(t)
	notes := notifications()
	p.useModel(panel, hosted.OpenAIURL())
	p.cli("schedule", "add", "tea", "--page", shop.URL, "--selector", "#price", "--every", "1m", "--command", "title", "--notify", "always", "--start-session")
	p.eventually("the first text of the page is kept", func() bool {
		kept, err := os.ReadFile(filepath.Join(p.home, "state", "schedules.json"))
		return err == nil && strings.Contains(string(kept), `"text":`)
	})
	if run := p.lastRun("tea"); run.State != "" {
		t.Errorf("the first look is a run: %+v", run)
	}
	port := p.endpoint().Port
	p.quit()
	price.Store("2 €")
	listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port)) //nolint:noctx // a test's own socket
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()

	p.launch(options{})
	panel = p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "ready>")
	p.typeLine(panel, "pilotfish url && echo found $((20+1))")
	p.untilScreen(panel, "found 21")
	if now := p.endpoint().Port; now == port {
		t.Errorf("both use port %d", port)
	}
	p.eventually("the schedule has run", func() bool { return p.lastRun("tea").DurationMS > 0 })
	if run := p.lastRun("tea"); run.State != protocol.ScheduleDone || run.Reason != "page" {
		t.Errorf("the run is %+v", run)
	}
	note, err := notes.WaitNote(p.ctx)
	if err != nil || note.Title != "The schedule “tea” is done" {
		t.Errorf("the notification is %+v, %v", note, err)
	}
	p.cli("schedule", "remove", "tea")

	p.toChat(panel)
	p.pickAgent(panel, "fake-model")
	p.say(panel, "Are you still there?")
	p.press(panel, "Enter the key")
	p.enter(panel, "Key", model.Key)
	if err := p.desk.Screenshot(p.ctx, artifact(t, "chat-model-key.png")); err != nil {
		t.Error(err)
	}
	p.press(panel, "Save")
	p.untilSaid(panel, "things before")
}
