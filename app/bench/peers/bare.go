package peers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"pilotfish/app/bench/report"
	"pilotfish/backend/browser/chromium"
)

// bare is a headless Chromium driven directly over its pipe, one command at a
// time. All other drivers are built on such a protocol.
type bare struct {
	cmd     *exec.Cmd
	ask     *os.File
	answer  *bufio.Reader
	read    *os.File
	profile string
	session string
	last    int
}

// startBare starts a bare browser with a tab.
func startBare(ctx context.Context) (*bare, error) {
	found, err := chromium.Find("")
	if err != nil {
		return nil, fmt.Errorf("finding a browser: %w", err)
	}
	profile, err := os.MkdirTemp("", "pilotfish-bench-")
	if err != nil {
		return nil, fmt.Errorf("making a profile: %w", err)
	}
	asked, ask, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	answer, answered, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making a pipe: %w", err), asked.Close(), ask.Close())
	}
	args := []string{
		"--headless", "--remote-debugging-pipe", "--user-data-dir=" + profile, "--no-first-run", "--window-size=1280,800",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "about:blank",
	}
	if sandboxOff() {
		args = append(args, "--no-sandbox")
	}
	b := &bare{cmd: exec.CommandContext(ctx, found.Path, args...), ask: ask, answer: bufio.NewReaderSize(answer, 1<<20), read: answer, profile: profile}
	b.cmd.ExtraFiles = []*os.File{asked, answered}
	err = b.cmd.Start()
	_ = asked.Close()
	_ = answered.Close()
	if err != nil {
		return nil, fmt.Errorf("starting a bare browser: %w", err)
	}
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &made); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	if err := b.call("Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &attached); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	b.session = attached.SessionID
	err = b.call("Page.enable", nil, nil)
	return b, err
}

type bareMessage struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func (b *bare) next() (bareMessage, error) {
	var m bareMessage
	raw, err := b.answer.ReadBytes(0)
	if err != nil {
		return m, fmt.Errorf("reading from a bare browser: %w", err)
	}
	err = json.Unmarshal(bytes.TrimSuffix(raw, []byte{0}), &m)
	return m, err
}

// call sends a command and reads until its answer.
func (b *bare) call(method string, params, into any) error {
	b.last++
	message := map[string]any{"id": b.last, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	raw, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if _, err := b.ask.Write(append(raw, 0)); err != nil {
		return fmt.Errorf("asking a bare browser: %w", err)
	}
	for {
		m, err := b.next()
		switch {
		case err != nil:
			return err
		case m.ID != b.last:
			continue
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case into == nil:
			return nil
		}
		return json.Unmarshal(m.Result, into)
	}
}

// BareName is the name of the bare protocol in the results.
const BareName = "bare protocol"

var errBare = errors.New("the bare protocol only loads pages")

// Name returns the name in the results.
func (b *bare) Name() string { return BareName }

// Snapshot is not supported.
func (b *bare) Snapshot(context.Context) (string, float64, error) { return "", 0, errBare }

// Click is not supported.
func (b *bare) Click(context.Context, string) (float64, error) { return 0, errBare }

// Fill is not supported.
func (b *bare) Fill(context.Context, string, string) (float64, error) { return 0, errBare }

// Screenshot is not supported.
func (b *bare) Screenshot(context.Context, bool, bool) (float64, error) { return 0, errBare }

// Open loads an address and returns after its load event.
func (b *bare) Open(_ context.Context, url string) (float64, error) {
	start := time.Now()
	err := b.load(url)
	return report.MS(time.Since(start)), err
}

func (b *bare) load(url string) error {
	if err := b.call("Page.navigate", map[string]any{"url": url}, nil); err != nil {
		return err
	}
	for {
		m, err := b.next()
		if err != nil || m.Method == "Page.loadEventFired" {
			return err
		}
	}
}

// Close ends the browser.
func (b *bare) Close() error {
	b.session = ""
	_ = b.ask.Close()
	_ = b.read.Close()
	_ = b.cmd.Wait() // it ends with its pipe; its exit error does not matter
	return os.RemoveAll(b.profile)
}
