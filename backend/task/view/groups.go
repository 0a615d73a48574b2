package view

import (
	"context"
	"slices"

	"pilotfish/backend/protocol"
)

// groupName is the greatest length of a group's title, in characters.
const groupName = 30

// stateColor returns the colour of a tab group.
func stateColor(state protocol.TaskState) string {
	switch state {
	case protocol.TaskRunning:
		return "blue"
	case protocol.TaskWaiting, protocol.TaskInterrupted:
		return "orange"
	case protocol.TaskDone:
		return "green"
	case protocol.TaskFailed:
		return "red"
	case protocol.TaskIdle, protocol.TaskPaused, protocol.TaskStopped:
	}
	return "grey"
}

// groupTitle returns the title of a task's tab group: the task's title, after
// "Needs you" while the task waits for the user.
func groupTitle(title string, asks bool) string {
	if asks {
		title = "Needs you: " + title
	}
	runes := []rune(title)
	if len(runes) > groupName {
		runes = append(runes[:groupName-1], '…')
	}
	return string(runes)
}

// gather makes the tabs of a task a group, with a colour for its state. When
// the task has ended, the tabs return to their former groups, or stay in the
// group if the user chose so. The group is not essential: errors are only
// logged.
func (p *Pages) gather(ctx context.Context, b Browser, w *workplace, head protocol.Task) {
	if err := p.group(ctx, b, w, head); err != nil {
		p.log.Debug("the tabs of a task are not as a group should be", "task", head.ID, "error", err)
	}
}

func (p *Pages) group(ctx context.Context, b Browser, w *workplace, head protocol.Task) error {
	ends := !Working(head.State)
	if ends && !head.KeepGroup {
		return p.dissolve(ctx, b, w)
	}
	if !ends {
		if err := p.join(ctx, b, w, head.Tabs); err != nil {
			return err
		}
	}
	p.mu.Lock()
	asks := head.State == protocol.TaskWaiting || Working(head.State) && len(w.asked) > 0
	p.mu.Unlock()
	state := head.State
	if asks {
		state = protocol.TaskWaiting
	}
	if color := stateColor(state); w.group != 0 && w.color != color {
		name := groupTitle(head.Title, asks)
		if err := b.SetGroup(ctx, w.group, &name, &color, nil); err != nil {
			return err
		}
		w.color = color
	}
	return nil
}

// join adds the task's tabs to its group, and removes those that it may no
// longer use.
func (p *Pages) join(ctx context.Context, b Browser, w *workplace, tabs []protocol.TabID) error {
	var fresh, gone []protocol.TabID
	// A group belongs to one window: a tab of another window would be moved
	// there.
	window := map[protocol.TabID]int{}
	for _, tab := range p.tabs.All() {
		window[tab.ID] = tab.WindowID
	}
	for _, tab := range tabs {
		if !slices.Contains(w.grouped, tab) && p.open(tab) && window[tab] == window[tabs[0]] {
			fresh = append(fresh, tab)
		}
	}
	for _, tab := range w.grouped {
		if !slices.Contains(tabs, tab) && p.open(tab) {
			gone = append(gone, tab)
		}
	}
	w.grouped = slices.DeleteFunc(w.grouped, func(tab protocol.TabID) bool { return !p.open(tab) || slices.Contains(gone, tab) })
	if len(gone) > 0 {
		if err := b.UngroupTabs(ctx, gone); err != nil {
			return err
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	groups, err := b.Groups(ctx)
	if err != nil {
		return err
	}
	if w.group != 0 && !slices.ContainsFunc(groups, func(g protocol.TabGroup) bool { return g.ID == w.group }) {
		// The user dissolved it, or its tabs were closed.
		w.group, w.color = 0, ""
	}
	for _, g := range groups {
		for _, tab := range g.Tabs {
			if g.ID != w.group && slices.Contains(fresh, tab) {
				w.before[tab] = g.ID
			}
		}
	}
	if w.group, err = b.GroupTabs(ctx, w.group, fresh); err != nil {
		w.group, w.color = 0, ""
		return err
	}
	w.grouped = append(w.grouped, fresh...)
	return nil
}

// dissolve returns the tabs to their former groups.
func (p *Pages) dissolve(ctx context.Context, b Browser, w *workplace) error {
	groups, err := b.Groups(ctx)
	if err != nil || w.group == 0 {
		return err
	}
	var tabs []protocol.TabID
	there := map[int]bool{}
	for _, g := range groups {
		there[g.ID] = true
		if g.ID == w.group {
			tabs = g.Tabs
		}
	}
	w.group = 0
	if len(tabs) == 0 {
		return nil
	}
	if err := b.UngroupTabs(ctx, tabs); err != nil {
		return err
	}
	for _, tab := range tabs {
		if old := w.before[tab]; there[old] {
			if _, err := b.GroupTabs(ctx, old, []protocol.TabID{tab}); err != nil {
				return err
			}
		}
	}
	return nil
}
