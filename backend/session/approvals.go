package session

import (
	"path/filepath"

	"pilotfish/backend/approval"
	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

// newApprovals returns the manager of the session's approvals. It outlives the
// session's runs.
func newApprovals(s *Session) *approval.Manager {
	return approval.New(approval.Config{
		Session: s.name, Quiet: s.m.cfg.Headless, Unattended: s.m.unattended(), Events: s.events,
		RulesFile:   filepath.Join(s.m.cfg.Dirs.Of(s.name).Root, config.RulesFile),
		AllowsByBus: func(actor protocol.Actor) bool { return s.m.Confinement().AllowsByBus(actor) },
		ShowTab:     s.showTab, Logger: s.plainLog(),
	})
}

// wanted returns the page on which the window opens: the approvals page while
// an approval waits. Empty means the page that was open.
func (g gateway) wanted() protocol.WindowPage {
	for _, s := range g.m.Window().Sessions {
		if len(s.Approvals) > 0 {
			return protocol.WindowApprovals
		}
	}
	return ""
}

// withoutNonces removes the approval ids, so that the command line sees what
// waits but cannot answer it: an answer has to name the id.
func withoutNonces(sessions []protocol.SessionInfo) []protocol.SessionInfo {
	for i := range sessions {
		for j := range sessions[i].Approvals {
			sessions[i].Approvals[j].ID = ""
		}
	}
	return sessions
}
