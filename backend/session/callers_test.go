package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"pilotfish/backend/auth"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// curl sends a request from a process of its own, below a shell that was started with
// an agent's token; empty for none. It returns the reply's status and body.
func (h *fixture) curl(t *testing.T, agent, token, path string, body any) (status, reply string) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", `env -i bash -c '
		exec 3<>/dev/tcp/127.0.0.1/'$PORT'
		cat >&3
		cat <&3'; true`)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), fmt.Sprintf("PORT=%d", h.port)}
	if agent != "" {
		cmd.Env = append(cmd.Env, protocol.EnvToken+"="+agent)
	}
	cmd.Stdin = strings.NewReader(fmt.Sprintf("POST %s HTTP/1.0\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, h.port, token, len(data), data))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, t.Output()
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(out.String(), "\r\n\r\n")
	status, _, _ = strings.Cut(head, "\r\n")
	return status, rest
}

// Where an agent is not confined, a process of its tree that takes the token of the
// command line acts as the agent all the same. Other processes are the user's.
func TestUnconfinedAgentWithTheUsersToken(t *testing.T) {
	h := newFixture(t)
	agent := h.s.tokens.Terminal("p9", "t1", protocol.AgentShell, false).Reveal()
	cookies := protocol.CommandRequest{Command: "cookies", Args: map[string]json.RawMessage{"do": json.RawMessage(`"list"`)}}
	if status, reply := h.curl(t, "", h.cli, "/command", cookies); !strings.Contains(reply, "topsecret") {
		t.Errorf("the user is told %s %s", status, reply)
	}
	if status, reply := h.curl(t, agent, h.cli, "/command", cookies); strings.Contains(reply, "topsecret") || !strings.Contains(reply, "masked") {
		t.Errorf("the agent is told %s %s", status, reply)
	}
	if status, reply := h.curl(t, agent, h.cli, "/app", protocol.AppRequest{Action: protocol.AppStatus}); !strings.Contains(status, "403") {
		t.Errorf("the agent is told %s %s", status, reply)
	}
	h.s.tokens.EndTerminal("p9")
	other := h.s.tokens.Terminal("p8", "t1", protocol.AgentShell, false)
	if status, reply := h.curl(t, agent, h.cli, "/command", cookies); !strings.Contains(status, "401") {
		t.Errorf("a process of an ended agent is told %s %s", status, reply)
	}
	// With confined processes only, nobody is looked for.
	h.s.tokens.EndTerminal("p8")
	if status, reply := h.curl(t, other.Reveal(), h.cli, "/command", cookies); !strings.Contains(reply, "topsecret") {
		t.Errorf("the user is told %s %s", status, reply)
	}
}

// A panel that the user pairs by a code is no program of an agent, whatever its Origin says; and
// no agent enters a code.
func TestAnAgentPairsNothing(t *testing.T) {
	h := newFixture(t)
	agent := h.s.tokens.Terminal("p9", "t1", protocol.AgentShell, false).Reveal()
	// The token is read by no one; the Origin is what a program can forge.
	origin := "none\r\nOrigin: " + protocol.ExtensionOrigin
	offer := protocol.PairRequest{Nonce: strings.Repeat("ab", 16), MAC: strings.Repeat("ab", 32)}
	if status, reply := h.curl(t, agent, origin, "/pair", offer); !strings.Contains(status, "403") || !strings.Contains(reply, "program of an agent") {
		t.Errorf("a panel: %s %s", status, reply)
	}
	if status, _ := h.curl(t, "", "none", "/pair", offer); !strings.Contains(status, "403") {
		t.Errorf("without an Origin: %s", status)
	}
	enter := protocol.AppRequest{Action: protocol.AppPair, Code: "K7QF-2M9X-TD4A"}
	for name, token := range map[string]string{"with its own token": agent, "with the user's": h.cli, "with the panel's": h.panel} {
		if status, reply := h.curl(t, agent, token, "/app", enter); !strings.Contains(status, "403") {
			t.Errorf("a code %s: %s %s", name, status, reply)
		}
	}
	h.s.tokens.EndTerminal("p9")
	if status, reply := h.curl(t, "", h.cli, "/app", enter); !strings.Contains(status, "409") || !strings.Contains(reply, "no session waits") {
		t.Errorf("the user: %s %s", status, reply)
	}
}

// While an agent runs that is not confined, the user is asked about what their own shell
// does that no agent may do.
func TestUsersShellBesideAnUnconfinedAgent(t *testing.T) {
	h := newFixture(t)
	conn, _ := h.socket(t, h.panel, protocol.ExtensionOrigin)
	if conn == nil {
		t.Fatal("the panel's socket does not open")
	}
	waitingIn(t, conn, 0)
	h.s.tokens.Terminal("p9", "t1", protocol.AgentClaude, false)
	for _, c := range []struct {
		path    string
		body    any
		command string
	}{
		{"/command", protocol.CommandRequest{Command: "clipboard"}, "clipboard"},
		{"/command", protocol.CommandRequest{Command: "rules"}, "rules"},
		{"/app", protocol.AppRequest{Action: protocol.AppRotateTokens}, "app"},
		{"/app", protocol.AppRequest{Action: protocol.AppPair, Code: "K7QF-2M9X-TD4A"}, "app"},
		{"/clients", protocol.ClientsRequest{Do: protocol.ClientsRevoke, ID: "nobody"}, "app"},
		{"/stored", protocol.StoredRequest{Do: protocol.StoredDelete, Kind: "nothing"}, "app"},
	} {
		for _, answer := range []protocol.ApprovalAnswer{protocol.AnswerDeny, protocol.AnswerOnce} {
			replies := make(chan string, 1)
			go func() {
				_, body := h.post(t, h.cli, c.path, c.body)
				replies <- string(body)
			}()
			asked := waitingIn(t, conn, 1)[0]
			if asked.Command != c.command || asked.Actor.Kind != protocol.ActorShell || asked.Site != "" {
				t.Errorf("the panel is shown %+v", asked)
			}
			if err := h.s.approvals.Answer(asked.ID, answer, "panel"); err != nil {
				t.Fatal(err)
			}
			reply := <-replies
			if refused := strings.Contains(reply, string(protocol.CodeDenied)); refused != (answer == protocol.AnswerDeny) {
				t.Errorf("%s, %s: %s", c.command, answer, reply)
			}
			waitingIn(t, conn, 0)
		}
	}
	// What agents may do as well asks nobody.
	if reply := h.run(t, h.cli, "tabs", nil); !reply.OK {
		t.Errorf("%+v", reply)
	}
	h.s.tokens.EndTerminal("p9")
	if reply := h.run(t, h.cli, "clipboard", nil); !reply.OK {
		t.Errorf("%+v", reply)
	}
}

// The shells of an agent that serves several conversations act as the one whose tab they
// name.
func TestShellOfAnAgentInChat(t *testing.T) {
	h := newFixture(t)
	id, token, end := h.s.tokens.Process("Gemini", true)
	defer end()
	run := func(tab protocol.TabID) protocol.CommandReply {
		_, body := h.post(t, token.Reveal(), "/command", protocol.CommandRequest{Command: "cookies", Tab: tab})
		var reply protocol.CommandReply
		if err := json.Unmarshal(body, &reply); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		return reply
	}
	if reply := run("t1"); reply.OK || !strings.Contains(reply.Error.Message, "no conversation") {
		t.Errorf("%+v", reply)
	}
	h.s.tokens.Conversation(protocol.Actor{Kind: protocol.ActorChat, ID: "c1"}, "t1", id)
	if reply := run(""); !reply.OK || reply.Tab != "t1" {
		t.Errorf("%+v", reply)
	}
	h.s.tokens.Conversation(protocol.Actor{Kind: protocol.ActorChat, ID: "c2"}, "t2", id)
	if reply := run(""); reply.OK || !strings.Contains(reply.Error.Hint, "t1, t2") {
		t.Errorf("%+v", reply.Error)
	}
	if reply := run("t1"); !reply.OK {
		t.Errorf("%+v", reply.Error)
	}
}

// A program that connects by MCP with the user's token has its own name, an agent's
// rights, and the tab that was in front at its first call.
func TestProgramByMCP(t *testing.T) {
	h := newFixture(t)
	got := h.tool(t, h.cli, "browser_run", map[string]any{"commands": []string{"cookies"}})
	if !strings.Contains(got, "masked") {
		t.Errorf("it is told %s", got)
	}
	h.s.tabs.Set([]protocol.Tab{{ID: "t1", URL: "https://example.com/a"}, {ID: "t2", URL: "https://bank.example/", Active: true, Focused: true}})
	grant := auth.Grant{Kind: auth.KindAgent, Actor: protocol.Actor{Kind: protocol.ActorMCP, ID: "one"}}
	rules := policy.New(policy.Config{})
	if own := h.s.programs.Tab(grant.Actor, "", &h.s.tabs, rules); own != "t2" {
		t.Errorf("its tab is %s", own)
	}
	h.s.tabs.Set([]protocol.Tab{{ID: "t1", Active: true, Focused: true}, {ID: "t2"}, {ID: "t3"}})
	if own := h.s.programs.Tab(grant.Actor, "", &h.s.tabs, rules); own != "t2" {
		t.Errorf("its tab became %s", own)
	}
	for tab, may := range map[protocol.TabID]bool{"t1": false, "t2": true, "t3": false} {
		if err := rules.Tab(grant.Actor, "t2", tab, h.s.tabs.All()); (err == nil) != may {
			t.Errorf("%s: %v", tab, err)
		}
	}
	h.s.programs.Tab(grant.Actor, "t1", &h.s.tabs, rules) // the user shows it
	if err := rules.Tab(grant.Actor, "t2", "t1", h.s.tabs.All()); err != nil {
		t.Errorf("a tab that the user shows: %v", err)
	}
	h.s.tabs.Set([]protocol.Tab{{ID: "t3", Active: true}})
	if own := h.s.programs.Tab(grant.Actor, "t3", &h.s.tabs, rules); own != "" {
		t.Errorf("after its tab was closed its tab is %s", own)
	}
	if err := rules.Tab(grant.Actor, "", "t3", h.s.tabs.All()); err == nil {
		t.Error("it got the tab behind the one that was closed")
	}
}
