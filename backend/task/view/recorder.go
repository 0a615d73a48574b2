package view

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pilotfish/backend/protocol"
)

// The limits of the description of the user's actions for the agent: how many
// actions, and how many characters of an element's name.
const (
	actionsMost = 20
	nameMost    = 40
)

// note starts to record what the user does on the page while the task waits, so
// that its agent can learn of it. If a recording is running already, it belongs to
// someone else and is left alone.
func (p *Pages) note(ctx context.Context, b Browser, w *workplace, tab protocol.TabID) {
	if err := b.StartRecording(ctx, protocol.Caller{}, tab, ""); err != nil {
		p.log.Debug("what the user does is not noted", "tab", tab, "error", err)
		return
	}
	p.mu.Lock()
	w.noted = tab
	p.mu.Unlock()
}

// Did ends the recording and returns a description of what the user did; empty
// for nothing.
func (p *Pages) Did(ctx context.Context, b Browser, id protocol.TaskID) string {
	p.mu.Lock()
	var tab protocol.TabID
	if w := p.tasks[id]; w != nil {
		tab, w.noted = w.noted, ""
	}
	p.mu.Unlock()
	if tab == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	rec, err := b.StopRecording(ctx, protocol.Caller{}, tab, "")
	if err != nil {
		p.log.Debug("what the user did is not known", "tab", tab, "error", err)
		return ""
	}
	return inWords(rec.Steps)
}

// inWords describes steps in text. Names from the page are shortened and
// quoted, because they are data.
func inWords(steps []protocol.RecordedStep) string {
	if len(steps) > 0 && steps[0].Do == "goto" {
		steps = steps[1:] // the page where the recording began
	}
	var said []string
	for _, s := range steps {
		thing := strings.TrimSpace(s.Role + " " + quoted(s.Name))
		switch {
		case s.Do == "goto":
			said = append(said, "went to "+quoted(s.URL))
		case s.Secret:
			said = append(said, "filled "+thing+" with something secret")
		case s.Do == "fill", s.Do == "select":
			said = append(said, fmt.Sprintf("%s %s: %s", s.Do, thing, quoted(s.Value)))
		case s.Do == "press":
			said = append(said, "pressed "+s.Value+" in "+thing)
		default:
			said = append(said, s.Do+" "+thing)
		}
	}
	if more := len(said) - actionsMost; more > 0 {
		said = append(slices.Clone(said[:actionsMost]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(said, "; ")
}

func quoted(text string) string {
	r := []rune(text)
	if len(r) > nameMost {
		r = append(r[:nameMost-1:nameMost-1], '…')
	}
	return strconv.Quote(string(r))
}
