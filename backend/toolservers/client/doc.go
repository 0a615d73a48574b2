// Package client uses the tools of the user's own MCP servers for tasks, as the agents of
// conversations do by themselves: it starts a server when a task needs it, lists its
// tools, asks the user before a tool is used, and calls it.
//
// A server is a program of a stranger that runs as the user. It starts as agents do:
// confined where that is possible, in a process group of its own, which ends with the
// task or with the session. What it says is foreign text: its answers go to a model in
// an envelope, and its claims about a tool decide nothing but how often the user is
// asked. Everything that it can make large is bounded; see limits.go. ADR 256.
package client
