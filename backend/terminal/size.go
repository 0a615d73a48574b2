package terminal

import (
	"time"

	"pilotfish/backend/protocol"
)

// sizer limits how often the program is resized.
type sizer struct {
	last       time.Time // when the program was last resized
	timer      *time.Timer
	cols, rows int // the size that timer will apply
}

func (s *sizer) stop() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// resize changes the program's size: at once when the last resize is at least
// resizeEvery ago, else when that time has passed. It needs mu.
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

// nudge makes a full-screen program redraw itself by changing its size for nudgeWait.
// Sending SIGWINCH alone is not enough, because most programs compare the size first.
// It needs mu.
func (t *terminal) nudge() {
	cols, rows := t.info.Cols, t.info.Rows
	if t.size.timer != nil {
		return // a pending resize has the same effect
	}
	other := rows - 1
	if other < protocol.MinRows {
		other = rows + 1
	}
	t.applySize(cols, other)
	t.size.last = time.Now()
	t.resizeLater(cols, rows, nudgeWait)
}
