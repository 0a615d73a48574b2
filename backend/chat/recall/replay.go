package recall

import (
	"slices"
	"strings"

	"pilotfish/backend/chat/driver"
)

// Replay is what an agent repeats of a session while loading it. The journal
// has it already, unless the session was continued in a terminal meanwhile.
// Then the missing part is taken from here.
type Replay struct {
	// Keep is set when the repeated updates are needed.
	Keep    bool
	updates []driver.Update
}

// maxReplay bounds how many repeated updates are kept; the oldest are dropped.
const maxReplay = 20_000

// Take reports whether an update is a repetition, and keeps it if Keep is set.
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

// Turn is one repeated prompt and the updates that followed it.
type Turn struct {
	Prompt string
	Rest   []driver.Update
}

// Past is a session of an agent that was begun elsewhere.
type Past struct {
	Session, Title, Folder string
	// Turns are what was said in it, as far as its files tell; none when only the agent
	// knows.
	Turns []Turn
}

// All returns the repeated turns.
func (r *Replay) All() []Turn {
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

// Empty reports whether no update was kept.
func (r *Replay) Empty() bool { return len(r.updates) == 0 }

// After returns the turns after the last one whose prompt is ours; none if
// there is no such turn, or nothing after it.
func (r *Replay) After(ours string) []Turn {
	turns := r.All()
	for i, t := range slices.Backward(turns) {
		if same(t.Prompt, ours) {
			return turns[i+1:]
		}
	}
	return nil
}

// same reports whether a repeated prompt is one of ours. The agent received it
// with more text around it, so it only has to contain ours.
func same(repeated, ours string) bool {
	ours, repeated = strings.TrimSpace(ours), strings.TrimSpace(repeated)
	return ours != "" && strings.Contains(repeated, ours)
}
