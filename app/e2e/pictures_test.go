//go:build pictures

package e2e

import (
	"cmp"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/desktop"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/browser/attach/attachtest"
	"pilotfish/backend/protocol"
)

// photographed is the product whose screenshots are taken.
type photographed struct {
	*product

	browser *tap.Client
	panel   *tap.Page
	frame   string // the browser's window
	dir     string
}

// TestPictures takes the screenshots for README: the product at work, as a user
// sees it. It fails when the work in them fails. They are written to the folder
// PILOTFISH_PICTURES, or else to this test's artifacts. `make pictures` runs it; it tests
// nothing that the other tests do not.
func TestPictures(t *testing.T) {
	page, err := os.ReadFile("testdata/tides.html")
	if err != nil {
		t.Fatal(err)
	}
	// Use port 80 if it is free: the address is in the screenshots.
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	}))
	site := "http://port-selkie.localhost"
	if ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:80"); err == nil {
		_ = srv.Listener.Close()
		srv.Listener = ln
	} else {
		_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
		site += ":" + port
	}
	srv.Start()
	t.Cleanup(srv.Close)
	m := newHosted(t, map[string]func(scene) model.Reply{"Reserve": reserve})

	p := start(t, options{Desktop: newDesktop(t, desktop.Config{Width: 1280, Height: 800})})
	w := &photographed{product: p, browser: p.browser(protocol.DefaultSession), dir: cmp.Or(os.Getenv("PILOTFISH_PICTURES"), filepath.Dir(artifact(t, "x")))}
	w.panel = p.panel(w.browser)
	p.untilScreen(w.panel, "ready>")
	w.wide()
	w.terminal(site)
	w.chat()
	w.task(site, m.front.URL)
	w.agents()
	w.own(site)
}

// wide makes the browser fill the screen, in front.
func (w *photographed) wide() {
	w.t.Helper()
	var err error
	if w.frame, err = w.desk.WaitWindow(w.ctx, "Chromium$"); err != nil {
		w.t.Fatal(err)
	}
	w.fill()
}

// fill makes the window fill the screen.
func (w *photographed) fill() {
	w.t.Helper()
	for _, args := range [][]string{{"windowmove", w.frame, "0", "0"}, {"windowsize", "--sync", w.frame, "1280", "720"}, {"windowactivate", "--sync", w.frame}} {
		if _, err := w.desk.Command(w.ctx, "xdotool", args...); err != nil {
			w.t.Fatal(err)
		}
	}
}

// take writes a screenshot of the panel.
func (w *photographed) take(name string) {
	w.t.Helper()
	w.write(name, w.shot())
}

// takeWhole writes a screenshot of the browser's window after the panel's last
// frame was drawn.
func (w *photographed) takeWhole(name string) {
	w.t.Helper()
	w.shot()
	w.write(name, w.screen())
}

// screen returns the browser's window as a PNG.
func (w *photographed) screen() []byte {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), "window.png")
	if err := w.desk.ScreenshotOf(w.ctx, w.frame, path); err != nil {
		w.t.Fatal(err)
	}
	png, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return png
}

// shot returns the panel as a PNG; it waits for a frame.
func (w *photographed) shot() []byte {
	w.t.Helper()
	var shot struct{ Data []byte }
	if err := w.panel.Call(w.ctx, "Page.captureScreenshot", map[string]any{"format": "png"}, &shot); err != nil {
		w.t.Fatal(err)
	}
	return shot.Data
}

// write writes an image with few colours, to make the file small.
func (w *photographed) write(name string, png []byte) {
	w.t.Helper()
	path := filepath.Join(w.dir, name+".png")
	if err := os.WriteFile(path, png, 0o600); err != nil {
		w.t.Fatal(err)
	}
	if out, err := exec.CommandContext(w.ctx, "convert", path, "-strip", "+dither", "-colors", "200", "PNG8:"+path).CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
}

func (w *photographed) terminal(site string) {
	w.t.Helper()
	w.typeLine(w.panel, "PS1='$ '; clear; pilotfish goto "+site+"/tides")
	w.untilScreen(w.panel, "t1 is at")
	w.typeLine(w.panel, "clear; pilotfish snapshot -i")
	w.untilScreen(w.panel, "Pay and reserve")
	w.typeLine(w.panel, `pilotfish fill e1 Selkie`)
	w.untilScreen(w.panel, "filled")
	w.typeLine(w.panel, `pilotfish select e2 "up to 12 m"`)
	w.untilScreen(w.panel, "selected")
	w.takeWhole("terminal")
}

func (w *photographed) chat() {
	w.t.Helper()
	w.toChat(w.panel)
	w.say(w.panel, "fill Arrival with 2027-05-14, then list the buttons")
	w.untilSaid(w.panel, "Done in")
	w.take("chat")
}

// reserve is what the model does in the screenshot.
func reserve(s scene) model.Reply {
	if !s.first() {
		input := stepInput(do{"do": "done", "success": strings.Contains(s.page, "Berth 7 is yours"), "text": "The Selkie has berth 7, for boats of up to 12 m."})
		input["evaluation"], input["goal"] = "The page confirms the berth.", "Report the result."
		return model.Reply{Calls: []model.Call{{Name: "step", Input: input}}}
	}
	input := stepInput(
		do{"do": "type", "ref": s.ref("edit Name of the boat"), "text": "Selkie"},
		do{"do": "select", "ref": s.ref("select Length"), "option": "up to 12 m"},
		do{"do": "click", "ref": s.ref("btn Pay and reserve")},
	)
	input["evaluation"], input["memory"], input["goal"] = "The page has a form for a berth.", "The boat is the Selkie, 11 m long.", "Fill the form and reserve."
	return model.Reply{Calls: []model.Call{{Name: "step", Input: input}}}
}

func (w *photographed) task(site, address string) {
	w.t.Helper()
	w.toTask(w.panel)
	w.press(w.panel, "Set up a model")
	w.setUpModel(w.panel, protocol.LLMCompatible, address+"/v1", "my-model")
	w.product.task(w.panel, site+"/tides", "Reserve a berth for the Selkie, which is 11 m long")
	w.until(w.panel, "the question is shown", `document.querySelector('.approval')`)
	w.take("approval")
	w.takeWhole("pilotfish")
	w.word(w.panel, "Allow once")
	w.ended(w.panel, protocol.TaskDone)
	w.take("task")
}

// agents opens the list of agents for a terminal.
func (w *photographed) agents() {
	w.t.Helper()
	w.do(w.panel, `document.querySelector('[aria-label=Faces] [role=tab]').click()`)
	w.until(w.panel, "the terminal is shown", `document.querySelector('button.picker')?.checkVisibility()`)
	w.typeLine(w.panel, "clear")
	w.do(w.panel, `document.querySelector('button.picker').click()`)
	w.until(w.panel, "the agents are listed", `[...document.querySelectorAll('[role^=menuitem]')].some((one) => one.checkVisibility() && one.textContent.includes('Claude Code'))`)
	w.take("agents")
}

// own attaches to a browser that its user started.
func (w *photographed) own(site string) {
	w.t.Helper()
	chrome := attachtest.New(w.t, true, w.desk.Env())
	chrome.Start(site + "/tides")
	w.cli("sessions", "new", "mine", "--browser", chrome.Dir)
	started := make(chan error, 1)
	go func() {
		_, err := w.cliRun("sessions", "start", "mine")
		started <- err
	}()
	w.frame = chrome.Asks()
	chrome.Answer(attachtest.Allow())
	if err := <-started; err != nil {
		w.t.Fatal(err)
	}
	mine := func() protocol.SessionInfo { return w.session("mine") }
	w.eventually("the panel has a terminal", func() bool { return mine().Panel == protocol.PanelConnected && len(mine().Terminals) == 1 })
	w.fill()
	terminal := string(mine().Terminals[0].ID)
	w.cli("--session", "mine", "terminal", "wait", terminal, "ready>")
	w.cli("--session", "mine", "terminal", "send", terminal, "PS1='$ '; clear; pilotfish newtab "+site+"/tides", "--keys", "Enter")
	w.cli("--session", "mine", "terminal", "wait", terminal, "t2 is at")
	// No tap is in this browser: its panel is not asked whether it has drawn.
	w.write("own-chrome", w.screen())
}
