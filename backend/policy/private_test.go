package policy

import (
	"slices"
	"testing"

	"pilotfish/backend/protocol"
)

// In the user's own browser an agent has only the tabs that it opened, what their pages
// opened, and the tab beside it once the user gave it. It has begun on no site.
func TestPrivate(t *testing.T) {
	p := New(Config{Private: true})
	tabs := []protocol.Tab{
		{ID: "t1", URL: "https://mail.example/"},
		{ID: "t2", URL: "https://bank.example/"},
		{ID: "t3", URL: "https://a.example/"},
		{ID: "t4", Opener: "t3"},
		{ID: "t5", Opener: "t1"},
	}
	p.Opened(agent, "t3")
	names := func(list []protocol.Tab) (ids []protocol.TabID) {
		for _, tab := range list {
			ids = append(ids, tab.ID)
		}
		return ids
	}
	want := func(what string, got []protocol.Tab, ids ...protocol.TabID) {
		t.Helper()
		if !slices.Equal(names(got), ids) {
			t.Errorf("%s: %v, want %v", what, names(got), ids)
		}
	}
	want("an agent beside t1", p.Sees(agent, "t1", tabs), "t3", "t4")
	want("another one", p.Sees(other, "t2", tabs))
	want("the user", p.Sees(user, "t1", tabs), "t1", "t2", "t3", "t4", "t5")
	want("what any agent may know", p.Shown(tabs), "t3", "t4")
	tabs[0].Given = true
	want("with t1 given", p.Sees(agent, "t1", tabs), "t1", "t3", "t4", "t5")
	want("beside another tab", p.Sees(other, "t2", tabs))
	want("what any agent may know with t1", p.Shown(tabs), "t1", "t3", "t4", "t5")

	p.Begin(agent, "", "https://mail.example/")
	if p.Known(agent, "https://mail.example/") {
		t.Error("it has begun where the user is signed in")
	}
	open := New(Config{})
	want("a browser of Pilotfish", open.Sees(agent, "t1", tabs), names(tabs)...)
}
