// Package product runs the whole app on a desktop of its own, and gives
// measurements access to its panel.
package product

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pilotfish/app/e2e/desktop"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// ProductPatience is how long the product may take for one step of a measurement.
const ProductPatience = 60 * time.Second

// realBrowser is the browser that the whole product is measured with.
const realBrowser = "/usr/bin/chromium"

// TapName is the name under which the bench is started as the product's browser,
// so that it can observe the browser; see package tap.
const TapName = "chromium"

// RunTapped runs the bench in the role of the browser.
func RunTapped(ctx context.Context, args []string) error {
	for _, arg := range args {
		if profile, ok := strings.CutPrefix(arg, "--user-data-dir="); ok {
			return tap.Proxy(ctx, realBrowser, args, TapSocket(profile))
		}
	}
	out, err := tap.Output(ctx, realBrowser, args...)
	fmt.Print(out)
	return err
}

// TapSocket is the path of the tap's socket for a browser with that profile.
func TapSocket(profile string) string { return filepath.Join(filepath.Dir(profile), "tap.sock") }

// Desktop is a desktop, with a folder for the products that run on it.
type Desktop struct {
	Dir     string
	Screen  *desktop.Desktop
	Browser string // the bench, under the browser's name
}

// NewDesktop starts a desktop.
func NewDesktop(ctx context.Context) (*Desktop, error) {
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

// Prompted starts a desktop and the app on it, and calls act when the panel's
// terminal shows its prompt.
func Prompted(ctx context.Context, act func(p *App) error) (err error) {
	s, err := NewDesktop(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	p, err := s.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if _, err := p.Painted(ctx, "ready>"); err != nil {
		return err
	}
	return act(p)
}

// Close ends the desktop and removes its folder.
func (s *Desktop) Close() error { return errors.Join(s.Screen.Close(), os.RemoveAll(s.Dir)) }

// App is one running app with its panel.
type App struct {
	Home   string
	Cmd    *exec.Cmd
	Began  time.Time
	Client *tap.Client
	Panel  *tap.Page
}

// Start starts the app with a new home and returns when it is attached to the
// panel.
func (s *Desktop) Start(ctx context.Context) (*App, error) {
	return s.StartWith(ctx, func(string) error { return nil })
}

// Program is the path of the built app.
func Program() string { return filepath.Join("build", "bin", "Pilotfish") }

// StartWith is Start, with a function that writes more files into the settings
// folder.
func (s *Desktop) StartWith(ctx context.Context, prepare func(config string) error) (*App, error) {
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
	if err == nil {
		err = prepare(config)
	}
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
	socket := TapSocket(filepath.Join(home, "state", "sessions", string(protocol.DefaultSession), "profile"))
	err = Until(ctx, func() error {
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
	ctx, cancel := context.WithTimeout(ctx, ProductPatience)
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

// Until repeats ask until it returns no error. It polls, because nothing outside
// is notified of what it waits for (a socket, a target behind the product's own
// pipe).
func Until(ctx context.Context, ask func() error) error {
	ctx, cancel := context.WithTimeout(ctx, ProductPatience)
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
