package protocol

import "time"

// ActivityEntry is the record of one command of one caller. Secrets were
// removed before it was stored.
type ActivityEntry struct {
	// Index is the entry's number in the session's activity. It only grows.
	Index   uint64      `json:"index"`
	Time    time.Time   `json:"time"` // when the command was given
	Actor   Actor       `json:"actor"`
	Session SessionName `json:"session"`
	Tab     TabID       `json:"tab,omitempty"`
	Command string      `json:"command"`
	// Phase is set for an entry from before the command has ended.
	Phase ActivityPhase `json:"phase,omitempty"`
	// Parent is the index of the entry that this one belongs to. For a command
	// inside `chain`, `run` or `each`, that is the entry of their beginning; for
	// the end of a command, the entry of its own beginning or question.
	Parent uint64 `json:"parent,omitempty"`
	// Args are the arguments as text; secrets are replaced and long values
	// shortened.
	Args map[string]string `json:"args,omitempty"`
	OK   bool              `json:"ok"`
	// Code is the code of the error, if the command failed.
	Code Code `json:"code,omitempty"`
	// Summary is the first line of the reply or of the error's message, shortened.
	// What a page wrote, and values, are left out.
	Summary    string  `json:"summary,omitempty"`
	DurationMS float64 `json:"durationMs"`
}

// ActivityPhase says which moment of its command an entry records; empty for
// the end.
type ActivityPhase string

// The phases.
const (
	// ActivityBegun: the command begins to run other commands.
	ActivityBegun ActivityPhase = "begun"
	// ActivityWaiting: the command waits for the user's answer.
	ActivityWaiting ActivityPhase = "waiting"
)

// ActivityGap is a range of indexes that are no longer stored.
type ActivityGap struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// ActivityItem is what a reader of the activity gets: an entry, or a gap.
type ActivityItem struct {
	Entry ActivityEntry `json:"entry"`
	// Gap is set instead of Entry.
	Gap *ActivityGap `json:"gap,omitempty"`
}

// ActivityPage is the reply of GET /activity/history, oldest first. Entries
// that the caller may not see are left out; they do not count as a gap.
type ActivityPage struct {
	Entries []ActivityEntry `json:"entries"`
	Gaps    []ActivityGap   `json:"gaps"`
	// Next is the value of `after` for the next page.
	Next uint64 `json:"next"`
	// Last is the newest index of the session.
	Last uint64 `json:"last"`
}

// The events of GET /activity/stream. The data of an activity event and of a
// waiting event is an ActivityEntry, the data of a gap event an ActivityGap.
const (
	ActivityEventEntry   = "activity"
	ActivityEventWaiting = "waiting"
	ActivityEventGap     = "gap"
)

// FileRequest is the body of POST /chat/file and /task/file. It asks for an
// image or a file of the session, by a path from a command, a conversation or a
// task. The conversation or task is informative; the backend does not need it.
type FileRequest struct {
	Path         string         `json:"path"`
	Conversation ConversationID `json:"conversation,omitempty"`
	Task         TaskID         `json:"task,omitempty"`
}
