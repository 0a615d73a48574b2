package match

import (
	"cmp"
	"strings"
	"testing"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/protocol"
)

func thing(ref, role, name string, children ...*protocol.SnapshotItem) *protocol.SnapshotItem {
	return &protocol.SnapshotItem{Ref: ref, Role: role, Name: name, Children: children}
}

// An element is found by the user's words, and nothing is found if the words
// are not clear.
func TestChoose(t *testing.T) {
	t.Parallel()
	heading := thing("e20", "link", "Second hit")
	heading.Level = 3
	same := thing("e30", "link", "Docs")
	same.Href = "/docs"
	again := thing("e31", "link", "Docs")
	again.Href = "/docs"
	page := Flatten([]*protocol.SnapshotItem{
		thing("", "banner", "", thing("e1", "button", "Save"), thing("", "navigation", "", thing("e2", "link", "Home"))),
		thing("", "main", "",
			thing("e3", "button", "Save"), thing("e4", "link", "Sign in"), thing("e5", "textbox", "E-mail address"), thing("e6", "searchbox", "Find anything"),
			thing("e7", "checkbox", "Newsletter"), thing("e8", "combobox", "Country"), thing("e9", "button", "Delete all files"),
			thing("", "heading", "Prices"), thing("", "heading", "", thing("e10", "link", "First hit")), heading,
			thing("", "region", "Billing", thing("e11", "textbox", "Name")), thing("", "region", "Delivery", thing("e12", "textbox", "Name")),
			thing("e13", "button", "What’s new?"), thing("e14", "button", "Save as…"), thing("e15", "button", "Next ›")),
		same, again,
		thing("e40", "list", "", thing("", "text", "Alpha"), thing("", "text", "Beta")), thing("e41", "click", "Gamma Delta"),
	})
	// A heading without a level would count as the page's own title.
	for _, s := range page {
		if s.Role == "heading" {
			s.Level = 2
		}
	}
	g := grammar.New(nil)
	for _, test := range []struct {
		said string
		verb grammar.Verb
		want string
	}{
		{"Save in the header", grammar.VerbClick, "e1"},
		{"the second Save button", grammar.VerbClick, "e3"},
		{"the last Save button", grammar.VerbClick, "e3"},
		{"Save", grammar.VerbClick, "e1 e3"},
		{"the third Save button", grammar.VerbClick, ""},
		{"the sign-in button", grammar.VerbClick, "e4"},
		{"signin", grammar.VerbClick, "e4"},
		{"email address", grammar.VerbType, "e5"},
		{"the E-mail field", grammar.VerbType, "e5"},
		{"Search", grammar.VerbType, "e6"},
		{"the search box", grammar.VerbType, "e6"},
		{"the search button", grammar.VerbClick, ""},
		{"newsletter", grammar.VerbCheck, "e7"},
		{"the Newsletter box", grammar.VerbCheck, "e7"},
		{"Country", grammar.VerbSelect, "e8"},
		{"files", grammar.VerbClick, ""}, // part of a name that contains "delete"
		{"Delete all files", grammar.VerbClick, "e9"},
		{"the first result", grammar.VerbClick, "e10"},
		{"the second result", grammar.VerbClick, "e20"},
		{"the third result", grammar.VerbClick, ""},
		{"Prices", grammar.VerbScroll, "Prices"},
		{"Prices", grammar.VerbClick, ""},
		{"Name", grammar.VerbFill, "e11 e12"},
		{"Name in the Delivery section", grammar.VerbFill, "e12"},
		{"Docs", grammar.VerbClick, "e30"},
		{`"What's new?"`, grammar.VerbClick, "e13"},
		{"Save as", grammar.VerbClick, "e14"},
		{"Next", grammar.VerbClick, "e15"},
		{"Beta", grammar.VerbClick, "Beta"},
		{"Delta", grammar.VerbClick, "e41"},
		{"Gamma Delta", grammar.VerbHover, "e41"},
		{"the first link in the navigation", grammar.VerbClick, "e2"},
	} {
		target, ok := g.Target(test.said)
		if !ok {
			t.Errorf("%q is no target", test.said)
			continue
		}
		var got []string
		for _, s := range Choose(page, target, test.verb) {
			got = append(got, cmp.Or(s.Ref, s.Name))
		}
		if is := strings.Join(got, " "); is != test.want {
			t.Errorf("%s %q (%+v) is %q, want %q", test.verb, test.said, target, is, test.want)
		}
	}
}

// Similar elements are offered if none has the name.
func TestSimilar(t *testing.T) {
	t.Parallel()
	page := Flatten([]*protocol.SnapshotItem{
		thing("e1", "button", "Save changes"), thing("e2", "button", "Cancel"), thing("e3", "textbox", "Street"), thing("", "text", "Saved changes"),
	})
	for _, test := range []struct {
		name string
		verb grammar.Verb
		want string
	}{
		{"the changes", grammar.VerbClick, "e1"},
		{"Cancl", grammar.VerbClick, "e2"},
		{"Country", grammar.VerbFill, ""},
		{"", grammar.VerbFill, "e3"},
		{"", grammar.VerbScroll, ""},
	} {
		var got []string
		for _, s := range Similar(page, grammar.Target{Name: test.name}, test.verb) {
			got = append(got, s.Ref)
		}
		if is := strings.Join(got, " "); is != test.want {
			t.Errorf("%s %q is near %q, want %q", test.verb, test.name, is, test.want)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{"  Save   as… ": "save as", "“What’s new?”": "what's new", "E-mail": "e-mail", "Next ›": "next", "": ""} {
		if got := Even(said); got != want {
			t.Errorf("%q is %q, not %q", said, got, want)
		}
	}
	if got := Squeezed("Sign-in, №7"); got != "signin7" {
		t.Errorf("squeezed it is %q", got)
	}
}
