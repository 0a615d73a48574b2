package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pilotfish/app/operations"
	"pilotfish/backend/config"
	"pilotfish/backend/llm"
	"pilotfish/backend/protocol"
	"pilotfish/backend/session"
)

// startWindow runs the test binary as the window's program.
func startWindow(t *testing.T, part string, hidden bool) (b *fakeBackend, w *window, end func() error) {
	t.Helper()
	t.Setenv(partEnv, part)
	b = newFakeBackend()
	w = newWindow(parts{windowProgram: os.Args[0], logger: endings(b)}, io.Discard, b.Window)
	ctx, cancel := context.WithCancel(t.Context())
	w.operations = operations.Local{
		Backend: b, Log: fakeLog{b}, State: b.Window, Quit: func() { b.called("quit") },
		OpenFolder: func(context.Context, string) error { panic("no such luck") },
	}.Table()
	var ended sync.WaitGroup
	var err error
	ended.Go(func() { err = w.run(ctx, hidden, b.Begun()) })
	end = func() error {
		cancel()
		ended.Wait()
		goleak.VerifyNone(t)
		return err
	}
	return b, w, end
}

// endings is a logger that calls the test's backend when a window has ended.
func endings(b *fakeBackend) *slog.Logger {
	drop := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.MessageKey {
			return a
		}
		return slog.Attr{}
	}
	return slog.New(slog.NewTextHandler(writer(func(text string) {
		if message := strings.Trim(strings.TrimPrefix(text, "msg="), "\"\n"); strings.HasPrefix(message, "window ended") {
			b.called("log %s", message)
		}
	}), &slog.HandlerOptions{ReplaceAttr: drop}))
}

// heard is the call with which the tests' window reports what it received.
func heard(text string) string { return "open heard/" + text }

// running returns the running program.
func (w *window) running(t *testing.T) *windowChild {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.child == nil {
		t.Fatal("no window runs")
	}
	return w.child
}

// report makes the tests' window write a line.
func report(t *testing.T, w *window, r protocol.WindowReport) {
	t.Helper()
	line, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	w.log([]protocol.LogRecord{{Message: string(line)}})
}

func call(number uint64, name, in string) protocol.WindowReport {
	r := protocol.WindowReport{Report: protocol.ReportCall, Call: number, Op: name, Session: protocol.DefaultSession}
	if in != "" {
		r.In = json.RawMessage(in)
	}
	return r
}

// loads makes the tests' window request the state, as a page does that has subscribed to
// events: it receives the state, and then opens the page that was asked for before.
func (b *fakeBackend) loads(t *testing.T, w *window, page, state string) {
	t.Helper()
	answer, err := json.Marshal(b.Window())
	if err != nil {
		t.Fatal(err)
	}
	report(t, w, call(1, "State", ""))
	b.expect(t, heard("answer 1: "+string(answer)), state, heard(fmt.Sprintf(`event{"page":%q}`, page)))
}

func TestPageCallsTheApp(t *testing.T) {
	b, w, end := startWindow(t, "window", false)
	// The unfinished line that GTK printed before did not swallow the report.
	b.expect(t, heard("begun"))

	report(t, w, call(1, "ShowTab", `"t2"`))
	b.expect(t, "show tab default/t2")
	b.expect(t, heard("answer 1: null"))
	report(t, w, call(2, "SetSiteRule", `{"site":"<a & b>","kind":"act","decision":"allow"}`))
	b.expect(t, heard(`answer 2: [{"site":"\u003ca \u0026 b\u003e","kind":"act","decision":"allow"}]`))
	// An error reaches the page in the form that the page shows.
	report(t, w, call(3, "ConversationFile", `{"path":"x"}`))
	b.expect(t, heard(`answer 3: {"code":"bad_argument","message":"there is no file"}`))
	report(t, w, call(4, "Nonsense", ""))
	b.expect(t, heard(`answer 4: {"code":"unknown_command","message":"the app has no operation \"Nonsense\"","hint":"start Pilotfish again"}`))
	report(t, w, call(5, "ShowTab", ""))
	b.expect(t, heard(`answer 5: {"code":"bad_argument","message":"ShowTab needs an argument"}`))
	report(t, w, call(6, "ShowTab", `7`))
	b.expect(t, heard(`answer 6: {"code":"bad_argument","message":"the argument of ShowTab cannot be read (json: cannot unmarshal number into Go value of type string)"}`))
	// An operation that panics does not end the sessions: the fake's openFolder does.
	report(t, w, call(7, "OpenLogFolder", ""))
	b.expect(t, heard(`answer 7: {"code":"internal","message":"OpenLogFolder failed: no such luck"}`))
	// Lines that are not reports come from libraries.
	w.log([]protocol.LogRecord{{Message: "(process:1): Gtk-WARNING"}, {Message: `{"report":"nonsense"}`}})
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestPageThatIsSeenIsToldTheState(t *testing.T) {
	b, w, end := startWindow(t, "window", false)
	b.expect(t, heard("begun"))
	tell := func(port int) {
		b.set(protocol.WindowState{Port: port})
		w.changed()
	}
	tell(1)
	b.expect(t, heard("state 1"))
	// A page is opened once the window has subscribed.
	w.show(protocol.WindowShow{Page: "logs"})
	b.expect(t, heard("show"), heard("state 1"))
	b.loads(t, w, "logs", heard("state 1"))
	// Without a tray, the close button minimises the window, so that it can be
	// found.
	report(t, w, protocol.WindowReport{Report: protocol.ReportClosed})
	b.expect(t, heard("minimise"))
	tell(2)
	b.expect(t, heard("state 2"))
	// With a tray its program ends, and is started again when it is shown.
	b.SetTray(protocol.TrayShown)
	b.expect(t, "tray shown")
	report(t, w, protocol.WindowReport{Report: protocol.ReportClosed})
	b.expect(t, "log window ended: the user closed it")
	tell(3)
	w.show(protocol.WindowShow{Page: "settings"})
	b.expect(t, heard("begun"))
	b.loads(t, w, "settings", heard("state 3"))
	tell(4)
	b.expect(t, heard("state 4"))
	if err := end(); err != nil {
		t.Error(err)
	}
}

// An answer with the state may be older than a state that is sent at the same
// time.
func TestStateIsToldAfterItsAnswer(t *testing.T) {
	b := newFakeBackend()
	in, out := io.Pipe()
	ctx, cancel := context.WithCancelCause(t.Context())
	child := &windowChild{orders: make(chan protocol.WindowOrder, windowQueue), stale: make(chan struct{}, 1), end: cancel}
	child.restate()
	w := &window{operations: operations.Local{Backend: b, State: b.Window}.Table()}
	w.answer(ctx, child, call(1, "State", ""))
	var writer sync.WaitGroup
	writer.Go(func() { child.write(ctx, out, b.Window) })
	orders := json.NewDecoder(in)
	for _, want := range []protocol.WindowOrderType{protocol.OrderAnswer, protocol.OrderEvent} {
		var got protocol.WindowOrder
		if err := orders.Decode(&got); err != nil || got.Order != want {
			t.Fatalf("got the order %q, error %v, want %q", got.Order, err, want)
		}
	}
	cancel(nil)
	writer.Wait()
}

func TestWindowIsOpenedAgain(t *testing.T) {
	b, w, end := startWindow(t, "window", true)
	w.show(protocol.WindowShow{Page: "logs"})
	b.expect(t, heard("begun"))
	for range 2 {
		if err := killChild("window"); err != nil {
			t.Fatal(err)
		}
		b.expect(t, "log window ended and is opened again")
		b.expect(t, heard("begun"))
	}
	// The page that was requested before is still opened.
	b.loads(t, w, "logs", heard("state 0"))
	// The user asks for it while the closed one has not ended yet.
	b.SetTray(protocol.TrayShown)
	b.expect(t, "tray shown")
	w.closed(w.running(t))
	w.show(protocol.WindowShow{})
	w.changed()
	b.expect(t, "log window ended: the user closed it")
	b.expect(t, heard("begun"))
	if err := end(); err != nil {
		t.Error(err)
	}
}

// A window whose report cannot be read is restarted; otherwise its page would
// wait forever.
func TestWindowWithoutEndOfLineIsOpenedAgain(t *testing.T) {
	b, w, end := startWindow(t, "window", false)
	b.expect(t, heard("begun"))
	w.log([]protocol.LogRecord{{Message: strings.Repeat("x", windowLineMost+1)}})
	b.expect(t, "log window ended and is opened again")
	b.expect(t, heard("begun"))
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestWindowThatCannotRunIsGivenUp(t *testing.T) {
	t.Setenv(partEnv, "dead window")
	b := newFakeBackend()
	said := make(chan string, 1)
	w := newWindow(parts{windowProgram: os.Args[0], logger: slog.New(slog.DiscardHandler)}, writer(func(text string) { said <- text }), b.Window)
	ctx, cancel := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := w.run(ctx, false, b.Begun()); err != nil {
			t.Error(err)
		}
	})
	// The app continues without a window, and tries again at every request.
	for range 2 {
		var text string
		select {
		case text = <-said:
		case <-time.After(patience):
		}
		if !strings.Contains(text, "failed too often") || !strings.Contains(text, "exit status 7") {
			t.Errorf("it said %q", text)
		}
		w.show(protocol.WindowShow{})
	}
	cancel()
	ended.Wait()
	goleak.VerifyNone(t)
}

// writer is an io.Writer made of a function.
type writer func(text string)

func (w writer) Write(text []byte) (int, error) {
	w(string(text))
	return len(text), nil
}

// A window that hangs blocks nothing, and is restarted.
func TestDeafWindowIsKilled(t *testing.T) {
	b, w, end := startWindow(t, "unresponsive window", false)
	b.expect(t, heard("unresponsive"))
	message := strings.Repeat("x", 1000)
	for range windowQueue + 200 { // a pipe holds 64 KiB
		w.emit("log", []protocol.LogRecord{{Message: message}})
	}
	b.expect(t, "log window ended and is opened again")
	b.expect(t, heard("unresponsive"))
	if err := end(); err != nil {
		t.Error(err)
	}
	if err := killChild("unresponsive window"); err == nil {
		t.Error("the window outlived the app")
	}
}

// The app ends in order although something of the window never ends.
func TestQuitDoesNotWaitForTheWindow(t *testing.T) {
	t.Setenv(partEnv, "window")
	b := newFakeBackend()
	hung, release, codes := make(chan struct{}), make(chan struct{}), make(chan int, 1)
	p := newProgram(parts{
		backend: b, logs: fakeLog{b}, windowProgram: os.Args[0], stateDir: t.TempDir(), logger: slog.New(slog.DiscardHandler),
		openFolder: func(context.Context, string) error { close(hung); <-release; return nil },
	}, options{}, console{out: io.Discard, err: io.Discard})
	p.exit = func(code int) { codes <- code }
	ctx, quit := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() { p.run(ctx) })
	b.expect(t, "run", heard("begun"))
	report(t, p.window, call(1, "OpenLogFolder", ""))
	<-hung
	quit()
	if code := <-codes; code != exitDone {
		t.Errorf("exit code %d, want %d", code, exitDone)
	}
	close(release)
	ended.Wait()
}

// Every operation that the page calls exists, and somebody calls each.
func TestThePageCallsWhatThereIs(t *testing.T) {
	page, err := os.ReadFile("../frontend/src/backend.ts")
	if err != nil {
		t.Fatal(err)
	}
	dirs := config.Dirs{Config: t.TempDir(), State: t.TempDir()}
	if err := dirs.Prepare(); err != nil {
		t.Fatal(err)
	}
	models, err := llm.New(llm.Config{Path: dirs.ModelsFile(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	m, err := session.New(session.Config{Dirs: dirs, Models: models, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	names := operations.Local{Backend: m}.Table().Names()
	var called []string
	for _, c := range regexp.MustCompile(`(?:ask|run)\((?:[\w.()]+,\s*)?'([A-Z]\w+)'`).FindAllStringSubmatch(string(page), -1) {
		called = append(called, c[1])
		if !slices.Contains(names, c[1]) {
			t.Errorf("the page calls %s, which does not exist", c[1])
		}
	}
	if len(called) < 30 || !slices.Contains(called, "RemoveSiteRule") {
		t.Errorf("found only the calls %q", called)
	}
	for _, name := range names {
		if !slices.Contains(called, name) && name != "ShowApproval" { // the tray's
			t.Errorf("nobody calls %s: frontend/src/backend.ts has no ask(…) or run(…) of it", name)
		}
	}
}
