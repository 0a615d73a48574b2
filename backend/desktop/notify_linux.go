package desktop

import (
	"context"
	"fmt"
	"html"
	"slices"

	"github.com/godbus/dbus/v5"

	"pilotfish/backend/protocol"
)

// The freedesktop notification service.
const (
	notifyService = "org.freedesktop.Notifications"
	notifyPath    = "/org/freedesktop/Notifications"
)

// Notify shows a notification and returns its id. It returns CodeNotRunning when
// the desktop has no service for notifications.
func Notify(ctx context.Context, n Notification) (uint32, error) {
	// Without the start of a bus: where none runs, a new one would have nobody
	// on it, and would stay.
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err != nil {
		return 0, noNotifications(err)
	}
	defer func() { _ = conn.Close() }() // everything was answered
	if err := conn.Auth(nil); err != nil {
		return 0, noNotifications(err)
	}
	if err := conn.Hello(); err != nil {
		return 0, noNotifications(err)
	}
	service := conn.Object(notifyService, notifyPath)
	var can []string
	if err := service.CallWithContext(ctx, notifyService+".GetCapabilities", 0).Store(&can); err != nil {
		return 0, noNotifications(err)
	}
	body := field(n.Body, maxBody)
	if slices.Contains(can, "body-markup") {
		body = html.EscapeString(body)
	}
	urgency := byte(1)
	if n.Urgent {
		urgency = 2
	}
	hints := map[string]dbus.Variant{
		"urgency":       dbus.MakeVariant(urgency),
		"desktop-entry": dbus.MakeVariant("pilotfish"),
	}
	var id uint32
	err = service.CallWithContext(ctx, notifyService+".Notify", 0,
		"Pilotfish", n.Replaces, "pilotfish", field(n.Title, maxTitle), body, []string{}, hints, int32(-1)).Store(&id)
	if err != nil {
		return 0, noNotifications(err)
	}
	return id, nil
}

func noNotifications(err error) error {
	return protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("this desktop shows no notifications (%v)", err), "")
}
