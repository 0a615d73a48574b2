package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) != "" { // the backend that a measurement starts
		main()
		return
	}
	os.Exit(m.Run())
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		row  row
		want bool
	}{
		{row{Value: 60, Rule: valueAtMost, Limit: 60}, true},
		{row{Value: 61, Rule: valueAtMost, Limit: 60}, false},
		{row{Value: 9, Rule: valueAtLeast, Limit: 10}, false},
		{row{Value: 3, Rule: ratioAtMost, Limit: 1.5}.beside(2), true},
		{row{Value: 3.1, Rule: ratioAtMost, Limit: 1.5}.beside(2), false},
		{row{Value: 69, Rule: ratioAtLeast, Limit: 0.7}.beside(100), false},
		{row{Value: 69, Rule: ratioAtLeast, Limit: 0.7}, false},
		{row{Value: 1, Rule: informs}, true},
		{row{Value: 10}.peer("slower", 11).atMost(1), true},
		{row{Value: 10}.peer("slower", 11).peer("faster", 9).atMost(1), false},
		{row{Value: 10, Rule: informs}.atMost(1), true},
		{row{Value: 1}, false},
	} {
		if got := c.row.judged().OK; got != c.want {
			t.Errorf("%+v: %v", c.row, got)
		}
	}
}

func TestRunMeasuresAndWrites(t *testing.T) {
	file := filepath.Join(t.TempDir(), "build", "bench.json")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-quick", "-only", "^terminal.paste$", "-o", file}, &out); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	if err := json.Unmarshal(b, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0].Name != "terminal.paste" || !rows[0].OK || rows[0].Value != 10 {
		t.Errorf("rows = %+v", rows)
	}
	if !strings.Contains(out.String(), "terminal.paste") {
		t.Errorf("table = %s", out.String())
	}
	if err := run(t.Context(), []string{"-only", "("}, &out); err == nil {
		t.Error("a broken pattern was taken")
	}
}

func TestRefsOfEveryLook(t *testing.T) {
	for _, c := range []struct{ look, name, want string }{
		{"page \"Bench\" http://x 1280x713 [↑0 ↓0]\ne16 btn Add [focused]\nf2e3 edit Name", "Add", "e16"},
		{"e16 btn Add\n f2e3 edit Name", "Name", "f2e3"},
		{"- button \"Add\" [ref=e2]\n- textbox \"Name\" [ref=e4]", "Name", "e4"},
		{"  - button \"Add\" [active] [ref=f1e2] [cursor=pointer]", "Add", "f1e2"},
		{"- textbox \"Name\" [disabled, ref=e9]", "Name", "e9"},
		{"uid=1_0 RootWebArea \"Add\" url=\"x\"\n  uid=1_2 button \"Name\" focused", "Name", "1_2"},
	} {
		if got, err := refIn(c.look, c.name); err != nil || got != c.want {
			t.Errorf("%s in %q: %q, %v", c.name, c.look, got, err)
		}
	}
	if _, err := refIn("e1 btn Address", "Add"); err == nil {
		t.Error("a longer name was taken")
	}
}

func TestTheBestPeerIsTheReference(t *testing.T) {
	s := samples{ours: {3, 1, 2}, "a": {9}, "b": {4, 4, 8}}
	r := s.row("x", "ms").judged()
	if r.Value != 2 || *r.P99 != 3 || r.Than != "b" || *r.Reference != 4 || *r.Ratio != 0.5 || len(r.Peers) != 2 || !r.OK {
		t.Errorf("%+v", r)
	}
	if r = r.against("a"); r.Than != "a" || *r.Reference != 9 {
		t.Errorf("%+v", r)
	}
	if r = r.against("nobody"); r.Than != "a" {
		t.Errorf("%+v", r)
	}
}

// One that fails is left out and named; that we fail is an error.
func TestAPeerThatFailsIsLeftOut(t *testing.T) {
	c := &company{drivers: []driver{&program{called: ours}, &program{called: "a", end: func(context.Context) error { return nil }}, &program{called: "b"}}}
	took := samples{}
	err := c.turns(t.Context(), 4, func(_ context.Context, d driver, i int) error {
		if d.name() == "a" && i == 1 {
			return errors.New("it hangs")
		}
		took.add(d.name(), 1)
		return nil
	})
	if err != nil || len(c.only(took)) != 2 || len(took[ours]) != 4 || len(took["b"]) != 4 {
		t.Errorf("%v, %v", took, err)
	}
	rows := c.noted([]row{{Name: "x"}})
	if len(rows[0].Notes) != 1 || !strings.Contains(rows[0].Notes[0], "it hangs") {
		t.Errorf("notes = %v", rows[0].Notes)
	}
	if err := c.turns(t.Context(), 1, func(context.Context, driver, int) error { return errors.New("no") }); err == nil {
		t.Error("our own failure was passed over")
	}
}

// The pages hand over what they saw, and have what is looked for.
func TestPagesHoldWhatIsMeasured(t *testing.T) {
	if n := strings.Count(formPage(), "<input") + strings.Count(formPage(), "<select") + strings.Count(formPage(), "<button"); n != 19 {
		t.Errorf("the form has %d controls", n)
	}
	if n := strings.Count(largePage(), "</"); n != 20000 {
		t.Errorf("the large page has %d elements", n)
	}
	if n := strings.Count(labelsPage(), "</button>"); n != 600 {
		t.Errorf("the page of labels has %d buttons", n)
	}
	if n := len(regexp.MustCompile("<(a|button|input) ").FindAllString(controls(1000), -1)) + strings.Count(controls(1000), "<button>"); n != 1000 {
		t.Errorf("the page of controls has %d", n)
	}
	if n := strings.Count(sections(), "<section>") * sectionNodes; n < 19_900 || n > 20_000 {
		t.Errorf("the page of sections has %d nodes", n)
	}
}

// A look that leaves out, doubles or renames what the page has in view fails the
// measurement.
func TestWhatIsInViewIsCompared(t *testing.T) {
	const text = "page \"Bench\" http://x 1280x713 [↑0 ↓0]\nmain\n e1 link Item 0 →/item/0\n e2 btn Edit 0 [disabled]"
	if err := shows(text, []string{"link Item 0 →/item/0", "btn Edit 0 [disabled]"}); err != nil {
		t.Error(err)
	}
	for _, want := range [][]string{nil, {"btn Edit 1"}, {"btn Edit 0"}} {
		if shows(text, want) == nil {
			t.Errorf("%q was found", want)
		}
	}
	if shows(text+"\n e3 btn Edit 0 [disabled]", []string{"btn Edit 0 [disabled]"}) == nil {
		t.Error("a thing was shown twice")
	}
	if shows(text+"\n e2 btn Other", []string{"btn Other"}) == nil {
		t.Error("two things had one ref")
	}
}

// What runs between the marks is counted, in either process; a record without the
// timer that was set to be seen is worth nothing.
func TestIdleCounts(t *testing.T) {
	events := []traced{
		{"bench-page-control", "R", 1, 1e6},
		{"TimerFire", "X", 1, 1.5e6},
		{"bench-page-begin", "R", 1, 2e6},
		{"bench-extension-control", "R", 2, 1e6},
		{"TimerFire", "X", 2, 1.5e6},
		{"bench-extension-begin", "R", 2, 2e6},
		{"TimerFire", "X", 1, 5e6},
		{"WebSocketReceive", "I", 2, 6e6},
		{"FunctionCall", "X", 3, 6e6},
		{"Paint", "X", 1, 6e6},
		{"bench-end", "R", 1, 9e6},
		{"FunctionCall", "X", 1, 10e6},
	}
	got, err := idleCounts(events)
	if err != nil || len(got) != 2 || got["page TimerFire"] != 1 || got["extension WebSocketReceive"] != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := idleCounts(slices.Delete(slices.Clone(events), 4, 5)); err == nil {
		t.Error("a recorder that sees no timer was believed")
	}
	if _, err := idleCounts(events[1:]); err != nil {
		t.Error(err)
	}
	if _, err := idleCounts(events[3:]); err == nil {
		t.Error("a record without its marks was believed")
	}
}
