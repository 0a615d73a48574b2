package desktop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
)

// The names of the StatusNotifier protocol, with which desktops show tray icons.
const (
	watcherName   = "org.kde.StatusNotifierWatcher"
	watcherPath   = "/StatusNotifierWatcher"
	itemInterface = "org.kde.StatusNotifierItem"
)

// signalQueue is how many signals may wait for the test. Losing more is harmless,
// because every wait reads the complete state again.
const signalQueue = 64

// Item is a tray icon registered with the panel.
type Item struct {
	d       *Desktop
	service string
	path    dbus.ObjectPath
	menu    dbus.ObjectPath
}

// WaitItem waits until the process pid has registered a tray icon. With pid 0,
// any process counts.
func (d *Desktop) WaitItem(ctx context.Context, pid int) (*Item, error) {
	return d.waitItem(ctx, func(i *Item) bool { return pid == 0 || i.PID(ctx) == pid })
}

// WaitOtherItem waits until a process other than pid has registered a tray icon.
func (d *Desktop) WaitOtherItem(ctx context.Context, pid int) (*Item, error) {
	return d.waitItem(ctx, func(i *Item) bool { owner := i.PID(ctx); return owner != 0 && owner != pid })
}

func (d *Desktop) waitItem(ctx context.Context, is func(*Item) bool) (*Item, error) {
	var found *Item
	err := d.onItems(ctx, func(items []*Item) bool {
		at := slices.IndexFunc(items, is)
		if at >= 0 {
			found = items[at]
		}
		return found != nil
	})
	return found, err
}

// WaitNoItem waits until no tray icon is registered.
func (d *Desktop) WaitNoItem(ctx context.Context) error {
	return d.onItems(ctx, func(items []*Item) bool { return len(items) == 0 })
}

// onItems waits until the registered icons satisfy is.
func (d *Desktop) onItems(ctx context.Context, is func([]*Item) bool) error {
	changes, done, err := d.signals(ctx,
		[]dbus.MatchOption{dbus.WithMatchInterface(watcherName)},
		[]dbus.MatchOption{dbus.WithMatchInterface("org.freedesktop.DBus"), dbus.WithMatchMember("NameOwnerChanged")})
	if err != nil {
		return err
	}
	defer done()
	for {
		items, err := d.Items(ctx)
		if err == nil && is(items) {
			return nil
		}
		select {
		case <-changes:
		case <-ctx.Done():
			return fmt.Errorf("waiting for other tray icons than these %d: %w", len(items), errors.Join(err, ctx.Err()))
		}
	}
}

// Items returns the tray icons that are registered now.
func (d *Desktop) Items(ctx context.Context) ([]*Item, error) {
	v, err := d.property(ctx, watcherName, watcherPath, watcherName, "RegisteredStatusNotifierItems")
	if err != nil {
		return nil, err
	}
	names, ok := v.Value().([]string)
	if !ok {
		return nil, fmt.Errorf("reading the tray's icons: got a %s", v.Signature())
	}
	var items []*Item
	for _, name := range names {
		// ":1.7/org/ayatana/NotificationItem/systray", or only the first part.
		service, path, _ := strings.Cut(name, "/")
		if path == "" {
			path = "StatusNotifierItem"
		}
		item := &Item{d: d, service: service, path: dbus.ObjectPath("/" + path)}
		menu, err := d.property(ctx, service, item.path, itemInterface, "Menu")
		if err != nil {
			continue // the icon has gone meanwhile
		}
		if item.menu, ok = menu.Value().(dbus.ObjectPath); ok {
			items = append(items, item)
		}
	}
	return items, nil
}

// PID returns the process that shows the icon; 0 when it is gone.
func (i *Item) PID(ctx context.Context) int {
	var pid uint32
	err := i.d.bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetConnectionUnixProcessID", 0, i.service).Store(&pid)
	if err != nil {
		return 0
	}
	return int(pid)
}

// Icon returns the icon's name: for our own icon the path of a file.
func (i *Item) Icon(ctx context.Context) (string, error) {
	v, err := i.d.property(ctx, i.service, i.path, itemInterface, "IconName")
	if err != nil {
		return "", err
	}
	name, ok := v.Value().(string)
	if !ok {
		return "", fmt.Errorf("reading the icon's name: got a %s", v.Signature())
	}
	return name, nil
}

// WaitIcon waits until the icon's name satisfies is.
func (i *Item) WaitIcon(ctx context.Context, is func(name string) bool) error {
	changes, done, err := i.d.signals(ctx, []dbus.MatchOption{dbus.WithMatchSender(i.service), dbus.WithMatchInterface(itemInterface)})
	if err != nil {
		return err
	}
	defer done()
	for {
		name, err := i.Icon(ctx)
		if err != nil {
			return err
		}
		if is(name) {
			return nil
		}
		select {
		case <-changes:
		case <-ctx.Done():
			return fmt.Errorf("waiting for another icon than %s: %w", name, ctx.Err())
		}
	}
}

// property reads a property of an object on the session bus.
func (d *Desktop) property(ctx context.Context, service string, path dbus.ObjectPath, iface, name string) (dbus.Variant, error) {
	var v dbus.Variant
	err := d.bus.Object(service, path).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", dbus.FlagNoAutoStart, iface, name).Store(&v)
	if err != nil {
		return v, fmt.Errorf("reading %s of %s: %w", name, service, err)
	}
	return v, nil
}

// signals subscribes to signals of the session bus until done is called. A signal
// only means that something changed.
func (d *Desktop) signals(ctx context.Context, rules ...[]dbus.MatchOption) (changes <-chan *dbus.Signal, done func(), err error) {
	c := make(chan *dbus.Signal, signalQueue)
	d.bus.Signal(c)
	var added [][]dbus.MatchOption
	done = sync.OnceFunc(func() {
		d.bus.RemoveSignal(c)
		for _, rule := range added {
			_ = d.bus.RemoveMatchSignal(rule...)
		}
	})
	for _, rule := range rules {
		if err := d.bus.AddMatchSignalContext(ctx, rule...); err != nil {
			done()
			return nil, nil, fmt.Errorf("subscribing to signals: %w", err)
		}
		added = append(added, rule)
	}
	return c, done, nil
}
