package stdio

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// maxAgentLine bounds one message of an agent, in bytes.
	maxAgentLine = 64 << 20
	// maxAgentQueue bounds the queue for an agent that does not read, in bytes.
	maxAgentQueue   = 64 << 20
	agentStderrLine = 4 << 10
	// agentEndWait is used twice when an agent is closed: how long we wait
	// after its last output before closing its input, and how long it may then
	// take to end by itself before it is signalled. During both, agents save
	// the conversation.
	agentEndWait = 250 * time.Millisecond
	// agentPipeWait is how long an agent that closed its output may take to
	// end. After the end of an agent, it is also how long the rest of its
	// output may take to be read.
	agentPipeWait = 2 * time.Second
)
