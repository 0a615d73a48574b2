package recorder

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/files"
	"pilotfish/backend/chat/transcript"
	"pilotfish/backend/protocol"
)

// recorded is a Recorder with a transcript of its own, in the turn "m1".
type recorded struct {
	*Recorder
	t       *testing.T
	dir     string
	head    protocol.Conversation
	events  int
	refused error
}

func record(t *testing.T) *recorded {
	t.Helper()
	r := &recorded{t: t, dir: t.TempDir(), head: protocol.Conversation{Tab: "t1"}}
	entries := transcript.New(filepath.Join(r.dir, "c1"), 0, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		if err := entries.Close(); err != nil {
			t.Error(err)
		}
	})
	r.Recorder = New(Config{
		Entries: entries, Files: files.Store{Root: r.dir, Dir: filepath.Join(r.dir, "c1")},
		Open: func() error {
			if r.refused != nil || entries.IsOpen() {
				return r.refused
			}
			return entries.Open(func(uint64) {})
		},
		Written: func(protocol.ChatEvent) { r.events++ },
		Head:    &r.head,
	})
	r.Begin("m1")
	return r
}

func (r *recorded) update(updates ...driver.Update) {
	r.t.Helper()
	for _, u := range updates {
		if entry, err := r.Update(u); !entry || err != nil {
			r.t.Fatalf("%+v is no entry, or cannot be written: %v", u, err)
		}
	}
}

// short returns the entries in short form.
func (r *recorded) short() []string {
	var out []string
	for _, e := range r.entries.Recent() {
		words := string(e.Kind) + " " + e.Text
		if e.Tool != nil {
			words = strings.Join([]string{"tool", e.Tool.Title, e.Tool.Line, string(e.Tool.Status)}, ", ")
		}
		if e.End != nil {
			words += string(e.End.Reason)
		}
		if e.Open {
			words += " (open)"
		}
		out = append(out, words)
	}
	return out
}

func (r *recorded) want(want ...string) {
	r.t.Helper()
	if got := r.short(); !slices.Equal(got, want) {
		r.t.Errorf("the entries are\n%q\nand not\n%q", got, want)
	}
}

func text(s, id string) driver.Update { return driver.Update{Text: &driver.Chunk{Text: s, ID: id}} }

func call(id, name string, status protocol.ToolStatus) driver.Update {
	return driver.Update{Tool: &driver.ToolUpdate{Call: id, Name: name, Status: &status}}
}

// A text grows until something else follows: another kind, another message, or
// an end.
func TestTextsGrow(t *testing.T) {
	r := record(t)
	r.update(text("a", ""), text("", ""), text("b", ""), text("c", "2"), text("d", "2"), driver.Update{Thought: &driver.Chunk{Text: "e"}})
	r.want("text ab", "text cd", "thought e (open)")
	if r.head.Entries != 3 || r.events != 7 {
		t.Errorf("%d entries were made by %d events", r.head.Entries, r.events)
	}
	if err := r.End(protocol.EndDone, nil, nil, 0); err != nil {
		t.Fatal(err)
	}
	r.want("text ab", "text cd", "thought e", "end done")
}

// A text that is longer than an entry continues in the next one, and no
// character is cut.
func TestALongText(t *testing.T) {
	r := record(t)
	long := strings.Repeat("é", maxBlock)
	r.update(text("x"+long, ""), text("y", ""))
	recent := r.entries.Recent()
	if len(recent) != 2 || recent[0].Text != "x"+long || recent[1].Text != "y" {
		t.Errorf("%d entries: %q", len(recent), r.short()[1:])
	}
	if r.events < 4 {
		t.Errorf("%d bytes were written by %d events", len(long), r.events)
	}
}

func TestAPlanTakesThePlaceOfTheOneBefore(t *testing.T) {
	r := record(t)
	plan := func(text string) driver.Update {
		return driver.Update{Plan: []protocol.ChatPlanItem{{Text: text}}}
	}
	r.update(plan("look"), text("a", ""), plan("act"))
	r.want("plan ", "text a (open)")
	if items := r.entries.Recent()[0].Plan; len(items) != 1 || items[0].Text != "act" {
		t.Errorf("the plan is %+v", items)
	}
}

// The end of a turn closes all open entries, with a status that depends on the
// reason.
func TestTheEndClosesWhatIsOpen(t *testing.T) {
	for reason, status := range map[protocol.EndReason]protocol.ToolStatus{
		protocol.EndDone: protocol.ToolDone, protocol.EndCancelled: protocol.ToolCancelled, protocol.EndCrashed: protocol.ToolFailed,
	} {
		r := record(t)
		r.update(call("1", "make", protocol.ToolRunning), call("2", "test", protocol.ToolDone))
		if err := r.End(reason, nil, nil, 0); err != nil {
			t.Fatal(err)
		}
		r.want("tool, make, , "+string(status), "tool, test, , done", "end "+string(reason))
	}
}

// A step is shown at its tool call, whichever of them arrives first.
func TestSteps(t *testing.T) {
	r := record(t)
	step := func(line string) bool {
		written, err := r.Step(Step{Line: line, OK: true})
		if err != nil {
			t.Fatal(err)
		}
		return written
	}
	r.update(call("1", "browser_act", protocol.ToolRunning))
	if !step("Clicked Save") || !step("Typed hello") {
		t.Error("a step waits for a call that is there")
	}
	r.update(call("1", "", protocol.ToolDone))
	if step("Opened example.com") || r.Waiting() != 1 {
		t.Error("a step was written at a call that is over")
	}
	r.update(call("2", "browser_navigate", protocol.ToolRunning))
	if r.Waiting() != 0 {
		t.Error("the call did not take the step")
	}
	r.update(call("2", "", protocol.ToolDone))
	step("Looked at the page")
	if err := r.FlushSteps(); err != nil {
		t.Fatal(err)
	}
	r.want("tool, browser_act, Clicked Save, typed hello, done", "tool, browser_navigate, Opened example.com, done", "tool, Looked at the page, Looked at the page, done")
}

// The outcome of a call replaces the call, and may ask about elements of the
// conversation's tab.
func TestAnAnswer(t *testing.T) {
	r := record(t)
	r.update(call("1", "click", protocol.ToolRunning))
	r.update(driver.Update{Tool: &driver.ToolUpdate{Call: "1", Answer: &driver.Answer{Text: "Which one?", Picture: "shots/1.png", Which: &protocol.ChatWhich{}}}})
	r.want("text Which one?")
	e := r.entries.Recent()[0]
	if e.Tool != nil || e.Which == nil || e.Which.Tab != "t1" || len(e.Images) != 1 || e.Images[0].Mime != "image/png" {
		t.Errorf("the answer is %+v", e)
	}
}

func TestPictures(t *testing.T) {
	r := record(t)
	image := driver.Image{Mime: "image/png", Data: []byte("bytes")}
	r.update(driver.Update{Text: &driver.Chunk{Image: &image}})
	r.update(driver.Update{Tool: &driver.ToolUpdate{
		Call: "1", Content: []protocol.ToolContent{{Kind: protocol.ContentText, Text: "a"}, {Kind: protocol.ContentImage}}, Images: []driver.Image{image},
	}})
	recent := r.entries.Recent()
	for _, path := range []string{recent[0].Images[0].Path, recent[1].Tool.Content[1].Path} {
		if data, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(path))); err != nil || string(data) != "bytes" {
			t.Errorf("%q has %q, %v", path, data, err)
		}
	}
}

// A question comes after its tool call; once it has ended it is not changed.
func TestQuestions(t *testing.T) {
	r := record(t)
	title := "Write a file"
	e, err := r.Question(driver.Ask{
		Tool:    driver.ToolUpdate{Call: "1", Title: &title, Input: json.RawMessage(`{"path":"a"}`)},
		Options: []protocol.PermissionOption{{ID: "yes"}},
	})
	if err != nil || e.Permission.Subject.Title != title || e.Permission.Tool == "" || e.Permission.Tab != "t1" || !e.Open {
		t.Fatalf("%+v, %v", e.Permission, err)
	}
	end := func(outcome string) {
		if err := r.Amend(e.ID, func(p *protocol.ChatPermission, e *protocol.ChatEntry) { p.Outcome, e.Open = outcome, false }); err != nil {
			t.Fatal(err)
		}
	}
	end("allowed")
	end("denied")
	if now, _ := r.entries.Entry(e.ID); now.Permission.Outcome != "allowed" || now.Open {
		t.Errorf("it ended as %+v", now.Permission)
	}
	if without, err := r.Question(driver.Ask{Tool: driver.ToolUpdate{Title: &title}}); err != nil || without.Permission.Tool != "" || without.Permission.Options == nil {
		t.Errorf("a question without a call: %+v, %v", without.Permission, err)
	}
}

// Another turn is recorded in the middle of one, which then continues.
func TestAside(t *testing.T) {
	r := record(t)
	r.update(call("1", "make", protocol.ToolRunning))
	err := r.Aside("m0", func() error {
		_, err := r.Update(text("before", ""))
		return errors.Join(err, r.CloseText())
	})
	if err != nil || r.Message() != "m1" {
		t.Errorf("the turn is %s, %v", r.Message(), err)
	}
	r.update(call("1", "", protocol.ToolDone))
	r.want("tool, make, , done", "text before")
}

// A failed write returns an error, and the event is not published.
func TestWhatCannotBeWritten(t *testing.T) {
	r := record(t)
	r.refused = errors.New("the disk is full")
	if entry, err := r.Update(text("a", "")); !entry || !errors.Is(err, r.refused) {
		t.Errorf("%v, %v", entry, err)
	}
	if r.events != 0 {
		t.Errorf("%d events were shown", r.events)
	}
	if entry, err := r.Update(driver.Update{Commands: []protocol.ChatCommand{}}); entry || err != nil {
		t.Errorf("commands are no entry: %v, %v", entry, err)
	}
}
