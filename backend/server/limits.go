package server

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// maxConnections is how many sockets the server keeps open at once.
	maxConnections = 64
	// idleTimeout is how long a connection without a request stays open.
	idleTimeout = 60 * time.Second
	// writeTimeout is how long one WebSocket write may take before the viewer is
	// disconnected; it reconnects with its last offset.
	writeTimeout = 30 * time.Second
	// maxWatches is how many conversations one panel watches at once.
	maxWatches = 64
	// streamHeartbeat is how often a stream of server-sent events sends a comment
	// to show that it is alive.
	streamHeartbeat = 15 * time.Second
	// maxPairRequest is the limit of a panel's request to be paired, in bytes.
	maxPairRequest = 1 << 10
	// maxShareMessage is the limit of a message of another program's DevTools protocol, in
	// bytes: enough for the body of a response that it answers with.
	maxShareMessage = 32 << 20
	// maxCodeRequest is the limit of a request that exchanges a code, in bytes.
	maxCodeRequest = 1 << 10
	// maxModelRequest is the limit of one request to a model, in bytes: enough for
	// a conversation with several images.
	maxModelRequest = 32 << 20
)
