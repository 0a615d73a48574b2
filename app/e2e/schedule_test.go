package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// lastRun returns the last run of a schedule, from `schedule show --json`.
func (p *product) lastRun(name string) protocol.ScheduleRun {
	p.t.Helper()
	var one protocol.Schedule
	out := p.cli("schedule", "show", name, "--json")
	if err := json.Unmarshal([]byte(out), &one); err != nil {
		p.t.Fatalf("schedule show: %v\n%s", err, out)
	}
	if len(one.Runs) == 0 {
		return protocol.ScheduleRun{}
	}
	return one.Runs[0]
}

// TestSchedule adds a schedule for files: a file appears, the routine runs in a tab and a
// panel of its own, and the log says so. Then the user runs commands by a schedule, which
// begins on a page, and one that fails.
func TestSchedule(t *testing.T) {
	pages := taskSite(t)
	p, _, _ := shared(t)
	folder := t.TempDir()
	routines := filepath.Join(p.home, "state", "sessions", string(protocol.DefaultSession), "routines")
	if err := os.MkdirAll(routines, 0o700); err != nil {
		t.Fatal(err)
	}
	routine, err := json.Marshal(protocol.Routine{Version: 1, Name: "book", Goal: "fill Name with ${who}, select Berlin in City and click Save", Params: map[string]string{"who": "Ada"}, Steps: []string{}})
	if err == nil {
		err = os.WriteFile(filepath.Join(routines, "book.json"), routine, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := p.cliRun("schedule", "add", "book", "--file", filepath.Join(folder, "*.csv"), "--routine", "another"); err == nil || !strings.Contains(out, "task routines") {
		t.Errorf("a routine that does not exist: %v\n%s", err, out)
	}
	if out := p.cli("schedule", "add", "book", "--file", filepath.Join(folder, "*.csv"), "--routine", "book", "--param", "who=Bob", "--open", pages+"/form"); !strings.Contains(out, "routine book") {
		t.Errorf("add says:\n%s", out)
	}
	file := filepath.Join(folder, "a.csv")
	if err := os.WriteFile(file, []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.eventually("the routine has run", func() bool { return p.lastRun("book").DurationMS > 0 })
	if run := p.lastRun("book"); run.State != protocol.ScheduleDone || run.File != file || run.Task == "" {
		t.Errorf("the run is %+v\n%s", run, p.cli("schedule", "log", "book"))
	}
	if task := p.newest(); task.Asker == nil || task.Asker.Name != "schedule “book”" || task.Routine != "book" {
		t.Errorf("its task is %+v", task)
	}

	p.cli("schedule", "add", "look", "--at", "daily 00:00", "--command", "chain title text", "--open", pages+"/form")
	p.cli("schedule", "run", "look")
	p.eventually("the commands have run", func() bool { return p.lastRun("look").DurationMS > 0 })
	p.cli("schedule", "add", "fails", "--at", "daily 00:00", "--command", "click #nothing", "--open", pages+"/form")
	p.cli("schedule", "run", "fails")
	p.eventually("the command has failed", func() bool { return p.lastRun("fails").DurationMS > 0 })
	if good, bad := p.lastRun("look"), p.lastRun("fails"); good.State != protocol.ScheduleDone || bad.State != protocol.ScheduleFailed || bad.Message == "" {
		t.Errorf("they ended with %+v and %+v", good, bad)
	}
	// Only the tab of the run that failed is still open, beside the first one.
	if tabs := p.session(protocol.DefaultSession).Tabs; len(tabs) != 2 {
		t.Errorf("%d tabs are open: %+v", len(tabs), tabs)
	}
	if out := p.cli("schedule", "remove", "fails"); strings.Contains(out, "fails") || !strings.Contains(out, "book") {
		t.Errorf("remove says:\n%s", out)
	}
	p.cli("schedule", "remove", "look")
	p.cli("schedule", "remove", "book")
}
