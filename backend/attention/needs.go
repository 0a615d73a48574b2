package attention

import (
	"cmp"
	"net/url"

	"pilotfish/backend/protocol"
)

// Kind says what a Need is.
type Kind string

// The kinds of needs.
const (
	KindApproval Kind = "approval"
	KindLogin    Kind = "login"    // a server asks for a user name and a password
	KindQuestion Kind = "question" // a task asks its user
	KindTerminal Kind = "terminal"
	KindSignIn   Kind = "sign_in" // an agent has no account yet
	KindBrowser  Kind = "browser" // the user's own browser has to be allowed or prepared
	KindTask     Kind = "task"    // it was interrupted or failed
	KindSession  Kind = "session" // it could not be started
	KindSchedule Kind = "schedule"
)

// Need is something that waits for the user, or that the user has to know. It has nothing
// of a page but the host, because it also goes to other computers.
type Need struct {
	Kind    Kind                 `json:"kind"`
	Session protocol.SessionName `json:"session,omitempty"`
	// Who is an agent, a program, a browser or a schedule. It is one line.
	Who string `json:"who"`
	// Site is the host of the page that it is about; empty when there is none.
	Site string `json:"site,omitempty"`
	// ID tells needs of one kind in a session apart.
	ID string `json:"-"`
	// Seen: the user is looking at it.
	Seen bool `json:"-"`
	// says is what Who does; empty for what the kind says.
	says string
}

// Says returns the need in one short sentence without the site: "Claude Code needs you".
func (n Need) Says() string {
	return n.Who + " " + cmp.Or(n.says, map[Kind]string{
		KindApproval: "needs your approval", KindLogin: "needs a login", KindQuestion: "asks you", KindSignIn: "needs you to sign in",
	}[n.Kind], "needs you")
}

// Needs returns everything that needs the user. Tray and webhook show it; it is the only
// place that decides that.
func Needs(state protocol.WindowState) []Need {
	var needs []Need
	for _, s := range state.Sessions {
		needs = append(needs, ofSession(s)...)
	}
	for _, c := range state.Conversations {
		if c.State == protocol.ConversationSignIn {
			needs = append(needs, Need{Kind: KindSignIn, Session: c.Session, ID: string(c.ID), Who: line(c.AgentName, maxName)})
		}
	}
	return needs
}

func ofSession(s protocol.SessionInfo) []Need {
	var needs []Need
	switch s.State {
	case protocol.SessionStopped, protocol.SessionStopping:
		return nil
	case protocol.SessionFailed:
		return []Need{{Kind: KindSession, Session: s.Name, Who: "Session " + string(s.Name), says: "could not be started"}}
	case protocol.SessionStarting, protocol.SessionRunning, protocol.SessionRestarting, protocol.SessionBackground:
	}
	if a := s.Attaching; a != nil && a.Step != protocol.AttachFull && a.Step != protocol.AttachAway {
		needs = append(needs, Need{Kind: KindBrowser, Session: s.Name, ID: string(a.Step), Who: line(a.Browser, maxName)})
	}
	asks := map[protocol.ActorKind]map[string]bool{protocol.ActorTerminal: {}, protocol.ActorTask: {}}
	for _, a := range s.Approvals {
		need := Need{Kind: KindApproval, Session: s.Name, ID: a.ID, Who: line(a.Words.Who, maxName), Site: host(a.Origin)}
		if a.Actor.Kind == protocol.ActorTask {
			need.Who = aTask // the title is the user's text, or a page's
		}
		if a.Login != nil {
			need.Kind = KindLogin
		}
		if of := asks[a.Actor.Kind]; of != nil {
			of[a.Actor.ID] = true
		}
		needs = append(needs, need)
	}
	for _, t := range s.Terminals {
		if needsUser(t) && !asks[protocol.ActorTerminal][string(t.ID)] {
			needs = append(needs, Need{Kind: KindTerminal, Session: s.Name, ID: string(t.ID), Who: name(t), Seen: t.Seen})
		}
	}
	for _, t := range s.Tasks {
		need := Need{Kind: KindTask, Session: s.Name, ID: string(t.ID), Who: aTask}
		switch t.State {
		case protocol.TaskWaiting:
			need.Kind = KindQuestion
		case protocol.TaskInterrupted:
			need.says = "was interrupted"
		case protocol.TaskFailed:
			need.says = "failed"
		case protocol.TaskIdle, protocol.TaskRunning, protocol.TaskPaused, protocol.TaskDone, protocol.TaskStopped:
			continue
		}
		for _, tab := range s.Tabs {
			if tab.ID == t.Tab {
				need.Site = host(tab.URL)
			}
		}
		if !asks[protocol.ActorTask][string(t.ID)] {
			needs = append(needs, need)
		}
	}
	return needs
}

// aTask stands for the title of a task.
const aTask = "A task"

// Schedule returns the need of a run of a schedule that ended or was missed.
func Schedule(name string, run protocol.ScheduleRunState) Need {
	return Need{Kind: KindSchedule, ID: name, Who: "The schedule “" + line(name, maxName) + "”", says: map[protocol.ScheduleRunState]string{
		protocol.ScheduleDone: "is done", protocol.ScheduleFailed: "failed", protocol.ScheduleMissed: "did not run",
	}[run]}
}

// needsUser reports whether the agent of a terminal waits for its user.
func needsUser(t protocol.TerminalInfo) bool {
	return t.Status == protocol.AgentNeedsYou && t.State == protocol.TerminalLive
}

// name names a terminal.
func name(t protocol.TerminalInfo) string { return cmp.Or(line(t.Name, maxName), "A terminal") }

// host returns the host of an address of the web; empty for another one.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Hostname()
}
