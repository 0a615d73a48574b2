// Package claude runs the claude command line in its stream-json mode, for
// users who have claude without its ACP adapter. The protocol is JSON messages,
// one per line, and requests in both directions ("control requests": may this
// tool run, interrupt, another model). The package reads what claude 2.1
// writes, as seen and tested with the real one (make test-agents); unknown
// messages are ignored.
//
// One process serves one session. The process starts with Open, because
// arguments choose the session.
package claude
