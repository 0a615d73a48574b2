// Package chat keeps conversations with agents: the queue of each, its turns,
// its journal, its permissions, and who watches. It speaks to agents through the
// package driver, and knows neither an agent by name nor a protocol (the packages
// acp, claude, model and pilot do).
//
// A conversation is a folder with three logs. The first two are those of its
// transcript: events has every change, compacted entries are in folded (see the
// package transcript). The last record of state is what a restart needs:
// queue, draft, title, and the prompt whose turn has no end yet. An entry gets its
// index and is on disk before a viewer sees it. The prompt is written before its
// turn begins and removed after the end was written, so that a turn that SIGKILL
// cut off gets its end at the next start, and every turn has exactly one.
//
// One process may serve many conversations (Agent.Shared); the package agentpool
// starts, shares and ends them. A session of an agent is leased by its conversation or by a
// terminal, never by both (lease.go). The reasons are in docs/adr/140 and 150.
package chat
