package chat

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// maxChatText bounds a prompt and a draft, in bytes.
	maxChatText = 256 << 10
	// chatPageSize is how many entries a page has by default. The most that it
	// may have is protocol.ChatPageMax.
	chatPageSize = 100
	// chatReplay is how many missed events a returning viewer receives. A
	// viewer that missed more gets a page instead.
	chatReplay = 2000
	// chatHits is how many hits a search returns by default.
	chatHits = 50
	// chatHeadEvery is the shortest time between two updates of a head for
	// changes that are not urgent (usage, draft).
	chatHeadEvery = 100 * time.Millisecond
	// chatCancelWait is how long an agent may take to end a cancelled turn
	// before its process is ended.
	chatCancelWait = 10 * time.Second
	// chatAnswerWait is how long an agent's question waits for the user's
	// answer.
	chatAnswerWait = 24 * time.Hour
	// chatIdle is how long an idle conversation keeps its agent, if the agent
	// can load the session again.
	chatIdle = 30 * time.Minute
	// chatStepWait is how long a browser step waits for its tool call: the two
	// arrive over different pipes.
	chatStepWait = 250 * time.Millisecond
	// chatTitle bounds a title made from the first prompt, in characters.
	chatTitle = 60
)
