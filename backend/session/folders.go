package session

import (
	"context"
	"os"
	"time"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// folderWait is how long the question about a folder waits in a terminal. Nothing
// but the agent waits for it.
const folderWait = 24 * time.Hour

// readsSettings reports whether agents of a kind read settings in their folder. A
// shell and Pilot do not.
func readsSettings(kind protocol.AgentKind) bool {
	return kind != protocol.AgentShell && kind != protocol.AgentPilot
}

// folder returns the launch of a conversation's agent in the folder in which it may
// start.
func (c conversations) folder(ctx context.Context, actor protocol.Actor, tab protocol.TabID, launch driver.Launch) (driver.Launch, error) {
	own := ""
	if r := c.s.running(); r != nil {
		own = r.workDir
	}
	if launch.Path == "" || !readsSettings(launch.Kind) || own == "" || launch.Dir == own {
		return launch, nil
	}
	if actor.Agent == "" {
		actor.Agent = launch.Name
	}
	may, err := c.s.m.folders.MayStart(ctx, c.s.approvals.Broker(), actor, tab, launch.Dir)
	if err != nil || may {
		return launch, err // of the user's silence, too: then the agent does not start
	}
	if err := os.MkdirAll(own, 0o700); err != nil {
		return launch, protocol.NewError(protocol.CodeNotWritable, "the agents' folder cannot be made: "+err.Error(), "")
	}
	return launch.In(own), nil
}
