package desktop

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
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

// WaitWindow waits until a visible window has a title that matches the regular
// expression, and returns its id.
func (d *Desktop) WaitWindow(ctx context.Context, title string) (string, error) {
	out, err := d.Command(ctx, "xdotool", "search", "--sync", "--onlyvisible", "--name", title)
	for err != nil && strings.Contains(err.Error(), "BadWindow") && ctx.Err() == nil {
		// Another window closed while xdotool inspected it.
		out, err = d.Command(ctx, "xdotool", "search", "--sync", "--onlyvisible", "--name", title)
	}
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(out, "\n")
	return first, nil
}

// Windows returns the ids of the visible windows with a matching title.
func (d *Desktop) Windows(ctx context.Context, title string) []string {
	out, err := d.Command(ctx, "xdotool", "search", "--onlyvisible", "--name", title)
	if err != nil {
		return nil // xdotool fails when there is none
	}
	return strings.Fields(out)
}

// CloseWindow requests that a window close, as the close button in its frame
// does.
func (d *Desktop) CloseWindow(ctx context.Context, window string) error {
	// Not xdotool: its windowclose destroys the window without asking its
	// program.
	_, err := d.Command(ctx, "wmctrl", "-i", "-c", window)
	return err
}

// Command runs a program on this desktop and returns its output.
func (d *Desktop) Command(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = d.Env()
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("running %s: %w: %s", name, err, strings.TrimSpace(problems.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// waitRootProperty returns when the root window has a property, with which a
// window manager announces itself.
func (d *Desktop) waitRootProperty(ctx context.Context, name string) error {
	return d.onXEvents(ctx, name+" of the root window", func(line string) bool { return strings.HasPrefix(line, name+"(") })
}

// WaitNoWindow waits until no window with a matching title is visible.
func (d *Desktop) WaitNoWindow(ctx context.Context, title string) error {
	return d.onXEvents(ctx, "no visible window "+title, func(string) bool { return len(d.Windows(ctx, title)) == 0 })
}

// WaitState waits until a window is in a state of the X protocol: "Normal",
// "Iconic" (minimised) or "Withdrawn".
func (d *Desktop) WaitState(ctx context.Context, window, state string) error {
	return d.onXEvents(ctx, state+" of window "+window, func(string) bool {
		out, err := d.Command(ctx, "xprop", "-id", window, "WM_STATE")
		return err == nil && strings.Contains(out, "window state: "+state)
	})
}

// ScreenshotWhen takes a screenshot of the whole screen once the image satisfies
// is. Drawing sends no event that another program can wait for, so it polls.
func (d *Desktop) ScreenshotWhen(ctx context.Context, path string, is func(image.Image) bool) error {
	for {
		if err := d.Screenshot(ctx, path); err != nil {
			return err
		}
		picture, err := readPNG(path)
		if err != nil {
			return err
		}
		if is(picture) {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("waiting for another picture than %s: %w", path, ctx.Err())
		}
	}
}

func readPNG(path string) (image.Image, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening a screenshot: %w", err)
	}
	defer func() { _ = file.Close() }()
	picture, err := png.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("reading a screenshot: %w", err)
	}
	return picture, nil
}

// onXEvents waits until is returns true. It checks the lines for every property
// of the root window, and again whenever the window manager changes one, which
// happens when any window opens, closes or gets the focus.
func (d *Desktop) onXEvents(ctx context.Context, what string, is func(line string) bool) error {
	spy, cancel := context.WithCancel(ctx)
	defer cancel()
	// It watches all properties, because xprop cannot watch one that does not
	// exist yet. xprop buffers its lines when its output is a pipe; stdbuf
	// prevents that.
	cmd := exec.CommandContext(spy, "stdbuf", "-oL", "xprop", "-spy", "-root")
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
		found = is(lines.Text())
	}
	cancel()
	_ = cmd.Wait() // it was killed, so an error is expected
	if !found {
		return fmt.Errorf("waiting for %s: the X server ended or time is up", what)
	}
	return nil
}
