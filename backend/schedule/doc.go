// Package schedule runs routines, tasks and commands by itself: at a time, when the text
// of a page changes, or when a file appears.
//
// Each schedule has one goroutine, its keeper, which also carries out its runs: so runs of
// one schedule never overlap. Before a run begins, the schedule's file says so: after a
// crash, nothing is repeated. Runs that were missed are reported as one entry.
//
// Timers do not advance while the computer sleeps, and the clock may be set. So a keeper
// compares the clock at short intervals instead of waiting for a whole day. See
// docs/adr/250.
package schedule

import "time"

const (
	// tick is how long a keeper waits at most before it looks at the clock again.
	tick = 20 * time.Second
	// grace is how late a run may begin. One that is later was missed.
	grace = 2 * time.Minute
	// setBack is by how much the clock may be set back without repeating what ran. When
	// it is set back by more, it was wrong before, and what ran then does not count.
	setBack = 25 * time.Hour
	// settle is for how long a file must stay unchanged before it counts as complete.
	settle = time.Second
	// rescan is how often a folder is read without a notice of the system, which network
	// folders do not give.
	rescan = time.Minute
	// readyTimeout is how long a session may take to start for a run, and checkTimeout
	// how long the check of a page may take.
	readyTimeout = 2 * time.Minute
	checkTimeout = 90 * time.Second
	// mostMissed is how many missed runs are counted.
	mostMissed = 1000
	// mostFiles is how many matching files a folder may have, and mostArrivals how many
	// that appear together are run.
	mostFiles    = 2000
	mostArrivals = 20
)
