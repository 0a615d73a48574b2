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

func TestEffectsAreTold(t *testing.T) {
	b := newTabs()
	reply := run(b, newPolicy(), agent, "t1", request("click", map[string]any{"target": "e5"}))
	for _, want := range []string{"clicked", "alert dialog is open", "opened t9 at https://two.example, which is in front now\n", "t9: https://two.example/child?x\n", "dialog accept", "e5 btn Save", `with "Ada"`, "+ e9 btn", "<page-"} {
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
