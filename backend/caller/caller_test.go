package caller

import (
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pilotfish/backend/auth"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// A request whose sender cannot be found is refused while an agent runs that is not
// confined, and a program's name is shown short and without control characters.
func TestResolve(t *testing.T) {
	authority := auth.New(auth.Config{})
	c := New(Config{Auth: authority, Logger: slog.New(slog.DiscardHandler), Started: func(netip.AddrPort, netip.AddrPort, string) ([]string, error) {
		return nil, errors.New("it has ended")
	}})
	shell, _ := authority.Mint(auth.KindCLI, auth.Grant{}, 0)
	request := auth.Request{Grant: shell, Capability: auth.CapabilityCommand}
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

// A connected program has one grant, for all its requests; when too many are connected,
// the one that has asked for nothing for the longest time gets a new one.
func TestConnectedPrograms(t *testing.T) {
	authority := auth.New(auth.Config{})
	c := New(Config{Auth: authority, Logger: slog.New(slog.DiscardHandler)})
	shell, _ := authority.Mint(auth.KindCLI, auth.Grant{}, 0)
	ask := func(program string) (auth.Grant, error) {
		return c.Resolve(auth.Request{Grant: shell, Capability: auth.CapabilityCommand, Program: program})
	}
	must := func(program string) auth.Grant {
		t.Helper()
		grant, err := ask(program)
		if err != nil {
			t.Fatal(err)
		}
		return grant
	}
	first := must("a Zed")
	if again := must("a Zed"); again.ID != first.ID {
		t.Errorf("a second request has the grant %s, the first had %s", again.ID, first.ID)
	}
	if other := must("b Zed"); other.ID == first.ID {
		t.Error("two programs of one name share a grant")
	}
	for i := range maxPrograms {
		must("n" + strconv.Itoa(i) + " Many")
	}
	if n := len(authority.Children(shell.ID)); n != maxPrograms {
		t.Errorf("%d grants of programs, want %d", n, maxPrograms)
	}
	if again := must("a Zed"); again.ID == first.ID {
		t.Error("the grant of a dropped program is valid")
	}

	why := protocol.NewError(protocol.CodeUnauthorized, "the user revoked it", "ask them")
	zed := must("a Zed")
	c.Revoke(zed, why)
	if _, err := ask("a Zed"); !errors.Is(err, why) {
		t.Errorf("after Revoke: %v", err)
	}
	for i := range maxRevoked {
		c.Revoke(auth.Grant{Actor: protocol.Actor{ID: strconv.Itoa(i)}}, why)
	}
	if n := len(c.Revoked()); n != maxRevoked {
		t.Errorf("%d revoked programs are kept, want %d", n, maxRevoked)
	}
	c.Revoke(must("a Zed"), why)
	c.Allow(zed.Actor.ID)
	must("a Zed")

	// With the token that a grant depends on it ends, too, and comes back with the next one.
	authority.Revoke(shell.ID)
	if _, err := ask("a Zed"); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeUnauthorized {
		t.Errorf("with an ended token: %v", err)
	}
}

// Programs that use /mcp without saying who they are share a grant, which has the names
// that they give themselves within MCP.
func TestNames(t *testing.T) {
	authority := auth.New(auth.Config{})
	c := New(Config{Auth: authority, Logger: slog.New(slog.DiscardHandler)})
	shell, _ := authority.Mint(auth.KindCLI, auth.Grant{}, 0)
	grant, err := c.Resolve(auth.Request{Grant: shell, Capability: auth.CapabilityMCP})
	if err != nil {
		t.Fatal(err)
	}
	if c.Names(grant) != "" {
		t.Errorf("before a name: %q", c.Names(grant))
	}
	for _, name := range []string{"Zed", "Zed", "\x1b", "Cursor"} {
		c.Named(grant, name)
	}
	if got := c.Names(grant); got != "Zed, Cursor" {
		t.Errorf("%q", got)
	}
	for i := range 9 {
		c.Named(grant, strconv.Itoa(i))
	}
	if got := c.Names(grant); got != "5, 6, 7, 8" {
		t.Errorf("of many: %q", got)
	}
}

// openTabs are the open tabs, and the policy that knows which of them a program owns.
type openTabs struct {
	opentabs.List
	*policy.Policy
}

// set opens tabs, of which the last one is in front.
func (o *openTabs) set(ids ...protocol.TabID) {
	var tabs []protocol.Tab
	for i, id := range ids {
		tabs = append(tabs, protocol.Tab{ID: id, Focused: i == len(ids)-1})
	}
	o.Set(tabs)
}

// A program gets a tab only if the user shows it: not because it closes its own.
func TestTabsOfPrograms(t *testing.T) {
	t.Parallel()
	program := protocol.Actor{Kind: protocol.ActorMCP, ID: "a"}
	for _, test := range []struct {
		name  string
		then  func(*openTabs, func(protocol.TabID) protocol.TabID)
		owned string
	}{
		{"the tab in front at the first call", func(*openTabs, func(protocol.TabID) protocol.TabID) {}, "t2"},
		{"a tab that the user shows", func(o *openTabs, call func(protocol.TabID) protocol.TabID) {
			o.set("t2", "t1")
			call("t1")
		}, "t1 t2"},
		{"a tab behind", func(_ *openTabs, call func(protocol.TabID) protocol.TabID) { call("t1") }, "t2"},
		{"it closes its tab", func(o *openTabs, call func(protocol.TabID) protocol.TabID) {
			o.set("t1")
			if own := call(""); own != "" {
				t.Errorf("its own tab is %s", own)
			}
			call("t1")
		}, "t2"},
		{"it opens and closes another one", func(o *openTabs, call func(protocol.TabID) protocol.TabID) {
			o.set("t2", "t1", "t3")
			o.Opened(program, "t3")
			call("t3")
			o.set("t2", "t1")
			call("t1")
			call("t1")
		}, "t2 t3"},
		{"it opens and closes another one in one call", func(o *openTabs, call func(protocol.TabID) protocol.TabID) {
			o.Opened(program, "t3")
			o.set("t2", "t1")
			call("t1")
		}, "t2 t3"},
		{"the user shows another one afterwards", func(o *openTabs, call func(protocol.TabID) protocol.TabID) {
			o.set("t4", "t1")
			call("t1")
			o.set("t1", "t4")
			call("t4")
			o.set("t4", "t1")
			call("t1")
		}, "t1 t2 t4"},
		{"the user closes a tab of theirs", func(o *openTabs, call func(protocol.TabID) protocol.TabID) {
			o.set("t2", "t1", "t5")
			call("")
			o.set("t2", "t1")
			call("t1")
		}, "t1 t2"},
	} {
		var p Programs
		o := &openTabs{Policy: policy.New(policy.Config{})}
		o.set("t1", "t2")
		call := func(named protocol.TabID) protocol.TabID {
			return p.Tab(program, named, &o.List, o.Policy)
		}
		call("")
		test.then(o, call)
		var owned []string
		for _, tab := range o.Owned(program) {
			owned = append(owned, string(tab))
		}
		slices.Sort(owned)
		if got := strings.Join(owned, " "); got != test.owned {
			t.Errorf("%s: it has %s, want %s", test.name, got, test.owned)
		}
	}
}
