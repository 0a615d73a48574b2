//go:build unix

// Package claude speaks with the claude command line in its stream-json mode, for
// people who have it without its adapter for ACP: messages of JSON, a line each,
// and beside them requests both ways ("control requests": may this tool run,
// interrupt, another model). What it reads is as claude 2.1 writes it, seen and
// tested with the real one (make test-agents); what it does not know it passes
// over.
//
// One process serves one session. It starts with Open, because a session is given
// by arguments.
package claude
