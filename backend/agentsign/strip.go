package agentsign

import (
	"context"
	"slices"

	"pilotfish/backend/protocol"
)

// The colours of a tab's group, the same as those of a task's tabs.
const (
	colorWorks = "blue"
	colorAsks  = "orange"
	colorDone  = "green"
)

// strip is how a tab looks in the tab strip: in a group of its own, so that no tab is
// moved.
type strip struct {
	group int    // 0 before there is one
	color string // empty: as without us
}

// wantedStrip returns the group's colour and title for a tab; an empty colour is no group.
// A tab that the user sees gets none, because its page has the sign; one that has a
// group keeps it until the agent is done and the user has seen the tab.
func (t *tab) wantedStrip() (color, title string) {
	switch {
	case t.drawn != nil && t.strip.color == "" && t.front:
		return "", ""
	case t.drawn != nil && t.drawn.Asks:
		return colorAsks, "Needs you: " + t.who
	case t.drawn != nil:
		return colorWorks, t.who
	case t.strip.color == "" || t.front:
		return "", ""
	}
	return colorDone, t.who
}

// colour brings the groups of the tabs up to date. They are not essential: what fails
// is only logged.
func (s *Signs) colour(ctx context.Context, b Browser) {
	type change struct {
		id           protocol.TabID
		now          strip
		color, title string
	}
	var changes []change
	s.mu.Lock()
	for id, t := range s.tabs {
		if color, title := t.wantedStrip(); t.open && color != t.strip.color {
			changes = append(changes, change{id, t.strip, color, title})
		}
	}
	s.mu.Unlock()
	for _, c := range changes {
		timed, cancel := context.WithTimeout(ctx, timeout)
		group, err := paint(timed, b, c.id, c.now.group, c.color, c.title)
		cancel()
		if err != nil && ctx.Err() == nil {
			s.log.DebugContext(ctx, "the tab of an agent has not the colour that it should have", "tab", c.id, "error", err)
		}
		s.mu.Lock()
		if t := s.tabs[c.id]; t != nil {
			t.strip = strip{group, c.color}
			if c.color == "" && t.drawn == nil {
				delete(s.tabs, c.id)
			}
		}
		s.mu.Unlock()
	}
}

// paint gives a tab a group with a colour and a title, or takes its group away. It
// leaves a tab alone that somebody else has put into a group. It returns the group, 0
// for none.
func paint(ctx context.Context, b Browser, id protocol.TabID, group int, color, title string) (int, error) {
	all, err := b.Groups(ctx)
	if err != nil {
		return group, err
	}
	in := slices.IndexFunc(all, func(g protocol.TabGroup) bool { return slices.Contains(g.Tabs, id) })
	switch {
	case in >= 0 && all[in].ID != group, in < 0 && group != 0:
		return group, nil // the user, or a task, has put it elsewhere
	case in < 0 && color == "":
		return 0, nil
	case color == "":
		return 0, b.UngroupTabs(ctx, []protocol.TabID{id})
	case in < 0:
		if group, err = b.GroupTabs(ctx, 0, []protocol.TabID{id}); err != nil {
			return 0, err
		}
	}
	return group, b.SetGroup(ctx, group, &title, &color, nil)
}
