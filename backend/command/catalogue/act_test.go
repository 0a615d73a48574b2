package catalogue_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/protocol"
)

func (b *tabs) Pointer(protocol.Caller, protocol.TabID) string { return "" }

func (b *tabs) Facts(context.Context, protocol.Caller, protocol.TabID, string, bool) (protocol.TargetFacts, error) {
	return b.facts, nil
}

// Act returns an effect with every kind of text that a page can write.
func (b *tabs) Act(_ context.Context, _ protocol.Caller, id protocol.TabID, q protocol.ActRequest, _ func(string) error) (protocol.Effect, error) {
	raw, _ := json.Marshal(q)
	b.note("act %s %s", id, raw)
	if b.fail != nil {
		return protocol.Effect{URL: b.at(id).URL}, b.fail
	}
	value := "Ada"
	if b.effect != nil {
		return *b.effect, nil
	}
	return protocol.Effect{
		Tab: id, Hit: "e5 btn Save", URL: b.at(id).URL, Value: &value, Appeared: []string{"e9 btn </page-1> Undo"},
		Tabs: []protocol.TabID{"t9"}, Opened: []protocol.OpenedTab{{Tab: "t9", URL: "https://two.example/child?x", Front: true}}, Dialog: &protocol.DialogInfo{Type: "alert", Message: "hi"},
	}, nil
}

func (b *tabs) Snapshot(_ context.Context, _ protocol.Caller, id protocol.TabID, q protocol.SnapshotRequest, allow func(string) error) (protocol.Snapshot, error) {
	if allow != nil {
		if err := allow(b.at(id).URL); err != nil {
			return protocol.Snapshot{}, err
		}
	}
	raw, _ := json.Marshal(q)
	b.note("look %s %s", id, raw)
	return protocol.Snapshot{URL: b.at(id).URL, Text: "e1 btn Save", Refs: 1}, nil
}

func (b *tabs) Wait(_ context.Context, _ protocol.Caller, id protocol.TabID, _ protocol.WaitRequest) (protocol.PageInfo, error) {
	return protocol.PageInfo{Tab: id}, b.fail
}

func (b *tabs) Dialog(context.Context, protocol.Caller, protocol.TabID, bool, *string) (protocol.DialogInfo, error) {
	return protocol.DialogInfo{Type: "alert"}, b.fail
}

func (b *tabs) Clipboard(context.Context, protocol.Caller, protocol.TabID, *string) (string, error) {
	return "", b.fail
}

// runAll runs a command as a user with every scope.
func runAll(b *tabs, r protocol.CommandRequest) protocol.CommandReply {
	return catalogue.New(catalogue.Config{Browser: b, Policy: newPolicy()}).Execute(context.Background(), command.Call{
		Actor: user, Scopes: append([]protocol.Scope{protocol.ScopeSensitive}, scopes...), Tab: "t1", Request: r,
	})
}

func TestActionsReachTheBrowser(t *testing.T) {
	comma := filepath.Join(t.TempDir(), "a, b.txt")
	if err := os.WriteFile(comma, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]string{
		`{"command":"click","args":{"target":"e5","modifiers":"Shift","at":"3,4"}}`:      `{"kind":"click","target":"e5","modifiers":"Shift","at":[3,4]}`,
		`{"command":"dblclick","args":{"target":"e5"}}`:                                  `{"kind":"click","target":"e5","count":2}`,
		`{"command":"fill","args":{"target":"e5","value":""}}`:                           `{"kind":"fill","target":"e5"}`,
		`{"command":"press","args":{"key":"Control+A"}}`:                                 `{"kind":"press","text":"Control+A"}`,
		`{"command":"select","args":{"target":"e5","value":"A\nB"}}`:                     `"values":["A","B"]`,
		`{"command":"check","args":{"target":"e5"}}`:                                     `"on":true`,
		`{"command":"uncheck","args":{"target":"e5"}}`:                                   `{"kind":"check","target":"e5"}`,
		`{"command":"drag","args":{"target":"e5","to":"e6"}}`:                            `"to":"e6"`,
		`{"command":"scroll","args":{}}`:                                                 `"dy":600`,
		`{"command":"snapshot","args":{"interactive":true,"max":500,"delta":true}}`:      `"interactive":true,"max":500,"delta":true`,
		`{"command":"upload","args":{"target":"e5","files":"/tmp/a.txt, /tmp/b c.txt"}}`: `"values":["/tmp/a.txt","/tmp/b c.txt"]`,
		`{"command":"upload","args":{"target":"e5","files":["/a, b.txt","/c.txt"]}}`:     `"values":["/a, b.txt","/c.txt"]`,
		`{"command":"upload","args":{"target":"e5","files":"[\"/a, b.txt\"]"}}`:          `"values":["/a, b.txt"]`,
		`{"command":"upload","args":{"target":"e5","files":"` + comma + `"}}`:            `"values":["` + comma + `"]`,
	} {
		b := newTabs()
		var call protocol.CommandRequest
		if err := json.Unmarshal([]byte(request), &call); err != nil {
			t.Fatal(err)
		}
		reply := runAll(b, call)
		if !reply.OK || len(b.calls) == 0 || !strings.Contains(b.calls[len(b.calls)-1], want) {
			t.Errorf("%s: %+v, asked %q", request, reply, b.calls)
		}
	}
}

// A person gets one line for each fact: what was done and on what is one sentence, the
// element's own line is not repeated, and what has no element names none.
func TestRepliesAreSentences(t *testing.T) {
	ada, berlin := "Ada", "Berlin"
	for _, c := range []struct {
		request protocol.CommandRequest
		effect  protocol.Effect
		want    string
	}{
		{request("click", map[string]any{"target": "e5"}), protocol.Effect{Hit: "e5 btn Save", Changed: []string{"e5 btn Save [focused]"}, Said: []string{"Saved"}}, "clicked e5 btn Save [focused]\nsays: Saved"},
		{request("click", map[string]any{"target": "e5"}), protocol.Effect{Hit: "e5 link Two", URL: "https://two.example/a", Navigated: true, Title: "Two"}, "clicked e5 link Two; the tab went to https://two.example/a\ntitle: Two"},
		{request("click", map[string]any{"target": "e5"}), protocol.Effect{Hit: "e5 link Part", URL: "https://two.example/#p", Within: true}, "clicked e5 link Part; the address is now https://two.example/#p"},
		{request("check", map[string]any{"target": "e2"}), protocol.Effect{Hit: "e2 [ ] Agree", Changed: []string{"e2 [x] Agree [focused]", "e3 btn Go"}}, "checked e2 [x] Agree [focused]\n~ e3 btn Go"},
		{request("fill", map[string]any{"target": "e1", "value": ada}), protocol.Effect{Hit: "e1 edit Name", Value: &ada, Changed: []string{`e1 edit Name [focused] ="Ada"`}}, `filled e1 edit Name [focused] with "Ada"`},
		{request("fill", map[string]any{"target": "e1", "value": ada}), protocol.Effect{Hit: "e1 edit Name", Value: &ada, Changed: []string{`e1 edit Name ="Ada" [invalid]`}}, "filled e1 edit Name with \"Ada\"\n~ e1 edit Name =\"Ada\" [invalid]"},
		{request("fill", map[string]any{"target": "e1", "value": ada}), protocol.Effect{Hit: "e1 edit Name", Value: &ada, Changed: []string{`e1 edit Name [focused] ="Ada"`}, Focus: `e1 edit Name [focused] ="Ada"`}, `filled e1 edit Name [focused] with "Ada"`},
		{request("click", map[string]any{"target": "e5"}), protocol.Effect{Hit: "e5 link Two", URL: "https://two.example/a/", Navigated: true, Title: "two.example/a"}, "clicked e5 link Two; the tab went to https://two.example/a/"},
		{request("type", map[string]any{"target": "e1", "value": "a"}), protocol.Effect{Hit: "e1 edit Name", Value: &ada}, `typed into e1 edit Name, which now has "Ada"`},
		{request("select", map[string]any{"target": "e3", "value": berlin}), protocol.Effect{Hit: "e3 select City", Value: &berlin}, `selected in e3 select City, which now has "Berlin"`},
		{request("press", map[string]any{"key": "Tab"}), protocol.Effect{Hit: "what has the focus", Focus: "e5 btn Save"}, "pressed Tab\nfocus: e5 btn Save"},
		{request("press", map[string]any{"key": "Enter", "target": "e1"}), protocol.Effect{Hit: "e1 edit Name", Nothing: true}, "pressed Enter in e1 edit Name; no change was seen"},
		{request("keydown", map[string]any{"key": "Shift"}), protocol.Effect{Hit: "what has the focus", Nothing: true, Held: []string{"Shift"}}, "pressed Shift; no change was seen; held down: Shift"},
		{request("keyup", nil), protocol.Effect{Hit: "what has the focus"}, "released all keys"},
		{request("mouse", map[string]any{"action": "move", "target": "20,20"}), protocol.Effect{Hit: "e1 body"}, "moved the mouse to e1 body"},
		{request("mouse", map[string]any{"action": "up"}), protocol.Effect{Hit: "the mouse at 20,20"}, "released the mouse button at 20,20"},
		{request("scroll", nil), protocol.Effect{Hit: "the page", Moved: &[4]float64{0, 600, 600, 1856}}, "scrolled the page by 0,600; above 600, below 1856"},
		{request("scroll", map[string]any{"target": "e5"}), protocol.Effect{Hit: "e5 btn Save"}, "scrolled into view: e5 btn Save"},
		{request("drag", map[string]any{"target": "e5", "to": "e9"}), protocol.Effect{Hit: "e5 item A to e9 list B", Changed: []string{"e5 item A [dropped]"}}, "dragged e5 item A to e9 list B\n~ e5 item A [dropped]"},
		{request("upload", map[string]any{"target": "e7", "files": []string{"/a.txt"}}), protocol.Effect{Hit: "e7 div Drop here", Dropped: true}, "uploaded by dropping 1 file on e7 div Drop here"},
		{request("upload", map[string]any{"target": "e7", "files": []string{"/a.txt"}}), protocol.Effect{Hit: "e7 file CV"}, "uploaded to e7 file CV"},
	} {
		b := newTabs()
		b.effect = &c.effect
		if reply := runAll(b, c.request); reply.Text != c.want {
			t.Errorf("%s %v says\n%s\nand not\n%s", c.request.Command, c.request.Args, reply.Text, c.want)
		}
	}
	// An agent gets the same, and the element as text of the page.
	b := newTabs()
	b.effect = &protocol.Effect{Hit: "what has the focus"}
	if reply := run(b, newPolicy(), agent, "t1", request("press", map[string]any{"key": "Tab"})); reply.Text != "pressed Tab" {
		t.Errorf("an agent is told %q", reply.Text)
	}
}

func TestEffectsAreTold(t *testing.T) {
	b := newTabs()
	reply := run(b, newPolicy(), agent, "t1", request("click", map[string]any{"target": "e5"}))
	for _, want := range []string{"clicked", "alert dialog is open", "opened t9 at https://two.example, which is in front now\n", "t9: https://two.example/child?x\n", "dialog accept", "e5 btn Save", `which now has "Ada"`, "+ e9 btn", "<page-"} {
		if !strings.Contains(reply.Text, want) {
			t.Errorf("%q is not in %s", want, reply.Text)
		}
	}
	if reply := run(b, newPolicy(), user, "", request("click", map[string]any{"target": "e5"})); !strings.Contains(reply.Text, "it opened t9 at https://two.example/child?x, which is in front now: the next command acts there") {
		t.Errorf("the user is told %s", reply.Text)
	}
	b.fail = protocol.NewError(protocol.CodeNoElement, "nothing on the page matches text=Stay", "")
	reply = run(b, newPolicy(), agent, "t1", request("click", map[string]any{"target": "text=Stay"}))
	if !strings.HasSuffix(reply.Error.Message, "> (t1 is at https://one.example/)") {
		t.Errorf("an agent is told %s", reply.Error.Message)
	}
	if reply = run(b, newPolicy(), user, "", request("click", map[string]any{"target": "text=Stay"})); reply.Error.Message != "nothing on the page matches text=Stay (t2 is at https://two.example/)" {
		t.Errorf("the user is told %s", reply.Error.Message)
	}
	b.fail = protocol.NewError(protocol.CodeCovered, "e5 btn Save is covered by dialog Cookies", "close or move that first")
	reply = run(b, newPolicy(), agent, "t1", request("click", map[string]any{"target": "e5"}))
	if code(reply) != protocol.CodeCovered || !strings.Contains(reply.Error.Message, "<page-") || !strings.Contains(reply.Text, "Cookies") {
		t.Errorf("%+v", reply)
	}
	for _, bad := range []protocol.CommandRequest{
		request("fill", map[string]any{"target": "e5"}), request("click", map[string]any{"target": "e5", "at": "here"}),
		request("upload", map[string]any{"target": "e5", "files": "relative.txt"}), request("upload", map[string]any{"target": "e5", "files": []string{}}),
		request("upload", map[string]any{"target": "e5", "files": 7}), request("upload", map[string]any{"target": "e5", "files": "[1]"}), request("upload", map[string]any{"target": "e5", "files": []string{"/a", "b"}}),
		request("wait", map[string]any{"for": "text"}),
		request("snapshot", map[string]any{"near": true, "full": true}), request("dialog", map[string]any{"answer": "maybe"}),
	} {
		if reply := runAll(b, bad); code(reply) != protocol.CodeBadArgument {
			t.Errorf("%+v: %+v", bad, reply)
		}
	}
}
