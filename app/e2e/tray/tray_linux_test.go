package tray

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pilotfish/app/e2e/desktop"
	"pilotfish/backend/protocol"
)

// patience is how long a test waits for an expected event.
const patience = 2 * time.Minute

// artifacts is the folder of the screenshots; it is not committed.
const artifacts = "../artifacts"

// binary is the built program.
const binary = "../../../build/bin/pilotfish-tray"

// common is the desktop of all tests that need no other one. They run one after the other.
var common struct { //nolint:gochecknoglobals // see above
	dir string
	*desktop.Desktop
}

func TestMain(m *testing.M) {
	code := m.Run()
	if common.Desktop != nil {
		if err := errors.Join(common.Close(), os.RemoveAll(common.dir)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// sharedDesktop returns the desktop that the tests share.
func sharedDesktop(t *testing.T) (context.Context, *desktop.Desktop) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	t.Cleanup(cancel)
	if common.Desktop == nil {
		dir, err := os.MkdirTemp("", "tray") //nolint:usetesting // it outlives the test
		if err != nil {
			t.Fatal(err)
		}
		d, err := desktop.Start(ctx, desktop.Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		common.dir, common.Desktop = dir, d
	}
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	return ctx, common.Desktop
}

// tray is a running tray program.
type tray struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	actions chan protocol.TrayAction
	icons   string
	ended   chan struct{}
}

func start(t *testing.T, d *desktop.Desktop) *tray {
	t.Helper()
	return startProgram(t, d, binary)
}

func startProgram(t *testing.T, d *desktop.Desktop, program string) *tray {
	t.Helper()
	p := &tray{icons: t.TempDir(), actions: make(chan protocol.TrayAction, 16), ended: make(chan struct{})}
	p.cmd = exec.CommandContext(t.Context(), program)
	p.cmd.Env = append(d.Env(), "TMPDIR="+p.icons)
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var a protocol.TrayAction
			if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
				t.Errorf("the tray wrote %q: %v", lines.Text(), err)
				return
			}
			p.actions <- a
		}
	}()
	t.Cleanup(func() {
		_ = p.in.Close()
		_ = p.cmd.Process.Kill()
		<-p.ended
		_ = p.cmd.Wait()
	})
	return p
}

func (p *tray) draw(t *testing.T, state protocol.TrayState) {
	t.Helper()
	if err := json.NewEncoder(p.in).Encode(state); err != nil {
		t.Fatal(err)
	}
}

func (p *tray) expect(t *testing.T, want protocol.TrayAction) {
	t.Helper()
	select {
	case got := <-p.actions:
		if got != want {
			t.Fatalf("the tray wrote %+v, want %+v", got, want)
		}
	case <-p.ended:
		t.Fatalf("the tray ended before it wrote %+v", want)
	case <-time.After(patience):
		t.Fatalf("the tray did not write %+v", want)
	}
}

func newDesktop(t *testing.T, cfg desktop.Config) (context.Context, *desktop.Desktop) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	t.Cleanup(cancel)
	cfg.Dir = t.TempDir()
	d, err := desktop.Start(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		goleak.VerifyNone(t, before)
	})
	return ctx, d
}

// running is a state with two tabs.
func running() protocol.TrayState {
	return protocol.TrayState{
		Icon: protocol.IconRunning, Tooltip: "Pilotfish: running", Running: true,
		Tabs: []protocol.TrayTab{
			{Session: "default", ID: "t1", Label: "Welcome: claude idle"},
			{Session: "work", ID: "t2", Label: "snake_case & co: claude needs you"},
		},
	}
}

func TestMenuSaysAndDoesWhatTheAppTells(t *testing.T) {
	ctx, d := sharedDesktop(t)
	p := start(t, d)
	p.expect(t, protocol.TrayAction{Action: protocol.TrayReady})
	p.draw(t, running())
	item, err := d.WaitItem(ctx, p.cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	wait := func(want ...string) {
		t.Helper()
		if _, err := item.WaitMenu(ctx, func(e []desktop.Entry) bool { return slices.Equal(desktop.Labels(e), want) }); err != nil {
			t.Fatal(err)
		}
	}
	wait("Pilotfish: running", "-", "Stop session", "Welcome: claude idle", "snake_case & co: claude needs you",
		"-", "Open Pilotfish", "Open logs", "-", "Quit")

	clicks := []struct {
		label string
		want  protocol.TrayAction
	}{
		{"Stop session", protocol.TrayAction{Action: protocol.TrayStop}},
		{"Welcome: claude idle", protocol.TrayAction{Action: protocol.TrayTabOp, Session: "default", Tab: "t1"}},
		{"snake_case & co: claude needs you", protocol.TrayAction{Action: protocol.TrayTabOp, Session: "work", Tab: "t2"}},
		{"Open Pilotfish", protocol.TrayAction{Action: protocol.TrayOpen}},
		{"Open logs", protocol.TrayAction{Action: protocol.TrayLogs}},
		{"Quit", protocol.TrayAction{Action: protocol.TrayQuit}},
	}
	for _, c := range clicks {
		if err := item.Click(ctx, c.label); err != nil {
			t.Fatal(err)
		}
		p.expect(t, c.want)
	}

	// Stopped again: no tabs, and the start entry.
	p.draw(t, protocol.TrayState{Icon: protocol.IconStopped, Tooltip: "Pilotfish: stopped"})
	wait("Pilotfish: stopped", "-", "Start session", "-", "Open Pilotfish", "Open logs", "-", "Quit")
	if err := item.Click(ctx, "Start session"); err != nil {
		t.Fatal(err)
	}
	p.expect(t, protocol.TrayAction{Action: protocol.TrayStart})

	// While it starts, the entry is visible and disabled.
	p.draw(t, protocol.TrayState{Icon: protocol.IconStopped, Tooltip: "Pilotfish: starting", Busy: true})
	if _, err := item.WaitMenu(ctx, func(e []desktop.Entry) bool {
		return len(e) > 2 && e[2].Label == "Start session" && !e[2].Enabled
	}); err != nil {
		t.Fatal(err)
	}

	// When not all tabs fit, the last line opens the window.
	many := running()
	many.Tabs = nil
	for range 40 {
		many.Tabs = append(many.Tabs, protocol.TrayTab{Session: "default", ID: "t9", Label: "a tab"})
	}
	p.draw(t, many)
	if err := item.Click(ctx, "25 more tabs …"); err != nil {
		t.Fatal(err)
	}
	p.expect(t, protocol.TrayAction{Action: protocol.TrayOpen})
}

// While an approval waits, the first entry shows it. The menu can allow only an
// approval that it shows completely.
func TestTheFirstEntryLeadsToTheApproval(t *testing.T) {
	ctx, d := sharedDesktop(t)
	p := start(t, d)
	p.expect(t, protocol.TrayAction{Action: protocol.TrayReady})
	state := running()
	state.Icon, state.Tooltip = protocol.IconNeedsYou, "Pilotfish: Claude in Chat needs your approval"
	state.Approvals = []protocol.TrayApproval{
		{Session: "default", ID: "n1", Label: "run JavaScript on https://a.test"},
		{Session: "work", ID: "n2", Label: "click “Save” on https://b.test", Whole: true},
	}
	p.draw(t, state)
	item, err := d.WaitItem(ctx, p.cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := item.WaitMenu(ctx, func(e []desktop.Entry) bool { return len(e) > 0 && e[0].Enabled })
	if err != nil {
		t.Fatal(err)
	}
	labels := desktop.Labels(entries)
	if slices.Contains(labels, "Allow once: run JavaScript on https://a.test") || !slices.Contains(labels, "Allow once: click “Save” on https://b.test") {
		t.Errorf("the menu is %q", labels)
	}
	for _, c := range []struct {
		label string
		want  protocol.TrayAction
	}{
		{labels[0], protocol.TrayAction{Action: protocol.TrayReview, Session: "default", Approval: "n1"}},
		{"Allow once: click “Save” on https://b.test", protocol.TrayAction{Action: protocol.TrayAnswer, Session: "work", Approval: "n2", Answer: protocol.AnswerOnce}},
		{"Deny: run JavaScript on https://a.test", protocol.TrayAction{Action: protocol.TrayAnswer, Session: "default", Approval: "n1", Answer: protocol.AnswerDeny}},
	} {
		if err := item.Click(ctx, c.label); err != nil {
			t.Fatal(err)
		}
		p.expect(t, c.want)
	}
	p.draw(t, running())
	if _, err := item.WaitMenu(ctx, func(e []desktop.Entry) bool { return len(e) > 0 && !e[0].Enabled && e[0].Label == "Pilotfish: running" }); err != nil {
		t.Fatal(err)
	}
}

func TestIconOfEachState(t *testing.T) {
	for _, theme := range []string{"dark", "light"} {
		t.Run(theme, func(t *testing.T) {
			ctx, d := newDesktop(t, desktop.Config{Width: 640, Height: 200, LightPanel: theme == "light"})
			if err := os.MkdirAll(artifacts, 0o755); err != nil {
				t.Fatal(err)
			}
			p := start(t, d)
			item, err := d.WaitItem(ctx, p.cmd.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			seen, corners := map[string]protocol.TrayIcon{}, map[string]protocol.TrayIcon{}
			if err := d.ScreenshotWhen(ctx, filepath.Join(artifacts, "tray-"+theme+"-empty.png"), func(now image.Image) bool {
				corners[cut(now)] = ""
				return true
			}); err != nil {
				t.Fatal(err)
			}
			last := ""
			for _, icon := range []protocol.TrayIcon{
				protocol.IconStopped, protocol.IconRunning, protocol.IconWorking, protocol.IconNeedsYou, protocol.IconError,
			} {
				p.draw(t, protocol.TrayState{Icon: icon, Tooltip: string(icon)})
				if err := item.WaitIcon(ctx, func(name string) bool { return strings.HasPrefix(name, p.icons) && name != last }); err != nil {
					t.Fatal(err)
				}
				if last, err = item.Icon(ctx); err != nil {
					t.Fatal(err)
				}
				// The panel draws the file that it was given; each state must
				// have another image.
				drawn, err := os.ReadFile(last)
				if err != nil {
					t.Fatal(err)
				}
				if other, twice := seen[string(drawn)]; twice {
					t.Errorf("%s has the picture of %s", icon, other)
				}
				seen[string(drawn)] = icon
				// The panel updates the icon some time later.
				picture := filepath.Join(artifacts, "tray-"+theme+"-"+string(icon)+".png")
				if err := d.ScreenshotWhen(ctx, picture, func(now image.Image) bool {
					corner := cut(now)
					if _, twice := corners[corner]; twice {
						return false
					}
					corners[corner] = icon
					return true
				}); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// cut returns the corner of the screen with the tray, as a comparable string.
func cut(screen image.Image) string {
	b := screen.Bounds()
	var pixels strings.Builder
	for y := b.Max.Y - 28; y < b.Max.Y; y++ {
		for x := b.Max.X - 28; x < b.Max.X; x++ {
			r, g, b, _ := screen.At(x, y).RGBA()
			_, _ = pixels.Write([]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)})
		}
	}
	return pixels.String()
}

// The library requests the bus twice at the same time, and its icon never
// appeared when the second answer came first.
func TestIconComesUpEachTime(t *testing.T) {
	ctx, d := sharedDesktop(t)
	const times = 10
	for range times {
		p := start(t, d)
		p.expect(t, protocol.TrayAction{Action: protocol.TrayReady})
		if _, err := d.WaitItem(ctx, p.cmd.Process.Pid); err != nil {
			t.Fatal(err)
		}
		_ = p.in.Close()
		<-p.ended
	}
}

func TestSaysWhenAHostComesAndGoes(t *testing.T) {
	ctx, d := newDesktop(t, desktop.Config{NoPanel: true})
	p := start(t, d)
	p.expect(t, protocol.TrayAction{Action: protocol.TrayAbsent})
	if err := d.StartPanel(ctx); err != nil {
		t.Fatal(err)
	}
	p.expect(t, protocol.TrayAction{Action: protocol.TrayReady})
	if _, err := d.WaitItem(ctx, p.cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if err := d.StopPanel(); err != nil {
		t.Fatal(err)
	}
	p.expect(t, protocol.TrayAction{Action: protocol.TrayAbsent})
}

func TestEndsWithItsInput(t *testing.T) {
	_, d := sharedDesktop(t)
	p := start(t, d)
	p.expect(t, protocol.TrayAction{Action: protocol.TrayReady})
	p.draw(t, running())
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatal("the tray outlived its input")
	}
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("the tray ended with %v, want success", err)
	}
	if left, err := os.ReadDir(p.icons); err != nil || len(left) > 0 {
		t.Errorf("the tray left %v behind (error %v)", left, err)
	}
}

func TestRefusesWhatItCannotRead(t *testing.T) {
	_, d := sharedDesktop(t)
	p := start(t, d)
	if _, err := io.WriteString(p.in, "no JSON\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatal("the tray went on")
	}
	if err := p.cmd.Wait(); err == nil || p.cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		t.Fatalf("the tray ended with %v, want an exit code", err)
	}
}
