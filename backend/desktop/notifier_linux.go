package desktop

import (
	"context"
	"crypto/rand"
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

// Notifier shows notifications and calls their functions when they are clicked. Its
// zero value is ready for use; call Close at the end. Its methods are safe for
// concurrent use.
type Notifier struct {
	mu     sync.Mutex
	conn   *dbus.Conn // nil before the first notification, and after a fault
	clicks map[uint32]clicks
	done   sync.WaitGroup // the goroutine that receives signals
	closed bool
}

// clicks are the actions of a notification by their keys, and the name on the bus of the
// program that shows it.
type clicks struct {
	from string
	do   map[string]func()
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
	// Another program could own the service's name at the next call, so the program that
	// has it now is asked, and only that one says what was clicked.
	var owner string
	if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, notifyService).Store(&owner); err != nil {
		return 0, noNotifications(err)
	}
	service = conn.Object(owner, notifyPath)
	body := field(what.Body, maxBody)
	if slices.Contains(can, "body-markup") {
		body = html.EscapeString(body)
	}
	urgency := byte(1)
	if what.Urgent {
		urgency = 2
	}
	var actions []string
	keys := clicks{from: owner, do: map[string]func(){}}
	// Hold the lock during the call: a click that comes at once waits until its
	// action is registered.
	n.mu.Lock()
	defer n.mu.Unlock()
	add := func(key, label string, do func()) {
		actions = append(actions, key, label)
		keys.do[key] = do
	}
	if slices.Contains(can, "actions") {
		if what.Clicked != nil {
			add(notifyDefault, "Show", what.Clicked)
		}
		// A press on a button of the previous notification, whose id this one has
		// taken over, must not count for this one, and nobody guesses a key.
		for _, a := range what.Actions {
			add(rand.Text(), field(a.Label, maxTitle), a.Do)
		}
	}
	if actions == nil {
		actions = []string{} // D-Bus has no nil
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
		n.clicks[id] = keys
	}
	return id, nil
}

// Withdraw removes a notification that is no longer needed.
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

// connected returns the connection to the user's session bus.
func (n *Notifier) connected() (*dbus.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, fmt.Errorf("it is closed")
	}
	if n.conn != nil && n.conn.Connected() {
		return n.conn, nil
	}
	// Do not start a bus: where none runs, a new one would have no services on it,
	// and would keep running.
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
		_ = conn.Close() // the connection was not used yet
		return nil, err
	}
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	n.conn, n.clicks = conn, map[uint32]clicks{}
	n.done.Go(func() { n.hear(conn, signals) })
	return conn, nil
}

// hear handles signals until the connection ends.
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
	if n.clicks[id].from != signal.Sender {
		n.mu.Unlock()
		return // a program that shows no notification of ours
	}
	if signal.Name == notifyService+".NotificationClosed" {
		delete(n.clicks, id)
	} else if action, ok := signal.Body[1].(string); ok {
		clicked = n.clicks[id].do[action]
	}
	n.mu.Unlock()
	if clicked != nil {
		clicked()
	}
}

// Close closes the connection. A click on a notification that is still shown then has
// no effect.
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
