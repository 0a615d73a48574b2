// Package chat keeps the conversations with agents: for each one its queue,
// turns, journal, permissions and viewers. It reaches agents through the
// package driver. It knows no agent by name and no protocol; the packages acp,
// claude, model and pilot do.
//
// A conversation is a folder with three logs. Two belong to its transcript (see
// the package transcript): events has every change, folded has the compacted
// entries. The third is state; its last record is what a restart needs: queue,
// draft, title, and the prompt whose turn has no end yet. An entry gets its
// index and is on disk before a viewer sees it. The prompt is written before
// its turn begins and removed after the end of the turn was written. So a turn
// that a SIGKILL cut off gets its end at the next start, and every turn has
// exactly one end.
//
// One process may serve many conversations (Agent.Shared); the package
// agentpool starts, shares and ends processes. A session of an agent is leased
// by its conversation or by a terminal, never by both (lease.go). The reasons
// are in docs/adr/140 and 150.
package chat
