package page

import (
	"sync"
	"time"
)

// lingering is something that is switched on in the browser while commands need it,
// and off a while after the last: the next command often follows at once, and to
// switch it for each held the next one up.
type lingering struct {
	mu    sync.Mutex // held until the browser has what was decided, in its order
	users int
	on    bool
	off   *time.Timer
}

// use has it switched on until release. switchOn says whether it did; it is not
// called while it is on.
func (l *lingering) use(switchOn func() (did bool, err error)) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users++
	if l.off != nil {
		l.off.Stop()
	}
	if !l.on {
		l.on, err = switchOn()
	}
	return err
}

// release ends use, which may have failed; the last one has it switched off later.
func (l *lingering) release(later time.Duration, switchOff func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users--; l.users > 0 || !l.on {
		return
	}
	l.off = time.AfterFunc(later, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.users == 0 && l.on {
			l.on = false
			switchOff()
		}
	})
}

// state says whether it is on, and for how many commands.
func (l *lingering) state() (on bool, users int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.on, l.users
}
