// Package product runs the whole app on a desktop of its own, with its panel open to
// measurements.
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

// ProductPatience is how long the product may take for one step of a
// measurement before it counts as hung.
const ProductPatience = 60 * time.Second

// realBrowser is the browser that the whole product is measured with.
const realBrowser = "/usr/bin/chromium"

// TapName is the name under which the bench is started as the product's
// browser, so that it can look into it; see package tap.
const TapName = "chromium"

// RunTapped is the bench in the role of the browser.
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

// TapSocket is the socket through which a browser with that profile is looked into.
func TapSocket(profile string) string { return filepath.Join(filepath.Dir(profile), "tap.sock") }

// Desktop is a desktop with a folder for products that run on it.
type Desktop struct {
	Dir     string
	Screen  *desktop.Desktop
	Browser string // the bench under the browser's name
}

// NewDesktop starts one.
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

// Prompted starts a desktop, and the app on it, and has act done when the
// panel's terminal has its prompt.
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

// Start starts the app with a new home and returns when its panel can be looked
// into.
func (s *Desktop) Start(ctx context.Context) (*App, error) {
	return s.StartWith(ctx, func(string) error { return nil })
}

// Program is the app as it was built.
func Program() string { return filepath.Join("build", "bin", "Pilotfish") }

// StartWith is start with more written into the folder of the settings.
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
// milliseconds since 1970 by the page's own clock, so that the way of asking is
// not measured.
func (p *App) Painted(ctx context.Context, text string) (float64, error) {
	var at float64
	err := p.Panel.Eval(ctx, seen(`
		if (has('.xterm-rows')) done(now())`, text), &at)
	return at, err
}

// Pictured is painted, or when the first picture of the terminal has the text and
// was drawn with it: a terminal writes into its rows as a frame is drawn, and the
// picture is put into the page before one.
func (p *App) Pictured(ctx context.Context, text string) (float64, error) {
	var at float64
	err := p.Panel.Eval(ctx, seen(`
		if (has('.xterm-rows')) return done(now())
		if (has('.first-picture')) return done(new Promise((drawn) => requestAnimationFrame(() => setTimeout(() => drawn(now())))))`, text), &at)
	return at, err
}

// seen is a script that looks now, and whenever the page changes, until done was
// called.
func seen(look, text string) string {
	return fmt.Sprintf(`new Promise((resolve) => {
		const now = () => performance.timeOrigin + performance.now()
		const has = (part) => [...document.querySelectorAll(part)].map((e) => e.textContent).join('\n').includes(%s)
		let over = false
		const done = (at) => { over = true; resolve(at) }
		const look = () => {%s
		}
		look()
		if (over) return
		const watch = new MutationObserver(() => { look(); if (over) watch.disconnect() })
		watch.observe(document, {subtree: true, childList: true, characterData: true})
	})`, strconv.Quote(text), look)
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

// Until asks again until there is no error. What it asks for (a socket, a target
// behind the product's own pipe) announces itself to nobody outside.
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

// Millis is a time as pages count it.
func Millis(t time.Time) float64 { return float64(t.UnixMicro()) / 1000 }
