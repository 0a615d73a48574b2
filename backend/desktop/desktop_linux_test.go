package desktop_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/godbus/dbus/v5"
	"go.uber.org/goleak"

	"pilotfish/backend/desktop"
	"pilotfish/backend/desktop/testbus"
	"pilotfish/backend/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bus starts a separate session bus for the test.
func bus(t *testing.T) *dbus.Conn {
	t.Helper()
	config, err := testbus.WriteConfig(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "dbus-daemon", "--config-file="+config, "--nofork", "--print-address=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start a session bus (package dbus-daemon): %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(address))
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// note is a notification that the fake service was asked to show.
type note struct {
	app, title, body string
	replaces         uint32
	urgency          byte
	actions          []string
}

// service is a small implementation of org.freedesktop.Notifications.
type service struct {
	can   atomic.Pointer[[]string]
	notes chan note
	shown atomic.Uint32
	// closed receives the ids of withdrawn notifications.
	closed chan uint32
}

func (s *service) CloseNotification(id uint32) *dbus.Error {
	s.closed <- id
	return nil
}

func (s *service) GetCapabilities() ([]string, *dbus.Error) { return *s.can.Load(), nil }

func (s *service) Notify(app string, replaces uint32, _, title, body string, actions []string, hints map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	urgency, _ := hints["urgency"].Value().(byte)
	s.notes <- note{app, title, body, replaces, urgency, actions}
	return 41 + s.shown.Add(1), nil
}

func TestNotify(t *testing.T) {
	conn := bus(t)
	var n desktop.Notifier
	defer n.Close()
	if _, err := n.Notify(t.Context(), desktop.Notification{Title: "x"}); protocol.AsError(err).Code != protocol.CodeNotRunning {
		t.Errorf("without a service: %v", err)
	}
	s := &service{notes: make(chan note, 1)}
	s.can.Store(&[]string{"body", "body-markup"})
	if err := conn.Export(s, "/org/freedesktop/Notifications", "org.freedesktop.Notifications"); err != nil {
		t.Fatal(err)
	}
	if got, err := conn.RequestName("org.freedesktop.Notifications", dbus.NameFlagDoNotQueue); err != nil || got != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("%v, %v", got, err)
	}
	// The texts may come from a page: markup is shown as text, not interpreted.
	id, err := n.Notify(t.Context(), desktop.Notification{
		Title: "claude\nneeds you", Body: `<a href="http://evil">Yes</a>` + strings.Repeat("x", 1000), Urgent: true, Replaces: 7,
	})
	if err != nil || id != 42 {
		t.Fatalf("%d, %v", id, err)
	}
	got := <-s.notes
	if got.app != "Pilotfish" || got.title != "claude needs you" || got.replaces != 7 || got.urgency != 2 {
		t.Errorf("%+v", got)
	}
	if strings.ContainsAny(got.body, "<>") || !strings.HasPrefix(got.body, "&lt;a href=") || !strings.HasSuffix(got.body, "x…") {
		t.Errorf("body %q", got.body)
	}
	s.can.Store(&[]string{"body"})
	if _, err := n.Notify(t.Context(), desktop.Notification{Title: "t", Body: "a < b"}); err != nil {
		t.Fatal(err)
	}
	if got := <-s.notes; got.body != "a < b" || got.urgency != 1 {
		t.Errorf("without markup: %+v", got)
	}
}

func TestNotifyWithoutABus(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	var n desktop.Notifier
	defer n.Close()
	if _, err := n.Notify(t.Context(), desktop.Notification{Title: "x"}); protocol.AsError(err).Code != protocol.CodeNotRunning {
		t.Errorf("%v", err)
	}
}

// A click on a notification calls its function. A click on another program's
// notification, on a closed one, or by another action does nothing.
func TestNotificationsAreClicked(t *testing.T) {
	conn := bus(t)
	s := &service{notes: make(chan note, 1)}
	s.can.Store(&[]string{"body", "actions"})
	if err := conn.Export(s, "/org/freedesktop/Notifications", "org.freedesktop.Notifications"); err != nil {
		t.Fatal(err)
	}
	if got, err := conn.RequestName("org.freedesktop.Notifications", dbus.NameFlagDoNotQueue); err != nil || got != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("%v, %v", got, err)
	}
	var n desktop.Notifier
	defer n.Close()
	signal := func(name string, args ...any) {
		t.Helper()
		if err := conn.Emit("/org/freedesktop/Notifications", "org.freedesktop.Notifications."+name, args...); err != nil {
			t.Fatal(err)
		}
	}
	clicked := make(chan string, 10)
	show := func(what string) {
		t.Helper()
		if _, err := n.Notify(t.Context(), desktop.Notification{Title: what, Clicked: func() { clicked <- what }}); err != nil {
			t.Fatal(err)
		}
		if got := <-s.notes; len(got.actions) != 2 || got.actions[0] != "default" {
			t.Errorf("%+v", got)
		}
	}
	show("first")
	signal("ActionInvoked", uint32(7), "default")
	signal("ActionInvoked", uint32(42), "settings")
	signal("ActionInvoked", uint32(42), "default")
	if got := <-clicked; got != "first" {
		t.Errorf("%s", got)
	}
	signal("NotificationClosed", uint32(42), uint32(2))
	signal("ActionInvoked", uint32(42), "default")
	show("second")
	signal("ActionInvoked", uint32(43), "default") // after the others: the bus keeps the order
	if got := <-clicked; got != "second" || len(clicked) > 0 {
		t.Errorf("%s, and %d more", got, len(clicked))
	}
}

// Another program on the bus that knows a notification's id and its keys clicks nothing, and
// closes nothing: not even after it has taken over the service's name (threat 56).
func TestNotificationsAreClickedByTheirServiceOnly(t *testing.T) {
	conn := bus(t)
	s := &service{notes: make(chan note, 1)}
	s.can.Store(&[]string{"body", "actions"})
	if err := conn.Export(s, "/org/freedesktop/Notifications", "org.freedesktop.Notifications"); err != nil {
		t.Fatal(err)
	}
	if got, err := conn.RequestName("org.freedesktop.Notifications", dbus.NameFlagDoNotQueue|dbus.NameFlagAllowReplacement); err != nil || got != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("%v, %v", got, err)
	}
	other, err := dbus.ConnectSessionBus(dbus.WithContext(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var n desktop.Notifier
	defer n.Close()
	pressed := make(chan string, 10)
	id, err := n.Notify(t.Context(), desktop.Notification{Title: "x", Actions: []desktop.Action{{Label: "Allow once", Do: func() { pressed <- "allowed" }}, {Label: "Deny", Do: func() { pressed <- "denied" }}}})
	if err != nil {
		t.Fatal(err)
	}
	keys := (<-s.notes).actions
	signal := func(from *dbus.Conn, name string, args ...any) {
		t.Helper()
		if err := from.Emit("/org/freedesktop/Notifications", "org.freedesktop.Notifications."+name, args...); err != nil {
			t.Fatal(err)
		}
		var owner string // the bus has it by then
		if err := from.BusObject().Call("org.freedesktop.DBus.GetId", 0).Store(&owner); err != nil {
			t.Fatal(err)
		}
	}
	signal(other, "ActionInvoked", id, keys[0])
	signal(other, "NotificationClosed", id, uint32(2))
	if got, err := other.RequestName("org.freedesktop.Notifications", dbus.NameFlagReplaceExisting); err != nil || got != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("%v, %v", got, err)
	}
	signal(other, "ActionInvoked", id, keys[0])
	signal(conn, "ActionInvoked", id, keys[2]) // after the others: the bus keeps the order
	if got := <-pressed; got != "denied" || len(pressed) > 0 {
		t.Errorf("%s, and %d more", got, len(pressed))
	}
}

// The buttons of a notification call their functions, also when the notification
// replaced another one. A late press for the replaced one does nothing.
func TestNotificationsHaveButtons(t *testing.T) {
	conn := bus(t)
	s := &service{notes: make(chan note, 1), closed: make(chan uint32, 1)}
	s.can.Store(&[]string{"body", "actions"})
	if err := conn.Export(s, "/org/freedesktop/Notifications", "org.freedesktop.Notifications"); err != nil {
		t.Fatal(err)
	}
	if got, err := conn.RequestName("org.freedesktop.Notifications", dbus.NameFlagDoNotQueue); err != nil || got != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("%v, %v", got, err)
	}
	var n desktop.Notifier
	defer n.Close()
	pressed := make(chan string, 10)
	show := func(what string) []string {
		t.Helper()
		// The fake service gives each notification the same id, as for a replaced
		// one.
		s.shown.Store(0)
		do := func(which string) func() { return func() { pressed <- what + " " + which } }
		if _, err := n.Notify(t.Context(), desktop.Notification{
			Title: what, Replaces: 42, Clicked: do("clicked"), Actions: []desktop.Action{{Label: "Allow once", Do: do("allowed")}, {Label: "Deny", Do: do("denied")}},
		}); err != nil {
			t.Fatal(err)
		}
		got := <-s.notes
		if len(got.actions) != 6 || got.actions[0] != "default" || got.actions[3] != "Allow once" || got.actions[5] != "Deny" {
			t.Fatalf("%q", got.actions)
		}
		return got.actions
	}
	press := func(key string) {
		t.Helper()
		if err := conn.Emit("/org/freedesktop/Notifications", "org.freedesktop.Notifications.ActionInvoked", uint32(42), key); err != nil {
			t.Fatal(err)
		}
	}
	want := func(what string) {
		t.Helper()
		if got := <-pressed; got != what {
			t.Errorf("%q, want %q", got, what)
		}
	}
	first := show("first")
	press(first[2])
	want("first allowed")
	second := show("second")
	press(first[2])
	press(first[4])
	press(second[4]) // after the others: the bus keeps the order
	want("second denied")
	press("default")
	want("second clicked")
	if err := n.Withdraw(t.Context(), 42); err != nil {
		t.Fatal(err)
	}
	if id := <-s.closed; id != 42 {
		t.Errorf("%d was closed", id)
	}
	press(second[2])
	third := show("third")
	press(third[2])
	want("third allowed")
	// A desktop without buttons shows the text.
	s.can.Store(&[]string{"body"})
	if _, err := n.Notify(t.Context(), desktop.Notification{Title: "t", Actions: []desktop.Action{{Label: "Deny", Do: func() {}}}}); err != nil {
		t.Fatal(err)
	}
	if got := <-s.notes; len(got.actions) != 0 {
		t.Errorf("%q", got.actions)
	}
}

func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestLoginEntry(t *testing.T) {
	home := t.TempDir()
	for name, c := range map[string]struct {
		env  map[string]string
		file string
	}{
		"default":  {map[string]string{"HOME": home}, ".config/autostart/pilotfish.desktop"},
		"xdg":      {map[string]string{"HOME": home, "XDG_CONFIG_HOME": home + "/cfg"}, "cfg/autostart/pilotfish.desktop"},
		"relative": {map[string]string{"HOME": home, "XDG_CONFIG_HOME": "cfg"}, ".config/autostart/pilotfish.desktop"},
		"portable": {map[string]string{"HOME": home, "XDG_CONFIG_HOME": home + "/cfg", protocol.EnvHome: home + "/p"}, "p/config/autostart/pilotfish.desktop"},
	} {
		t.Run(name, func(t *testing.T) {
			a := desktop.NewLoginEntry(environment(c.env))
			status := func(want bool) {
				t.Helper()
				if got, err := a.Enabled(); err != nil || got != want {
					t.Errorf("Enabled() = %v, %v; want %v", got, err, want)
				}
			}
			status(false)
			if err := a.Disable(); err != nil {
				t.Errorf("Disable of nothing: %v", err)
			}
			if err := a.Enable("/opt/pilot fish/pilotfish", "--hidden"); err != nil {
				t.Fatal(err)
			}
			status(true)
			path := filepath.Join(home, c.file)
			data, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(data), `Exec="/opt/pilot fish/pilotfish" "--hidden"`+"\n") {
				t.Fatalf("%v:\n%s", err, data)
			}
			// The user disables the entry in the desktop's settings.
			for _, line := range []string{"Hidden=true", "X-GNOME-Autostart-enabled=false"} {
				if err := os.WriteFile(path, append(data, line+"\n"...), 0o600); err != nil {
					t.Fatal(err)
				}
				status(false)
			}
			if err := a.Enable("/opt/pilotfish"); err != nil {
				t.Fatal(err)
			}
			status(true)
			if err := a.Disable(); err != nil {
				t.Fatal(err)
			}
			status(false)
			if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 0 {
				t.Errorf("left behind: %v, %v", entries, err)
			}
		})
	}
}

func TestLoginEntryNeedsAHome(t *testing.T) {
	for _, env := range []map[string]string{nil, {"HOME": "relative"}, {"XDG_CONFIG_HOME": "cfg"}} {
		e := desktop.NewLoginEntry(environment(env))
		_, err := e.Enabled()
		for _, err := range []error{err, e.Enable("/opt/pilotfish"), e.Disable()} {
			if protocol.AsError(err).Code != protocol.CodeNotWritable {
				t.Errorf("%v: %v", env, err)
			}
		}
	}
}

// An entry starts exactly the requested command, whatever the folder is called. The
// parser of this test applies the specification in reverse.
func TestLoginEntryQuotes(t *testing.T) {
	home := t.TempDir()
	a := desktop.NewLoginEntry(environment(map[string]string{"HOME": home}))
	for _, word := range []string{`/a b`, `/a"b`, "/a`id`b", `/a$HOME`, `/a\b`, `/100%u`, `/a;b&c|d`, `/ä'ö`} {
		if err := a.Enable(word, word); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(home, ".config", "autostart", "pilotfish.desktop"))
		if err != nil {
			t.Fatal(err)
		}
		var exec string
		for line := range strings.Lines(string(data)) {
			if value, ok := strings.CutPrefix(line, "Exec="); ok {
				exec = strings.TrimSpace(value)
			}
		}
		if got := parseExec(exec); len(got) != 2 || got[0] != word || got[1] != word {
			t.Errorf("%q is started as %q (line %s)", word, got, exec)
		}
	}
	for _, program := range []string{"relative", "", "/a\nExec=/bin/sh", "/a\x1b"} {
		if err := a.Enable(program); protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("Enable(%q) = %v", program, err)
		}
	}
}

// parseExec parses an Exec value: first the string's escapes, then the quoting.
func parseExec(value string) (words []string) {
	value = strings.ReplaceAll(value, `\\`, `\`)
	var word strings.Builder
	inside := false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '"':
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = !inside
		case inside && c == '\\', inside && c == '%':
			i++
			word.WriteByte(value[i])
		case inside:
			word.WriteByte(c)
		}
	}
	return words
}

// fakeOpener puts an xdg-open into PATH that records its arguments.
func fakeOpener(t *testing.T, exit int) (seen func() string) {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "args")
	script := fmt.Sprintf("#!/bin/sh\nfor a in \"$@\"; do printf '%%s\\n' \"$a\"; done > '%s'\nexit %d\n", out, exit)
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	return func() string {
		data, err := os.ReadFile(out)
		if err != nil {
			return ""
		}
		_ = os.Remove(out)
		return string(data)
	}
}

func TestOpen(t *testing.T) {
	seen := fakeOpener(t, 0)
	dir := filepath.Join(t.TempDir(), "a folder $(id)")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text, program, entry := filepath.Join(dir, "log.txt"), filepath.Join(dir, "run"), filepath.Join(dir, "x.desktop")
	for path, mode := range map[string]os.FileMode{text: 0o600, program: 0o700, entry: 0o600} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for target, want := range map[string]string{
		dir: dir, dir + "/../" + filepath.Base(dir) + "/": dir, text: text,
		"https://example.com/a?b=c#d": "https://example.com/a?b=c#d",
		"http://127.0.0.1:1/":         "http://127.0.0.1:1/",
		"https://example.com/$(id)":   "https://example.com/$(id)",
	} {
		if err := desktop.Open(t.Context(), target); err != nil {
			t.Errorf("Open(%q): %v", target, err)
		}
		if got := seen(); got != want+"\n" {
			t.Errorf("Open(%q) ran with %q", target, got)
		}
	}
	for _, target := range []string{
		"", "-h", "--help", "relative/path", "~/x", "file:///etc/passwd", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x",
		"ftp://example.com/", "mailto:a@b", "//example.com/x", "http://", "http:///x", "http:example.com", "https://user:pass@example.com/",
		"https://example.com/\n--version", dir + "\x00", "/does/not/exist", program, entry, "/dev/null", " https://example.com",
	} {
		if err := desktop.Open(t.Context(), target); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("Open(%q) = %v, want CodeBadArgument", target, err)
		}
		if got := seen(); got != "" {
			t.Errorf("Open(%q) ran with %q", target, got)
		}
	}
}

func TestOpenSaysWhatWentWrong(t *testing.T) {
	fakeOpener(t, 3)
	if err := desktop.Open(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "xdg-open could not open") {
		t.Errorf("an opener that fails: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if err := desktop.Open(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "no xdg-open") {
		t.Errorf("without an opener: %v", err)
	}
}

func FuzzOpenRunsOnlyWhatItMay(f *testing.F) {
	for _, seed := range []string{"https://a/", "-x", "/", "http://a b/", "file:///", "\x00", "https://a/\u202e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, target string) {
		t.Setenv("PATH", "/nowhere") // so that nothing is started, whatever is accepted
		err := desktop.Open(t.Context(), target)
		if err == nil {
			t.Errorf("Open(%q) started something", target)
		}
		e := protocol.AsError(err)
		if e.Code == protocol.CodeNotRunning && !strings.HasPrefix(target, "/") && !strings.HasPrefix(strings.ToLower(target), "http") {
			t.Errorf("Open(%q) was let through", target)
		}
	})
}
