package caller

import (
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// A request whose sender cannot be found is refused while an agent runs that is not
// confined, and a program's name is shown short and without control characters.
func TestResolve(t *testing.T) {
	authority := auth.New(auth.Config{})
	c := New(Config{Auth: authority, Logger: slog.New(slog.DiscardHandler), Started: func(netip.AddrPort, netip.AddrPort, string) ([]string, error) {
		return nil, errors.New("it has ended")
	}})
	request := auth.Request{Grant: auth.Grant{ID: "g", Kind: auth.KindCLI}, Capability: auth.CapabilityCommand}
	if grant, err := c.Resolve(request); err != nil || grant.Kind != auth.KindCLI {
		t.Errorf("without agents: %+v, %v", grant, err)
	}
	named := request
	named.Program = "id A\x1b[31m" + strings.Repeat("ä", 20000)
	if grant, err := c.Resolve(named); err != nil || grant.Kind != auth.KindAgent || strings.Contains(grant.Actor.Agent, "\x1b") || len([]rune(grant.Actor.Agent)) > longestProgram {
		t.Errorf("a program: %+v, %v", grant, err)
	}
	named.Capability = auth.CapabilityApp
	if _, err := c.Resolve(named); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeForbidden {
		t.Errorf("a program that controls the app: %v", err)
	}
	grant, _ := authority.Mint(auth.KindAgent, auth.Grant{Unconfined: true}, 0)
	if _, err := c.Resolve(request); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeForbidden {
		t.Errorf("beside an unconfined agent: %v", err)
	}
	authority.Revoke(grant.ID)
	if _, err := c.Resolve(request); err != nil {
		t.Errorf("after the agent has ended: %v", err)
	}
}
