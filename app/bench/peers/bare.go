package peers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/browser/devtools"
)

// BareName is the name of the bare protocol in the results.
const BareName = "bare protocol"

// bare is a headless Chromium without any code of ours in it, driven over its pipe.
// All other drivers are built on such a protocol. It only loads pages, and a snapshot is a call
// that does nothing.
type bare struct {
	Driver // the rest is not supported

	cmd     *exec.Cmd // nil for a browser that an engine gave
	conn    devtools.Transport
	profile string
	tab     *devtools.Session
}

// dialBare opens the protocol of a browser at a WebSocket, with a tab.
func dialBare(ctx context.Context, address string) (_ *bare, err error) {
	b := &bare{}
	if b.conn, err = devtools.Dial(ctx, address, devtools.DialOptions{}); err != nil {
		return nil, err
	}
	if err := b.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening a tab elsewhere: %w", err), b.Close())
	}
	return b, nil
}

// startBare starts a bare browser with a tab.
func startBare(ctx context.Context) (_ *bare, err error) {
	found, err := chromium.Find("")
	if err != nil {
		return nil, fmt.Errorf("finding a browser: %w", err)
	}
	profile, err := os.MkdirTemp("", "pilotfish-bench-")
	if err != nil {
		return nil, fmt.Errorf("making a profile: %w", err)
	}
	args := []string{
		"--headless", "--remote-debugging-pipe", "--user-data-dir=" + profile, "--no-first-run", "--window-size=1280,800",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "about:blank",
	}
	if sandboxOff() {
		args = append(args, "--no-sandbox")
	}
	b := &bare{cmd: exec.CommandContext(ctx, found.Path, args...), profile: profile}
	if err := b.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting a bare browser: %w", err), b.Close())
	}
	return b, nil
}

func (b *bare) start(ctx context.Context) error {
	read, commands, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	events, write, err := os.Pipe()
	if err != nil {
		return errors.Join(err, commands.Close())
	}
	defer write.Close()
	b.conn = chromedp.NewPipeConn(events, commands)
	b.cmd.ExtraFiles = []*os.File{read, write}
	if err := b.cmd.Start(); err != nil {
		return err
	}
	return b.open(ctx)
}

// open opens a tab.
func (b *bare) open(ctx context.Context) (err error) {
	conn := devtools.New(b.conn, slog.New(slog.DiscardHandler), nil)
	go func() { _ = conn.Serve(ctx) }() // the calls report that the connection has ended
	var made target.CreateTargetResult
	if err := conn.Root.Call(ctx, target.CreateTarget.Method, map[string]any{"url": "about:blank"}, &made); err != nil {
		return err
	}
	if b.tab, err = conn.Attach(ctx, made.TargetID); err != nil {
		return err
	}
	return b.tab.Call(ctx, "Page.enable", nil, nil)
}

// Name returns the name in the results.
func (b *bare) Name() string { return BareName }

// Open loads an address and returns after its load event.
func (b *bare) Open(ctx context.Context, url string) (float64, error) {
	start := time.Now()
	loaded := b.tab.Events("Page.loadEventFired")
	defer loaded.Cancel()
	if err := b.tab.Call(ctx, "Page.navigate", map[string]any{"url": url}, nil); err != nil {
		return 0, fmt.Errorf("loading a page in a bare browser: %w", err)
	}
	select {
	case _, ok := <-loaded.C:
		if !ok {
			return 0, errors.New("loading a page in a bare browser: it ended")
		}
		return ms(time.Since(start)), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("loading a page in a bare browser: %w", ctx.Err())
	}
}

// Snapshot returns after a call that does nothing.
func (b *bare) Snapshot(ctx context.Context) (string, float64, error) {
	start := time.Now()
	err := b.tab.Call(ctx, "Runtime.evaluate", map[string]any{"expression": "0"}, nil)
	return "", ms(time.Since(start)), err
}

// Close ends the browser.
func (b *bare) Close() error {
	if b.conn != nil {
		_ = b.conn.Close()
	}
	if b.cmd == nil {
		return nil
	}
	if b.cmd.Process != nil {
		_ = b.cmd.Wait() // it ends with its pipe; its exit error does not matter
	}
	return os.RemoveAll(b.profile)
}
