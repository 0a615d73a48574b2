package builtin

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/protocol"
)

// shopPage answers what is asked of a page with a form, and of the tabs.
func shopPage(_ context.Context, req protocol.CommandRequest) protocol.CommandReply {
	var data any = struct{}{}
	switch req.Command {
	case "snapshot":
		data = protocol.Snapshot{Items: []*protocol.SnapshotItem{
			thing("e1", "link", "Home"), thing("e2", "link", "Pricing"), thing("e3", "link", "Contact"), thing("e4", "searchbox", "Search"),
			thing("", "heading", "Free shipping"), thing("e5", "textbox", "Name"), thing("e6", "textbox", "Email"), thing("e7", "textbox", "Message"),
			thing("e8", "combobox", "Country"), thing("e9", "checkbox", "Newsletter"), thing("e10", "button", "Save"), thing("e11", "button", "Cancel"),
			thing("e12", "button", "Sign in"),
		}}
	case "find":
		var what string
		_ = json.Unmarshal(req.Args["what"], &what)
		n := strings.Count("free shipping on all orders. our refund policy: a refund within 30 days.", strings.ToLower(what))
		data = protocol.Matches{Total: n}
	case "dialogs":
		data = protocol.DialogLog{Entries: []protocol.DialogEntry{{Message: "Sure?"}}}
	case "tabs":
		data = []protocol.Tab{{ID: "t1", Title: "Shop", Active: true}, {ID: "t2", Title: "Mail"}}
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return protocol.CommandReply{Error: protocol.AsError(err)}
	}
	return protocol.CommandReply{OK: true, Data: raw}
}

// Instant takes what is clearly a command for this page, and leaves prose to the agent
// that the user chose.
func TestCorpusOfProseAndCommands(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	g, engine := grammar.New(nil), NewEngine(Commander(shopPage), "t1")
	commands, taken, prose := 0, 0, 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		kind, say, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			continue
		}
		plan, unknown := g.Parse(say)
		takes := unknown == nil && !plan.Guesses() && engine.Applies(t.Context(), plan.Steps[0])
		switch {
		case kind == "prose" && takes:
			t.Errorf("%q is taken as %s", say, plan)
		case kind == "command" && takes:
			taken++
		case kind == "command":
			t.Logf("%q is not taken", say)
		}
		if kind == "command" {
			commands++
		} else {
			prose++
		}
	}
	if prose < 100 || commands < 100 || taken*100 < commands*95 {
		t.Errorf("%d of %d commands are taken; %d lines of prose", taken, commands, prose)
	}
}
