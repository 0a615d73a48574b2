package session

import (
	"context"
	"os"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/launcher"
	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
	"pilotfish/backend/trust"
)

// whom returns who is asked whether the settings for agents in a folder are trusted.
func whom(s *Session) question.Asker {
	if s.m.unattended() {
		return trust.Nobody{}
	}
	return s.approvals.Broker()
}

// Folder returns the launch of a conversation's agent in the folder in which it may
// start.
func (c conversations) Folder(ctx context.Context, actor protocol.Actor, tab protocol.TabID, launch driver.Launch) (driver.Launch, error) {
	own := c.s.m.cfg.Dirs.Of(c.s.name).Work
	if launch.Path == "" || !launcher.ReadsSettings(launch.Kind) || launch.Dir == own {
		return launch, nil
	}
	if actor.Agent == "" {
		actor.Agent = launch.Name
	}
	may, err := c.s.m.folders.MayStart(ctx, whom(c.s), actor, tab, launch.Dir)
	if err != nil || may {
		return launch, err // of the user's silence, too: then the agent does not start
	}
	if err := os.MkdirAll(own, 0o700); err != nil {
		return launch, protocol.NewError(protocol.CodeNotWritable, "the agents' folder cannot be made: "+err.Error(), "")
	}
	return launch.In(own), nil
}
