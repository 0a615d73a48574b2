package chromium

import (
	"fmt"
	"os"
)

// pipe returns our end and the browser's end of one direction: we write, or we read.
func pipe(write bool) (ours, theirs *os.File, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("making the browser's pipe: %w", err)
	}
	if write {
		return w, r, nil
	}
	return r, w, nil
}

// pipeFlags name the handles: there are no descriptors 3 and 4.
func pipeFlags(commands, events *os.File) []string {
	return []string{fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", commands.Fd(), events.Fd())}
}
