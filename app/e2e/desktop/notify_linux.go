package desktop

import (
	"context"
	"fmt"

	"github.com/godbus/dbus/v5"
)

// The names of the desktop's notification service.
const (
	notifyName = "org.freedesktop.Notifications"
	notifyPath = "/org/freedesktop/Notifications"
)

// Note is a notification that was shown.
type Note struct {
	ID          uint32
	Title, Body string
	// Actions are its buttons: keys and labels alternate.
	Actions []string
}

// Key returns the key of the button with a label; empty when there is none.
func (n Note) Key(label string) string {
	for i := 1; i < len(n.Actions); i += 2 {
		if n.Actions[i] == label {
			return n.Actions[i-1]
		}
	}
	return ""
}

// Notifications is a small notification daemon that reports notifications to a
// test.
type Notifications struct {
	d    *Desktop
	next chan uint32
	// Shown and Closed receive notifications in order.
	Shown  chan Note
	Closed chan uint32
}

// noteQueue is how many notifications may wait for the test.
const noteQueue = 64

// Notifications replaces the desktop's notification daemon.
func (d *Desktop) Notifications() (*Notifications, error) {
	n := &Notifications{d: d, next: make(chan uint32, 1), Shown: make(chan Note, noteQueue), Closed: make(chan uint32, noteQueue)}
	n.next <- 1
	if err := d.bus.Export(daemon{n}, notifyPath, notifyName); err != nil {
		return nil, fmt.Errorf("exporting the notifications: %w", err)
	}
	reply, err := d.bus.RequestName(notifyName, dbus.NameFlagDoNotQueue)
	if err != nil {
		return nil, fmt.Errorf("taking the name of the notifications: %w", err)
	}
	if reply != dbus.RequestNameReplyPrimaryOwner {
		return nil, fmt.Errorf("another program shows the notifications")
	}
	return n, nil
}

// Press presses a button of a notification.
func (n *Notifications) Press(id uint32, key string) error {
	if err := n.d.bus.Emit(notifyPath, notifyName+".ActionInvoked", id, key); err != nil {
		return fmt.Errorf("pressing a button of a notification: %w", err)
	}
	return nil
}

// WaitNote waits for the next notification.
func (n *Notifications) WaitNote(ctx context.Context) (Note, error) {
	select {
	case note := <-n.Shown:
		return note, nil
	case <-ctx.Done():
		return Note{}, fmt.Errorf("waiting for a notification: %w", ctx.Err())
	}
}

// daemon is the D-Bus object of Notifications.
type daemon struct{ n *Notifications }

// GetCapabilities returns what the daemon can show.
func (daemon) GetCapabilities() ([]string, *dbus.Error) {
	return []string{"body", "actions"}, nil
}

// Notify shows a notification, or replaces an earlier one.
func (s daemon) Notify(_ string, replaces uint32, _, title, body string, actions []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	id := replaces
	if id == 0 {
		id = <-s.n.next
		s.n.next <- id + 1
	}
	s.n.Shown <- Note{ID: id, Title: title, Body: body, Actions: actions}
	return id, nil
}

// CloseNotification closes a notification.
func (s daemon) CloseNotification(id uint32) *dbus.Error {
	s.n.Closed <- id
	return nil
}
