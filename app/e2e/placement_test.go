package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pilotfish/app/e2e/desktop"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// frame is a window's rectangle in screen pixels.
type frame struct{ x, y, w, h int }

func (f frame) inside(of frame) bool {
	return f.x >= of.x && f.y >= of.y && f.x+f.w <= of.x+of.w && f.y+f.h <= of.y+of.h
}

// x11 returns the output of a program about this desktop's windows.
func (p *product) x11(name string, args ...string) string {
	p.t.Helper()
	out, err := p.desk.Command(p.ctx, name, args...)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// frameOf returns a window's rectangle, including its frame.
func (p *product) frameOf(window string) frame {
	p.t.Helper()
	about := p.x11("xwininfo", "-id", window)
	number := func(of string) (n int) {
		p.t.Helper()
		_, after, found := strings.Cut(about, of)
		if _, err := fmt.Sscan(after, &n); !found || err != nil {
			p.t.Fatalf("%s of window %s: %v\n%s", of, window, err, about)
		}
		return n
	}
	f := frame{number("Absolute upper-left X:"), number("Absolute upper-left Y:"), number("Width:"), number("Height:")}
	if side := numbers(p.x11("xprop", "-id", window, "_NET_FRAME_EXTENTS")); len(side) == 4 {
		f = frame{f.x - side[0], f.y - side[2], f.w + side[0] + side[1], f.h + side[2] + side[3]}
	}
	return f
}

// workArea is the screen without the desktop's own panel.
func (p *product) workArea() frame {
	p.t.Helper()
	n := numbers(p.x11("xprop", "-root", "_NET_WORKAREA"))
	if len(n) < 4 {
		p.t.Fatalf("the work area is %v", n)
	}
	return frame{n[0], n[1], n[2], n[3]}
}

// numbers returns the numbers of a property as xprop prints it.
func numbers(property string) (all []int) {
	_, list, _ := strings.Cut(property, "=")
	for word := range strings.SplitSeq(list, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(word)); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// stacked lists the ids of the windows, the lowest first.
func (p *product) stacked() (all []string) {
	p.t.Helper()
	_, list, _ := strings.Cut(p.x11("xprop", "-root", "_NET_CLIENT_LIST_STACKING"), "#")
	for word := range strings.SplitSeq(list, ",") {
		if n, err := strconv.ParseUint(strings.TrimSpace(word), 0, 64); err == nil {
			all = append(all, strconv.FormatUint(n, 10))
		}
	}
	return all
}

// faces returns the two windows of the product, once both exist.
func (p *product) faces() (panel *tap.Page, chromium, window string) {
	p.t.Helper()
	panel = p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "ready>")
	chromium, err := p.desk.WaitWindow(p.ctx, " - Chromium$")
	if err == nil {
		window, err = p.desk.WaitWindow(p.ctx, "^Pilotfish$")
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return panel, chromium, window
}

// again ends the app as a session manager does, and starts it again.
func (p *product) again(o options) {
	p.t.Helper()
	if err := p.app.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	select {
	case <-p.done:
	case <-p.ctx.Done():
		p.t.Fatal("the app did not end")
	}
	p.launch(o)
}

// TestStartOnASmallScreen: a first start on a screen smaller than the browser's
// default size shows page and panel completely, in front, with the keyboard
// focus; and later starts place both windows where the user left them.
func TestStartOnASmallScreen(t *testing.T) {
	t.Parallel()
	p := start(t, options{Desktop: newDesktop(t, desktop.Config{Width: 1024, Height: 700})})
	panel, chromium, window := p.faces()
	area := p.workArea()
	if area.h >= 700 {
		t.Fatalf("the work area is %v: the desktop has no panel", area)
	}
	inside := func() {
		t.Helper()
		for name, id := range map[string]string{"browser": chromium, "window": window} {
			// Wails moves the window to the centre once it is shown, and the app moves it back.
			p.eventually(fmt.Sprintf("the %s is inside the work area %v", name, area), func() bool { return p.frameOf(id).inside(area) })
		}
		var wide struct{ Panel, Browser int }
		if err := panel.Eval(p.ctx, `({Panel: innerWidth, Browser: outerWidth})`, &wide); err != nil {
			t.Fatal(err)
		}
		if wide.Panel < 300 || wide.Panel > wide.Browser-300 {
			t.Errorf("the panel is %d pixels wide in a browser of %d", wide.Panel, wide.Browser)
		}
	}
	inFront := func() {
		t.Helper()
		order := strings.Join(p.stacked(), " ")
		if strings.Index(order, window) > strings.Index(order, chromium) {
			t.Errorf("the window (%s) covers the browser (%s): %s", window, chromium, order)
		}
		if active := p.x11("xdotool", "getactivewindow"); active != chromium {
			t.Errorf("the keyboard is with window %s and not with the browser's, %s", active, chromium)
		}
	}
	inside()
	inFront()
	if err := p.desk.Screenshot(p.ctx, artifact(t, "small.png")); err != nil {
		t.Error(err)
	}

	remembered := func(text string) {
		t.Helper()
		p.eventually("the window's place is remembered: "+text, func() bool {
			data, err := os.ReadFile(filepath.Join(p.home, "state", "window.json"))
			return err == nil && strings.Contains(string(data), text)
		})
	}
	p.x11("wmctrl", "-i", "-r", chromium, "-e", "0,90,40,860,560")
	p.x11("wmctrl", "-i", "-r", window, "-e", "0,60,50,700,500")
	remembered(`"width":700`)
	places := func() [2]frame { return [2]frame{p.frameOf(chromium), p.frameOf(window)} }
	left := places()
	p.again(options{})
	panel, chromium, window = p.faces()
	p.eventually("both windows are where they were", func() bool { return places() == left })
	inside()
	inFront()

	// A maximised size is stored separately from the size before it.
	maximised := func(id string) bool {
		return strings.Contains(p.x11("xprop", "-id", id, "_NET_WM_STATE"), "_NET_WM_STATE_MAXIMIZED_VERT")
	}
	for _, id := range []string{chromium, window} {
		p.x11("wmctrl", "-i", "-r", id, "-b", "add,maximized_vert,maximized_horz")
	}
	remembered(`"maximised":true`)
	p.again(options{})
	panel, chromium, window = p.faces()
	p.eventually("both windows fill the screen", func() bool { return maximised(chromium) && maximised(window) })
	inside()
	inFront()
	// The browser's unmaximised size is up to browser and window manager, so only
	// our window is checked.
	p.x11("wmctrl", "-i", "-r", window, "-b", "remove,maximized_vert,maximized_horz")
	p.eventually("the window is where it was before", func() bool { return p.frameOf(window) == left[1] })
}
