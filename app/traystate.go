package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pilotfish/backend/attention"
	"pilotfish/backend/protocol"
)

// trayState computes what the tray shows for a state. It is a pure function, so
// the icon always agrees with the window.
func trayState(state protocol.WindowState) protocol.TrayState {
	tray := protocol.TrayState{Icon: protocol.IconStopped, Tooltip: "Pilotfish: stopped", Tabs: []protocol.TrayTab{}}
	rank := 0
	// claim sets icon and tooltip unless something more urgent already has.
	claim := func(r int, icon protocol.TrayIcon, words string) {
		if r > rank {
			rank, tray.Icon, tray.Tooltip = r, icon, "Pilotfish: "+words
		}
	}
	several := running(state) > 1
	for _, s := range state.Sessions {
		alive := false
		switch s.State {
		case protocol.SessionStarting:
			// It can take long until the user's own browser is there, so the menu offers to stop it.
			alive = s.Attaching != nil
			tray.Busy = !alive || tray.Busy
			claim(1, protocol.IconStopped, "starting")
		case protocol.SessionStopping:
			tray.Busy, alive = true, true
			claim(1, protocol.IconRunning, "stopping")
		case protocol.SessionRunning, protocol.SessionRestarting:
			alive = true
			claim(2, protocol.IconRunning, "running")
		case protocol.SessionBackground:
			alive = true
			claim(2, protocol.IconRunning, "running without a window")
		case protocol.SessionFailed:
			claim(5, protocol.IconError, problemWords(s))
		case protocol.SessionStopped:
		}
		if !alive {
			continue
		}
		tray.Running = true
		prefix := ""
		if several || s.Name != protocol.DefaultSession {
			prefix = dot(s.Identity) + shorten(cmp.Or(s.Title, string(s.Name))) + " · "
		}
		for _, t := range s.Terminals {
			if t.Status == protocol.AgentWorking {
				claim(3, protocol.IconWorking, t.Name+" is working")
			}
		}
		for _, w := range s.Approvals {
			tray.Approvals = append(tray.Approvals, trayApproval(s.Name, prefix, w, state.Confinement))
		}
		for _, t := range s.Tabs {
			tray.Tabs = append(tray.Tabs, protocol.TrayTab{Session: s.Name, ID: t.ID, Label: prefix + tabLabel(t)})
		}
	}
	for _, need := range attention.Needs(state) {
		if need.Kind != attention.KindTask { // it waits for nothing
			claim(4, protocol.IconNeedsYou, need.Says())
		}
	}
	if state.Problem != nil {
		claim(5, protocol.IconError, shorten(state.Problem.Message))
	}
	return tray
}

// dot is the circle in the colour of a session's windows, or the one next to it: a menu
// draws text only, and on Linux no pictures.
func dot(identity *protocol.IdentityFacts) string {
	if identity == nil || identity.Color == "" {
		return ""
	}
	rgb, err := strconv.ParseUint(strings.TrimPrefix(identity.Color, "#"), 16, 32)
	if err != nil {
		return ""
	}
	circles := map[string]uint64{
		"🔴": 0xdc2832, "🟠": 0xf59114, "🟡": 0xfacd32, "🟢": 0x3caa46, "🔵": 0x1e78e6, "🟣": 0xa046d2, "🟤": 0x825032, "⚫": 0x282828, "⚪": 0xebebeb,
	}
	away := func(other uint64) (sum int) {
		for shift := 0; shift <= 16; shift += 8 {
			d := int(rgb>>shift&0xff) - int(other>>shift&0xff)
			sum += d * d
		}
		return sum
	}
	near := slices.MinFunc(slices.Sorted(maps.Keys(circles)), func(x, y string) int { return cmp.Compare(away(circles[x]), away(circles[y])) })
	return near + " "
}

// running counts the running sessions.
func running(state protocol.WindowState) int {
	n := 0
	for _, s := range state.Sessions {
		if s.State == protocol.SessionRunning || s.State == protocol.SessionRestarting || s.State == protocol.SessionBackground {
			n++
		}
	}
	return n
}

func problemWords(s protocol.SessionInfo) string {
	if s.Error == nil {
		return "a session could not start"
	}
	return shorten(s.Error.Message)
}

// tabLabel describes a tab in one line: its title and its agent's status.
func tabLabel(t protocol.Tab) string {
	title := t.Title
	if strings.TrimSpace(title) == "" {
		title = t.URL
	}
	label := shorten(title)
	if t.Crashed {
		label = fmt.Sprintf("%s (crashed)", label)
	}
	if t.Agent == nil {
		return label
	}
	return label + " — " + t.Agent.Name + " " + agentWords(t.Agent.Status)
}

// trayApproval is what waits in one line: who asks, what for, with the element's name,
// and where. Further arguments do not fit into a menu: what has some, or is shortened,
// is allowed where it stands whole, in panel and window. So is what an agent could allow
// itself in this menu.
func trayApproval(session protocol.SessionName, prefix string, w protocol.Approval, confinement protocol.Confinement) protocol.TrayApproval {
	who, allOfWho := fitted(w.Words.Who)
	what, allOfWhat := fitted(w.Words.What)
	where, allOfWhere := fitted(w.Words.Where)
	whole := w.Login == nil && confinement.AllowsByBus(w.Actor) && len(w.Words.Details) == 0 && allOfWho && allOfWhat && allOfWhere
	label := prefix + who + ": " + what
	if where != "" {
		label = fmt.Sprintf("%s on %s", label, where)
	}
	return protocol.TrayApproval{Session: session, ID: w.ID, Label: label, Whole: whole}
}

// agentWords describes an agent's status.
func agentWords(status protocol.AgentStatus) string {
	switch status {
	case protocol.AgentNeedsYou:
		return "needs you"
	case protocol.AgentMissing:
		return "is not installed"
	case protocol.AgentStarting:
		return "starting"
	case protocol.AgentIdle:
		return "idle"
	case protocol.AgentWorking:
		return "working"
	case protocol.AgentEnded:
		return "ended"
	default:
		return string(status)
	}
}

// shorten makes one line of at most labelRunes characters of a text that is not
// ours. It removes characters that would break the line or change the text
// direction of the rest of the menu.
func shorten(text string) string {
	short, _ := fitted(text)
	return short
}

// fitted is shorten, and also reports whether the whole text fitted.
func fitted(text string) (short string, whole bool) {
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.In(r, unicode.Bidi_Control), r == unicode.ReplacementChar:
			return -1
		default:
			return r
		}
	}, text)
	runes := []rune(strings.Join(strings.Fields(clean), " "))
	if len(runes) <= labelRunes {
		return string(runes), true
	}
	return strings.TrimSpace(string(runes[:labelRunes-1])) + "…", false
}
