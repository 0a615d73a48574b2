package protocol

import (
	"encoding/json"
	"time"
)

// TaskID names a task: a UUID that the panel makes (or the backend, for a task
// that a program asks for).
type TaskID string

// TaskState is what a task is doing.
type TaskState string

// The states of a task. A task whose panel is gone is interrupted: it can be
// resumed at its step.
const (
	TaskIdle        TaskState = "idle"
	TaskRunning     TaskState = "running"
	TaskWaiting     TaskState = "waiting" // for the person
	TaskPaused      TaskState = "paused"
	TaskDone        TaskState = "done"
	TaskFailed      TaskState = "failed"
	TaskStopped     TaskState = "stopped"
	TaskInterrupted TaskState = "interrupted"
)

// Over says whether a task has ended; one that is interrupted has not.
func (s TaskState) Over() bool { return s == TaskDone || s == TaskFailed || s == TaskStopped }

// Task is a task without its steps.
type Task struct {
	ID    TaskID    `json:"id"`
	Title string    `json:"title"`
	Goal  string    `json:"goal"` // the person's words
	Tab   TabID     `json:"tab,omitempty"`
	Tabs  []TabID   `json:"tabs"` // all that it may touch
	State TaskState `json:"state"`
	// Summary is what the agent said at the end, or why it ended.
	Summary string `json:"summary,omitempty"`
	Error   *Error `json:"error,omitempty"`
	// Profile is the model's profile; empty for Pilot's plain instructions.
	Profile string    `json:"profile,omitempty"`
	Steps   int       `json:"steps"`
	MaxStep int       `json:"maxSteps"`
	Tokens  int       `json:"tokens"`
	Budget  int       `json:"budget"` // tokens; 0 for none
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// Index is the last one given in it.
	Index uint64 `json:"index"`
	// Routine is the name of the routine that it was run from.
	Routine string `json:"routine,omitempty"`
	// KeepGroup: its tabs stay a group when it is over.
	KeepGroup bool `json:"keepGroup,omitempty"`
	// Closed: the user has put it away after it failed. Until then it is shown.
	Closed bool `json:"closed,omitempty"`
	// Asker is who asked for it, when that was a program.
	Asker *Actor `json:"asker,omitempty"`
}

// TaskEventKind says what a TaskEvent is.
type TaskEventKind string

// The kinds of event. The data of each is the panel's own: the backend keeps it
// and hands it out, and understands the head.
const (
	TaskEventHead    TaskEventKind = "head"    // the task changed
	TaskEventStep    TaskEventKind = "step"    // a step, whole; a later one of its number replaces it
	TaskEventPerson  TaskEventKind = "person"  // a word of the person
	TaskEventNotice  TaskEventKind = "notice"  // something that the agent was told
	TaskEventSummary TaskEventKind = "summary" // old steps in short, for the model
)

// TaskEvent is one line of a task's journal, written before it is shown.
type TaskEvent struct {
	Index uint64        `json:"index"`
	Kind  TaskEventKind `json:"kind"`
	At    time.Time     `json:"at"`
	Head  *Task         `json:"head,omitempty"`
	// Data is JSON of the panel's.
	Data json.RawMessage `json:"data,omitempty" tstype:"unknown"`
}

// TaskWriteRequest is the body of POST /task/write. The first write of an
// unknown task makes it and needs the head.
type TaskWriteRequest struct {
	Task   TaskID          `json:"task"`
	Kind   TaskEventKind   `json:"kind"`
	Head   *Task           `json:"head,omitempty"`
	Data   json.RawMessage `json:"data,omitempty" tstype:"unknown"`
	Viewer string          `json:"viewer"` // the panel view that holds the task's lease
	// Seq counts what a view writes, of any task; 0 counts for nothing. The same is
	// written once: a request whose answer got lost may be sent again.
	Seq uint64 `json:"seq,omitempty"`
	// Picture asks for a picture of what a step has left, which is kept with the
	// task. Nobody waits for it, and that there is none is no harm.
	Picture *TaskShot `json:"picture,omitempty"`
}

// TaskShot is the picture of a step: of which, and of which tab.
type TaskShot struct {
	Step int   `json:"step"`
	Tab  TabID `json:"tab"`
}

// TaskWriteReply is its reply.
type TaskWriteReply struct {
	Index uint64 `json:"index"`
	Head  Task   `json:"head"`
	// Did is what the person did on the page while the task rested, in words; what
	// stands in quotes is the page's.
	Did string `json:"did,omitempty"`
}

// TaskRequest is the body of the routes that need a task only: POST /task/get,
// /task/delete, /task/close, /task/stop.
type TaskRequest struct {
	Task   TaskID `json:"task"`
	After  uint64 `json:"after,omitempty"` // get
	Viewer string `json:"viewer,omitempty"`
}

// TaskPage is the reply of POST /task/get.
type TaskPage struct {
	Head   Task        `json:"head"`
	Events []TaskEvent `json:"events"`
}

// TaskListRequest is the body of POST /task/list.
type TaskListRequest struct {
	// Text is searched for in titles, goals, summaries and steps; empty for all.
	Text  string `json:"text,omitempty"`
	Limit int    `json:"limit,omitempty"`
}

// TaskListReply is its reply, newest first.
type TaskListReply struct {
	Tasks []Task `json:"tasks"`
	// Found says where in each the text occurs first, when there was one.
	Found []TaskFound `json:"found,omitempty"`
}

// TaskFoundIn says in what of a task a text was found.
type TaskFoundIn string

// What can be searched: a task's own words, those of its steps, and what was said
// between them.
const (
	TaskFoundTitle   TaskFoundIn = "title"
	TaskFoundGoal    TaskFoundIn = "goal"
	TaskFoundSummary TaskFoundIn = "summary"
	TaskFoundAim     TaskFoundIn = "aim"    // what a step was for, and what the agent thought of it
	TaskFoundAction  TaskFoundIn = "action" // what was done, with its element
	TaskFoundResult  TaskFoundIn = "result" // what came of it
	TaskFoundPage    TaskFoundIn = "page"   // title and address of the page
	TaskFoundPerson  TaskFoundIn = "person" // a word of the person
	TaskFoundNote    TaskFoundIn = "note"   // a note, or a question of the agent's
)

// TaskFound is where a text occurs in a task. Words of pages may be in it.
type TaskFound struct {
	Task   TaskID      `json:"task"`
	Step   int         `json:"step,omitempty"` // 0 outside of the steps
	In     TaskFoundIn `json:"in"`
	Before string      `json:"before"`
	Match  string      `json:"match"`
	After  string      `json:"after"`
}

// TaskCommandRequest is the body of POST /task/command: one command of the
// registry, as the task's actor, on one of the task's tabs.
type TaskCommandRequest struct {
	Task    TaskID         `json:"task"`
	Viewer  string         `json:"viewer"`
	Command CommandRequest `json:"command"`
	ByPage  *ByPage        `json:"byPage,omitempty"`
	// Writes are done before the command, in their order: nothing is done to a page
	// of which nothing is written. When one is refused, the command is not run.
	Writes []TaskWriteRequest `json:"writes,omitempty"`
}

// TaskCommandReply is its reply.
type TaskCommandReply struct {
	CommandReply `tstype:",extends"`
	// Written is what the last of the writes came to.
	Written *TaskWriteReply `json:"written,omitempty"`
}

// TaskPlainRequest is the body of POST /task/plain: what plain instructions come
// to, for a task without a model.
type TaskPlainRequest struct {
	// Text are the person's words.
	Text string `json:"text"`
	// Task, Viewer and Tab are who carries out Step, and where; without a task the
	// words are read, and nothing else.
	Task   TaskID `json:"task,omitempty"`
	Viewer string `json:"viewer,omitempty"`
	Tab    TabID  `json:"tab,omitempty"`
	Step   int    `json:"step,omitempty"` // from 0
	// Tried are the ends of the step's commands so far, in their order.
	Tried []TaskPlainTried `json:"tried,omitempty"`
	// Chosen are the refs that the person chose where several things were meant.
	Chosen []string `json:"chosen,omitempty"`
}

// TaskPlainTried is the end of one command of a plain instruction; without Error
// it was done.
type TaskPlainTried struct {
	Error *Error `json:"error,omitempty"`
}

// TaskPlainReply is the reply of POST /task/plain.
type TaskPlainReply struct {
	// Steps say what each instruction does; empty when Unknown is not.
	Steps []string `json:"steps"`
	// Unknown says why the words are no plain instructions.
	Unknown string `json:"unknown,omitempty"`
	// Commands are what the step comes to; none where looking was all.
	Commands []CommandRequest `json:"commands,omitempty"`
	// Said is what was seen then. Words of the page are in it.
	Said string `json:"said,omitempty"`
	// Error is why the step cannot be carried out, and Choices are what may have
	// been meant.
	Error   *Error            `json:"error,omitempty"`
	Choices []TaskPlainChoice `json:"choices,omitempty"`
}

// TaskPlainChoice is a thing of the page that may have been meant. Name and Where
// are the page's words.
type TaskPlainChoice struct {
	Ref   string `json:"ref"`
	Name  string `json:"name"`
	Kind  string `json:"kind,omitempty"`
	Where string `json:"where,omitempty"`
	// Which says which of several alike it is, where no title tells: "2 of 3".
	Which string `json:"which,omitempty"`
}

// TaskTabRequest is the body of POST /task/tab: a person lets the task use a tab,
// or takes one from it.
type TaskTabRequest struct {
	Task   TaskID `json:"task"`
	Tab    TabID  `json:"tab"`
	Remove bool   `json:"remove,omitempty"`
}

// TaskPictureRequest is the body of POST /task/picture.
type TaskPictureRequest struct {
	Task TaskID `json:"task"`
	Step int    `json:"step"`
}

// TaskRunRequest asks for a task from outside of the panel: the body of
// POST /task/run.
type TaskRunRequest struct {
	Goal string `json:"goal"`
	Tab  TabID  `json:"tab,omitempty"`
	// Profile is the id, name or model of a profile; empty for the one that is
	// for tasks of programs, else the one that the panel would take.
	Profile string `json:"profile,omitempty"`
	// Routine runs a saved routine with Params instead of a goal.
	Routine  string            `json:"routine,omitempty"`
	Params   map[string]string `json:"params,omitempty"`
	MaxSteps int               `json:"maxSteps,omitempty"`
}

// TaskRunReply is its reply: the task that a panel took.
type TaskRunReply struct {
	Task Task `json:"task"`
}

// TaskRoutine is a routine as the panel and programs see it: a task that was
// saved to be run again, or what was recorded. On disk it is a Routine.
type TaskRoutine struct {
	// Name is of a to z, 0 to 9, _ and -; Title is how the person called it.
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	// Goal has ${name} where a parameter goes; empty for what was recorded.
	Goal   string   `json:"goal"`
	Params []string `json:"params"`
	// Defaults are the values of parameters that need not be given.
	Defaults map[string]string `json:"defaults,omitempty"`
	// Secrets are the parameters whose values are asked for each time.
	Secrets []string `json:"secrets,omitempty"`
	// Steps are command lines, for `pilotfish run`.
	Steps []string `json:"steps,omitempty"`
	// Actions are the panel's, for a replay without a model.
	Actions json.RawMessage `json:"actions,omitempty" tstype:"unknown"`
	Created time.Time       `json:"created"`
}

// TaskRoutinesReply is the reply of POST /task/routines, /task/save-routine and
// /task/delete-routine.
type TaskRoutinesReply struct {
	Routines []TaskRoutine `json:"routines"`
}

// TaskRoutineRequest is the body of POST /task/save-routine and
// /task/delete-routine (the name only).
type TaskRoutineRequest struct {
	Routine TaskRoutine `json:"routine"`
}

// TaskChangedEvent says that a task's head changed or is new. It is pushed to
// every panel.
type TaskChangedEvent struct {
	Type PanelEventType `json:"type" tstype:"'task'"`
	Task Task           `json:"task"`
}

// TaskGoneEvent says that a task was deleted.
type TaskGoneEvent struct {
	Type PanelEventType `json:"type" tstype:"'task_gone'"`
	Task TaskID         `json:"task"`
}

// TaskOrderEvent asks the panel of a tab's window to do something with a task
// that a program asked for.
type TaskOrderEvent struct {
	Type PanelEventType `json:"type" tstype:"'task_order'"`
	// Order is "run", "stop" or "resume", or "pause": a person asked for that on the
	// page.
	Order   string          `json:"order"`
	Task    Task            `json:"task"`
	Request *TaskRunRequest `json:"request,omitempty"`
}
