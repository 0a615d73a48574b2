// Package acp speaks the Agent Client Protocol, version 1, with an agent over
// its standard input and output: JSON-RPC in both directions, one message per
// line.
//
// What is sent has the types of coder/acp-go-sdk. What is received is read by
// types of our own (the package wire), over a connection of our own (conn.go),
// because the library decodes an update of an unknown kind as another kind,
// closes after 1,024 queued notifications, accepts at most 10 MB per line, and
// delivers a permission request concurrently with the updates before it
// (connection_test.go shows this). Our connection reads in order, one message
// at a time, and leaves the rest in the pipe: when this program is slow, the
// agent is slowed down, and nothing is dropped.
//
// One process serves many sessions. Each session has an inbox and a goroutine
// of its own, which handles everything of the session in the order of the wire:
// updates, questions, the end of a turn. So a conversation that is slow to
// write does not delay the others until its inbox is full.
package acp
