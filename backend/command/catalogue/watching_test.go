package catalogue_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/config"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// keepsake is a fake browser whose pages store secrets.
type keepsake struct {
	*tabs
	mu      sync.Mutex
	want    protocol.Emulation
	routine protocol.Routine
	raw     []string
}

func (k *keepsake) Cookies(_ context.Context, _ protocol.Caller, _ protocol.TabID, _ string, scope protocol.CookieScope) ([]protocol.Cookie, error) {
	list := []protocol.Cookie{{Name: "sid", Value: "topsecret", Domain: "one.example", Path: "/"}}
	if scope == protocol.CookiesOfAll {
		list = append(list, protocol.Cookie{Name: "far", Value: "topsecret", Domain: "far.example", Path: "/"})
	}
	return list, nil
}

func (k *keepsake) SetCookie(context.Context, protocol.Caller, protocol.TabID, protocol.Cookie) error {
	return nil
}

func (k *keepsake) DeleteCookies(_ context.Context, _ protocol.Caller, _ protocol.TabID, name, _ string, _ protocol.CookieScope) (int, error) {
	if name == "none" {
		return 0, nil
	}
	return 1, nil
}

func (k *keepsake) Storage(context.Context, protocol.Caller, protocol.TabID) (protocol.Storage, error) {
	return protocol.Storage{Origin: "https://one.example", Local: []protocol.StorageItem{{Key: "token", Value: "topsecret"}}}, nil
}

func (k *keepsake) Network(context.Context, protocol.TabID) (protocol.NetworkLog, error) {
	l := protocol.NetworkLog{}
	for range 60 {
		l.Entries = append(l.Entries, protocol.NetworkEntry{
			ID: "n1", Method: "GET", URL: "https://one.example/a?api_key=topsecret", PostData: "pw=topsecret", Status: 200, Done: true,
			RequestHeaders: map[string]string{"cookie": "sid=topsecret", "accept": "*/*"}, ResponseHeaders: map[string]string{"set-cookie": "sid=topsecret"},
		})
	}
	return l, nil
}

func (k *keepsake) NetworkBody(_ context.Context, _ protocol.TabID, request string, _, secrets bool) (protocol.NetworkBody, error) {
	b := protocol.NetworkBody{Entry: protocol.NetworkEntry{ID: request, URL: "https://one.example/a?token=topsecret"}, Text: `{"token":"(masked)"}`}
	if secrets {
		b.Text = `{"token":"topsecret"}`
	}
	return b, nil
}

func (k *keepsake) HAR(_ context.Context, _ protocol.Caller, _ protocol.TabID, _, secrets bool) (protocol.SavedFile, error) {
	if secrets {
		return protocol.SavedFile{Path: "/with-topsecret.har"}, nil
	}
	return protocol.SavedFile{Path: "/masked.har"}, nil
}

func (k *keepsake) Emulation(protocol.TabID) protocol.Emulation { return k.want }

func (k *keepsake) Emulate(_ context.Context, _ protocol.Caller, _ protocol.TabID, change func(*protocol.Emulation)) (protocol.Emulation, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change(&k.want)
	return k.want, nil
}

func (k *keepsake) Routine(string) (protocol.Routine, error)           { return k.routine, nil }
func (k *keepsake) Routines() ([]protocol.Routine, error)              { return []protocol.Routine{k.routine}, nil }
func (k *keepsake) NetworkRules(protocol.TabID) []protocol.NetworkRule { return nil }

func (k *keepsake) RawCDP(_ context.Context, _ protocol.Caller, _ protocol.TabID, method string, _ json.RawMessage) (json.RawMessage, string, error) {
	k.raw = append(k.raw, method)
	return json.RawMessage(`{"x":1}`), "https://example.com/", nil
}

func everything() []protocol.Scope {
	return []protocol.Scope{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeSensitive, protocol.ScopeAdmin}
}

// settings have the CDP methods that the user allowed.
var settings = sync.OnceValue(func() *config.Store {
	dir, err := os.MkdirTemp("", "pilotfish-catalogue-test-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := config.Open(filepath.Join(dir, "settings.toml"))
	if err == nil {
		changed := store.Get()
		changed.CDPAllow, changed.CDPAllowAgents = "Page.stopLoading", "Page.setBypassCSP"
		_, err = store.Save(changed)
	}
	if err != nil {
		panic(err)
	}
	return store
})

// say runs a command with arguments as a command line gives them.
func say(k catalogue.Browser, p *policy.Policy, actor protocol.Actor, own protocol.TabID, name string, args map[string]any) protocol.CommandReply {
	r := catalogue.New(catalogue.Config{Browser: k, Policy: p, Settings: settings()})
	return r.Execute(context.Background(), command.Call{Actor: actor, Scopes: everything(), Tab: own, Request: request(name, args)})
}

// trusting returns a policy under which the user has allowed cookies.
func trusting() *policy.Policy {
	return policy.New(policy.Config{
		OwnPort: func() int { return 4711 },
		Rules:   policy.NewRules([]protocol.SiteRule{{Site: "*", Kind: protocol.ActionCookies, Decision: protocol.SiteAllow}, {Site: "*", Kind: protocol.ActionAct, Decision: protocol.SiteAllow}}, nil),
	})
}

func TestSecretsAreMaskedForAgents(t *testing.T) {
	for name, args := range map[string][]map[string]any{
		"cookies": {{}, {"do": "get", "name": "sid"}}, "storage": {{}, {"do": "get", "key": "token"}},
		"network": {{}, {"do": "show", "what": "n1"}, {"do": "har"}, {"do": "body", "what": "n1"}},
	} {
		for _, a := range args {
			k := &keepsake{tabs: newTabs()}
			reply := say(k, trusting(), agent, "t1", name, a)
			if whole := reply.Text + string(reply.Data); !reply.OK || strings.Contains(whole, "topsecret") {
				t.Errorf("%s %v: an agent is told %s", name, a, whole)
			}
			own := say(k, newPolicy(), user, "t1", name, a)
			if whole := own.Text + string(own.Data); !own.OK || !strings.Contains(whole, "topsecret") {
				t.Errorf("%s %v: a person is told %s", name, a, whole)
			}
		}
	}
	// A filter does not tell what is masked.
	for who, want := range map[*protocol.Actor]bool{&agent: false, &user: true} {
		reply := say(&keepsake{tabs: newTabs()}, trusting(), *who, "t1", "network", map[string]any{"find": "key=tops"})
		if got := strings.Contains(reply.Text, "n1 "); got != want || !reply.OK {
			t.Errorf("%s finds the request: %v", who.Name, got)
		}
	}
	for _, a := range []map[string]any{{"all": true}, {"domain": "far.example"}, {"do": "clear", "all": true}} {
		if reply := say(&keepsake{tabs: newTabs()}, trusting(), agent, "t1", "cookies", a); reply.OK || code(reply) != protocol.CodeRefused {
			t.Errorf("cookies %v: %+v", a, reply)
		}
	}
}

// An agent may name only the site of its own page.
func TestCookiesOfADomain(t *testing.T) {
	// An agent gets only cookies that its page would send; the user gets those of
	// every site.
	for domain, want := range map[string]bool{"one.example": true, "a.one.example": false, "far.example": false, "example.org": false} {
		reply := say(&keepsake{tabs: newTabs()}, trusting(), agent, "t1", "cookies", map[string]any{"domain": domain})
		if reply.OK != want || strings.Contains(reply.Text, "far=") {
			t.Errorf("an agent asks for %s: %+v", domain, reply)
		}
		if reply := say(&keepsake{tabs: newTabs()}, trusting(), user, "t1", "cookies", map[string]any{"domain": domain}); !reply.OK {
			t.Errorf("the user asks for %s: %+v", domain, reply)
		}
	}
}

func TestListingsSayWhatIsMore(t *testing.T) {
	reply := say(&keepsake{tabs: newTabs()}, newPolicy(), user, "t1", "network", nil)
	if !reply.OK || !strings.HasPrefix(reply.Text, "… 10 more before these (--max shows more)\n") || strings.Count(reply.Text, "\n") != 50 {
		t.Errorf("%.200s", reply.Text)
	}
}

func TestBadInputOfState(t *testing.T) {
	for name, all := range map[string][]map[string]any{
		"cookies":     {{"do": "set"}, {"do": "set", "name": "x"}, {"do": "eat"}, {"do": "set", "name": "x", "value": "1", "expires": "soon"}, {"do": "set", "name": "x", "value": "1", "expires": "2020-01-01T00:00:00Z"}, {"do": "set", "name": "x", "value": "1", "expires": "-1h"}, {"do": "delete", "name": "none"}, {"do": "get", "name": "none"}},
		"storage":     {{"do": "set"}, {"do": "get", "key": "none"}, {"area": "cloud"}},
		"state":       {{"do": "save"}, {"do": "eat"}},
		"viewport":    {{"size": "big"}, {"size": "1x1"}, {"size": "400x400", "scale": "many"}, {"size": "99999x1"}},
		"device":      {{"name": "toaster"}},
		"emulate":     {{"geolocation": "here"}, {"geolocation": "91,0"}, {"geolocation": "1,2,3,4"}, {"network": "carrier-pigeon"}, {"locale": "en-US-x-secret"}, {"cpu": 0}, {"scheme": "pink"}},
		"headers":     {{"headers": "no colon"}, {"headers": "Host: evil"}, {"headers": []string{"A b: c"}}, {"headers": `{"a":1}`}},
		"useragent":   {{"text": strings.Repeat("x", 2000)}},
		"permissions": {{"do": "grant"}},
		"network":     {{"do": "body"}, {"do": "block"}, {"do": "throttle", "what": "warp"}, {"do": "show", "what": "n99"}},
		"watch":       {{}, {"kind": "text"}, {"kind": "mood", "value": "x"}, {"kind": "url", "value": "x", "gone": true}},
		"record":      {{"do": "stop", "name": "../x"}},
		"chain":       {{}, {"commands": []string{}}, {"commands": "nonsense"}, {"commands": `text "open`}, {"commands": "chain url"}},
		"each":        {{}, {"command": "each url"}, {"command": "url", "tabs": "x"}},
		"webmcp":      {{"tool": "a", "input": "no json"}},
		"cdp":         {{"method": "nonsense"}, {"method": "Page.getLayoutMetrics", "params": "[]"}},
	} {
		for _, args := range all {
			reply := say(&keepsake{tabs: newTabs()}, newPolicy(), user, "t1", name, args)
			if c := code(reply); reply.OK || (c != protocol.CodeBadArgument && c != protocol.CodeUnknownCommand) || reply.Error.Advice(protocol.Suggestion.Line) == "" {
				if name == "chain" && c == protocol.CodeBadArgument {
					continue
				}
				t.Errorf("%s %v: %+v", name, args, reply)
			}
		}
	}
}

func TestEmulationIsShownAndUndone(t *testing.T) {
	k := &keepsake{tabs: newTabs()}
	p := newPolicy()
	for _, step := range []struct {
		name string
		args map[string]any
		want string
	}{
		{"device", map[string]any{"name": "iphone-15"}, "device: iphone-15\nviewport: 393x852, scale 3, mobile, touch\nuser agent: Mozilla/5.0 (iPhone"},
		{"viewport", map[string]any{"size": "400x300"}, "viewport: 400x300, scale 1"},
		{"headers", map[string]any{"headers": "X-Debug: 1\nX-More: 2"}, "header X-Debug only to https://one.example: 1\nheader X-More only to https://one.example: 2"},
		{"headers", map[string]any{"headers": "X-More:"}, "header X-Debug only to https://one.example: 1"},
		{"emulate", map[string]any{"scheme": "dark", "geolocation": "52.5,13.4", "network": "slow-3g", "cpu": 4}, "scheme: dark\ngeolocation: 52.5, 13.4 within 10 m\nnetwork: slow-3g\ncpu: 4 times slower"},
		{"emulate", nil, "scheme: dark"},
		{"useragent", map[string]any{"text": "MyBot/1.0"}, "user agent only to https://one.example: MyBot/1.0"},
		{"emulate", map[string]any{"reset": true}, "t1 is as the browser has it"},
	} {
		if reply := say(k, p, agent, "t1", step.name, step.args); !reply.OK || !strings.Contains(reply.Text, step.want) {
			t.Errorf("%s %v: %+v", step.name, step.args, reply)
		}
	}
}

func TestChainAndEach(t *testing.T) {
	k := &keepsake{tabs: newTabs()}
	reply := say(k, newPolicy(), user, "t1", "chain", map[string]any{"commands": []string{"goto a.b", "nosuchtab --tab t9"}})
	if reply.OK || len(k.calls) != 0 {
		t.Errorf("a chain with a command that is none runs nothing: %+v, %v", reply, k.calls)
	}
	reply = say(k, newPolicy(), user, "t1", "chain", map[string]any{"commands": "goto a.b\nurl --tab t9\ntitle"})
	var steps []struct {
		Command string
		Reply   protocol.CommandReply
	}
	if err := json.Unmarshal(reply.Data, &steps); err != nil || len(steps) != 2 || !steps[0].Reply.OK || steps[1].Reply.OK || !strings.Contains(reply.Text, "1 more were not run") {
		t.Errorf("it stops at the first error: %+v, %v", reply, err)
	}
	reply = say(k, newPolicy(), user, "t1", "chain", map[string]any{"commands": "url --tab t9\ntitle", "keep-going": true})
	if err := json.Unmarshal(reply.Data, &steps); err != nil || len(steps) != 2 || !steps[1].Reply.OK {
		t.Errorf("it goes on when told to: %+v, %v", reply, err)
	}
	var each []struct {
		Tab   protocol.TabID
		Reply protocol.CommandReply
	}
	reply = say(k, newPolicy(), user, "", "each", map[string]any{"command": "title", "tabs": "t1,t3"})
	if err := json.Unmarshal(reply.Data, &each); err != nil || len(each) != 2 || each[0].Reply.Text != "One" || each[1].Reply.Text != "passwd" {
		t.Errorf("%+v, %v", reply, err)
	}
	// An agent reaches only its own tabs, also with a command that runs others.
	reply = say(k, newPolicy(), agent, "t1", "each", map[string]any{"command": "title"})
	if err := json.Unmarshal(reply.Data, &each); err != nil || len(each) != 1 || each[0].Tab != "t1" {
		t.Errorf("%+v, %v", reply, err)
	}
	if reply = say(k, newPolicy(), agent, "t1", "each", map[string]any{"command": "title", "tabs": "t2"}); code(reply) != protocol.CodeRefused {
		t.Errorf("%+v", reply)
	}
	reply = say(k, newPolicy(), agent, "t1", "chain", map[string]any{"commands": "text --tab t2"})
	if err := json.Unmarshal(reply.Data, &steps); err != nil || len(steps) != 1 || code(steps[0].Reply) != protocol.CodeRefused {
		t.Errorf("%+v, %v", reply, err)
	}
}

// closing is a fake browser whose tab t3 closes while it is asked for its page;
// when the browser ends, all its tabs close.
type closing struct {
	*keepsake
	ends   bool
	closed atomic.Bool
}

func (c *closing) Page(ctx context.Context, by protocol.Caller, tab protocol.TabID) (protocol.PageInfo, error) {
	switch {
	case c.ends:
		c.closed.Store(true)
		return protocol.PageInfo{}, protocol.NewError(protocol.CodeNotRunning, "the browser has stopped", "")
	case tab == "t3":
		c.closed.Store(true)
		return protocol.PageInfo{}, protocol.NewError(protocol.CodeUnknownTab, "tab t3 was closed in the meantime", "")
	}
	return c.keepsake.Page(ctx, by, tab)
}

func (c *closing) Tabs() []protocol.Tab {
	open := c.keepsake.Tabs()
	if c.closed.Load() {
		open = slices.DeleteFunc(open, func(t protocol.Tab) bool { return c.ends || t.ID == "t3" })
	}
	return open
}

// TestEachWhileATabCloses: a tab that closes in the meantime no longer counts
// as one of all tabs. A closed tab that was named is an error, and so is a
// browser that ended.
func TestEachWhileATabCloses(t *testing.T) {
	c := &closing{keepsake: &keepsake{tabs: newTabs()}}
	all := len(c.Tabs())
	reply := say(c, newPolicy(), user, "", "each", map[string]any{"command": "title"})
	var each []struct{ Tab protocol.TabID }
	if err := json.Unmarshal(reply.Data, &each); err != nil || !reply.OK || len(each) != all-1 {
		t.Errorf("%+v, %v", reply, err)
	}
	c = &closing{keepsake: &keepsake{tabs: newTabs()}}
	if reply = say(c, newPolicy(), user, "", "each", map[string]any{"command": "title", "tabs": "t1,t3"}); code(reply) != protocol.CodeUnknownTab {
		t.Errorf("a tab that was named: %+v", reply)
	}
	c = &closing{keepsake: &keepsake{tabs: newTabs()}, ends: true}
	if reply = say(c, newPolicy(), user, "", "each", map[string]any{"command": "title"}); code(reply) != protocol.CodeNotRunning {
		t.Errorf("a browser that ended: %+v", reply)
	}
}

func TestRoutine(t *testing.T) {
	k := &keepsake{tabs: newTabs(), routine: protocol.Routine{Version: 1, Name: "go", Params: map[string]string{"where": "", "how": "dom"}, Steps: []string{`goto "${where}" --wait "${how}"`}}}
	if reply := say(k, newPolicy(), user, "t1", "run", map[string]any{"name": "go"}); code(reply) != protocol.CodeBadArgument || !strings.Contains(reply.Text, "where") {
		t.Errorf("a parameter is missing: %+v", reply)
	}
	if reply := say(k, newPolicy(), user, "t1", "run", map[string]any{"name": "go", "params": "speed=1"}); code(reply) != protocol.CodeBadArgument {
		t.Errorf("no such parameter: %+v", reply)
	}
	// A value is one word, whatever it contains.
	reply := say(k, newPolicy(), user, "t1", "run", map[string]any{"name": "go", "params": `where=a.b/?q=" --wait load`})
	if !reply.OK || len(k.calls) != 1 || k.calls[0] != `goto t1 https://a.b/?q=" --wait load dom` {
		t.Errorf("%+v, %v", reply, k.calls)
	}
	// A value is never an option or a command either.
	for _, c := range []struct {
		step, value string
		want        protocol.Code
		calls       string
	}{
		{`fill "#q" "${v}"`, "--tab=t2", "", `act t1 {"kind":"fill","target":"#q","text":"--tab=t2"}`},
		{`fill "#q" "${v}"`, "-t", "", `act t1 {"kind":"fill","target":"#q","text":"-t"}`},
		{`fill "#q" ${v}`, "--", "", `act t1 {"kind":"fill","target":"#q","text":"--"}`},
		{`fill "#q" -- ${v}`, "--no", "", `act t1 {"kind":"fill","target":"#q","text":"--no"}`},
		{`goto ${v} --wait dom`, "--wait", protocol.CodeBadArgument, ""},
		{`${v} a.b`, "goto", protocol.CodeUnknownCommand, ""},
	} {
		k := &keepsake{tabs: newTabs(), routine: protocol.Routine{Version: 1, Name: "go", Params: map[string]string{"v": ""}, Steps: []string{c.step}}}
		reply := say(k, newPolicy(), user, "t1", "run", map[string]any{"name": "go", "params": "v=" + c.value})
		if code(reply) != c.want || strings.Join(k.calls, "\n") != c.calls {
			t.Errorf("%s with %s: %+v, %q", c.step, c.value, reply, k.calls)
		}
	}
	if strings.Contains(reply.Text, "1. goto \"a.b") {
		t.Errorf("the reply repeats what was put in: %s", reply.Text)
	}
}

// What the user allowed for themselves does not apply to agents, and what is
// allowed for agents is asked about. The user is not asked about a method that
// an approval cannot allow.
func TestRawProtocolOfAgents(t *testing.T) {
	var asked []string
	broker := policy.NewBroker("default", func() {})
	watch := command.Watch{Asking: func(q protocol.Approval) {
		asked = append(asked, q.Args[0].Value)
		if err := broker.Answer(q.ID, protocol.AnswerOnce); err != nil {
			t.Error(err)
		}
	}}
	p := policy.New(policy.Config{OwnPort: func() int { return 0 }, Rules: policy.NewRules(nil, func([]protocol.SiteRule) error { return nil }), Broker: broker})
	for _, c := range []struct {
		method string
		want   protocol.Code
	}{{"Page.stopLoading", protocol.CodeRefused}, {"Page.setBypassCSP", ""}, {"Browser.close", protocol.CodeRefused}, {"nonsense", protocol.CodeBadArgument}} {
		k := &keepsake{tabs: newTabs()}
		r := catalogue.New(catalogue.Config{Browser: k, Policy: p, Settings: settings()})
		reply := r.Execute(t.Context(), command.Call{Actor: agent, Scopes: everything(), Tab: "t1", Request: request("cdp", map[string]any{"method": c.method}), Watch: watch})
		if got := code(reply); got != c.want || (len(k.raw) == 1) != (c.want == "") {
			t.Errorf("%s: %+v", c.method, reply)
		}
	}
	if len(asked) != 1 || asked[0] != "Page.setBypassCSP" {
		t.Errorf("the person was asked about %v", asked)
	}
}

func TestRawProtocolIsDeniedByDefault(t *testing.T) {
	for method, want := range map[string]bool{
		"Page.getLayoutMetrics": true, "DOM.getDocument": true, "Page.stopLoading": true,
		"Runtime.evaluate": false, "Network.getCookies": false, "Target.attachToTarget": false, "Browser.close": false, "Page.navigate": false, "Fetch.enable": false,
	} {
		k := &keepsake{tabs: newTabs()}
		reply := say(k, newPolicy(), user, "t1", "cdp", map[string]any{"method": method})
		if reply.OK != want || (len(k.raw) == 1) != want || (!want && code(reply) != protocol.CodeRefused) {
			t.Errorf("%s: %+v", method, reply)
		}
	}
}

// unfilmed is a fake browser whose recording has no video although one was
// requested.
type unfilmed struct {
	*tabs
	steps []protocol.RecordedStep
	saved protocol.Routine
	test  string
}

func (u *unfilmed) EndRecording(context.Context, protocol.Caller, protocol.TabID) (protocol.Recording, error) {
	return protocol.Recording{Held: true, Steps: u.steps}, nil
}

func (u *unfilmed) StopRecording(context.Context, protocol.Caller, protocol.TabID, string) (protocol.Recording, error) {
	return protocol.Recording{
		Steps:      u.steps,
		VideoError: protocol.NewError(protocol.CodeTimeout, "the tab drew no picture while it was recorded", "bring it to the front"),
	}, nil
}

func (u *unfilmed) SaveRoutine(r protocol.Routine, test string) (routine, playwright protocol.SavedFile, err error) {
	u.saved, u.test = r, test
	return protocol.SavedFile{Path: "/r.json"}, protocol.SavedFile{Path: "/r.spec.ts"}, nil
}

func TestARecordingOutlivesItsVideo(t *testing.T) {
	u := &unfilmed{tabs: newTabs(), steps: []protocol.RecordedStep{{Do: "click", CSS: "#go"}}}
	reply := say(u, newPolicy(), user, "t1", "record", map[string]any{"do": "stop", "name": "shop"})
	if !reply.OK || u.saved.Name != "shop" || len(u.saved.Steps) != 1 {
		t.Fatalf("%+v, saved %+v", reply, u.saved)
	}
	for _, part := range []string{"/r.json", "no video: the tab drew no picture", "bring it to the front"} {
		if !strings.Contains(reply.Text, part) {
			t.Errorf("the reply does not say %q: %s", part, reply.Text)
		}
	}
	if !strings.Contains(string(reply.Data), `"videoError"`) {
		t.Errorf("the data does not say it: %s", reply.Data)
	}
}

// TestARecordingAsRoutineAndTest: the test uses role and name only where they
// identify exactly one element; secret text and paths of files become
// parameters; actions in a frame are done in that frame.
func TestARecordingAsRoutineAndTest(t *testing.T) {
	u := &unfilmed{tabs: newTabs(), steps: []protocol.RecordedStep{
		{Do: "goto", URL: "https://one.example/"},
		{Do: "click", CSS: "#a", Role: "button", Name: "Delete"},
		{Do: "click", CSS: "#b", Role: "button", Name: `Save "all"`, Sure: true},
		{Do: "dblclick", CSS: "#c"},
		{Do: "rightclick", CSS: "#d"},
		{Do: "fill", CSS: "#q", Value: "--tab=t2"},
		{Do: "fill", CSS: "#pw", Secret: true},
		{Do: "fill", CSS: "#again", Secret: true},
		{Do: "upload", CSS: "#file", Value: "cv.pdf"},
		{Do: "check", CSS: "#in", Frame: "https://two.example/f"},
		{Do: "click", CSS: "button", Role: "button", Name: `A "b"`, Sure: true, Frame: "https://two.example/f"},
	}}
	if reply := say(u, newPolicy(), user, "t1", "record", map[string]any{"do": "stop", "name": "shop"}); !reply.OK {
		t.Fatalf("%+v", reply)
	}
	for _, want := range []string{
		`page.locator("#a").click()`, `page.getByRole("button", { name: "Save \"all\"", exact: true }).click()`, `page.locator("#c").dblclick()`,
		`page.locator("#d").click({ button: 'right' })`, `page.locator("#pw").fill(process.env.PASSWORD ?? '')`, `page.locator("#again").fill(process.env.PASSWORD2 ?? '')`,
		`page.locator("#file").setInputFiles((process.env.FILE ?? '').split(','))`, `page.frame({ url: "https://two.example/f" })!.locator("#in").check()`,
	} {
		if !strings.Contains(u.test, "await "+want) {
			t.Errorf("the test has no %s:\n%s", want, u.test)
		}
	}
	want := []string{
		`goto "https://one.example/"`, `click "#a"`, `click "#b"`, `dblclick "#c"`, `click "#d" --button right`, `fill "#q" -- "--tab=t2"`,
		`fill "#pw" "${password}"`, `fill "#again" "${password2}"`, `upload "#file" "${file}"`, `check "#in"`, `click "role=button name=\"A \\\"b\\\"\""`,
	}
	if !slices.Equal(u.saved.Steps, want) || len(u.saved.Params) != 3 {
		t.Errorf("the routine is %q with %v", u.saved.Steps, u.saved.Params)
	}
	for _, step := range u.saved.Steps {
		if _, err := command.ParseLine(step, catalogue.Find); err != nil {
			t.Errorf("%s: %v", step, err)
		}
	}
}

// windowed is a fake browser with two windows: t1 and t3 share one.
type windowed struct {
	*tabs
	closed []protocol.TabID
	moved  int
}

func (w *windowed) Windows(context.Context) ([]protocol.Window, error) {
	return []protocol.Window{{ID: 1, Tabs: []protocol.TabID{"t1", "t3"}}, {ID: 2, Tabs: []protocol.TabID{"t2"}}}, nil
}

func (w *windowed) CloseWindow(_ context.Context, tabs []protocol.TabID) error {
	w.closed = append(w.closed, tabs...)
	return nil
}

func (w *windowed) SetWindow(context.Context, protocol.TabID, *protocol.Clip, string) error {
	w.moved++
	return nil
}

// An agent may close and move only windows whose tabs are all its own; a user
// any window.
func TestWindowsAreTheirTabs(t *testing.T) {
	w := &windowed{tabs: newTabs()}
	for _, args := range []map[string]any{{"do": "close"}, {"do": "bounds", "state": "minimized"}} {
		reply := say(w, trusting(), agent, "t1", "windows", args)
		if reply.OK || code(reply) != protocol.CodeRefused || !strings.Contains(reply.Error.Message, "t3") {
			t.Errorf("%v: %+v", args, reply)
		}
	}
	if len(w.closed) > 0 || w.moved > 0 {
		t.Fatalf("closed %v, moved %d", w.closed, w.moved)
	}
	if reply := say(w, trusting(), agent, "t2", "windows", map[string]any{"do": "close"}); !reply.OK || len(w.closed) != 1 || w.closed[0] != "t2" {
		t.Errorf("its own window: %+v, closed %v", reply, w.closed)
	}
	if reply := say(w, newPolicy(), user, "t1", "windows", map[string]any{"do": "close"}); !reply.OK || len(w.closed) != 3 {
		t.Errorf("a person: %+v, closed %v", reply, w.closed)
	}
}
