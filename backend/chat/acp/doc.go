//go:build unix

// Package acp speaks the Agent Client Protocol, version 1, with an agent over its
// standard input and output: JSON-RPC both ways, a message a line.
//
// What is sent has the types of coder/acp-go-sdk. What comes in is read by types
// of our own (the package wire), and so is the connection (conn.go): the library takes an
// update of a kind that it does not know for another one, closes after 1,024
// notifications that wait, takes 10 MB a line at most, and hands a permission
// over beside the updates before it (connection_test.go shows it). Ours reads in
// order, one message at a time, and leaves the rest in the pipe: what is slow here
// slows the agent, and nothing is dropped.
//
// One process serves many sessions. Each session has an inbox and a goroutine of
// its own, in which all that concerns it is done in the order of the wire:
// updates, questions, the end of a turn. So a conversation that is slow to write
// keeps no other waiting until its inbox is full.
package acp
