package desktop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

// menuInterface is the D-Bus interface through which a panel shows the menu of an
// icon.
const menuInterface = "com.canonical.dbusmenu"

// Entry is one line of a tray menu as the panel shows it.
type Entry struct {
	ID        int32
	Label     string
	Enabled   bool
	Visible   bool
	Separator bool
}

// layout is com.canonical.dbusmenu's layout type, (ia{sv}av).
type layout struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

// Menu returns the visible entries of the icon's menu, in order.
func (i *Item) Menu(ctx context.Context) ([]Entry, error) {
	var revision uint32
	var root layout
	err := i.d.bus.Object(i.service, i.menu).CallWithContext(ctx, menuInterface+".GetLayout", 0,
		int32(0), int32(-1), []string{}).Store(&revision, &root)
	if err != nil {
		return nil, fmt.Errorf("reading the tray menu: %w", err)
	}
	var entries []Entry
	for _, child := range root.Children {
		var l layout
		if err := dbus.Store([]any{child.Value()}, &l); err != nil {
			return nil, fmt.Errorf("reading an entry of the tray menu: %w", err)
		}
		if e := entryOf(l); e.Visible {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// entryOf converts a layout, with dbusmenu's defaults for properties that are
// missing.
func entryOf(l layout) Entry {
	e := Entry{ID: l.ID, Enabled: true, Visible: true}
	if v, ok := l.Properties["label"].Value().(string); ok {
		// An underscore marks the access key; "__" is one underscore.
		e.Label = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(v, "__", "\x00"), "_", ""), "\x00", "_")
	}
	if v, ok := l.Properties["enabled"].Value().(bool); ok {
		e.Enabled = v
	}
	if v, ok := l.Properties["visible"].Value().(bool); ok {
		e.Visible = v
	}
	if v, ok := l.Properties["type"].Value().(string); ok {
		e.Separator = v == "separator"
	}
	return e
}

// WaitMenu waits until the visible entries satisfy is, and returns them. After a
// timeout, its error contains the last menu. An icon may be registered before its menu
// is; the menu's first signal says that it has come.
func (i *Item) WaitMenu(ctx context.Context, is func([]Entry) bool) ([]Entry, error) {
	changes, done, err := i.d.signals(ctx, []dbus.MatchOption{dbus.WithMatchSender(i.service), dbus.WithMatchInterface(menuInterface)})
	if err != nil {
		return nil, err
	}
	defer done()
	for {
		entries, err := i.Menu(ctx)
		var refused dbus.Error
		missing := errors.As(err, &refused) && refused.Name == "org.freedesktop.DBus.Error.UnknownMethod"
		if err != nil && !missing {
			return nil, err
		}
		if err == nil && is(entries) {
			return entries, nil
		}
		select {
		case <-changes:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for another tray menu than %q: %w", Labels(entries), ctx.Err())
		}
	}
}

// Click clicks the entry with this label, as the panel does. It waits until the
// entry exists and is enabled.
func (i *Item) Click(ctx context.Context, label string) error {
	entries, err := i.WaitMenu(ctx, func(entries []Entry) bool {
		at := find(entries, label)
		return at >= 0 && entries[at].Enabled
	})
	if err != nil {
		return err
	}
	id := entries[find(entries, label)].ID
	// The X11 timestamp, which wraps around by design.
	stamp := uint32(time.Now().Unix())
	call := i.d.bus.Object(i.service, i.menu).CallWithContext(ctx, menuInterface+".Event", 0, id, "clicked", dbus.MakeVariant(int32(0)), stamp)
	var refused dbus.Error
	if errors.As(call.Err, &refused) && refused.Name == "org.freedesktop.DBus.Error.NoReply" {
		// The click was delivered, and the app ended before it answered. "Quit"
		// does that.
		return nil
	}
	if call.Err != nil {
		return fmt.Errorf("clicking %q: %w", label, call.Err)
	}
	return nil
}

func find(entries []Entry, label string) int {
	return slices.IndexFunc(entries, func(e Entry) bool { return e.Label == label })
}

// Labels returns the labels of entries; "-" for a separator.
func Labels(entries []Entry) []string {
	labels := make([]string, 0, len(entries))
	for _, e := range entries {
		if e.Separator {
			labels = append(labels, "-")
			continue
		}
		labels = append(labels, e.Label)
	}
	return labels
}
