package task

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// searched returns the tasks and places in which a text is found, in short
// form.
func searched(s *Store, text string) string {
	tasks, found := s.Search(text, 0)
	var out []string
	for i, t := range tasks {
		line := t.Title
		if len(found) > i {
			f := found[i]
			line += fmt.Sprintf(" %s %d: %s[%s]%s", f.In, f.Step, f.Before, f.Match, f.After)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

const pressed = `{"n":1,"url":"https://shop.example/cart","title":"Cart","thought":{"goal":"Empty the basket."},"deeds":[` +
	`{"action":{"do":"type","ref":"e1","text":"Zürich"},"target":"edit City","result":{"ok":true,"text":"<page-0123456789abcdef origin=\"https://shop.example\">\nVoucher ABC-42 accepted\n</page-0123456789abcdef>"}}]}`

func TestSearchFindsWhatStepsSay(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	write(t, s, "a", protocol.TaskEventHead, head(protocol.TaskRunning), "")
	write(t, s, "a", protocol.TaskEventStep, nil, pressed)
	write(t, s, "a", protocol.TaskEventUser, nil, `{"text":"not the red one"}`)
	over := head(protocol.TaskDone)
	over.Summary = "The basket is empty."
	write(t, s, "a", protocol.TaskEventHead, over, "")
	// Once from memory as the events were written, once from disk.
	next, _ := open(t, dir)
	for name, s := range map[string]*Store{"as it was written": s, "after a restart": next} {
		t.Run(name, func(t *testing.T) {
			for said, want := range map[string]string{
				"FILL":        "Fill the form title 0: [Fill] the form",
				"is empty":    "Fill the form summary 0: The basket [is empty].",
				"empty  the":  "Fill the form aim 1: [Empty the] basket.",
				"zürich":      "Fill the form action 1: type [Zürich] edit City",
				"edit city":   "Fill the form action 1: type Zürich [edit City]",
				"voucher abc": "Fill the form result 1: [Voucher ABC]-42 accepted",
				"/cart":       "Fill the form page 1: Cart https://shop.example[/cart]",
				"red one":     "Fill the form person 0: not the [red one]",
				"origin=":     "", // the frame around text of a page is not part of it
				"nowhere":     "",
				"":            "Fill the form",
			} {
				if got := searched(s, said); got != want {
					t.Errorf("%q is found in %q, want %q", said, got, want)
				}
			}
		})
	}
}

func TestSearchKeepsUpWithATaskThatRuns(t *testing.T) {
	s, _ := open(t, t.TempDir())
	write(t, s, "a", protocol.TaskEventHead, head(protocol.TaskRunning), "")
	write(t, s, "a", protocol.TaskEventStep, nil, `{"n":1,"thought":{"goal":"Look for apples."},"deeds":[]}`)
	if got := searched(s, "apples"); got == "" {
		t.Error("the first step is not found")
	}
	// The finished step replaces the step that was only planned.
	write(t, s, "a", protocol.TaskEventStep, nil, `{"n":1,"thought":{"goal":"Look for pears."},"deeds":[]}`)
	write(t, s, "a", protocol.TaskEventStep, nil, `{"n":2,"thought":{"goal":"Buy pears."},"deeds":[]}`)
	if got := searched(s, "apples"); got != "" {
		t.Errorf("what was replaced is found: %s", got)
	}
	if got := searched(s, "pears"); !strings.Contains(got, "aim 1") {
		t.Errorf("the first place is not told: %s", got)
	}
	// The task can still be written after it was searched.
	if page, err := s.Read(id, 0, 10); err != nil || len(page.Events) != 3 {
		t.Errorf("page = %+v, %v", page, err)
	}
}

// BenchmarkSearch searches for a text that no task has, in as many tasks as a
// year brings.
func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	open := func() *Store {
		s, err := Open(Config{Dir: dir + "/tasks", Routines: dir + "/routines", Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	s := open()
	result, err := json.Marshal(strings.Repeat("The page says something of no interest at all. ", 60))
	if err != nil {
		b.Fatal(err)
	}
	for i := range 300 {
		task := protocol.TaskID(fmt.Sprintf("3f0c8a52-0000-4000-8000-%012d", i))
		for n := range 12 {
			data := fmt.Sprintf(`{"n":%d,"url":"https://shop.example/","title":"Shop","thought":{"goal":"Do what comes next."},"deeds":[{"action":{"do":"click","ref":"e1"},"target":"btn Save","result":{"ok":true,"text":%s}}]}`, n+1, result)
			if _, err := s.Write(protocol.TaskWriteRequest{Task: task, Viewer: "a", Kind: protocol.TaskEventStep, Head: head(protocol.TaskDone), Data: json.RawMessage(data)}); err != nil {
				b.Fatal(err)
			}
		}
	}
	s.Close()
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			s := open()
			s.Search("voucher", 0)
			s.Close()
		}
	})
	s = open()
	defer s.Close()
	s.Search("voucher", 0)
	b.Run("next", func(b *testing.B) {
		for b.Loop() {
			s.Search("voucher", 0)
		}
	})
}
