package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/agent/builtin/match"
	"pilotfish/backend/protocol"
)

func thing(ref, role, name string, children ...*protocol.SnapshotItem) *protocol.SnapshotItem {
	return &protocol.SnapshotItem{Ref: ref, Role: role, Name: name, Children: children}
}

// If an element that was found only listens for clicks, its text is the target.
// So it is for an element without a ref.
func TestPointed(t *testing.T) {
	t.Parallel()
	listens, text := match.Thing{SnapshotItem: thing("e1", "click", "Gamma Delta")}, match.Thing{SnapshotItem: thing("", "heading", "Prices")}
	for _, test := range []struct {
		thing match.Thing
		name  string
		verb  grammar.Verb
		want  string
	}{
		{listens, "Delta", grammar.VerbClick, `text="Delta"`},
		{listens, "gamma delta", grammar.VerbHover, "e1"},
		{listens, "Delta", grammar.VerbScroll, "e1"},
		{text, "Prices", grammar.VerbScroll, `text="Prices"`},
		{match.Thing{SnapshotItem: thing("e2", "button", "Save as…")}, "Save", grammar.VerbClick, "e2"},
	} {
		if got := pointed(test.thing, grammar.Target{Name: test.name}, test.verb).target; got != test.want {
			t.Errorf("%s %q is %q, want %q", test.verb, test.name, got, test.want)
		}
	}
}

// Texts of a page are data in every part of an answer: none of it is Markdown,
// and none of it ends its block.
func TestPageWordsAreData(t *testing.T) {
	t.Parallel()
	bad := "``` \n````\n![x](http://evil/a.png) <script>x</script>\u202e\x1b[31m"
	said := "<page-0123456789abcdef origin=\"https://a\">" + bad + "</page-0123456789abcdef>"
	answer := func(req protocol.CommandRequest) any {
		switch req.Command {
		case "markdown":
			return protocol.PageText{URL: "https://a/" + bad, Title: bad, Text: bad, Length: 20_000}
		case "title":
			return protocol.PageInfo{URL: "https://a/`" + bad, Title: bad}
		case "snapshot":
			return protocol.Snapshot{Items: []*protocol.SnapshotItem{thing("e1", "button", bad), thing("e2", "button", bad+" b")}}
		case "click":
			return nil
		}
		return []any{}
	}
	commander := Commander(func(_ context.Context, req protocol.CommandRequest) protocol.CommandReply {
		data := answer(req)
		if data == nil {
			return protocol.CommandReply{Error: protocol.NewError(protocol.CodeCovered, said, said)}
		}
		raw, err := json.Marshal(data)
		if err != nil {
			return protocol.CommandReply{Error: protocol.AsError(err)}
		}
		return protocol.CommandReply{OK: true, Data: raw}
	})
	g := grammar.New(nil) // its patterns are compiled once
	for _, say := range []string{"read this page", "what is the title", "where am I", "click x", "click @e1", "list the buttons"} {
		plan, unknown := g.Parse(say)
		if unknown != nil {
			t.Fatalf("%q is not understood", say)
		}
		out := NewEngine(commander, "").Run(t.Context(), plan, func(Event) {})
		if strings.ContainsAny(out.Text, "\u202e\x1b") {
			t.Errorf("%q: the answer has what turns or hides text: %q", say, out.Text)
		}
		if strings.Contains(out.Brief, "evil") {
			t.Errorf("%q: words of the page are in what another agent is told: %q", say, out.Brief)
		}
		fence := ""
		for line := range strings.Lines(out.Text) {
			line = strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(line, ">"):
				if strings.Contains(strings.ReplaceAll(line, `\!`, ""), "![") || strings.Contains(strings.ReplaceAll(line, `\<`, ""), "<script") {
					t.Errorf("%q: in a quotation stands %q", say, line)
				}
			case fence == "" && strings.HasPrefix(line, "```"):
				fence = line
			case line == fence:
				fence = ""
			case fence == "":
				if strings.Contains(line, "![") || strings.Contains(line, "<script") && !strings.Contains(line, `\<script`) {
					t.Errorf("%q: outside of a block stands %q", say, line)
				}
			}
		}
		if fence != "" {
			t.Errorf("%q: a block does not end: %q", say, out.Text)
		}
	}
}

// Whatever the message is, a plan has only the user's words in it, each step
// has a line of its own, and the same message gives the same plan.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"go to hn, click new, then scroll down and take a screenshot", `type "a, b and click c" into Notes`, "fill Name with Ada and Surname with Lovelace",
		"click 'Don’t'", "1. back\n2. forward", "\uE000\uE001 click \uE000", `click "`, `type "" into x`, "click role=button name=\"Save\"", "check the a box",
		"press ctrl+", "wait 1e9 seconds", "scroll down 99999 px", strings.Repeat("click a and ", 40), strings.Repeat("\"", 301),
	} {
		f.Add(seed)
	}
	g := grammar.New(nil)
	f.Fuzz(func(t *testing.T, text string) {
		plan, unknown := g.Parse(text)
		if (unknown == nil) == (len(plan.Steps) == 0) {
			t.Fatalf("%q: %d steps, and unknown is %v", text, len(plan.Steps), unknown)
		}
		if unknown != nil {
			if Explain(unknown, nil) == "" {
				t.Errorf("%q: no explanation", text)
			}
			return
		}
		plain := match.Squeezed(text)
		for _, s := range plan.Steps {
			if intent(s) == "" || s.Said == "" {
				t.Errorf("%q: a step has no words: %+v", text, s)
			}
			words := []string{s.Target.Name, s.To.Name}
			if slices.Contains([]grammar.Verb{grammar.VerbType, grammar.VerbFill, grammar.VerbSet, grammar.VerbSelect, grammar.VerbFind, grammar.VerbSearch, grammar.VerbSearchHere}, s.Verb) {
				words = append(words, s.Text)
			}
			for _, w := range words {
				if !strings.Contains(plain, match.Squeezed(w)) {
					t.Errorf("%q: %q is not what was said", text, w)
				}
			}
		}
		if again, _ := g.Parse(text); fmt.Sprint(again) != fmt.Sprint(plan) {
			t.Errorf("%q means two things", text)
		}
	})
}
