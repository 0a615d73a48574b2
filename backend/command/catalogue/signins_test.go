package catalogue_test

import (
	"context"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/policy"
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

// In the user's own browser an agent does nothing in its own tab that reaches further before
// the user was asked, and there is nothing but what the browser can do.
func TestAnAgentInTheUsersBrowser(t *testing.T) {
	p := policy.New(policy.Config{Private: true}) // nobody answers
	p.Opened(agent, "t1")
	why := "you would not want it"
	do := func(actor protocol.Actor, line string) (protocol.CommandReply, []string) {
		t.Helper()
		r, err := command.ParseLine(line, catalogue.Find)
		if err != nil {
			t.Fatal(err)
		}
		b := newTabs()
		reply := catalogue.New(catalogue.Config{
			Browser: b, Policy: p, SignIns: &importer{}, Settings: settings(), Cannot: map[protocol.Capability]string{protocol.CapabilitySignIns: why, protocol.CapabilityTrace: why},
		}).Execute(t.Context(), command.Call{Actor: actor, Scopes: everything(), Tab: "t1", Request: r})
		return reply, b.calls
	}
	for _, line := range []string{
		"cookies get sid", "cookies set theme dark", "cookies delete theme", "cookies clear", "storage get token", "storage set theme dark", "storage clear",
		"state", "state save shop", "state save all --all", "state load shop", "state delete shop", "signins", "signins import example.com",
		"cdp Page.getLayoutMetrics", "cdp Page.setBypassCSP {}", "cdp Storage.getCookies", "permissions", "permissions grant geolocation", "permissions reset",
		"download https://one.example/file", "clipboard", "clipboard hello", "eval document.cookie", "edit e1 text Hello", "givetab t2",
		"trace start", "perf --trace", "snapshot --tab t2", "closetab t2", "title --tab t2", "groups make --tabs t2",
	} {
		if reply, calls := do(agent, line); code(reply) != protocol.CodeRefused && code(reply) != protocol.CodeForbidden || len(calls) > 0 {
			t.Errorf("%s: %s, after %q", line, reply.Text, calls)
		}
	}
	if reply, _ := do(user, "signins"); code(reply) != protocol.CodeRefused || !strings.Contains(reply.Text, why) {
		t.Errorf("the user's signins: %s", reply.Text)
	}
}
