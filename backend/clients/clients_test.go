package clients_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/caller"
	"pilotfish/backend/clients"
	"pilotfish/backend/endpoint"
	"pilotfish/backend/protocol"
	"pilotfish/backend/tokens"
)

// fixture are the tokens of a session called work, with a program connected by MCP.
type fixture struct {
	*clients.Clients
	auth    *auth.Authority
	callers *caller.Resolver
	tokens  *tokens.Tokens
	shell   auth.Secret
	renewed []protocol.SessionName
	dir     string // of the endpoint's file
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{auth: auth.New(auth.Config{}), dir: t.TempDir()}
	f.callers = caller.New(caller.Config{Auth: f.auth, Logger: slog.New(slog.DiscardHandler)})
	f.tokens = tokens.New("work", f.auth)
	_, f.shell = f.auth.Mint(auth.KindCLI, auth.Grant{Actor: protocol.Actor{Kind: protocol.ActorShell}}, 0)
	f.Clients = clients.New(clients.Config{
		Auth: f.auth, Callers: f.callers,
		RenewPanel: func(name protocol.SessionName) {
			f.renewed = append(f.renewed, name)
			f.tokens.NewPanel()
			f.tokens.Pair()
		},
		Endpoint: endpoint.New(endpoint.Config{File: filepath.Join(f.dir, "pilotfish.json"), Auth: f.auth, Logger: slog.New(slog.DiscardHandler)}),
	})
	return f
}

// asks makes a request, as the server does.
func (f *fixture) asks(secret, program string, capability auth.Capability) error {
	grant, err := f.auth.Check(secret, capability)
	if err == nil {
		_, err = f.callers.Resolve(auth.Request{Grant: grant, Capability: capability, Program: program})
	}
	return err
}

// list returns the clients as name, session and kind.
func (f *fixture) list(t *testing.T) []protocol.Client {
	t.Helper()
	reply, err := f.Do(protocol.ClientsRequest{Do: protocol.ClientsList})
	if err != nil {
		t.Fatal(err)
	}
	return reply.Clients
}

func (f *fixture) id(t *testing.T, name string) string {
	t.Helper()
	for _, one := range f.list(t) {
		if one.Name == name {
			return one.ID
		}
	}
	t.Fatalf("no client is called %s: %+v", name, f.list(t))
	return ""
}

func (f *fixture) do(t *testing.T, do protocol.ClientsDo, id string) {
	t.Helper()
	if _, err := f.Do(protocol.ClientsRequest{Do: do, ID: id}); err != nil {
		t.Fatal(err)
	}
}

func revoked(err error) bool {
	return err != nil && strings.Contains(err.Error(), "the user revoked the access of") && protocol.AsError(err).Hint != ""
}

func TestEveryHolderOfATokenIsListed(t *testing.T) {
	f := newFixture(t)
	f.tokens.Pair()
	f.tokens.Terminal("p1", "t1", protocol.AgentClaude, true)
	f.tokens.Terminal("p2", "t2", protocol.AgentShell, true)
	process, _, _ := f.tokens.Process("Gemini", true)
	served := f.tokens.Conversation(protocol.Actor{Kind: protocol.ActorChat, ID: "c1", Agent: "Gemini"}, "t1", process)
	if err := f.asks(served.Reveal(), "", auth.CapabilityMCP); err != nil {
		t.Fatal(err)
	}
	if err := f.asks(f.shell.Reveal(), "1 Zed", auth.CapabilityCommand); err != nil {
		t.Fatal(err)
	}
	f.auth.Mint(auth.KindShare, auth.Grant{Session: "work", Tab: "t1", Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeAdmin}}, time.Hour)
	f.auth.Mint(auth.KindShareMCP, auth.Grant{Session: "work", Scopes: auth.Scopes{protocol.ScopeRead}}, time.Hour)
	page, _ := f.auth.Mint(auth.KindControl, auth.Grant{Actor: protocol.Actor{Kind: protocol.ActorUser, Agent: "Firefox on Linux"}}, time.Hour)
	var got []string
	for _, one := range f.list(t) {
		if (one.Expires != nil && time.Until(*one.Expires) > 50*time.Minute) != (one.Kind == protocol.ClientScript || one.Kind == protocol.ClientControl) {
			t.Errorf("%s ends at %v", one.Name, one.Expires)
		}
		line := one.Name + " " + string(one.Kind) + " " + string(one.Session)
		if one.Used != nil {
			line += " used"
		}
		if one.Made.IsZero() || one.ID == "" {
			t.Errorf("%+v", one)
		}
		got = append(got, line)
	}
	want := []string{"Zed mcp  used", "Shared address script work", "Shared address of MCP, to read script work", "Claude Code terminal work", "Shell terminal work", "Gemini chat work used", "Firefox on Linux (" + page.ID[:4] + ") control ", "Side panel panel work", "Command line shell  used"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestARevokedClientIsRefusedAndToldWhy(t *testing.T) {
	f := newFixture(t)
	agent := f.tokens.Terminal("p1", "t1", protocol.AgentClaude, true)
	process, shells, _ := f.tokens.Process("Gemini", true)
	served := f.tokens.Conversation(protocol.Actor{Kind: protocol.ActorChat, ID: "c1", Agent: "Gemini"}, "t1", process)

	f.do(t, protocol.ClientsRevoke, f.id(t, "Claude Code"))
	if err := f.asks(agent.Reveal(), "", auth.CapabilityCommand); !revoked(err) {
		t.Errorf("the agent of a terminal: %v", err)
	}
	shared, secret := f.auth.Mint(auth.KindShare, auth.Grant{Session: "work"}, time.Hour)
	f.do(t, protocol.ClientsRevoke, shared.ID)
	if _, err := f.auth.Check(secret.Reveal(), auth.CapabilityShare); !revoked(err) {
		t.Errorf("an address: %v", err)
	}
	f.do(t, protocol.ClientsRevoke, f.id(t, "Gemini"))
	for _, secret := range []auth.Secret{shells, served} {
		if err := f.asks(secret.Reveal(), "", auth.CapabilityCommand); !revoked(err) {
			t.Errorf("an agent of Chat: %v", err)
		}
	}

	page, secret := f.auth.Mint(auth.KindControl, auth.Grant{Actor: protocol.Actor{Agent: "Firefox"}}, time.Hour)
	f.do(t, protocol.ClientsRevoke, page.ID)
	if err := f.asks(secret.Reveal(), "", auth.CapabilityControl); !revoked(err) {
		t.Errorf("a control page: %v", err)
	}

	// A program by MCP: it alone, until it is allowed again.
	zed := func() error { return f.asks(f.shell.Reveal(), "1 Zed", auth.CapabilityMCP) }
	if err := zed(); err != nil {
		t.Fatal(err)
	}
	id := f.id(t, "Zed")
	watch := f.auth.Watch(id)
	defer watch.Close()
	f.do(t, protocol.ClientsRevoke, strings.ToLower(id[:8]))
	<-watch.Ended()
	if err := zed(); !revoked(err) {
		t.Errorf("a program: %v", err)
	}
	for _, err := range []error{f.asks(f.shell.Reveal(), "", auth.CapabilityApp), f.asks(f.shell.Reveal(), "2 Cursor", auth.CapabilityMCP)} {
		if err != nil {
			t.Errorf("another one with the same token: %v", err)
		}
	}
	if i := slices.IndexFunc(f.list(t), func(one protocol.Client) bool { return one.Name == "Zed" && one.Revoked != nil }); i < 0 {
		t.Errorf("it is not listed as revoked: %+v", f.list(t))
	}
	f.do(t, protocol.ClientsRevoke, f.id(t, "Zed")) // twice is no error
	f.do(t, protocol.ClientsAllow, f.id(t, "Zed"))
	if err := zed(); err != nil {
		t.Errorf("allowed again: %v", err)
	}
}

// Panel and command line are Pilotfish's own: they go on with a new token, and the old one
// is refused.
func TestOwnProgramsGetANewToken(t *testing.T) {
	f := newFixture(t)
	panel, _ := f.tokens.Pair()
	f.do(t, protocol.ClientsRevoke, f.id(t, "Side panel"))
	if err := f.asks(panel, "", auth.CapabilityPanel); !revoked(err) {
		t.Errorf("the old token of the panel: %v", err)
	}
	fresh, _ := f.tokens.Pair()
	if err := f.asks(fresh, "", auth.CapabilityPanel); err != nil || !slices.Equal(f.renewed, []protocol.SessionName{"work"}) {
		t.Errorf("the new one: %v, of %q", err, f.renewed)
	}
	old := f.id(t, "Command line")
	f.do(t, protocol.ClientsRevoke, old)
	if err := f.asks(f.shell.Reveal(), "", auth.CapabilityApp); !revoked(err) {
		t.Errorf("the old token of the command line: %v", err)
	}
	var file protocol.Endpoint
	written, err := os.ReadFile(filepath.Join(f.dir, "pilotfish.json"))
	if err == nil {
		err = json.Unmarshal(written, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.asks(file.Token, "", auth.CapabilityApp); err != nil {
		t.Errorf("the new one: %v", err)
	}
	if err := os.RemoveAll(f.dir); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Do(protocol.ClientsRequest{Do: protocol.ClientsRevoke, ID: f.id(t, "Command line")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a new file: %v", err)
	}
}

func TestWrongRequests(t *testing.T) {
	f := newFixture(t)
	f.tokens.Pair()
	for name, req := range map[string]protocol.ClientsRequest{
		"no id": {Do: protocol.ClientsRevoke}, "unknown": {Do: protocol.ClientsRevoke, ID: "nobody"}, "unknown word": {Do: "forget"},
		"not revoked": {Do: protocol.ClientsAllow, ID: f.id(t, "Side panel")},
	} {
		if _, err := f.Do(req); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument || protocol.AsError(err).Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 40 { // two of them begin with the same character
		f.auth.Mint(auth.KindAgent, auth.Grant{}, 0)
	}
	first := map[string]bool{}
	for _, one := range f.list(t) {
		if first[one.ID[:1]] {
			if _, err := f.Do(protocol.ClientsRequest{Do: protocol.ClientsRevoke, ID: one.ID[:1]}); err == nil || !strings.Contains(err.Error(), "begins with") && !strings.Contains(err.Error(), "begin with") {
				t.Errorf("an id of several: %v", err)
			}
			return
		}
		first[one.ID[:1]] = true
	}
}
