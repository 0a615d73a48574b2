package task

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"pilotfish/backend/protocol"
)

// lineLetters is the greatest length of a line of a Teller, in characters.
const lineLetters = 200

// Teller describes a task's events as lines of text, for a client that follows
// the task as text. It remembers what it has described, because a step is
// written twice: when the planner has chosen it, and when it is done.
type Teller struct {
	thought int // the last step whose thought was described
	state   protocol.TaskState
}

// stepData has the fields of a panel's step that a line needs.
type stepData struct {
	N       int    `json:"n"`
	URL     string `json:"url"`
	Thought struct {
		Goal string `json:"goal"`
	} `json:"thought"`
	Deeds []struct {
		Action struct {
			Do       string `json:"do"`
			URL      string `json:"url"`
			Question string `json:"question"`
		} `json:"action"`
		Target string `json:"target"`
		Result struct {
			OK   bool   `json:"ok"`
			Text string `json:"text"`
		} `json:"result"`
	} `json:"deeds"`
}

// Lines returns the lines for what is new in a page of a task. They leave out
// what was typed, because it may be a secret.
func (t *Teller) Lines(page protocol.TaskPage) []string {
	var out []string
	for _, e := range page.Events {
		out = append(out, t.event(e)...)
	}
	if state := page.Head.State; state != t.state {
		t.state = state
		if said := stateLine(state); said != "" {
			out = append(out, said)
		}
	}
	return out
}

// stateLine describes a state in which the task waits for the user.
func stateLine(state protocol.TaskState) string {
	switch state {
	case protocol.TaskPaused:
		return "(paused in the panel)"
	case protocol.TaskInterrupted:
		return "(interrupted: what ran it was closed)"
	case protocol.TaskIdle, protocol.TaskRunning, protocol.TaskWaiting, protocol.TaskDone, protocol.TaskFailed, protocol.TaskStopped:
	}
	return ""
}

func (t *Teller) event(e protocol.TaskEvent) []string {
	switch e.Kind {
	case protocol.TaskEventStep:
		var step stepData
		if json.Unmarshal(e.Data, &step) != nil {
			return nil // from another version
		}
		return t.step(step)
	case protocol.TaskEventUser:
		return said("you: ", text(e.Data, "text"))
	case protocol.TaskEventNotice:
		if question := text(e.Data, "question"); question != "" {
			return said("it asks: ", question)
		}
		return said("note: ", text(e.Data, "text"))
	case protocol.TaskEventHead, protocol.TaskEventSummary:
	}
	return nil
}

func (t *Teller) step(step stepData) []string {
	var out []string
	if step.N > t.thought {
		t.thought = step.N
		goal := step.Thought.Goal
		if goal == "" {
			goal = "works on"
		}
		out = append(out, fmt.Sprintf("%d. %s", step.N, oneLine(goal)))
	}
	for _, d := range step.Deeds {
		what := strings.ReplaceAll(d.Action.Do, "_", " ")
		switch {
		case d.Action.Do == "done" || d.Action.Do == "ask":
			continue // the end or the question is reported separately
		case d.Target != "":
			what += " " + d.Target
		case d.Action.URL != "":
			what += " " + d.Action.URL
		}
		if !d.Result.OK {
			what += ": " + d.Result.Text
		}
		mark := "   "
		if !d.Result.OK {
			mark = " ! "
		}
		out = append(out, mark+oneLine(what))
	}
	return out
}

// text returns a text field of an event's data; empty if there is none.
func text(data json.RawMessage, name string) string {
	var fields map[string]json.RawMessage
	var value string
	if json.Unmarshal(data, &fields) != nil || json.Unmarshal(fields[name], &value) != nil {
		return ""
	}
	return value
}

func said(by, what string) []string {
	if what == "" {
		return nil
	}
	return []string{by + oneLine(what)}
}

// oneLine shortens a text of a model or a page, and puts it on one line, so
// that it cannot look like lines of ours.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) > lineLetters {
		return string(runes[:lineLetters-1]) + "…"
	}
	return string(runes)
}
