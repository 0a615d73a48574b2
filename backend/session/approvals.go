package session

import (
	"path/filepath"

	"pilotfish/backend/approval"
	"pilotfish/backend/config"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// newApprovals makes what the session asks its user. It outlives the session's
// runs.
func newApprovals(s *Session) *approval.Manager {
	return approval.New(approval.Config{
		Session: s.name, Quiet: s.m.cfg.Headless, Changed: s.publishInfo,
		RulesFile: func() (string, error) {
			dirs, err := s.m.cfg.Dirs.Session(s.name)
			return filepath.Join(dirs.Root, config.RulesFile), err
		},
		Watch: func(question protocol.Approval, over *policy.Over) {
			conversations{s}.question(question, over)
			s.pages.Question(question, over)
		},
		ShowTab: s.showTab, ShowPage: func(page string) { s.m.onShow(page) }, Logger: s.plainLog(),
	})
}

// Approvals are what the session asks its user, and the rules that say when.
func (s *Session) Approvals() *approval.Manager { return s.approvals }

// wanted is the page of the window that the user wants who opens it: that of the
// approvals while one waits, else the one that was open.
func (g gateway) wanted() string {
	for _, s := range g.m.Window().Sessions {
		if len(s.Approvals) > 0 {
			return approval.Page
		}
	}
	return ""
}

// withoutNonces is what a command line is told of sessions: what waits, and not
// by which word it is answered.
func withoutNonces(sessions []protocol.SessionInfo) []protocol.SessionInfo {
	for i := range sessions {
		for j := range sessions[i].Approvals {
			sessions[i].Approvals[j].ID = ""
		}
	}
	return sessions
}
