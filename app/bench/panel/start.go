// Package panel measures the panel of the whole product: its start, how it
// reopens and reconnects, and the memory of the app.
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

// benchStart measures from the start of the app's process until a prompt is
// visible in the panel's terminal (start.prompt), and until the terminal has
// shown the answer to a key pressed as soon as the prompt was there (start.live).
// The floors are measured in the same run: a bare Chromium from its start to the
// first frame of an empty page; the same with an extension that does nothing, to
// the first frame of its empty side panel (start.panel); and the app's program
// until its first line (start.program). Each start has a new profile.
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
	runs := 15 // medians of seven differ by a tenth
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
		prompt, live, err := p.Answered(ctx, "ready>", "x", "ready> x")
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
		took.Add("prompt", prompt-product.Millis(p.Began))
		took.Add("live", live-product.Millis(p.Began))
	}
	bare, floor := report.Median(took["page"]), report.Median(took["panel"])
	prompt := report.Row{Name: "start.prompt", Unit: "ms", Value: report.Median(took["prompt"]), Rule: report.Informs}
	live := report.Row{Name: "start.live", Unit: "ms", Value: report.Median(took["live"]), Limit: liveLimit, Rule: report.RatioAtMost}
	panel := report.Row{Name: "start.panel", Unit: "ms", Value: report.Median(took["panel"]), Rule: report.Informs}
	program := report.Row{Name: "start.program", Unit: "ms", Value: report.Median(took["program"]), Rule: report.Informs}
	return []report.Row{
		prompt.With99(slices.Max(took["prompt"])).Beside(bare),
		live.With99(slices.Max(took["live"])).Beside(floor),
		panel.With99(slices.Max(took["panel"])).Beside(bare),
		program.With99(slices.Max(took["program"])).Beside(bare),
	}, nil
}

// liveLimit is the largest allowed ratio of a start, until the terminal answers a
// key, to the panel of an extension that does nothing. Five rounds of fifteen
// starts, on two cores with a load of 8 to 16, were at 1.27 to 1.38; the limit is
// a sixth more than the worst.
const liveLimit = 1.6

// programStart measures how long the app's program takes until its own code runs,
// in ms. The program prints its version and exits.
func programStart(ctx context.Context, s *product.Desktop) (float64, error) {
	cmd := exec.CommandContext(ctx, product.Program(), "-version")
	cmd.Env = s.Screen.Env()
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("asking the app for its version: %w", err)
	}
	return report.MS(time.Since(began)), nil
}

// notesDrawn is a script that sets `drawn` to a promise for the time of the
// page's first frame.
const notesDrawn = "drawn=new Promise((done)=>requestAnimationFrame(()=>requestAnimationFrame(()=>done(performance.timeOrigin+performance.now()))))"

// emptyPage is an empty page with that script.
const emptyPage = "data:text/html,<script>" + notesDrawn + "</script>"

// idleExtension creates an extension with an empty side panel and nothing else.
// It has the id of our extension, so that the same preference opens its panel.
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

// bareStart starts a Chromium with an empty page or, when extension is not empty,
// with the panel of that extension. It returns the time until its first frame, in
// ms.
func bareStart(ctx context.Context, s *product.Desktop, extension string) (float64, error) {
	bare, err := startBareBrowser(ctx, s, extension)
	if err != nil {
		return 0, err
	}
	drawn, err := bareDrawn(ctx, bare.socket, extension != "")
	return drawn - product.Millis(bare.began), errors.Join(err, bare.end())
}

// bareBrowser is a Chromium with an empty page and no code of ours.
type bareBrowser struct {
	cmd    *exec.Cmd
	began  time.Time
	socket string // the socket of its tap
	pipes  []*os.File
}

// end closes the browser's pipe, which ends the browser.
func (b *bareBrowser) end() error {
	var errs []error
	for _, pipe := range b.pipes {
		errs = append(errs, pipe.Close())
	}
	_ = b.cmd.Wait() // its exit error does not matter
	return errors.Join(errs...)
}

// startBareBrowser starts one, with an extension when the path is not empty.
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
	_ = commandR.Close() // the browser has its own copies
	_ = eventW.Close()
	return &bareBrowser{cmd, began, product.TapSocket(profile), []*os.File{commandW, eventR}}, nil
}

// opensOnClick writes the preference of a new profile that makes a click on the
// extension's icon open its panel.
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

// bareDrawn returns when the first frame of the page was drawn, or that of the
// panel, which is opened as soon as the browser accepts the click.
func bareDrawn(ctx context.Context, socket string, panel bool) (float64, error) {
	var client *tap.Client
	err := product.Until(ctx, func() (err error) {
		client, err = tap.Dial(ctx, socket)
		return err
	})
	if err != nil {
		return 0, err
	}
	defer func() { _ = client.Close() }() // the browser ends as well
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
	// Until only repeats this when the page's script has not run yet.
	err = product.Until(ctx, func() error { return page.Eval(ctx, "drawn", &drawn) })
	return drawn, err
}
