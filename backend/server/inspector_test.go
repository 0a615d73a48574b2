package server_test

import (
	"net/http"
	"strings"
	"testing"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// inspectorTable lists which kinds of token are valid for the routes of the Inspector:
// those that are valid for commands.
func inspectorTable() []routeCase {
	all := []auth.Kind{auth.KindPanel, auth.KindAgent, auth.KindCLI}
	table := []routeCase{{method: "GET", path: "/inspector/events?tab=t1&after=9", kinds: all}}
	for _, name := range []string{"pick", "read", "apply", "undo", "redo", "history"} {
		table = append(table, routeCase{method: "POST", path: "/inspector/" + name, kinds: all})
	}
	return table
}

// The routes of the Inspector are commands, and the picker of a panel is only the
// panel's.
func TestInspectorRoutes(t *testing.T) {
	w := start(t, nil)
	_, agent := w.mint(auth.KindAgent)
	_, panel := w.mint(auth.KindPanel)
	got := w.do(t, ask{method: "POST", path: "/inspector/apply", token: agent, body: `{"tab":"t3","element":"e5","what":"style","name":"color","value":"red"}`})
	if reply := parse[protocol.CommandReply](t, got.body); !reply.OK || reply.Text != "edit" {
		t.Errorf("reply %+v", reply)
	}
	if did := w.fixture.commands[0]; did.Tab != "t3" || string(did.Args["name"]) != `"color"` {
		t.Errorf("request %+v", did)
	}
	got = w.do(t, ask{method: "POST", path: "/inspector/pick", token: agent, body: `{"tab":"t3"}`})
	if reply := parse[protocol.CommandReply](t, got.body); reply.Text != "pick" {
		t.Errorf("reply %+v", reply)
	}
	for token, want := range map[string]int{agent: http.StatusForbidden, panel: http.StatusOK} {
		got = w.do(t, ask{method: "POST", path: "/inspector/pick", token: token, origin: protocol.ExtensionOrigin, body: `{"panel":"p1","action":"start","tab":"t3"}`})
		if got.status != want || want == http.StatusOK && !strings.Contains(got.body, `"elements"`) {
			t.Errorf("a panel's picker: %d %s, want %d", got.status, got.body, want)
		}
	}
	if got := w.do(t, ask{path: "/inspector/events?tab=t2&after=x", token: agent}); got.status != http.StatusBadRequest {
		t.Errorf("after x: %d", got.status)
	}
}
