package control

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// toolsOf uses no server; it records what is asked of it.
type toolsOf struct{ d *desk }

func (o toolsOf) Names() []protocol.TaskToolServer {
	return []protocol.TaskToolServer{{Name: "docs"}}
}

func (o toolsOf) Offered(_ context.Context, actor protocol.Actor, tab protocol.TabID) ([]protocol.TaskToolServer, error) {
	o.d.note("offered " + actor.Name + " " + string(tab))
	return []protocol.TaskToolServer{{Name: "docs", Tools: []protocol.TaskTool{{Name: "search"}}}}, nil
}

func (o toolsOf) Call(_ context.Context, actor protocol.Actor, tab protocol.TabID, req protocol.TaskToolRequest) protocol.TaskToolReply {
	o.d.note("call " + actor.Name + " " + string(tab) + " " + req.Tool + string(req.Arguments))
	if req.Tool == "broken" {
		return protocol.TaskToolReply{Error: protocol.NewError(protocol.CodeRefused, "docs reports an error", ""), Text: "what it says"}
	}
	return protocol.TaskToolReply{OK: true, Text: "found"}
}

func (o toolsOf) Kept(text string) string   { return strings.ReplaceAll(text, "hunter2", "•") }
func (o toolsOf) Over(actor protocol.Actor) { o.d.note("over " + actor.ID) }
func (o toolsOf) request(tool string) protocol.TaskToolRequest {
	return protocol.TaskToolRequest{Task: one, Viewer: "panel", Server: "docs", Tool: tool, Arguments: json.RawMessage(`{"key":"hunter2"}`)}
}

// Only the panel that runs a task uses servers for it. What is recorded has no secret,
// and the servers end with the task.
func TestTools(t *testing.T) {
	d := newDesk(t, nil)
	tools := toolsOf{d}
	if reply, err := d.Tools(t.Context(), protocol.TaskToolsRequest{}); err != nil || len(reply.Servers) != 1 || reply.Servers[0].Tools != nil {
		t.Errorf("without a task: %+v, %v", reply, err)
	}
	d.write(t, one, "panel", protocol.TaskRunning)
	if _, err := d.Tools(t.Context(), protocol.TaskToolsRequest{Task: one, Viewer: "another"}); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeForbidden {
		t.Errorf("another panel: %v", err)
	}
	other := tools.request("search")
	other.Viewer = "another"
	if _, err := d.Tool(t.Context(), other); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeForbidden {
		t.Errorf("another panel: %v", err)
	}
	if reply, err := d.Tools(t.Context(), protocol.TaskToolsRequest{Task: one, Viewer: "panel"}); err != nil || len(reply.Servers[0].Tools) != 1 {
		t.Errorf("%+v, %v", reply, err)
	}
	reply, err := d.Tool(t.Context(), tools.request("search"))
	if err != nil || !reply.OK || string(reply.Kept.Arguments) != `{"key":"•"}` {
		t.Errorf("%+v, %v", reply, err)
	}
	if reply, err = d.Tool(t.Context(), tools.request("broken")); err != nil || reply.OK || reply.Text != "what it says" {
		t.Errorf("%+v, %v", reply, err)
	}
	d.write(t, one, "panel", protocol.TaskDone)
	for _, want := range []string{"offered task “Fill the form” t1", `call task “Fill the form” t1 search{"key":"hunter2"}`, "over " + string(one)} {
		if !slices.Contains(d.did, want) {
			t.Errorf("%q is not in %q", want, d.did)
		}
	}
	page, err := d.cfg.Recorder.History(shell(), 0, 10)
	if err != nil || len(page.Entries) != 2 {
		t.Fatalf("recorded %+v, %v", page.Entries, err)
	}
	used, failed := page.Entries[0], page.Entries[1]
	if used.Command != protocol.ToolQuestion || used.Args["server"] != "docs" || used.Args["arguments"] != `{"key":"•"}` || used.Summary != "Used search of docs" {
		t.Errorf("recorded %+v", used)
	}
	if failed.Code == "" || strings.Contains(failed.Summary, "what it says") {
		t.Errorf("recorded %+v", failed)
	}
	if _, err := d.Tool(t.Context(), tools.request("search")); protocol.AsError(err) == nil {
		t.Error("a task that has ended used a tool")
	}
}
