package main

import (
	"context"
	"fmt"

	"github.com/godbus/dbus/v5"

	"pilotfish/backend/protocol"
)

// The names of the StatusNotifier protocol, by which every current desktop shows
// tray icons (freedesktop.org's StatusNotifierItem specification).
const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
)

// watchHost tells the app whether a host for icons is there, at once and
// whenever that changes, until ctx ends. Changes come as signals; nothing is
// polled.
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
	// Only now the first look: a host that came in between has sent its signal.
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
			// Several signals may speak of one change: only a new answer is told.
			if now := hostRegistered(ctx, bus); now != host {
				host = now
				report(ctx, actions, host)
			}
		}
	}
}

// subscribe asks for every signal by which a host comes or goes: the watcher
// itself starts or ends, or tells of a host.
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

// hostRegistered asks the watcher. No watcher, no host.
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

// report tells the app of the host.
func report(ctx context.Context, actions chan<- protocol.TrayAction, host bool) {
	if host {
		send(ctx, actions, protocol.TrayAction{Action: protocol.TrayReady})
		return
	}
	send(ctx, actions, protocol.TrayAction{Action: protocol.TrayAbsent})
}
