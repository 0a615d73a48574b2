//go:build unix

package acp_test

import (
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

func TestToolCalls(t *testing.T) {
	session, sink := open(t, start(t))
	prompt(t, session, "tool Read it; failing; unannounced; replace; raw")
	tools := sink.tools()
	if len(tools) != 5 {
		t.Fatalf("%d calls: %+v", len(tools), tools)
	}
	read, failing, unannounced, replaced, raw := tools[0], tools[1], tools[2], tools[3], tools[4]
	if *read.Title != "Read it" || *read.Kind != "read" || *read.Status != protocol.ToolDone || string(read.Input) != `{"lines":20,"path":"main.go"}` ||
		read.Content[0].Text != "package main" || !slices.Equal(read.Paths, []string{"/src/main.go"}) {
		t.Errorf("%+v", read)
	}
	if *failing.Status != protocol.ToolFailed || failing.Content[0].Text != "no such file" {
		t.Errorf("%+v", failing)
	}
	if *unannounced.Title != "Never announced" || *unannounced.Status != protocol.ToolDone {
		t.Errorf("%+v", unannounced)
	}
	if len(replaced.Content) != 2 || replaced.Content[1].Text != "2 passed" || *replaced.Status != protocol.ToolDone {
		t.Errorf("%+v", replaced)
	}
	if len(raw.Content) != 1 || raw.Content[0].Text != "forty-two" {
		t.Errorf("%+v", raw)
	}
	if first := sink.updates[slices.IndexFunc(sink.history(), func(line string) bool { return line == "tool -" })]; first.Tool == nil {
		t.Error("what has no status was given one")
	}
}

func TestDiffsPicturesAndPlans(t *testing.T) {
	session, sink := open(t, start(t))
	prompt(t, session, "diff; image; plan; messages")
	tools := sink.tools()
	edit := tools[0].Content
	if len(edit) != 2 || edit[0].Kind != protocol.ContentDiff || edit[0].Old != "package main\n\nfunc main() {}\n" || edit[0].Fresh || !edit[1].Fresh || edit[1].Path != "/src/new.go" {
		t.Errorf("%+v", edit)
	}
	picture := tools[1]
	if len(picture.Content) != 2 || picture.Content[1].Kind != protocol.ContentImage || len(picture.Images) != 1 || picture.Images[0].Mime != "image/png" || !strings.HasPrefix(string(picture.Images[0].Data), "\x89PNG") {
		t.Errorf("%+v", picture)
	}
	got := sink.history()
	for _, want := range []string{"picture image/png", "plan in_progress pending pending", "plan completed completed completed"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	var ids []string
	for _, u := range sink.updates {
		if u.Text != nil && u.Text.Image == nil {
			ids = append(ids, u.Text.ID[len(u.Text.ID)-1:])
		}
	}
	if !slices.Equal(ids, []string{"0", "0", "1", "1"}) {
		t.Errorf("the messages' ids are %q", ids)
	}
}

func TestATextThatIsCutWithinItsCharacters(t *testing.T) {
	session, sink := open(t, start(t))
	prompt(t, session, "split")
	if sink.text() != "Grüße 🐟." {
		t.Errorf("%q", sink.text())
	}
}
