// Package product is what is measured: the whole app on a desktop of its own, with
// access to its panel; a bare browser on the same desktop, as its floor; the memory
// of processes; and the pages that browsers load.
package product

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pilotfish/app/e2e/desktop"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// patience is how long a program may take for one step of a measurement.
const patience = 60 * time.Second

// realBrowser is the browser that the whole product is measured with.
const realBrowser = "/usr/bin/chromium"

// TapName is the name under which the bench is started as the product's browser,
// so that it can observe the browser; see package tap.
const TapName = "chromium"

// RunTapped runs the bench in the role of the browser.
func RunTapped(ctx context.Context, args []string) error {
	for _, arg := range args {
		if profile, ok := strings.CutPrefix(arg, "--user-data-dir="); ok {
			return tap.Proxy(ctx, realBrowser, args, tapSocket(profile))
		}
	}
	out, err := tap.Output(ctx, realBrowser, args...)
	fmt.Print(out)
	return err
}

// tapSocket is the path of the tap's socket for a browser with that profile.
func tapSocket(profile string) string { return filepath.Join(filepath.Dir(profile), "tap.sock") }

// Desktop is a desktop, with a folder for the products that run on it.
type Desktop struct {
	Dir     string
	Screen  *desktop.Desktop
	Browser string // the bench, under the browser's name
}

func newDesktop(ctx context.Context) (*Desktop, error) {
	dir, err := os.MkdirTemp("", "pfbench")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	s := &Desktop{Dir: dir, Browser: filepath.Join(dir, TapName)}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, s.Browser)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "desk"), 0o700)
	}
	if err == nil {
		s.Screen, err = desktop.Start(ctx, desktop.Config{Dir: filepath.Join(dir, "desk"), Width: 1440, Height: 900})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting a desktop: %w", err), os.RemoveAll(dir))
	}
	return s, nil
}

// OnDesktop starts a desktop, and calls act on it.
func OnDesktop(ctx context.Context, act func(s *Desktop) error) error {
	s, err := newDesktop(ctx)
	if err != nil {
		return err
	}
	return errors.Join(act(s), s.Screen.Close(), os.RemoveAll(s.Dir))
}

// Prompted starts the app, and calls act when the panel's terminal shows its
// prompt.
func (s *Desktop) Prompted(ctx context.Context, act func(p *App) error) error {
	p, err := s.Start(ctx)
	if err != nil {
		return err
	}
	_, err = p.Painted(ctx, "ready>")
	if err == nil {
		err = act(p)
	}
	return errors.Join(err, p.Stop())
}

// App is one running app with its panel.
type App struct {
	Home   string
	Cmd    *exec.Cmd
	Began  time.Time
	Client *tap.Client
	Panel  *tap.Page
}

// Program is the path of the built app.
func Program() string { return filepath.Join("build", "bin", "Pilotfish") }

// Start starts the app with a new home and returns when it is attached to the
// panel.
func (s *Desktop) Start(ctx context.Context) (*App, error) {
	home, err := os.MkdirTemp(s.Dir, "h")
	if err != nil {
		return nil, err
	}
	config := filepath.Join(home, "config")
	settings := "version = 1\nbrowser_path = " + strconv.Quote(s.Browser) + "\nagent = \"shell\"\n"
	err = errors.Join(
		os.Mkdir(config, 0o700),
		os.WriteFile(filepath.Join(config, "settings.toml"), []byte(settings), 0o600),
		os.WriteFile(filepath.Join(home, ".bashrc"), []byte("PS1='ready> '\n"), 0o600),
	)
	if err != nil {
		return nil, fmt.Errorf("writing the settings: %w", err)
	}
	p := &App{Home: home, Cmd: exec.CommandContext(ctx, Program())}
	p.Cmd.Env = append(s.Screen.Env(), protocol.EnvHome+"="+home, "HOME="+home, "SHELL=/bin/bash", "HISTFILE=")
	p.Cmd.Cancel = func() error { return p.Cmd.Process.Signal(syscall.SIGTERM) }
	p.Cmd.WaitDelay = 10 * time.Second
	p.Began = time.Now()
	if err := p.Cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the app: %w", err)
	}
	socket := tapSocket(filepath.Join(home, "state", "sessions", string(protocol.DefaultSession), "profile"))
	err = until(ctx, func() error {
		if p.Client != nil {
			return nil
		}
		p.Client, err = tap.Dial(ctx, socket)
		return err
	})
	if err == nil {
		err = p.AttachPanel(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for the panel: %w", err), p.Stop())
	}
	return p, nil
}

// AttachPanel waits for the panel and attaches to it.
func (p *App) AttachPanel(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var err error
	p.Panel, err = p.Client.Await(ctx, "panel.html")
	return err
}

// Painted returns when the panel first showed a text in its terminal, in
// milliseconds since 1970. It uses the page's own clock, so that the query is not
// measured.
func (p *App) Painted(ctx context.Context, text string) (float64, error) {
	var at float64
	err := p.Panel.Eval(ctx, painted(text), &at)
	return at, err
}

// Answered presses a key in the panel's terminal as soon as that shows a text. It
// returns when the text was shown, and when the answer to the key was.
func (p *App) Answered(ctx context.Context, text, key, answer string) (shown, answered float64, err error) {
	// Start to observe before the key is pressed, so that the query is not
	// measured.
	if err := p.Panel.Eval(ctx, "globalThis.benchAnswer = "+painted(answer)+", 0", nil); err != nil {
		return 0, 0, err
	}
	if shown, err = p.Painted(ctx, text); err != nil {
		return 0, 0, err
	}
	if err := p.Panel.Type(ctx, key); err != nil {
		return 0, 0, err
	}
	err = p.Panel.Eval(ctx, "benchAnswer", &answered)
	return shown, answered, err
}

// painted is a script that checks now and after every change of the page, until
// the terminal's rows contain a text.
func painted(text string) string {
	return fmt.Sprintf(`new Promise((resolve) => {
		const look = () => {
			const found = [...document.querySelectorAll('.xterm-rows')].some((rows) => rows.textContent.includes(%s))
			if (found) resolve(performance.timeOrigin + performance.now())
			return found
		}
		if (look()) return
		const watch = new MutationObserver(() => { if (look()) watch.disconnect() })
		watch.observe(document, {subtree: true, childList: true, characterData: true})
	})`, strconv.Quote(text))
}

// Stop ends the app.
func (p *App) Stop() error {
	if p.Client != nil {
		_ = p.Client.Close() // it ends with the browser anyway
	}
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("ending the app: %w", err)
	}
	if err := p.Cmd.Wait(); err != nil {
		return fmt.Errorf("ending the app: %w", err)
	}
	return nil
}

// ClickAction opens or closes the panel.
func (p *App) ClickAction(ctx context.Context) error {
	return p.Client.ClickAction(ctx, protocol.ExtensionID)
}

// Reopen closes a panel with a click, waits until it is gone, and opens it again.
// It returns the time of the second click.
func Reopen(ctx context.Context, client *tap.Client, click func(context.Context) error) (time.Time, error) {
	if err := click(ctx); err != nil {
		return time.Time{}, err
	}
	if err := until(ctx, func() error {
		// Only list the targets: a page that is attached to while it closes never
		// answers.
		targets, err := client.Targets(ctx)
		if err == nil && slices.ContainsFunc(targets, func(t tap.Target) bool { return strings.Contains(t.URL, "panel.html") }) {
			return errors.New("the panel is still there")
		}
		return err
	}); err != nil {
		return time.Time{}, err
	}
	began := time.Now()
	return began, click(ctx)
}

// until repeats ask until it returns no error. It polls, because nothing outside
// is notified of what it waits for (a socket, a target behind the product's own
// pipe).
func until(ctx context.Context, ask func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

// Millis returns a time in milliseconds since 1970, as pages count it.
func Millis(t time.Time) float64 { return float64(t.UnixMicro()) / 1000 }

// Command runs a command as the command line does.
func (p *App) Command(ctx context.Context, tab protocol.TabID, name string, args map[string]any) (reply protocol.CommandReply, err error) {
	var at protocol.Endpoint
	raw, err := os.ReadFile(filepath.Join(p.Home, "state", "pilotfish.json"))
	if err == nil {
		err = json.Unmarshal(raw, &at)
	}
	if err != nil {
		return reply, fmt.Errorf("reading the endpoint: %w", err)
	}
	body, err := json.Marshal(map[string]any{"command": name, "args": args, "tab": tab})
	if err != nil {
		return reply, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d/command", at.Port), bytes.NewReader(body))
	if err != nil {
		return reply, err
	}
	req.Header.Set("Authorization", "Bearer "+at.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply, err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil || !reply.OK {
		return reply, errors.Join(fmt.Errorf("%s: %s: %s", name, resp.Status, reply.Text), err)
	}
	return reply, nil
}
