package chat

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// maxChatText bounds a prompt and a draft, in bytes.
	maxChatText = 256 << 10
	// chatPageSize is how many entries a page has unless asked for another number,
	// ChatPageMax the most that it has.
	chatPageSize = 100
	// chatReplay is how many events a viewer that comes back is given; one that is
	// further behind gets a page.
	chatReplay = 2000
	// chatHits is how many hits a search gives unless asked for another number.
	chatHits = 50
	// chatHeadEvery is the shortest time between two heads that differ in nothing
	// that a person waits for (usage, draft).
	chatHeadEvery = 100 * time.Millisecond
	// chatCancelWait is how long an agent may take to end a turn that is cancelled,
	// before its process is ended.
	chatCancelWait = 10 * time.Second
	// chatAnswerWait is how long a question of an agent waits for the person.
	chatAnswerWait = 24 * time.Hour
	// chatIdle is how long an agent that can load its sessions again is kept for a
	// conversation in which nothing happens.
	chatIdle = 30 * time.Minute
	// chatStepWait is how long a step in the browser waits for the tool call that it
	// belongs to: the two come over different pipes.
	chatStepWait = 250 * time.Millisecond
	// chatTitle bounds a title that is made from the first prompt, in characters.
	chatTitle = 60
)
