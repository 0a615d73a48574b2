package stdio

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// maxAgentLine bounds one message of an agent, in bytes.
	maxAgentLine = 64 << 20
	// maxAgentQueue is how many bytes wait for an agent that does not read.
	maxAgentQueue   = 64 << 20
	agentStderrLine = 4 << 10
	// agentEndWait is how long an agent is let alone after what it said last before
	// its input ends, and how long it may then take to end by itself before it is
	// signalled: in both it writes down what was said.
	agentEndWait = 250 * time.Millisecond
	// agentPipeWait is how long an agent that closed its output may take to end,
	// and what it left in the pipe to be read.
	agentPipeWait = 2 * time.Second
)
