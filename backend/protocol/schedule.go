package protocol

import "time"

// ScheduleWhat says what a schedule runs. Exactly one of Routine, Task and Commands is set.
type ScheduleWhat struct {
	// Routine is the name of a saved routine, with the values of its parameters.
	Routine string            `json:"routine,omitempty"`
	Params  map[string]string `json:"params,omitempty"`
	// Task is a goal, as `pilotfish task run` takes it.
	Task string `json:"task,omitempty"`
	// Commands are command lines of the browser. They run in order until one fails.
	Commands []string `json:"commands,omitempty"`
	// Start is the page on which each run begins, in a tab of its own; empty for an
	// empty tab.
	Start string `json:"start,omitempty"`
	// Profile is the model profile of a task; empty for that of tasks of programs.
	Profile string `json:"profile,omitempty"`
}

// ScheduleWhen says when a schedule runs. Exactly one of At, Page and Folder is set.
type ScheduleWhen struct {
	// At is a time in the form of the command line, such as "mon-fri 09:30".
	At string `json:"at,omitempty"`
	// Page is an address: the schedule runs when its text changes.
	Page string `json:"page,omitempty"`
	// Selector limits Page to one element; empty for the whole text.
	Selector string `json:"selector,omitempty"`
	// EverySeconds is how often Page is checked.
	EverySeconds int `json:"everySeconds,omitempty"`
	// Folder and Pattern run the schedule when a file with a matching name appears.
	Folder  string `json:"folder,omitempty"`
	Pattern string `json:"pattern,omitempty"`
}

// ScheduleNotify says when a schedule shows a notification.
type ScheduleNotify string

// When a schedule shows a notification.
const (
	ScheduleNotifyFailure ScheduleNotify = "failure" // a run failed or was missed
	ScheduleNotifyAlways  ScheduleNotify = "always"  // every run
	ScheduleNotifyNever   ScheduleNotify = "never"
)

// ScheduleRunState is how a run of a schedule stands.
type ScheduleRunState string

// The states of a run of a schedule.
const (
	ScheduleRunning ScheduleRunState = "running"
	ScheduleDone    ScheduleRunState = "done"
	ScheduleFailed  ScheduleRunState = "failed"
	// ScheduleMissed: the run did not begin, such as because Pilotfish was not running.
	// Missed runs are not repeated.
	ScheduleMissed ScheduleRunState = "missed"
)

// ScheduleRun is one run of a schedule.
type ScheduleRun struct {
	State ScheduleRunState `json:"state"`
	// Reason says why it ran: "time", "page", "file" or "user".
	Reason string    `json:"reason"`
	Began  time.Time `json:"began"`
	// DurationMS is how long it took; 0 while it runs.
	DurationMS int64 `json:"durationMs,omitempty"`
	// Missed is how many runs in a row an entry of missed runs stands for.
	Missed int `json:"missed,omitempty"`
	// File is the file that appeared.
	File string `json:"file,omitempty"`
	// Message is the result, or why it failed. It may contain text of a page.
	Message string `json:"message,omitempty"`
	Task    TaskID `json:"task,omitempty"`
	Steps   int    `json:"steps,omitempty"`
	Tokens  int    `json:"tokens,omitempty"`
}

// Schedule is something that Pilotfish runs by itself, with the rights of the user who
// made it.
type Schedule struct {
	// Name consists of a to z, 0 to 9, _ and -.
	Name    string       `json:"name"`
	What    ScheduleWhat `json:"what"`
	When    ScheduleWhen `json:"when"`
	Session SessionName  `json:"session"`
	// StartSession: a run starts the session when it is not running. Without it such a
	// run is missed.
	StartSession bool `json:"startSession,omitempty"`
	// Off: the schedule is paused.
	Off bool `json:"off,omitempty"`
	// MaxMinutes, MaxSteps and MaxTokens limit one run. MaxSteps and MaxTokens are for
	// runs that are tasks; 0 means the limit of tasks, and no limit of tokens.
	MaxMinutes int            `json:"maxMinutes"`
	MaxSteps   int            `json:"maxSteps,omitempty"`
	MaxTokens  int            `json:"maxTokens,omitempty"`
	Notify     ScheduleNotify `json:"notify"`
	Created    time.Time      `json:"created"`
	// Next is when it runs next, or when its page is checked next; nil when that is not
	// known.
	Next *time.Time `json:"next,omitempty"`
	// Runs are the last runs, the newest first.
	Runs []ScheduleRun `json:"runs"`
}

// ScheduleRequest is the body of POST /schedules.
type ScheduleRequest struct {
	// Do is "list", "add", "change", "run", "pause", "resume" or "remove".
	Do string `json:"do"`
	// Name is the schedule that is meant; for "list" and "add" it is empty.
	Name string `json:"name,omitempty"`
	// Schedule is what "add" and "change" store. Runs, Next and Created are ignored.
	Schedule *Schedule `json:"schedule,omitempty"`
}

// ScheduleReply is the reply of POST /schedules: all schedules by name.
type ScheduleReply struct {
	Schedules []Schedule `json:"schedules"`
}

// The limits of schedules.
const (
	MaxSchedules = 50
	// MaxScheduleRuns is how many of the last runs of a schedule are kept.
	MaxScheduleRuns = 20
	// MinScheduleCheckSeconds is how often a page may be checked at most.
	MinScheduleCheckSeconds = 60
	// MaxScheduleMinutes and DefaultScheduleMinutes are how long one run may take.
	MaxScheduleMinutes     = 24 * 60
	DefaultScheduleMinutes = 15
	// MaxScheduleText is the length of a goal, a message and the like, in bytes.
	MaxScheduleText = 2000
)
