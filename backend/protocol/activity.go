package protocol

import "time"

// ActivityEntry is the record of one command of one caller, or of something else
// that happened in a session. Secrets were removed before it was stored.
type ActivityEntry struct {
	// Index is the entry's number in the session's activity. It only grows.
	Index uint64 `json:"index"`
	// Kind says what the entry records; empty means a command.
	Kind    ActivityKind `json:"kind,omitempty"`
	Time    time.Time    `json:"time"` // when the command was given, or when it happened
	Actor   Actor        `json:"actor"`
	Session SessionName  `json:"session"`
	Tab     TabID        `json:"tab,omitempty"`
	// Command is the name of the command. For a question it is the command that
	// asked; for other kinds it repeats the kind.
	Command string `json:"command"`
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
	// What a page wrote, and values, are left out. For other kinds it says what
	// happened.
	Summary string `json:"summary,omitempty"`
	// Untrusted: others may have written what the entry says. It is set where an entry
	// is encoded.
	Untrusted  bool    `json:"untrusted,omitempty"`
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
	// ActivityAnswered: the question was answered, or nobody answers it any more.
	// Parent is the entry of the question.
	ActivityAnswered ActivityPhase = "answered"
)

// ActivityKind says what an entry records.
type ActivityKind string

// The kinds of entry.
const (
	// ActivityCommand is a command. Its entries leave the kind empty, as journals
	// of earlier versions do.
	ActivityCommand ActivityKind = "command"
	// ActivityNavigation: a tab shows another address.
	ActivityNavigation ActivityKind = "navigation"
	// ActivityStep: a task made a step, or its state changed.
	ActivityStep ActivityKind = "step"
	// ActivityQuestion: the user is asked, or has answered.
	ActivityQuestion ActivityKind = "question"
	// ActivityError: something failed that is not a command: a page or the browser
	// crashed, for example.
	ActivityError ActivityKind = "error"
	// ActivityDownload: a file began to be saved, or was saved.
	ActivityDownload ActivityKind = "download"
)

// ActivityKinds returns the kinds, for tests and completion.
func ActivityKinds() []ActivityKind {
	return []ActivityKind{ActivityCommand, ActivityNavigation, ActivityStep, ActivityQuestion, ActivityError, ActivityDownload}
}

// What returns the entry's kind, ActivityCommand for an entry that has none.
func (e ActivityEntry) What() ActivityKind {
	if e.Kind == "" {
		return ActivityCommand
	}
	return e.Kind
}

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

// ActivityQuery selects entries. Empty fields select everything. It is also the
// body of POST /activity/search.
type ActivityQuery struct {
	// Before is the index before which to search, newest first; 0 means from the
	// newest entry on.
	Before uint64 `json:"before,omitempty"`
	// Limit is the most entries of a reply, 1 to ActivityPageMax; 0 means
	// ActivityPageSize.
	Limit int `json:"limit,omitempty"`
	// Text is searched without regard to case in what an entry says: command,
	// arguments, summary, error code, tab and the actor's name.
	Text string `json:"text,omitempty"`
	// Kinds are the kinds to select; ActivityError also selects what failed.
	Kinds []ActivityKind `json:"kinds,omitempty"`
	// Actor is a kind of actor ("chat"), a kind and an id ("chat 5F2A"), or a part
	// of the name of an actor or of its agent.
	Actor string `json:"actor,omitempty"`
	Tab   TabID  `json:"tab,omitempty"`
	// Since and Until bound the time of an entry; Until is excluded.
	Since *time.Time `json:"since,omitempty"`
	Until *time.Time `json:"until,omitempty"`
	// Markdown asks for the entries as Markdown too.
	Markdown bool `json:"markdown,omitempty"`
}

// ActivityFound is the reply of POST /activity/search. A reply may have fewer
// entries than the limit, even none, although there are more: the backend
// searches a bounded number of entries for each request.
type ActivityFound struct {
	// Entries are what was found, oldest first.
	Entries []ActivityEntry `json:"entries"`
	// Gaps are the indexes between them that are no longer stored.
	Gaps []ActivityGap `json:"gaps"`
	// Before is the value of `before` with which the search continues; 0 when it
	// has reached the first entry.
	Before uint64 `json:"before"`
	// Last is the newest index of the session.
	Last uint64 `json:"last"`
	// Shots are those of the entries that have a screenshot of their moment.
	Shots []uint64 `json:"shots"`
	// Markdown is the entries as Markdown, if that was asked for.
	Markdown string `json:"markdown,omitempty"`
}

// ActivityFeedItem is an item of the feed "activity". Exactly one field is set.
type ActivityFeedItem struct {
	Entry *ActivityEntry `json:"entry,omitempty"`
	Gap   *ActivityGap   `json:"gap,omitempty"`
	// Shot is the index of an entry whose screenshot is there now.
	Shot uint64 `json:"shot,omitempty"`
}

// ActivityShotRequest is the body of POST /activity/shot. It asks for the
// screenshot of an entry's moment. The reply is a ChatAttachment.
type ActivityShotRequest struct {
	Index uint64 `json:"index"`
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

// FileRequest asks for an image or a file of the session, by a path from a command, a
// conversation or a task.
type FileRequest struct {
	Path string `json:"path"`
}
