package protocol

import "time"

// StoredKind is a kind of data that Pilotfish stores on this computer.
type StoredKind string

// The kinds of stored data. All but StoredLogs belong to sessions.
const (
	StoredProfiles      StoredKind = "profiles"      // browser profiles, without what the next two have
	StoredSignIns       StoredKind = "sign-ins"      // cookies, passwords, what sites stored, saved states
	StoredCaches        StoredKind = "caches"        // what browsers can load again
	StoredConversations StoredKind = "conversations" // of Chat, with their files
	StoredTasks         StoredKind = "tasks"
	StoredRoutines      StoredKind = "routines"
	StoredActivity      StoredKind = "activity" // with its screenshots
	StoredFiles         StoredKind = "files"    // downloads, screenshots and other files of commands
	StoredWork          StoredKind = "work"     // what agents wrote into the folder that they start in
	StoredLogs          StoredKind = "logs"     // of the app
)

// StoredUnit is what is counted of a kind of data.
type StoredUnit string

// The units.
const (
	StoredUnitFile         StoredUnit = "file"
	StoredUnitConversation StoredUnit = "conversation"
	StoredUnitTask         StoredUnit = "task"
	StoredUnitRoutine      StoredUnit = "routine"
)

// StoredData is what is stored of one kind.
type StoredData struct {
	Kind  StoredKind `json:"kind"`
	Title string     `json:"title"`
	// About says in a sentence what it is for, Loss what is lost when it is deleted.
	About string `json:"about"`
	Loss  string `json:"loss"`
	// Unit is what Count of the parts counts.
	Unit StoredUnit `json:"unit"`
	// Parts are what the sessions have of it; empty when it was not measured.
	Parts []StoredPart `json:"parts"`
}

// StoredPart is what one session has stored of a kind.
type StoredPart struct {
	// Session is empty for data of the app itself.
	Session SessionName `json:"session,omitempty"`
	Bytes   int64       `json:"bytes"`
	Count   int         `json:"count"`
	// Oldest is when the oldest file was last changed; absent for no file.
	Oldest *time.Time `json:"oldest,omitempty"`
	// InUse: the session runs, so that this can only be deleted after a stop.
	InUse bool `json:"inUse,omitempty"`
}

// StoredDo is what is done with stored data.
type StoredDo string

// What StoredRequest does.
const (
	StoredList    StoredDo = "list"    // the kinds, without their parts
	StoredMeasure StoredDo = "measure" // the kinds with their parts, which may take seconds
	StoredDelete  StoredDo = "delete"
)

// StoredRequest asks for the stored data, and deletes some.
type StoredRequest struct {
	Do StoredDo `json:"do"`
	// Kind is what is measured or deleted; StoredMeasure without it measures all.
	Kind StoredKind `json:"kind,omitempty"`
	// Session is the one whose data is deleted; empty for all.
	Session SessionName `json:"session,omitempty"`
	// Stop lets StoredDelete stop running sessions that use the data. They are started
	// again afterwards.
	Stop bool `json:"stop,omitempty"`
}

// StoredReply has the kinds that were asked for, after the change.
type StoredReply struct {
	Data []StoredData `json:"data"`
	// Freed is how many bytes StoredDelete has deleted.
	Freed int64 `json:"freed"`
}
