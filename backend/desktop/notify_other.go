//go:build !linux && !darwin

package desktop

import (
	"context"

	"pilotfish/backend/protocol"
)

// Notifier is a placeholder: notifications are not supported on this system.
type Notifier struct{}

// Close does nothing.
func (*Notifier) Close() {}

// Withdraw does nothing: there is nothing to remove.
func (*Notifier) Withdraw(context.Context, uint32) error { return nil }

// Notify returns CodeNotRunning: a notification on Windows needs an application id
// that only an installer can register. The window and the tray show the same
// information.
func (*Notifier) Notify(context.Context, Notification) (uint32, error) {
	return 0, protocol.NewError(protocol.CodeNotRunning, "notifications are not supported on this system", "the tray's icon shows the same")
}
