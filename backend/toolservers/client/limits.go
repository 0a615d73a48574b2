package client

import "time"

// The bounds of what a server may take and say.
const (
	startTimeout = 20 * time.Second // to start and to list its tools
	callTimeout  = 60 * time.Second // of one call, without the question before it
	// deafWait is how long a call that has ended may take to return. A write to a server
	// that does not read does not return.
	deafWait = time.Second
	// endWait is how long a server may take to end by itself once its input is closed.
	endWait = 250 * time.Millisecond

	maxTools       = 64       // of one server
	maxName        = 128      // bytes of a tool's name, as the protocol recommends
	maxDescription = 300      // characters
	maxSchema      = 4 << 10  // bytes of one tool's schema
	maxDescribed   = 24 << 10 // bytes of all that one server says of its tools
	maxArguments   = 64 << 10 // bytes
	// maxResult is how much of an answer the model gets, in characters. The history of
	// a task shows 16,000 of its newest result, so that the envelope is whole there.
	maxResult  = 14_000
	maxMessage = 4 << 20 // bytes of one message of a server
	maxStderr  = 2 << 10 // bytes that are kept of its standard error
)
