package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/getlantern/systray"

	"pilotfish/backend/protocol"
)

// tabSlots is how many tabs the menu lists. For the rest it has one line that
// opens the window: a longer menu does not fit on a laptop's screen.
const tabSlots = 15

// approvalSlots is how many approvals the menu lists, with two items each. The
// user answers the rest in the window.
const approvalSlots = 4

// menu is the icon and its menu. systray can append, rename and hide items, but
// never remove or move them. So each item is created once, at its place, and
// draw decides which ones are visible.
type menu struct {
	status  *systray.MenuItem
	startup *systray.MenuItem
	allow   [approvalSlots]*systray.MenuItem
	deny    [approvalSlots]*systray.MenuItem
	asks    *systray.MenuItem // shown when there are more approvals than slots
	slots   [tabSlots]*systray.MenuItem
	more    *systray.MenuItem

	mu    sync.Mutex
	drawn protocol.TrayState
	// asked are the ids of the approvals in the slots, and sessions their
	// sessions.
	asked    [approvalSlots]string
	sessions [approvalSlots]protocol.SessionName
	icon     protocol.TrayIcon
}

// newMenu creates the items and one listener for each. The listeners end with
// ctx.
func newMenu(ctx context.Context, parts *sync.WaitGroup, actions chan<- protocol.TrayAction) *menu {
	m := &menu{}
	listen := func(item *systray.MenuItem, action func() (protocol.TrayAction, bool)) {
		// The library drops a click when nobody waits for it at that moment: on a busy
		// computer that is before the listener runs, or while it sends the click before.
		item.ClickedCh = make(chan struct{}, 1)
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

	// On Linux this kind of icon has no tooltip, so its text is the first item.
	m.status = systray.AddMenuItem("Pilotfish", "")
	m.status.Disable()
	listen(m.status, m.review)
	for i := range approvalSlots {
		m.allow[i] = hidden()
		listen(m.allow[i], func() (protocol.TrayAction, bool) { return m.answer(i, protocol.AnswerOnce) })
		m.deny[i] = hidden()
		listen(m.deny[i], func() (protocol.TrayAction, bool) { return m.answer(i, protocol.AnswerDeny) })
	}
	m.asks = hidden()
	listen(m.asks, always(protocol.TrayOpen))
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

// hidden creates an item that is not visible yet.
func hidden() *systray.MenuItem {
	item := systray.AddMenuItem("", "")
	item.Hide()
	return item
}

// draw shows a state in the icon and the menu, completely.
func (m *menu) draw(state protocol.TrayState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drawn = state
	// The icon is passed as a file, so it is set only when it has changed.
	if m.icon != state.Icon {
		m.icon = state.Icon
		systray.SetIcon(iconFor(state.Icon))
	}
	systray.SetTooltip(state.Tooltip)
	if len(state.Approvals) > 0 {
		m.status.SetTitle(plain(state.Tooltip + " …"))
		m.status.Enable()
	} else {
		m.status.SetTitle(plain(state.Tooltip))
		m.status.Disable()
	}
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
	m.drawApprovals(state.Approvals)
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

// drawApprovals shows the approvals. A visible item never changes its approval;
// it is hidden first, because the user may be about to click it. m.mu is held.
func (m *menu) drawApprovals(waiting []protocol.TrayApproval) {
	kept := [approvalSlots]*protocol.TrayApproval{}
	var fresh []*protocol.TrayApproval
	for i := range waiting {
		w := &waiting[i]
		if at := slices.IndexFunc(m.asked[:], func(id string) bool { return id == w.ID }); at >= 0 {
			kept[at] = w
		} else {
			fresh = append(fresh, w)
		}
	}
	for i := range kept {
		if kept[i] == nil && m.asked[i] == "" && len(fresh) > 0 {
			kept[i], fresh = fresh[0], fresh[1:]
		}
		w := kept[i]
		if w == nil {
			m.asked[i], m.sessions[i] = "", ""
			m.allow[i].Hide()
			m.deny[i].Hide()
			continue
		}
		m.asked[i], m.sessions[i] = w.ID, w.Session
		m.allow[i].SetTitle(plain("Allow once: " + w.Label))
		m.deny[i].SetTitle(plain("Deny: " + w.Label))
		// An approval that the menu cannot show completely must be read first,
		// so it has no Allow item here.
		if w.Whole {
			m.allow[i].Show()
		} else {
			m.allow[i].Hide()
		}
		m.deny[i].Show()
	}
	if len(fresh) > 0 {
		m.asks.SetTitle(fmt.Sprintf("%d more approvals …", len(fresh)))
		m.asks.Show()
	} else {
		m.asks.Hide()
	}
}

// review is the action of the first item while an approval waits: it shows the
// oldest one.
func (m *menu) review() (protocol.TrayAction, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.drawn.Approvals) == 0 {
		return protocol.TrayAction{}, false
	}
	first := m.drawn.Approvals[0]
	return protocol.TrayAction{Action: protocol.TrayReview, Session: first.Session, Approval: first.ID}, true
}

// answer is the action of an approval's item as it is drawn; none when the
// approval has been answered meanwhile.
func (m *menu) answer(slot int, answer protocol.ApprovalAnswer) (protocol.TrayAction, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked[slot] == "" {
		return protocol.TrayAction{}, false
	}
	return protocol.TrayAction{Action: protocol.TrayAnswer, Session: m.sessions[slot], Approval: m.asked[slot], Answer: answer}, true
}

// startOrStop is the action of the start item as it is drawn.
func (m *menu) startOrStop() (protocol.TrayAction, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.drawn.Running {
		return protocol.TrayAction{Action: protocol.TrayStop}, true
	}
	return protocol.TrayAction{Action: protocol.TrayStart}, true
}

// tab is the action of a tab's slot as it is drawn; none when the tab was
// closed meanwhile.
func (m *menu) tab(slot int) (protocol.TrayAction, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if slot >= len(m.drawn.Tabs) {
		return protocol.TrayAction{}, false
	}
	t := m.drawn.Tabs[slot]
	return protocol.TrayAction{Action: protocol.TrayTabOp, Session: t.Session, Tab: t.ID}, true
}

// plain escapes a page's title, so that no letter becomes a keyboard shortcut.
// Menus mark the shortcut with an underscore (dbusmenu) or an ampersand
// (Windows), and print the mark only when it is doubled.
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
