package desktop

import (
	"context"
	"fmt"
	"os/exec"
)

// Notifier shows notifications. Its zero value is ready for use.
type Notifier struct{}

// Close does nothing: on macOS a notification needs no connection.
func (*Notifier) Close() {}

// Withdraw does nothing: macOS does not let us remove a notification.
func (*Notifier) Withdraw(context.Context, uint32) error { return nil }

// Notify shows a notification through osascript. The texts are arguments of the
// script, not part of it, so that they cannot become code. macOS returns no id, and
// decides itself how long a notification stays.
func (*Notifier) Notify(ctx context.Context, n Notification) (uint32, error) {
	const script = "on run {t, b}\ndisplay notification b with title t\nend run"
	cmd := exec.CommandContext(ctx, "/usr/bin/osascript", "-e", script, "--", field(n.Title, maxTitle), field(n.Body, maxBody)) //nolint:gosec // texts are arguments, not code
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("show a notification: %w", err)
	}
	return 0, nil
}
