//go:build unix

package terminal

import (
	"time"

	"pilotfish/backend/protocol"
)

// sizer makes a storm of resizes a few.
type sizer struct {
	last       time.Time // of the last one that the program was told
	timer      *time.Timer
	cols, rows int // to be told by timer
}

func (s *sizer) stop() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// resize gives the program a new size: at once when the last is long ago, else
// when the storm is over. It needs mu.
func (t *terminal) resize(cols, rows int) {
	cols, rows = clamp(cols, rows)
	if t.size.timer != nil {
		t.size.cols, t.size.rows = cols, rows
		return
	}
	if cols == t.info.Cols && rows == t.info.Rows {
		return
	}
	if wait := resizeEvery - time.Since(t.size.last); wait > 0 {
		t.resizeLater(cols, rows, wait)
		return
	}
	t.setSize(cols, rows)
}

func (t *terminal) resizeLater(cols, rows int, wait time.Duration) {
	t.size.cols, t.size.rows = cols, rows
	t.size.timer = time.AfterFunc(wait, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.size.timer == nil || t.closed {
			return
		}
		t.size.timer = nil
		t.setSize(t.size.cols, t.size.rows)
	})
}

// setSize needs mu.
func (t *terminal) setSize(cols, rows int) {
	t.size.last = time.Now()
	t.applySize(cols, rows)
	if cols != t.info.Cols || rows != t.info.Rows {
		t.info.Cols, t.info.Rows = cols, rows
		t.changed()
	}
}

func (t *terminal) applySize(cols, rows int) {
	if t.run == nil || t.info.State != protocol.TerminalLive {
		return
	}
	if err := t.run.device.Resize(cols, rows); err != nil {
		t.log.Warn("the terminal could not be resized", "error", err)
	}
}

// nudge makes a full-screen program draw itself anew. A signal alone is not
// enough: most compare the size first. It needs mu.
func (t *terminal) nudge() {
	cols, rows := t.info.Cols, t.info.Rows
	if t.size.timer != nil {
		return // a resize is on its way and does the same
	}
	other := rows - 1
	if other < protocol.MinRows {
		other = rows + 1
	}
	t.applySize(cols, other)
	t.size.last = time.Now()
	t.resizeLater(cols, rows, nudgeWait)
}
