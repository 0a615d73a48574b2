package main

import (
	"context"
	"errors"
	"fmt"
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

// productPatience is how long the product may take for one step of a
// measurement before it counts as hung.
const productPatience = 60 * time.Second

// realBrowser is the browser that the whole product is measured with.
const realBrowser = "/usr/bin/chromium"

// tapName is the name under which the bench is started as the product's
// browser, so that it can look into it; see package tap.
const tapName = "chromium"

// runTapped is the bench in the role of the browser.
func runTapped(ctx context.Context, args []string) error {
	for _, arg := range args {
		if profile, ok := strings.CutPrefix(arg, "--user-data-dir="); ok {
			return tap.Proxy(ctx, realBrowser, args, tapSocket(profile))
		}
	}
	out, err := tap.Output(ctx, realBrowser, args...)
	fmt.Print(out)
	return err
}

func tapSocket(profile string) string { return filepath.Join(filepath.Dir(profile), "tap.sock") }

// stage is a desktop with a folder for products that run on it.
type stage struct {
	dir     string
	desk    *desktop.Desktop
	browser string // the bench under the browser's name
}

func newStage(ctx context.Context) (*stage, error) {
	dir, err := os.MkdirTemp("", "pfbench")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	s := &stage{dir: dir, browser: filepath.Join(dir, tapName)}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, s.browser)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "desk"), 0o700)
	}
	if err == nil {
		s.desk, err = desktop.Start(ctx, desktop.Config{Dir: filepath.Join(dir, "desk"), Width: 1440, Height: 900})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("setting the stage: %w", err), os.RemoveAll(dir))
	}
	return s, nil
}

// prompted sets a stage of its own, starts the app on it, and has act done when the
// panel's terminal has its prompt.
func prompted(ctx context.Context, act func(p *play) error) (err error) {
	s, err := newStage(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	p, err := s.start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	if _, err := p.painted(ctx, "ready>"); err != nil {
		return err
	}
	return act(p)
}

func (s *stage) close() error { return errors.Join(s.desk.Close(), os.RemoveAll(s.dir)) }

// play is one running app with its panel.
type play struct {
	home   string
	app    *exec.Cmd
	began  time.Time
	client *tap.Client
	panel  *tap.Page
}

// start starts the app with a new home and returns when its panel can be looked
// into.
func (s *stage) start(ctx context.Context) (*play, error) {
	return s.startWith(ctx, func(string) error { return nil })
}

// appProgram is the app as it was built.
func appProgram() string { return filepath.Join("build", "bin", "Pilotfish") }

// startWith is start with more written into the folder of the settings.
func (s *stage) startWith(ctx context.Context, prepare func(config string) error) (*play, error) {
	home, err := os.MkdirTemp(s.dir, "h")
	if err != nil {
		return nil, err
	}
	config := filepath.Join(home, "config")
	settings := "version = 1\nbrowser_path = " + strconv.Quote(s.browser) + "\nagent = \"shell\"\n"
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
	p := &play{home: home, app: exec.CommandContext(ctx, appProgram())}
	p.app.Env = append(s.desk.Env(), protocol.EnvHome+"="+home, "HOME="+home, "SHELL=/bin/bash", "HISTFILE=")
	p.app.Cancel = func() error { return p.app.Process.Signal(syscall.SIGTERM) }
	p.app.WaitDelay = 10 * time.Second
	p.began = time.Now()
	if err := p.app.Start(); err != nil {
		return nil, fmt.Errorf("starting the app: %w", err)
	}
	socket := tapSocket(filepath.Join(home, "state", "sessions", string(protocol.DefaultSession), "profile"))
	err = until(ctx, func() error {
		if p.client != nil {
			return nil
		}
		p.client, err = tap.Dial(ctx, socket)
		return err
	})
	if err == nil {
		err = p.attachPanel(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for the panel: %w", err), p.stop())
	}
	return p, nil
}

func (p *play) attachPanel(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, productPatience)
	defer cancel()
	var err error
	p.panel, err = p.client.Await(ctx, "panel.html")
	return err
}

// painted returns when the panel first showed a text in its terminal, in
// milliseconds since 1970 by the page's own clock, so that the way of asking is
// not measured.
func (p *play) painted(ctx context.Context, text string) (float64, error) {
	var at float64
	err := p.panel.Eval(ctx, seen(`
		if (has('.xterm-rows')) done(now())`, text), &at)
	return at, err
}

// pictured is painted, or when the first picture of the terminal has the text and
// was drawn with it: a terminal writes into its rows as a frame is drawn, and the
// picture is put into the page before one.
func (p *play) pictured(ctx context.Context, text string) (float64, error) {
	var at float64
	err := p.panel.Eval(ctx, seen(`
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

func (p *play) stop() error {
	if p.client != nil {
		_ = p.client.Close() // it ends with the browser anyway
	}
	if err := p.app.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("ending the app: %w", err)
	}
	if err := p.app.Wait(); err != nil {
		return fmt.Errorf("ending the app: %w", err)
	}
	return nil
}

// until asks again until there is no error. What it asks for (a socket, a target
// behind the product's own pipe) announces itself to nobody outside.
func until(ctx context.Context, ask func() error) error {
	ctx, cancel := context.WithTimeout(ctx, productPatience)
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

// millis is a time as pages count it.
func millis(t time.Time) float64 { return float64(t.UnixMicro()) / 1000 }

// median of values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
