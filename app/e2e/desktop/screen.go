package desktop

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Screenshot writes the whole screen as a PNG.
func (d *Desktop) Screenshot(ctx context.Context, path string) error {
	_, err := d.Command(ctx, "import", "-window", "root", path)
	return err
}

// ScreenshotOf writes one window as a PNG.
func (d *Desktop) ScreenshotOf(ctx context.Context, window, path string) error {
	_, err := d.Command(ctx, "import", "-window", window, path)
	return err
}

// WaitWindow waits until a visible window has a title that the regular
// expression matches, and returns its id.
func (d *Desktop) WaitWindow(ctx context.Context, title string) (string, error) {
	out, err := d.Command(ctx, "xdotool", "search", "--sync", "--onlyvisible", "--name", title)
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(out, "\n")
	return first, nil
}

// Windows lists the ids of the visible windows with such a title.
func (d *Desktop) Windows(ctx context.Context, title string) []string {
	out, err := d.Command(ctx, "xdotool", "search", "--onlyvisible", "--name", title)
	if err != nil {
		return nil // xdotool's way to say that there is none
	}
	return strings.Fields(out)
}

// CloseWindow asks a window to close, as the cross in its frame does.
func (d *Desktop) CloseWindow(ctx context.Context, window string) error {
	_, err := d.Command(ctx, "xdotool", "windowclose", window)
	return err
}

// Command runs a program on this desktop to its end and returns what it wrote.
func (d *Desktop) Command(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // tests name it
	cmd.Env = d.Env()
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("running %s: %w: %s", name, err, strings.TrimSpace(problems.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// waitRootProperty returns when the root window has a property, by which a
// window manager says that it is up.
func (d *Desktop) waitRootProperty(ctx context.Context, name string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Not the one property: xprop does not watch what does not exist yet. And it
	// keeps its lines to itself when its output is a pipe; stdbuf mends that.
	cmd := exec.CommandContext(ctx, "stdbuf", "-oL", "xprop", "-spy", "-root")
	cmd.Env = d.Env()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("making a pipe for xprop: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting xprop: %w", err)
	}
	found := false
	for lines := bufio.NewScanner(out); !found && lines.Scan(); {
		found = strings.HasPrefix(lines.Text(), name+"(")
	}
	cancel()
	_ = cmd.Wait() // it was killed
	if !found {
		return fmt.Errorf("waiting for %s of the root window: the X server ended or time is up", name)
	}
	return nil
}
