package chat

import (
	"context"
	"path/filepath"
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// THREATS 31: an agent starts after it is known where it may, and not where that was
// refused.
func TestAnAgentStartsInTheFolderThatItMay(t *testing.T) {
	refused := protocol.NewError(protocol.CodeRefused, "nobody answered", "")
	var asked []string
	p := &played{script: func(context.Context, *playedSession, driver.Prompt) (driver.TurnEnd, error) {
		return driver.TurnEnd{Reason: protocol.EndDone}, nil
	}}
	p.starting = func() { asked = append(asked, "started") }
	h := openedWith(t, p, "", withAgents(func(a *PlayedAgents) {
		a.folder = func(actor protocol.Actor, tab protocol.TabID, launch driver.Launch) (driver.Launch, error) {
			asked = append(asked, string(actor.Kind)+" "+actor.ID+" "+string(tab)+" "+filepath.Base(launch.Dir))
			launch.Dir = "/own"
			if len(asked) == 1 {
				return launch, refused
			}
			return launch, nil
		}
	}))
	h.start("c1")
	h.say("c1", "m1", "go")
	h.idle("c1")
	h.say("c1", "m2", "go")
	h.idle("c1")
	question := "chat c1 t1 " + filepath.Base(h.dir)
	if len(asked) != 3 || asked[0] != question || asked[1] != question || asked[2] != "started" {
		t.Errorf("%q", asked)
	}
}
