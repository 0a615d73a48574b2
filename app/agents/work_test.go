//go:build agents

package agents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// An agent writes a plan, reads a file and changes a line of it. The user sees
// the plan and is asked with the complete change, and the finished call contains
// the change.
func TestDriversShowTheirWork(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "options.ts")
	script := func(d *driven) model.Script {
		return func(r model.Request) model.Reply {
			steps := []model.Reply{
				{Calls: []model.Call{d.read(file)}},
				{Calls: []model.Call{d.edit(file, "retries = 3", "retries = 5")}},
				{Text: "It tries five times now."},
			}
			if d.plan != nil {
				steps = append([]model.Reply{{Text: "First a plan.", Calls: []model.Call{d.plan("Read the options", "Try twice more")}}}, steps...)
			}
			return model.Steps(steps...)(r)
		}
	}
	each(t, script, func(d driven, _ *model.Model) {
		t := d.t
		if err := os.WriteFile(file, []byte("export const pause = 100;\nexport const retries = 3;\nexport const longest = 5_000;\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		k := newConversation(protocol.AnswerOnce)
		s, err := d.startAgent(t).Open(timed(t), driver.SessionConfig{Dir: dir}, k)
		if err != nil {
			t.Fatal(err)
		}
		end, err := s.Prompt(timed(t), driver.Prompt{Text: "Try five times."})
		if err != nil || end.Reason != protocol.EndDone {
			t.Fatalf("%+v, %v", end, err)
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		if now, err := os.ReadFile(file); err != nil || !strings.Contains(string(now), "retries = 5") {
			t.Errorf("the file is %q, %v", now, err)
		}
		if planned := len(k.plan) == 2 && k.plan[0].Text == "Read the options" && k.plan[0].Status == "in_progress" && k.plan[1].Status == "pending"; planned != (d.plan != nil) {
			t.Errorf("the plan is %+v", k.plan)
		}
		changes := func(content []protocol.ToolContent) bool {
			for _, c := range content {
				if c.Kind == protocol.ContentDiff && strings.Contains(c.Old, "retries = 3") && strings.Contains(c.New, "retries = 5") && strings.HasSuffix(c.Path, "options.ts") {
					return true
				}
			}
			return false
		}
		asked, done := false, false
		for _, ask := range k.asks {
			asked = asked || changes(ask.Tool.Content) || changes(k.tools[ask.Tool.Call].Content)
		}
		for _, tool := range k.tools {
			done = done || changes(tool.Content) && tool.Status != nil && *tool.Status == protocol.ToolDone
		}
		if !asked {
			t.Errorf("no question has the change: %+v", k.asks)
		}
		if !done {
			t.Errorf("no call has the change at its end: %+v", k.tools)
		}
	})
}
