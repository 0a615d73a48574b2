// Package panel measures the panel of the whole product: its start, its return, and
// what the app keeps in memory.
package panel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"pilotfish/app/bench/product"
	"pilotfish/app/bench/report"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// benchStart measures from the start of the app's process to a prompt in the
// panel, beside a bare Chromium from its start to the first frame of an empty
// page. What no panel can go below is said beside it: start.panel is the same
// browser with an extension that does nothing, to the first frame of its empty
// side panel, start.live the terminal itself in the place of its first picture, and
// start.program the app's program from its start to its first line. All have a new
// profile
// each time.
func benchStart(ctx context.Context, o report.Options) (rows []report.Row, err error) {
	s, err := product.NewDesktop(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	idle, err := idleExtension(s)
	if err != nil {
		return nil, err
	}
	runs := 15 // of a median that differs by a tenth between sevens
	if o.Quick {
		runs = 3
	}
	took := report.Samples{}
	for range runs {
		page, err := bareStart(ctx, s, "")
		if err != nil {
			return nil, err
		}
		panel, err := bareStart(ctx, s, idle)
		if err != nil {
			return nil, err
		}
		p, err := s.Start(ctx)
		if err != nil {
			return nil, err
		}
		at, err := p.Pictured(ctx, "ready>")
		if err != nil {
			return nil, errors.Join(err, p.Stop())
		}
		live, err := p.Painted(ctx, "ready>")
		if err := errors.Join(err, p.Stop()); err != nil {
			return nil, err
		}
		program, err := programStart(ctx, s)
		if err != nil {
			return nil, err
		}
		took.Add("program", program)
		took.Add("page", page)
		took.Add("panel", panel)
		took.Add("prompt", at-product.Millis(p.Began))
		took.Add("live", live-product.Millis(p.Began))
	}
	bare := report.Median(took["page"])
	prompt := report.Row{Name: "start.prompt", Unit: "ms", Value: report.Median(took["prompt"]), Limit: 1.3, Rule: report.RatioAtMost}
	live := report.Row{Name: "start.live", Unit: "ms", Value: report.Median(took["live"]), Rule: report.Informs}
	panel := report.Row{Name: "start.panel", Unit: "ms", Value: report.Median(took["panel"]), Rule: report.Informs}
	program := report.Row{Name: "start.program", Unit: "ms", Value: report.Median(took["program"]), Rule: report.Informs}
	return []report.Row{
		prompt.With99(slices.Max(took["prompt"])).Beside(bare),
		live.With99(slices.Max(took["live"])).Beside(bare),
		panel.With99(slices.Max(took["panel"])).Beside(bare),
		program.With99(slices.Max(took["program"])).Beside(bare),
	}, nil
}

// programStart is how long the app's program takes until it can do anything, and
// ends, in ms.
func programStart(ctx context.Context, s *product.Desktop) (float64, error) {
	cmd := exec.CommandContext(ctx, product.Program(), "-version")
	cmd.Env = s.Screen.Env()
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("asking the app for its version: %w", err)
	}
	return report.MS(time.Since(began)), nil
}

// notesDrawn is a script that promises when the first frame of its page was drawn.
const notesDrawn = "drawn=new Promise((done)=>requestAnimationFrame(()=>requestAnimationFrame(()=>done(performance.timeOrigin+performance.now()))))"

// emptyPage has it.
const emptyPage = "data:text/html,<script>" + notesDrawn + "</script>"

// idleExtension makes an extension that has an empty side panel and nothing else,
// under the id of ours, so that the same preference opens it.
func idleExtension(s *product.Desktop) (string, error) {
	raw, err := os.ReadFile(filepath.Join("extension", "dist", "manifest.json"))
	if err != nil {
		return "", fmt.Errorf("reading the extension's manifest: %w", err)
	}
	var own struct {
		Key string `json:"key"`
	}
	if err := json.Unmarshal(raw, &own); err != nil {
		return "", fmt.Errorf("reading the extension's manifest: %w", err)
	}
	manifest, err := json.Marshal(map[string]any{
		"manifest_version": 3, "name": "Idle", "version": "1", "key": own.Key, "action": map[string]any{},
		"side_panel": map[string]any{"default_path": "panel.html"}, "permissions": []string{"sidePanel"},
	})
	if err != nil {
		return "", fmt.Errorf("writing a manifest: %w", err)
	}
	dir := filepath.Join(s.Dir, "idle")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	for name, content := range map[string]string{
		"manifest.json": string(manifest), "panel.html": "<!doctype html><p>Idle</p><script src=panel.js></script>", "panel.js": notesDrawn,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// bareStart starts a Chromium with an empty page, and with the panel of an
// extension where one is given, and returns how long the first frame of that took,
// in ms.
func bareStart(ctx context.Context, s *product.Desktop, extension string) (float64, error) {
	bare, err := startBareBrowser(ctx, s, extension)
	if err != nil {
		return 0, err
	}
	drawn, err := bareDrawn(ctx, bare.socket, extension != "")
	return drawn - product.Millis(bare.began), errors.Join(err, bare.end())
}

// bareBrowser is a Chromium with an empty page and nothing of ours.
type bareBrowser struct {
	cmd    *exec.Cmd
	began  time.Time
	socket string // of its tap
	pipes  []*os.File
}

// end ends the browser: the end of its pipe does.
func (b *bareBrowser) end() error {
	var errs []error
	for _, pipe := range b.pipes {
		errs = append(errs, pipe.Close())
	}
	_ = b.cmd.Wait() // however it ends
	return errors.Join(errs...)
}

// startBareBrowser starts one, with an extension where one is given.
func startBareBrowser(ctx context.Context, s *product.Desktop, extension string) (*bareBrowser, error) {
	home, err := os.MkdirTemp(s.Dir, "b")
	if err != nil {
		return nil, err
	}
	profile := filepath.Join(home, "profile")
	commandR, commandW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	eventR, eventW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	args := []string{
		"--remote-debugging-pipe", "--user-data-dir=" + profile, "--no-first-run", "--no-default-browser-check",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--password-store=basic",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox", "--test-type", "--disable-dev-shm-usage")
	}
	if extension != "" {
		args = append(args, "--enable-unsafe-extension-debugging", "--load-extension="+extension, "--disable-features=DisableLoadExtensionCommandLineSwitch")
		if err := opensOnClick(profile); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, s.Browser, append(args, emptyPage)...)
	cmd.Env = s.Screen.Env()
	cmd.ExtraFiles = []*os.File{commandR, eventW}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting a bare browser: %w", err)
	}
	_ = commandR.Close() // the browser has its own
	_ = eventW.Close()
	return &bareBrowser{cmd, began, product.TapSocket(profile), []*os.File{commandW, eventR}}, nil
}

// opensOnClick writes the preference of a new profile by which a click on the
// extension's icon opens its panel.
func opensOnClick(profile string) error {
	dir := filepath.Join(profile, "Default")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	settings := map[string]any{protocol.ExtensionID: map[string]any{"open_side_panel_on_icon_click": true}}
	raw, err := json.Marshal(map[string]any{"extensions": map[string]any{"settings": settings}})
	if err != nil {
		return fmt.Errorf("writing the preferences: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "Preferences"), raw, 0o600)
}

// bareDrawn is when the first frame of the page was drawn, or that of the panel,
// which is opened as soon as the browser takes the click.
func bareDrawn(ctx context.Context, socket string, panel bool) (float64, error) {
	var client *tap.Client
	err := product.Until(ctx, func() (err error) {
		client, err = tap.Dial(ctx, socket)
		return err
	})
	if err != nil {
		return 0, err
	}
	defer func() { _ = client.Close() }() // the browser is ended with it
	if err := client.Discover(ctx); err != nil {
		return 0, err
	}
	part := "data:text/html"
	if panel {
		part = "panel.html"
		if err := product.Until(ctx, func() error { return client.ClickActionAt(ctx, protocol.ExtensionID, "data:") }); err != nil {
			return 0, err
		}
	}
	page, err := client.Await(ctx, part)
	if err != nil {
		return 0, err
	}
	var drawn float64
	// Again only when the page's script has not run yet.
	err = product.Until(ctx, func() error { return page.Eval(ctx, "drawn", &drawn) })
	return drawn, err
}
