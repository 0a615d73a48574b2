package builtin

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/protocol"
)

// The content of a page is shown for a user: links as links, tables as tables,
// the page's own text as a quotation.
func TestProse(t *testing.T) {
	t.Parallel()
	on := true
	data := map[string]any{
		"links": []protocol.Link{{Ref: "e1", Text: "The [first] one", URL: "https://example.com/a_b?x=<y>"}, {Ref: "e2", Text: "Menu", URL: "javascript:void(0)"}, {Ref: "e3", URL: "https://example.com/c"}},
		"tabs":  []protocol.Tab{{ID: "t1", Title: "Shop", URL: "https://example.com/", Active: true}},
		"tables": []protocol.Table{
			{Caption: "Prices", Head: []string{"Tea", "per | kg"}, Rows: [][]string{{"Green", "12"}, {"Black"}}},
		},
		"forms":     []protocol.Form{{Fields: []protocol.FormField{{Ref: "e4", Role: "textbox", Label: "Name", Value: "Ada", Required: true}, {Ref: "e5", Role: "checkbox", Label: "News", Checked: &on}}}},
		"markdown":  protocol.PageText{URL: "https://example.com/", Title: "Shop", Text: "# Tea\n\n- green\n\n```\ncode\n", Length: 40},
		"find":      protocol.Matches{Total: 2, Matches: []protocol.Match{{Before: "We have", Text: "tea", After: "and *more*", Ref: "e6"}}},
		"media":     []protocol.Medium{{Kind: "image", URL: "https://example.com/x.png", Text: "A cup", Width: 4, Height: 3}},
		"downloads": []protocol.Download{{ID: "d1", Name: "list_1.csv", State: "done"}},
		"goto":      protocol.PageInfo{URL: "https://example.com/a_b", Title: "A_B"},
		"fill":      protocol.Effect{Value: new("Ada")},
		"type":      protocol.Effect{Value: new("Dear Ada")},
		"snapshot":  protocol.Snapshot{Items: []*protocol.SnapshotItem{thing("e4", "textbox", "Name"), thing("e7", "heading", "Tea")}},
		"press":     protocol.Effect{Navigated: true, URL: "https://example.com/next", Title: "Next", Appeared: []string{"e9 btn Undo"}, Said: []string{"Saved *now*"}},
	}
	commander := Commander(func(_ context.Context, req protocol.CommandRequest) protocol.CommandReply {
		raw, err := json.Marshal(data[req.Command])
		if err != nil {
			return protocol.CommandReply{Error: protocol.AsError(err)}
		}
		return protocol.CommandReply{OK: true, Data: raw}
	})
	g := grammar.New(nil) // its patterns are compiled once
	for say, want := range map[string]string{
		"list the links":                 "There are 3 links.\n\n- [The \\[first\\] one](<https://example.com/a_b?x=%3Cy%3E>)\n- Menu (`javascript:void(0)`)\n- [https://example.com/c](<https://example.com/c>)",
		"list the tabs":                  "There is one tab.\n\n- t1: [Shop](<https://example.com/>) (in front)",
		"list the tables":                "There is one table.\n\nPrices:\n\n| Tea | per \\| kg |\n|---|---|\n| Green | 12 |\n| Black |  |",
		"list the fields":                "There are 2 form fields.\n\n- field “Name” with “Ada”, required\n- checkbox “News” on",
		"list the images":                "There is one image.\n\n- [A cup](<https://example.com/x.png>), 4 × 3",
		"list the downloads":             "There is one download.\n\n- list\\_1.csv, done",
		"list the headings":              "There is one heading.\n\n- H1: Tea",
		"read this page":                 "Read [https://example.com/](<https://example.com/>) “Shop”.\n\n> # Tea\n>\n> - green\n>\n> ```\n> code\n\n… 15 more characters are not shown.",
		"find tea":                       "Found “tea” in 2 places.\n\n- We have **tea** and \\*more\\*\n\n… 1 more places are not shown.",
		"go to example.com/a_b":          "Went to [https://example.com/a\\_b](<https://example.com/a_b>) “A\\_B”.",
		"fill Name with Ada":             "Filled Name with “Ada”.",
		"set Name to Ada":                "Filled Name with “Ada”.",
		"type Dear Ada into Name":        "Typed into Name, which now contains “Dear Ada”.",
		"press Enter":                    "Pressed Enter. It led to [https://example.com/next](<https://example.com/next>) “Next”.\n\n- The page says “Saved \\*now\\*”\n- New: `e9 btn Undo`",
		"fill Name with Ada, list forms": "Filled Name with “Ada”.\n\nThere are 2 form fields.\n\n- field “Name” with “Ada”, required\n- checkbox “News” on",
	} {
		plan, unknown := g.Parse(say)
		if unknown != nil {
			t.Fatalf("%q is not understood", say)
		}
		var texts []string
		out := NewEngine(commander, "").Run(t.Context(), plan, func(e Event) {
			if e.Text != "" {
				texts = append(texts, e.Text)
			}
		})
		if out.Text != want {
			t.Errorf("%q says\n%s\nwant\n%s", say, out.Text, want)
		}
		if reported := strings.Join(texts, "\n\n"); reported != want {
			t.Errorf("%q: its steps say\n%s\nwant\n%s", say, reported, want)
		}
	}
}
