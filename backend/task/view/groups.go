package view

import (
	"context"
	"slices"

	"pilotfish/backend/protocol"
)

// groupName is how many letters of a task's title its group has.
const groupName = 30

// stateColor is the colour of a group of tabs.
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

// groupTitle is what a task's group of tabs is called: its title, behind "Needs
// you" while it waits for the user.
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

// gather makes the tabs of a task a group, coloured by its state. When the task
// is over the tabs go where they were, or stay a group as the person chose. A
// group is a help and no condition: what goes wrong with it is only noted.
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

// join puts the tabs of the task into its group, and takes those out that it may
// use no more.
func (p *Pages) join(ctx context.Context, b Browser, w *workplace, tabs []protocol.TabID) error {
	var fresh, gone []protocol.TabID
	// A group is of one window: a tab of another would move there.
	window := map[protocol.TabID]int{}
	for _, tab := range p.tabs() {
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
		// The person took it apart, or its tabs were closed.
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

// dissolve lets the tabs go where they were.
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
