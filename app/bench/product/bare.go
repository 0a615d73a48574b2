package product

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// notesDrawn is a script that sets `drawn` to a promise for the time of the
// page's first frame.
const notesDrawn = "drawn=new Promise((done)=>requestAnimationFrame(()=>requestAnimationFrame(()=>done(performance.timeOrigin+performance.now()))))"

// emptyPage is an empty page with that script.
const emptyPage = "data:text/html,<script>" + notesDrawn + "</script>"

// Bare is a Chromium with an empty page and no code of ours.
type Bare struct {
	Client *tap.Client
	// Drawn is how long it took until the first frame, in ms.
	Drawn float64

	cmd   *exec.Cmd
	pipes []*os.File
}

// StartBare starts a Chromium with an empty page and, if asked for, with the panel
// of an extension that does nothing. It returns when the page or the panel is
// drawn.
func (s *Desktop) StartBare(ctx context.Context, panel bool) (*Bare, error) {
	home, err := os.MkdirTemp(s.Dir, "b")
	if err != nil {
		return nil, err
	}
	profile := filepath.Join(home, "profile")
	args := []string{
		"--remote-debugging-pipe", "--user-data-dir=" + profile, "--no-first-run", "--no-default-browser-check",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--password-store=basic",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox", "--test-type", "--disable-dev-shm-usage")
	}
	if panel {
		extension := filepath.Join(home, "idle")
		if err := writeIdle(extension, profile); err != nil {
			return nil, fmt.Errorf("writing an extension: %w", err)
		}
		args = append(args, "--enable-unsafe-extension-debugging", "--load-extension="+extension, "--disable-features=DisableLoadExtensionCommandLineSwitch")
	}
	commandR, commandW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer commandR.Close() // the browser has its own copy
	eventR, eventW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, commandW.Close())
	}
	defer eventW.Close()
	b := &Bare{cmd: exec.CommandContext(ctx, s.Browser, append(args, emptyPage)...), pipes: []*os.File{commandW, eventR}}
	b.cmd.Env = s.Screen.Env()
	b.cmd.ExtraFiles = []*os.File{commandR, eventW}
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	began := time.Now()
	if err := b.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("starting a bare browser: %w", err), commandW.Close(), eventR.Close())
	}
	drawn, err := b.drawn(ctx, tapSocket(profile), panel)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for a bare browser: %w", err), b.Close())
	}
	b.Drawn = drawn - Millis(began)
	return b, nil
}

// Close closes the browser's pipe, which ends the browser.
func (b *Bare) Close() error {
	var errs []error
	for _, pipe := range b.pipes {
		errs = append(errs, pipe.Close())
	}
	_ = b.cmd.Wait() // its exit error does not matter
	if b.Client != nil {
		_ = b.Client.Close()
	}
	return errors.Join(errs...)
}

// drawn returns when the first frame of the page was drawn, or that of the panel,
// which is opened as soon as the browser accepts the click.
func (b *Bare) drawn(ctx context.Context, socket string, panel bool) (float64, error) {
	err := until(ctx, func() (err error) {
		b.Client, err = tap.Dial(ctx, socket)
		return err
	})
	if err != nil {
		return 0, err
	}
	if err := b.Client.Discover(ctx); err != nil {
		return 0, err
	}
	if !panel {
		return b.Frame(ctx, "data:text/html")
	}
	if err := until(ctx, func() error { return b.ClickAction(ctx) }); err != nil {
		return 0, err
	}
	return b.Frame(ctx, "panel.html")
}

// ClickAction opens or closes the panel.
func (b *Bare) ClickAction(ctx context.Context) error {
	return b.Client.ClickActionAt(ctx, protocol.ExtensionID, "data:")
}

// Frame waits for a page, and returns when its first frame was drawn.
func (b *Bare) Frame(ctx context.Context, address string) (drawn float64, err error) {
	page, err := b.Client.Await(ctx, address)
	if err != nil {
		return 0, err
	}
	// This is only repeated when the page's script has not run yet.
	err = until(ctx, func() error { return page.Eval(ctx, "drawn", &drawn) })
	return drawn, err
}

// writeIdle writes an extension with an empty side panel and nothing else, and the
// preference of a new profile that makes a click on its icon open that panel. It
// has the id of our extension.
func writeIdle(dir, profile string) error {
	raw, err := os.ReadFile(filepath.Join("extension", "dist", "manifest.json"))
	if err != nil {
		return err
	}
	var own struct {
		Key string `json:"key"`
	}
	if err := json.Unmarshal(raw, &own); err != nil {
		return err
	}
	manifest, err := json.Marshal(map[string]any{
		"manifest_version": 3, "name": "Idle", "version": "1", "key": own.Key, "action": map[string]any{},
		"side_panel": map[string]any{"default_path": "panel.html"}, "permissions": []string{"sidePanel"},
	})
	if err != nil {
		return err
	}
	settings := map[string]any{protocol.ExtensionID: map[string]any{"open_side_panel_on_icon_click": true}}
	preferences, err := json.Marshal(map[string]any{"extensions": map[string]any{"settings": settings}})
	if err != nil {
		return err
	}
	return errors.Join(
		os.Mkdir(dir, 0o700),
		os.WriteFile(filepath.Join(dir, "manifest.json"), manifest, 0o600),
		os.WriteFile(filepath.Join(dir, "panel.html"), []byte("<!doctype html><p>Idle</p><script src=panel.js></script>"), 0o600),
		os.WriteFile(filepath.Join(dir, "panel.js"), []byte(notesDrawn), 0o600),
		os.MkdirAll(filepath.Join(profile, "Default"), 0o700),
		os.WriteFile(filepath.Join(profile, "Default", "Preferences"), preferences, 0o600),
	)
}
