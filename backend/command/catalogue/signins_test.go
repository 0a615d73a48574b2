package catalogue_test

import (
	"context"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/protocol"
)

// importer has two browsers and counts what it is asked for.
type importer struct{ asked int }

func (i *importer) Browsers() []protocol.SignInBrowser {
	i.asked++
	return []protocol.SignInBrowser{{ID: "chrome", Name: "Google Chrome", Missing: true, Profiles: []protocol.SignInProfile{{ID: "Default", Name: "Ada"}}}}
}

func (i *importer) Imported() ([]protocol.ImportedSite, error) {
	return []protocol.ImportedSite{{Site: "a.example", Browser: "chrome", Cookies: 2}}, nil
}

func (i *importer) Sites(context.Context, string, string) (protocol.SignInSites, error) {
	return protocol.SignInSites{Trouble: "it could not unlock them"}, nil
}

func (i *importer) Import(_ context.Context, q protocol.SignInImport) (protocol.SignInResult, error) {
	return protocol.SignInResult{Sites: []protocol.ImportedSite{{Site: q.Sites[0], Cookies: 3}}, Missed: q.Sites[1:]}, nil
}

func (i *importer) Remove(_ context.Context, sites []string) (int, error) { return len(sites), nil }

// The user reads and imports sign-ins; an agent is refused before anything is read,
// with every scope.
func TestSignInsAreForTheUser(t *testing.T) {
	i := &importer{}
	do := func(actor protocol.Actor, args map[string]any) protocol.CommandReply {
		return catalogue.New(catalogue.Config{Browser: newTabs(), Policy: trusting(), SignIns: i}).Execute(t.Context(), command.Call{
			Actor: actor, Scopes: everything(), Tab: "t1", Request: request("signins", args),
		})
	}
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{nil, "not installed any more"},
		{nil, "imported  a.example"},
		{map[string]any{"do": "sites"}, "could not unlock"},
		{map[string]any{"do": "import", "sites": []string{"a.example"}}, "a.example: 3 cookies"},
		{map[string]any{"do": "import", "sites": []string{"a.example", "b.example"}}, "a.example: 3 cookies"},
		{map[string]any{"do": "remove", "sites": []string{"a.example"}}, "1 cookie removed"},
		{map[string]any{"do": "import"}, "needs sites"},
	} {
		if reply := do(user, c.args); !strings.Contains(reply.Text, c.want) {
			t.Errorf("%v: %s", c.args, reply.Text)
		}
	}
	before := i.asked
	if reply := do(agent, nil); reply.OK || code(reply) != protocol.CodeForbidden || i.asked != before {
		t.Errorf("an agent: %s", reply.Text)
	}
}
