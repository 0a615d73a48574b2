package recall

import (
	"slices"
	"strings"

	"pilotfish/backend/chat/driver"
)

// Replay is what a session that is loaded repeats of before. It is in the journal
// already, unless the session was continued in a terminal meanwhile: then what
// the journal does not have is taken over from here.
type Replay struct {
	// Keep is set when it is wanted.
	Keep    bool
	updates []driver.Update
}

// maxReplay bounds what is kept of a repetition; the end counts.
const maxReplay = 20_000

// Take reports whether an update is a repetition, and keeps it if it is wanted.
func (r *Replay) Take(u driver.Update) bool {
	if u.Text == nil && u.Thought == nil && u.User == nil && u.Tool == nil && u.Plan == nil {
		return false
	}
	if r.Keep {
		if len(r.updates) >= maxReplay {
			r.updates = append(r.updates[:0], r.updates[maxReplay/2:]...)
		}
		r.updates = append(r.updates, u)
	}
	return true
}

// Turn is one prompt of a repetition and what followed it.
type Turn struct {
	Prompt string
	Rest   []driver.Update
}

// all are the turns of a repetition.
func (r *Replay) all() []Turn {
	var turns []Turn
	inPrompt := false
	for _, u := range r.updates {
		switch {
		case u.User != nil && inPrompt:
			turns[len(turns)-1].Prompt += u.User.Text
		case u.User != nil:
			turns = append(turns, Turn{Prompt: u.User.Text})
		case len(turns) > 0:
			last := &turns[len(turns)-1]
			last.Rest = append(last.Rest, u)
		}
		inPrompt = u.User != nil
	}
	return turns
}

// Empty says whether nothing was repeated that was wanted.
func (r *Replay) Empty() bool { return len(r.updates) == 0 }

// After are the turns behind the last one with a prompt of ours; none when there is no
// such turn, or nothing behind it.
func (r *Replay) After(ours string) []Turn {
	turns := r.all()
	for i, t := range slices.Backward(turns) {
		if same(t.Prompt, ours) {
			return turns[i+1:]
		}
	}
	return nil
}

// same says whether a repeated prompt is one of ours: what is handed over may
// have more around it.
func same(repeated, ours string) bool {
	ours, repeated = strings.TrimSpace(ours), strings.TrimSpace(repeated)
	return ours != "" && strings.Contains(repeated, ours)
}
