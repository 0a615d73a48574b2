package page

import (
	"sync"
	"time"
)

// lingering is a setting of the browser that is switched on while commands need
// it, and off some time after the last one: the next command often follows at
// once, and switching for each command delayed the next one.
type lingering struct {
	mu    sync.Mutex // held until the command was sent, so that the browser gets on and off in order
	users int
	on    bool
	off   *time.Timer
}

// use switches it on, if it is off, until release. did says whether switchOn
// switched it on; switchOn is not called while it is on.
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

// release ends a use, even one that failed. After the last release it is switched
// off, later.
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

// state reports whether it is on, and how many commands use it.
func (l *lingering) state() (on bool, users int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.on, l.users
}
