package task

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"pilotfish/backend/protocol"
)

// around is how many characters before and after a hit are shown.
const around = 50

// words are the searchable texts of a task's journal. They are read at the
// first search, and extended when events are written.
type words struct {
	pieces []piece
}

// piece is one text of a journal. It is a separate type, smaller than a row of
// a list, because thousands of them are in memory.
type piece struct {
	step int // 0 for a text between steps
	in   protocol.TaskFoundIn
	text string
	low  string // the text in lower case; it shares the memory of text if they are equal
}

// stepWords has the fields of a panel's step that can be searched.
type stepWords struct {
	N       int    `json:"n"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Thought struct {
		Evaluation string `json:"evaluation"`
		Memory     string `json:"memory"`
		Goal       string `json:"goal"`
	} `json:"thought"`
	Deeds []struct {
		Action map[string]json.RawMessage `json:"action"`
		Target string                     `json:"target"`
		Result struct {
			Text string `json:"text"`
		} `json:"result"`
	} `json:"deeds"`
}

// Step returns the number of the step that a request writes, from 1, and its purpose
// in the agent's words; 0 if it writes no step.
func Step(req protocol.TaskWriteRequest) (n int, goal string) {
	if req.Kind != protocol.TaskEventStep {
		return 0, ""
	}
	var step stepWords
	if json.Unmarshal(req.Data, &step) != nil {
		return 0, "" // from another version
	}
	return step.N, step.Thought.Goal
}

// envelope matches the frame around text of a page, which is not part of the
// text.
var envelope = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`</?page-[0-9a-f]+[^>]*>\n?`) })

// take adds the texts of an event. A step replaces an earlier one with the same
// number.
func (w *words) take(r record) {
	switch r.Kind {
	case protocol.TaskEventStep:
		var step stepWords
		if json.Unmarshal(r.Data, &step) != nil {
			return // from another version
		}
		w.pieces = slices.DeleteFunc(w.pieces, func(p piece) bool { return p.step == step.N })
		w.step(step)
	case protocol.TaskEventUser:
		w.add(0, protocol.TaskFoundUser, text(r.Data, "text"))
	case protocol.TaskEventNotice:
		w.add(0, protocol.TaskFoundNote, text(r.Data, "question"))
		w.add(0, protocol.TaskFoundNote, text(r.Data, "text"))
	case protocol.TaskEventHead, protocol.TaskEventSummary:
	}
}

func (w *words) step(step stepWords) {
	w.add(step.N, protocol.TaskFoundAim, step.Thought.Goal)
	for _, d := range step.Deeds {
		var said []string
		for _, name := range []string{"do", "text", "option", "value", "url", "keys", "question", "file"} {
			var value string
			if json.Unmarshal(d.Action[name], &value) == nil && value != "" {
				said = append(said, strings.ReplaceAll(value, "_", " "))
			}
		}
		w.add(step.N, protocol.TaskFoundAction, strings.Join(append(said, d.Target), " "))
		w.add(step.N, protocol.TaskFoundResult, envelope().ReplaceAllString(d.Result.Text, ""))
	}
	w.add(step.N, protocol.TaskFoundAim, step.Thought.Evaluation)
	w.add(step.N, protocol.TaskFoundAim, step.Thought.Memory)
	w.add(step.N, protocol.TaskFoundPage, strings.TrimSpace(step.Title+" "+step.URL))
}

func (w *words) add(step int, in protocol.TaskFoundIn, text string) {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > taskSearchText {
		text = strings.ToValidUTF8(text[:taskSearchText], "")
	}
	if text != "" {
		w.pieces = append(w.pieces, piece{step: step, in: in, text: text, low: strings.ToLower(text)})
	}
}

// find returns the first hit, in the order of the steps, for a text in lower
// case.
func (w *words) find(low string) (protocol.TaskFound, bool) {
	best := -1
	for i := range w.pieces {
		if (best < 0 || w.pieces[i].step < w.pieces[best].step) && strings.Contains(w.pieces[i].low, low) {
			best = i
		}
	}
	if best < 0 {
		return protocol.TaskFound{}, false
	}
	found, ok := match(w.pieces[best].text, low)
	found.Step, found.In = w.pieces[best].step, w.pieces[best].in
	return found, ok
}

// Search returns the tasks in which a text occurs, newest first, and where it
// occurs in each. A limit of 0 means no limit.
func (s *Store) Search(text string, limit int) ([]protocol.Task, []protocol.TaskFound) {
	low := strings.ToLower(strings.Join(strings.Fields(text), " "))
	tasks, founds := []protocol.Task{}, []protocol.TaskFound{}
	for _, k := range s.newestFirst() {
		if limit > 0 && len(tasks) >= limit {
			break
		}
		head, found, ok := s.search(k, low)
		if !ok {
			continue
		}
		tasks = append(tasks, head)
		if low != "" {
			found.Task = head.ID
			founds = append(founds, found)
		}
	}
	return tasks, founds
}

// search searches one task for a text in lower case: first in the title, goal
// and summary, then in the journal.
func (s *Store) search(k *kept, low string) (head protocol.Task, found protocol.TaskFound, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.deleted {
		return k.head, found, false
	}
	if low == "" {
		return k.head, found, true
	}
	for _, own := range []struct {
		in   protocol.TaskFoundIn
		text string
	}{{protocol.TaskFoundTitle, k.head.Title}, {protocol.TaskFoundGoal, k.head.Goal}, {protocol.TaskFoundSummary, k.head.Summary}} {
		if found, ok = match(strings.Join(strings.Fields(own.text), " "), low); ok {
			found.In = own.in
			return k.head, found, true
		}
	}
	if err := s.readWords(k); err != nil {
		s.log.Warn("a task could not be searched", "task", k.head.ID, "error", err)
		return k.head, found, false
	}
	if k.words != nil {
		found, ok = k.words.find(low)
	}
	return k.head, found, ok
}

// readWords reads the searchable texts of a task, once. The caller holds the
// task's lock.
func (s *Store) readWords(k *kept) error {
	if k.words != nil || k.head.Index == 0 {
		return nil
	}
	shut := k.log == nil
	log, err := s.journal(k)
	if err != nil {
		return err
	}
	if shut {
		// Hundreds of journals need not stay open because of a search.
		defer func() {
			_ = log.Close() // nothing was written
			k.log = nil
		}()
	}
	read := &words{}
	for after, more := uint64(0), true; more; {
		items, err := log.Read(after, protocol.TaskPageSize)
		if err != nil {
			return fmt.Errorf("reading a task's journal: %w", err)
		}
		more = len(items) >= protocol.TaskPageSize
		for _, item := range items {
			if item.Gap != nil {
				after = item.Gap.To
				continue
			}
			after = item.Index
			var r record
			if json.Unmarshal(item.Data, &r) == nil {
				read.take(r)
			}
		}
	}
	k.words = read
	return nil
}

// newestFirst returns the tasks by creation time, newest first.
func (s *Store) newestFirst() []*kept {
	type dated struct {
		k    *kept
		head protocol.Task
	}
	s.mu.Lock()
	all := make([]dated, 0, len(s.tasks))
	for _, k := range s.tasks {
		all = append(all, dated{k: k})
	}
	s.mu.Unlock()
	for i := range all {
		all[i].k.mu.Lock()
		all[i].head = all[i].k.head
		all[i].k.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b dated) int {
		return cmp.Or(b.head.Created.Compare(a.head.Created), cmp.Compare(b.head.ID, a.head.ID))
	})
	out := make([]*kept, len(all))
	for i := range all {
		out[i] = all[i].k
	}
	return out
}

// match finds a text in lower case in another text, and returns the text around
// it.
func match(text, low string) (protocol.TaskFound, bool) {
	lower := strings.ToLower(text)
	at := strings.Index(lower, low)
	if at < 0 {
		return protocol.TaskFound{}, false
	}
	// Lower case can change the length in bytes, so the position is counted in
	// characters.
	runes := []rune(text)
	begin := min(utf8.RuneCountInString(lower[:at]), len(runes))
	end := min(begin+utf8.RuneCountInString(low), len(runes))
	return protocol.TaskFound{
		Before: string(runes[max(0, begin-around):begin]),
		Match:  string(runes[begin:end]),
		After:  string(runes[end:min(len(runes), end+around)]),
	}, true
}
