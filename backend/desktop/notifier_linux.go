package desktop

import (
	"context"
	"fmt"
	"html"
	"slices"
	"sync"

	"github.com/godbus/dbus/v5"

	"pilotfish/backend/protocol"
)

// The freedesktop notification service.
const (
	notifyService = "org.freedesktop.Notifications"
	notifyPath    = "/org/freedesktop/Notifications"
	// notifyDefault is the action of a click on the notification itself.
	notifyDefault = "default"
)

// Notifier shows notifications and hears when one is clicked. Its zero value is
// ready for use; it is closed by Close. Its methods are safe for concurrent use.
type Notifier struct {
	mu     sync.Mutex
	conn   *dbus.Conn // nil before the first notification, and after a fault
	clicks map[uint32]map[string]func()
	serial int            // of the notification that was shown last
	done   sync.WaitGroup // the goroutine that hears
	closed bool
}

// Notify shows a notification and returns its id. It returns CodeNotRunning when
// the desktop has no service for notifications.
func (n *Notifier) Notify(ctx context.Context, what Notification) (uint32, error) {
	conn, err := n.connected()
	if err != nil {
		return 0, noNotifications(err)
	}
	service := conn.Object(notifyService, notifyPath)
	var can []string
	if err := service.CallWithContext(ctx, notifyService+".GetCapabilities", 0).Store(&can); err != nil {
		return 0, noNotifications(err)
	}
	body := field(what.Body, maxBody)
	if slices.Contains(can, "body-markup") {
		body = html.EscapeString(body)
	}
	urgency := byte(1)
	if what.Urgent {
		urgency = 2
	}
	var actions []string
	clicks := map[string]func(){}
	// Held over the call: a click that comes at once waits until it is known what
	// it means.
	n.mu.Lock()
	defer n.mu.Unlock()
	n.serial++
	add := func(key, label string, do func()) {
		actions = append(actions, key, label)
		clicks[key] = do
	}
	if slices.Contains(can, "actions") {
		if what.Clicked != nil {
			add(notifyDefault, "Show", what.Clicked)
		}
		// A press on a button of the notification before, whose id this one has, must
		// not count as one of this: no two have the same keys.
		for i, a := range what.Actions {
			add(fmt.Sprintf("%d.%d", n.serial, i), field(a.Label, maxTitle), a.Do)
		}
	}
	if actions == nil {
		actions = []string{} // the bus knows no nil
	}
	hints := map[string]dbus.Variant{
		"urgency":       dbus.MakeVariant(urgency),
		"desktop-entry": dbus.MakeVariant("pilotfish"),
	}
	var id uint32
	err = service.CallWithContext(ctx, notifyService+".Notify", 0,
		"Pilotfish", what.Replaces, "pilotfish", field(what.Title, maxTitle), body, actions, hints, int32(-1)).Store(&id)
	if err != nil {
		return 0, noNotifications(err)
	}
	delete(n.clicks, what.Replaces)
	if len(actions) > 0 && n.clicks != nil {
		n.clicks[id] = clicks
	}
	return id, nil
}

// Withdraw takes a notification away that is not needed any more.
func (n *Notifier) Withdraw(ctx context.Context, id uint32) error {
	conn, err := n.connected()
	if err != nil {
		return noNotifications(err)
	}
	n.mu.Lock()
	delete(n.clicks, id)
	n.mu.Unlock()
	if err := conn.Object(notifyService, notifyPath).CallWithContext(ctx, notifyService+".CloseNotification", 0, id).Err; err != nil {
		return noNotifications(err)
	}
	return nil
}

// connected is the connection to the person's bus.
func (n *Notifier) connected() (*dbus.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, fmt.Errorf("it is closed")
	}
	if n.conn != nil && n.conn.Connected() {
		return n.conn, nil
	}
	// Without the start of a bus: where none runs, a new one would have nobody
	// on it, and would stay.
	conn, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		return nil, err
	}
	if err = conn.Auth(nil); err == nil {
		err = conn.Hello()
	}
	for _, member := range []string{"ActionInvoked", "NotificationClosed"} {
		if err == nil {
			err = conn.AddMatchSignal(dbus.WithMatchInterface(notifyService), dbus.WithMatchObjectPath(notifyPath), dbus.WithMatchMember(member))
		}
	}
	if err != nil {
		_ = conn.Close() // nothing was asked of it
		return nil, err
	}
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	n.conn, n.clicks = conn, map[uint32]map[string]func(){}
	n.done.Go(func() { n.hear(conn, signals) })
	return conn, nil
}

// hear carries out clicks until the connection ends.
func (n *Notifier) hear(conn *dbus.Conn, signals <-chan *dbus.Signal) {
	for {
		select {
		case signal, ok := <-signals:
			if !ok {
				return
			}
			n.heard(signal)
		case <-conn.Context().Done():
			return
		}
	}
}

func (n *Notifier) heard(signal *dbus.Signal) {
	if len(signal.Body) < 2 {
		return
	}
	id, _ := signal.Body[0].(uint32)
	n.mu.Lock()
	var clicked func()
	if signal.Name == notifyService+".NotificationClosed" {
		delete(n.clicks, id)
	} else if action, ok := signal.Body[1].(string); ok {
		clicked = n.clicks[id][action]
	}
	n.mu.Unlock()
	if clicked != nil {
		clicked()
	}
}

// Close ends the connection: a click on what is still shown does nothing more.
func (n *Notifier) Close() {
	n.mu.Lock()
	n.closed = true
	if n.conn != nil {
		_ = n.conn.Close() // everything was answered
	}
	n.mu.Unlock()
	n.done.Wait()
}

func noNotifications(err error) error {
	return protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("this desktop shows no notifications (%v)", err), "")
}
