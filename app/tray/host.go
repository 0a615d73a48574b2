package main

import (
	"context"
	"fmt"

	"github.com/godbus/dbus/v5"

	"pilotfish/backend/protocol"
)

// The names of the StatusNotifier protocol, with which every current desktop
// shows tray icons (freedesktop.org's StatusNotifierItem specification).
const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
)

// watchHost reports to the app whether the desktop has a host for tray icons,
// at once and after every change, until ctx ends. Changes arrive as D-Bus
// signals; nothing is polled.
func watchHost(ctx context.Context, actions chan<- protocol.TrayAction) error {
	bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("connecting to the session bus: %w", err)
	}
	defer func() { _ = bus.Close() }()

	changes := make(chan *dbus.Signal, actionQueue)
	bus.Signal(changes)
	if err := subscribe(ctx, bus); err != nil {
		return err
	}
	// Ask only after subscribing, so that a host that came in between is not
	// missed: it has sent its signal.
	host := hostRegistered(ctx, bus)
	report(ctx, actions, host)
	for {
		select {
		case <-ctx.Done():
			return nil
		case _, open := <-changes:
			if !open {
				return fmt.Errorf("reading the session bus: %w", dbus.ErrClosed)
			}
			// Several signals may follow one change. Report only a new result.
			if now := hostRegistered(ctx, bus); now != host {
				host = now
				report(ctx, actions, host)
			}
		}
	}
}

// subscribe subscribes to every signal about a host: the watcher starts or
// ends, or the watcher reports a host.
func subscribe(ctx context.Context, bus *dbus.Conn) error {
	rules := [][]dbus.MatchOption{
		{
			dbus.WithMatchSender("org.freedesktop.DBus"),
			dbus.WithMatchInterface("org.freedesktop.DBus"),
			dbus.WithMatchMember("NameOwnerChanged"),
			dbus.WithMatchArg(0, watcherName),
		},
		{dbus.WithMatchInterface(watcherName), dbus.WithMatchMember("StatusNotifierHostRegistered")},
		{dbus.WithMatchInterface(watcherName), dbus.WithMatchMember("StatusNotifierHostUnregistered")},
	}
	for _, rule := range rules {
		if err := bus.AddMatchSignalContext(ctx, rule...); err != nil {
			return fmt.Errorf("subscribing to the tray's host: %w", err)
		}
	}
	return nil
}

// hostRegistered asks the watcher whether it has a host. Without a watcher
// there is no host.
func hostRegistered(ctx context.Context, bus *dbus.Conn) bool {
	var answer dbus.Variant
	err := bus.Object(watcherName, watcherPath).CallWithContext(ctx,
		"org.freedesktop.DBus.Properties.Get", dbus.FlagNoAutoStart,
		watcherName, "IsStatusNotifierHostRegistered").Store(&answer)
	if err != nil {
		return false
	}
	registered, ok := answer.Value().(bool)
	return ok && registered
}

// report sends the app whether there is a host.
func report(ctx context.Context, actions chan<- protocol.TrayAction, host bool) {
	if host {
		send(ctx, actions, protocol.TrayAction{Action: protocol.TrayReady})
		return
	}
	send(ctx, actions, protocol.TrayAction{Action: protocol.TrayAbsent})
}
