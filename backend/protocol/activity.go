package protocol

import "time"

// ActivityEntry is one command of one caller, as it is recorded. What is secret
// in it was taken out before it was stored.
type ActivityEntry struct {
	// Index is its place in the session's activity: it only grows.
	Index   uint64      `json:"index"`
	Time    time.Time   `json:"time"` // when the command was given
	Actor   Actor       `json:"actor"`
	Session SessionName `json:"session"`
	Tab     TabID       `json:"tab,omitempty"`
	Command string      `json:"command"`
	// Phase is set for what is told before the command has ended.
	Phase ActivityPhase `json:"phase,omitempty"`
	// Parent is the index of the entry that this one belongs to: for a command
	// inside of `chain`, `run` or `each` that of their beginning, for the end of a
	// command that of its own beginning or question.
	Parent uint64 `json:"parent,omitempty"`
	// Args are the arguments as text, secrets replaced and long ones cut.
	Args map[string]string `json:"args,omitempty"`
	OK   bool              `json:"ok"`
	// Code is the error's when it failed.
	Code Code `json:"code,omitempty"`
	// Summary is the first line of the reply or the error's message, cut.
	Summary    string  `json:"summary,omitempty"`
	DurationMS float64 `json:"durationMs"`
}

// ActivityPhase says what an entry tells of its command; empty for its end.
type ActivityPhase string

// The phases.
const (
	// ActivityBegun: it begins to run other commands.
	ActivityBegun ActivityPhase = "begun"
	// ActivityWaiting: it waits for the person's word.
	ActivityWaiting ActivityPhase = "waiting"
)

// ActivityGap is a run of indexes that are not there any more.
type ActivityGap struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// ActivityItem is what a reader of the activity gets: an entry, or the word that
// some are missing.
type ActivityItem struct {
	Entry ActivityEntry `json:"entry"`
	// Gap is set instead of Entry.
	Gap *ActivityGap `json:"gap,omitempty"`
}

// ActivityPage is the reply of GET /activity/history, oldest first. Entries that
// the caller may not see are left out of it, and are no gap.
type ActivityPage struct {
	Entries []ActivityEntry `json:"entries"`
	Gaps    []ActivityGap   `json:"gaps"`
	// Next is what to pass as `after` to go on.
	Next uint64 `json:"next"`
	// Last is the newest index of the session.
	Last uint64 `json:"last"`
}

// The events of GET /activity/stream. The data of an activity event, and of a
// waiting event, is an ActivityEntry, that of a gap event an ActivityGap.
const (
	ActivityEventEntry   = "activity"
	ActivityEventWaiting = "waiting"
	ActivityEventGap     = "gap"
)

// FileRequest is the body of POST /chat/file and /task/file: a picture or file of
// the session, by a path that a command, a conversation or a task gave. Which
// conversation or task it belongs to is said and not needed.
type FileRequest struct {
	Path         string         `json:"path"`
	Conversation ConversationID `json:"conversation,omitempty"`
	Task         TaskID         `json:"task,omitempty"`
}
