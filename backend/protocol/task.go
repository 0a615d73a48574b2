package protocol

import (
	"encoding/json"
	"time"
)

// TaskID names a task: a UUID that the panel makes (or the backend, for a task
// of a program).
type TaskID string

// TaskState is what a task is doing.
type TaskState string

// The states of a task. A task whose panel disconnected is interrupted: it can
// be resumed at its step.
const (
	TaskIdle        TaskState = "idle"
	TaskRunning     TaskState = "running"
	TaskWaiting     TaskState = "waiting" // for the user
	TaskPaused      TaskState = "paused"
	TaskDone        TaskState = "done"
	TaskFailed      TaskState = "failed"
	TaskStopped     TaskState = "stopped"
	TaskInterrupted TaskState = "interrupted"
)

// Over reports whether a task has ended; an interrupted task has not.
func (s TaskState) Over() bool { return s == TaskDone || s == TaskFailed || s == TaskStopped }

// Task is a task without its steps.
type Task struct {
	ID    TaskID    `json:"id"`
	Title string    `json:"title"`
	Goal  string    `json:"goal"` // the user's words
	Tab   TabID     `json:"tab,omitempty"`
	Tabs  []TabID   `json:"tabs"` // all tabs that it may use
	State TaskState `json:"state"`
	// Summary is the agent's text at the end, or why the task ended.
	Summary string `json:"summary,omitempty"`
	Error   *Error `json:"error,omitempty"`
	// Profile is the id of the model profile; empty for Pilot's plain
	// instructions.
	Profile string    `json:"profile,omitempty"`
	Steps   int       `json:"steps"`
	MaxStep int       `json:"maxSteps"`
	Tokens  int       `json:"tokens"`
	Budget  int       `json:"budget"` // tokens; 0 for none
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// Index is the last index that was assigned in the task.
	Index uint64 `json:"index"`
	// Question is what a waiting task asks its user.
	Question *TaskQuestion `json:"question,omitempty"`
	// Routine is the name of the routine that the task runs.
	Routine string `json:"routine,omitempty"`
	// KeepGroup: its tabs stay in their group when the task has ended.
	KeepGroup bool `json:"keepGroup,omitempty"`
	// Closed: the user has dismissed the task after it failed. Until then it is
	// shown.
	Closed bool `json:"closed,omitempty"`
	// Asker is the program that started the task, if a program did.
	Asker *Actor `json:"asker,omitempty"`
}

// TaskQuestion is a question of a task. Its texts are a model's or a page's.
type TaskQuestion struct {
	// Index is that of its event, which tells the questions of a task apart. The backend sets it.
	Index uint64 `json:"index"`
	Text  string `json:"text"`
	// Choices are the offered answers; empty when any answer is possible.
	Choices []TaskChoice `json:"choices,omitempty"`
}

// TaskChoice is an offered answer to a question of a task.
type TaskChoice struct {
	Say string `json:"say"` // the answer, and the label of its button
	// Ref is the element of the page that it means, and Where the place of that among others.
	Ref   string `json:"ref,omitempty"`
	Where string `json:"where,omitempty"`
}

// TaskEventKind says what a TaskEvent is.
type TaskEventKind string

// The kinds of event. The data of an event is in the panel's own format: the
// backend stores and returns it, and understands only the head.
const (
	TaskEventHead    TaskEventKind = "head"    // the task changed
	TaskEventStep    TaskEventKind = "step"    // a complete step; a later event with its number replaces it
	TaskEventUser    TaskEventKind = "person"  // a message of the user
	TaskEventNotice  TaskEventKind = "notice"  // a notice for the agent
	TaskEventSummary TaskEventKind = "summary" // a summary of old steps, for the model
)

// TaskEvent is one line of a task's journal. It is written before anybody sees
// it.
type TaskEvent struct {
	Index uint64        `json:"index"`
	Kind  TaskEventKind `json:"kind"`
	At    time.Time     `json:"at"`
	Head  *Task         `json:"head,omitempty"`
	// Data is JSON in the panel's own format.
	Data json.RawMessage `json:"data,omitempty" tstype:"unknown"`
}

// TaskWriteRequest is the body of POST /task/write. The first write for an
// unknown task creates it and needs the head.
type TaskWriteRequest struct {
	Task   TaskID          `json:"task"`
	Kind   TaskEventKind   `json:"kind"`
	Head   *Task           `json:"head,omitempty"`
	Data   json.RawMessage `json:"data,omitempty" tstype:"unknown"`
	Viewer string          `json:"viewer"` // the panel that holds the task's lease
	// Seq numbers the writes of a panel, over all tasks; 0 means no number. The
	// backend applies each number once, so a request whose reply was lost may be
	// sent again.
	Seq uint64 `json:"seq,omitempty"`
	// Picture requests a screenshot of the page after a step, which is stored with
	// the task. No caller waits for it, and it may fail without harm.
	Picture *TaskShot `json:"picture,omitempty"`
}

// TaskShot says of which step, and of which tab, a screenshot is.
type TaskShot struct {
	Step int   `json:"step"`
	Tab  TabID `json:"tab"`
}

// TaskWriteReply is the reply of POST /task/write.
type TaskWriteReply struct {
	Index uint64 `json:"index"`
	Head  Task   `json:"head"`
	// Did is what the user did on the page while the task was paused, in words;
	// the text in quotes is the page's.
	Did string `json:"did,omitempty"`
}

// TaskRequest is the body of the routes that need only a task: POST /task/get,
// /task/delete, /task/close, /task/stop.
type TaskRequest struct {
	Task   TaskID `json:"task"`
	After  uint64 `json:"after,omitempty"` // get
	Viewer string `json:"viewer,omitempty"`
	// Answers: the caller's user sees the task's questions and can answer them. (stream)
	Answers bool `json:"answers,omitempty"`
}

// TaskAnswerRequest is the body of POST /task/answer: the user's answer to a question of a task.
type TaskAnswerRequest struct {
	Task TaskID `json:"task"`
	// Question is the index of the question; 0 for the open one.
	Question uint64 `json:"question,omitempty"`
	Text     string `json:"text"`
}

// TaskPage is the reply of POST /task/get.
type TaskPage struct {
	Head   Task        `json:"head"`
	Events []TaskEvent `json:"events"`
}

// TaskListRequest is the body of POST /task/list.
type TaskListRequest struct {
	// Text is searched in titles, goals, summaries and steps; empty for all.
	Text  string `json:"text,omitempty"`
	Limit int    `json:"limit,omitempty"`
}

// TaskListReply is the reply of POST /task/list, newest first.
type TaskListReply struct {
	Tasks []Task `json:"tasks"`
	// Found says where the text first occurs in each task, if the request had a
	// text.
	Found []TaskFound `json:"found,omitempty"`
}

// TaskFoundIn says in which part of a task a text was found.
type TaskFoundIn string

// The parts that are searched: of the task itself, of its steps, and the
// messages between them.
const (
	TaskFoundTitle   TaskFoundIn = "title"
	TaskFoundGoal    TaskFoundIn = "goal"
	TaskFoundSummary TaskFoundIn = "summary"
	TaskFoundAim     TaskFoundIn = "aim"    // the purpose of a step, and what the agent thought of it
	TaskFoundAction  TaskFoundIn = "action" // the action, with its element
	TaskFoundResult  TaskFoundIn = "result" // the result of the action
	TaskFoundPage    TaskFoundIn = "page"   // title and address of the page
	TaskFoundUser    TaskFoundIn = "person" // a message of the user
	TaskFoundNote    TaskFoundIn = "note"   // a note, or a question of the agent
)

// TaskFound is where a text occurs in a task. It may contain text of pages.
type TaskFound struct {
	Task   TaskID      `json:"task"`
	Step   int         `json:"step,omitempty"` // 0 outside of the steps
	In     TaskFoundIn `json:"in"`
	Before string      `json:"before"`
	Match  string      `json:"match"`
	After  string      `json:"after"`
}

// TaskCommandRequest is the body of POST /task/command: one command of the
// registry, run as the task's actor on one of the task's tabs.
type TaskCommandRequest struct {
	Task    TaskID         `json:"task"`
	Viewer  string         `json:"viewer"`
	Command CommandRequest `json:"command"`
	ByPage  *ByPage        `json:"byPage,omitempty"`
	// Writes are applied in order before the command, so that nothing is done to a
	// page that is not in the journal. When one of them fails, the command does
	// not run.
	Writes []TaskWriteRequest `json:"writes,omitempty"`
}

// TaskCommandReply is the reply of POST /task/command.
type TaskCommandReply struct {
	CommandReply `tstype:",extends"`
	// Written is the reply to the last of the writes.
	Written *TaskWriteReply `json:"written,omitempty"`
}

// TaskPlainRequest is the body of POST /task/plain, which translates plain
// instructions into commands for a task without a model.
type TaskPlainRequest struct {
	// Text is the user's text.
	Text string `json:"text"`
	// Task, Viewer and Tab say which task and panel carry out Step, and on which
	// tab. Without a task, the text is only parsed.
	Task   TaskID `json:"task,omitempty"`
	Viewer string `json:"viewer,omitempty"`
	Tab    TabID  `json:"tab,omitempty"`
	Step   int    `json:"step,omitempty"` // from 0
	// Tried are the results of the step's commands so far, in their order.
	Tried []TaskPlainTried `json:"tried,omitempty"`
	// Chosen are the refs that the user chose where several elements matched.
	Chosen []string `json:"chosen,omitempty"`
}

// TaskPlainTried is the result of one command of a plain instruction; without
// Error it succeeded.
type TaskPlainTried struct {
	Error *Error `json:"error,omitempty"`
}

// TaskPlainReply is the reply of POST /task/plain.
type TaskPlainReply struct {
	// Steps describe what each instruction does; empty when Unknown is set.
	Steps []string `json:"steps"`
	// Unknown says why the text is not plain instructions.
	Unknown string `json:"unknown,omitempty"`
	// Commands are the commands of the step; none if it only reads the page.
	Commands []CommandRequest `json:"commands,omitempty"`
	// Said is what the step read. It contains text of the page.
	Said string `json:"said,omitempty"`
	// Error is why the step cannot be carried out, and Choices are the elements
	// that may have been meant.
	Error   *Error            `json:"error,omitempty"`
	Choices []TaskPlainChoice `json:"choices,omitempty"`
}

// TaskPlainChoice is an element of the page that may have been meant. Name and
// Where are text of the page.
type TaskPlainChoice struct {
	Ref   string `json:"ref"`
	Name  string `json:"name"`
	Kind  string `json:"kind,omitempty"`
	Where string `json:"where,omitempty"`
	// Which says which of several look-alikes it is, where no title tells them
	// apart: "2 of 3".
	Which string `json:"which,omitempty"`
}

// TaskTabRequest is the body of POST /task/tab: the user lets the task use a
// tab, or takes a tab away from it.
type TaskTabRequest struct {
	Task   TaskID `json:"task"`
	Tab    TabID  `json:"tab"`
	Remove bool   `json:"remove,omitempty"`
}

// TaskScreenshotRequest is the body of POST /task/picture.
type TaskScreenshotRequest struct {
	Task TaskID `json:"task"`
	Step int    `json:"step"`
}

// TaskRunRequest is the body of POST /task/run, with which a program starts a
// task.
type TaskRunRequest struct {
	Goal string `json:"goal"`
	Tab  TabID  `json:"tab,omitempty"`
	// Profile is the id, name or model of a profile; empty for the profile for
	// tasks of programs, else the one that the panel would use.
	Profile string `json:"profile,omitempty"`
	// Routine runs a saved routine with Params instead of a goal.
	Routine  string            `json:"routine,omitempty"`
	Params   map[string]string `json:"params,omitempty"`
	MaxSteps int               `json:"maxSteps,omitempty"`
}

// TaskRunReply is the reply of POST /task/run: the task that a panel or the task page took.
type TaskRunReply struct {
	Task Task `json:"task"`
}

// TaskRoutine is a routine as the panel and programs see it: a saved task, or a
// recording, that can be run again. On disk it is a Routine.
type TaskRoutine struct {
	// Name consists of a to z, 0 to 9, _ and -; Title is the user's name for it.
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	// Goal has ${name} for each parameter; empty for a recording.
	Goal   string   `json:"goal"`
	Params []string `json:"params"`
	// Defaults are the values of optional parameters.
	Defaults map[string]string `json:"defaults,omitempty"`
	// Secrets are the parameters whose values the user has to enter each time.
	Secrets []string `json:"secrets,omitempty"`
	// Steps are command lines, for `pilotfish run`.
	Steps []string `json:"steps,omitempty"`
	// Actions are in the panel's own format, for a replay without a model.
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

// TaskChangedEvent reports that a task's head changed or is new. It is sent to
// every panel.
type TaskChangedEvent struct {
	Type PanelEventType `json:"type" tstype:"'task'"`
	Task Task           `json:"task"`
}

// TaskGoneEvent reports that a task was deleted.
type TaskGoneEvent struct {
	Type PanelEventType `json:"type" tstype:"'task_gone'"`
	Task TaskID         `json:"task"`
}

// TaskOrderEvent asks the panel of a tab's window, or the task page, to do something with a
// task. A program, another panel, or the user on the page asked for this.
type TaskOrderEvent struct {
	Type PanelEventType `json:"type" tstype:"'task_order'"`
	// Order is "run", "resume", "stop", TaskOrderGiveUp, or one of a TaskOrderRequest.
	Order   string          `json:"order"`
	Task    Task            `json:"task"`
	Request *TaskRunRequest `json:"request,omitempty"`
	// Page: the task page runs or resumes the task, and no panel.
	Page bool `json:"page,omitempty"`
	// Text is the message of "say".
	Text string `json:"text,omitempty"`
}

// The orders of a user for a task that another panel, or the task page, runs.
const (
	TaskOrderPause    = "pause"
	TaskOrderTakeOver = "take_over" // pause at once, and interrupt what waits for an approval
	TaskOrderGoOn     = "go_on"
	TaskOrderSay      = "say" // a message, or the answer to a question
)

// TaskOrderGiveUp ends a task with its question, because nobody answers it. Only the backend
// gives it.
const TaskOrderGiveUp = "give_up"

// TaskOrderRequest is the body of POST /task/order: a panel passes on what its user wants of
// a task that runs elsewhere.
type TaskOrderRequest struct {
	Task  TaskID `json:"task"`
	Order string `json:"order"`
	Text  string `json:"text,omitempty"`
}
