package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/getlantern/systray"

	"pilotfish/backend/protocol"
)

// tabSlots is how many tabs the menu lists. The rest is one line that opens the
// window: a longer menu does not fit on a laptop's screen.
const tabSlots = 15

// menu is the icon and its menu. systray can append, rename and hide entries,
// and never remove or move one, so every entry is made once, in its place, and a
// drawing decides which are seen.
type menu struct {
	status  *systray.MenuItem
	startup *systray.MenuItem
	slots   [tabSlots]*systray.MenuItem
	more    *systray.MenuItem

	mu    sync.Mutex
	drawn protocol.TrayState
	icon  protocol.TrayIcon
}

// newMenu makes the entries and one listener for each; the listeners end with
// ctx.
func newMenu(ctx context.Context, parts *sync.WaitGroup, actions chan<- protocol.TrayAction) *menu {
	m := &menu{}
	listen := func(item *systray.MenuItem, action func() (protocol.TrayAction, bool)) {
		parts.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-item.ClickedCh:
					if a, ok := action(); ok {
						send(ctx, actions, a)
					}
				}
			}
		})
	}
	always := func(t protocol.TrayActionType) func() (protocol.TrayAction, bool) {
		return func() (protocol.TrayAction, bool) { return protocol.TrayAction{Action: t}, true }
	}

	// Linux has no tooltip for this kind of icon: its text is the first entry.
	m.status = systray.AddMenuItem("Pilotfish", "")
	m.status.Disable()
	systray.AddSeparator()
	m.startup = systray.AddMenuItem("Start session", "")
	m.startup.Disable()
	listen(m.startup, m.startOrStop)
	for i := range m.slots {
		m.slots[i] = systray.AddMenuItem("", "")
		m.slots[i].Hide()
		listen(m.slots[i], func() (protocol.TrayAction, bool) { return m.tab(i) })
	}
	m.more = systray.AddMenuItem("", "")
	m.more.Hide()
	listen(m.more, always(protocol.TrayOpen))
	systray.AddSeparator()
	listen(systray.AddMenuItem("Open Pilotfish", ""), always(protocol.TrayOpen))
	listen(systray.AddMenuItem("Open logs", ""), always(protocol.TrayLogs))
	systray.AddSeparator()
	listen(systray.AddMenuItem("Quit", ""), always(protocol.TrayQuit))
	return m
}

// draw makes the icon and the menu show a state, whole.
func (m *menu) draw(state protocol.TrayState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drawn = state
	// The icon travels through a file, so it is set only when it is another one.
	if m.icon != state.Icon {
		m.icon = state.Icon
		systray.SetIcon(iconFor(state.Icon))
	}
	systray.SetTooltip(state.Tooltip)
	m.status.SetTitle(plain(state.Tooltip))
	if state.Running {
		m.startup.SetTitle("Stop session")
	} else {
		m.startup.SetTitle("Start session")
	}
	if state.Busy {
		m.startup.Disable()
	} else {
		m.startup.Enable()
	}
	for i, slot := range m.slots {
		if i >= len(state.Tabs) {
			slot.Hide()
			continue
		}
		slot.SetTitle(plain(state.Tabs[i].Label))
		slot.Show()
	}
	if rest := len(state.Tabs) - tabSlots; rest > 0 {
		m.more.SetTitle(fmt.Sprintf("%d more tabs …", rest))
		m.more.Show()
	} else {
		m.more.Hide()
	}
}

// startOrStop is the action of the entry as it is drawn.
func (m *menu) startOrStop() (protocol.TrayAction, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.drawn.Running {
		return protocol.TrayAction{Action: protocol.TrayStop}, true
	}
	return protocol.TrayAction{Action: protocol.TrayStart}, true
}

// tab is the action of a slot as it is drawn; none when the tab went away while
// the person clicked.
func (m *menu) tab(slot int) (protocol.TrayAction, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if slot >= len(m.drawn.Tabs) {
		return protocol.TrayAction{}, false
	}
	t := m.drawn.Tabs[slot]
	return protocol.TrayAction{Action: protocol.TrayTabOp, Session: t.Session, Tab: t.ID}, true
}

// plain keeps a page's title from being read as a keyboard shortcut: menus mark
// its letter by an underscore (dbusmenu) or an ampersand (Windows), and print the
// mark only when it is doubled.
func plain(label string) string {
	switch runtime.GOOS {
	case "linux":
		return strings.ReplaceAll(label, "_", "__")
	case "windows":
		return strings.ReplaceAll(label, "&", "&&")
	default:
		return label
	}
}
