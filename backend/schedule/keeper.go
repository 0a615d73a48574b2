package schedule

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"pilotfish/backend/protocol"
)

// keeper runs one schedule. Only its goroutine uses the fields without a comment.
type keeper struct {
	s      *Scheduler
	name   string
	cancel context.CancelFunc // guarded by s.mu
	busy   bool               // a run is under way or asked for; guarded by s.mu
	check  time.Time          // when the page is checked next; guarded by s.mu
	wake   chan struct{}      // the schedule was changed
	hand   chan struct{}      // the user asks for a run

	// restarted: the schedule is from before this run of the program, and was not looked
	// at since.
	restarted bool
	lastEnd   time.Time // of the last run
	folder    folder
}

// again makes the keeper look at its schedule again.
func (k *keeper) again() {
	select {
	case k.wake <- struct{}{}:
	default: // it is going to look
	}
}

// keep runs the schedule until it is removed or ctx ends.
func (k *keeper) keep(ctx context.Context) {
	defer k.folder.stop()
	for ctx.Err() == nil {
		e, ok := k.s.entry(k.name)
		if !ok {
			return
		}
		k.folder.follow(ctx, k.s, e)
		wait := time.Hour
		if !e.Off {
			wait = k.look(ctx, e)
		}
		timer := time.NewTimer(max(wait, 0))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-k.wake:
		case _, open := <-k.folder.notices:
			if !open {
				k.folder.stop() // the folder is gone; the next look says so
			}
		case <-k.hand:
			if e, ok := k.s.entry(k.name); ok {
				k.run(ctx, e, "user", "")
			}
		}
		timer.Stop()
	}
}

// look does what is due, and returns when to look again.
func (k *keeper) look(ctx context.Context, e entry) time.Duration {
	defer func() { k.restarted = false }()
	switch {
	case e.When.At != "":
		return k.time(ctx, e)
	case e.When.Page != "":
		return k.page(ctx, e)
	}
	return k.files(ctx, e)
}

// time runs a schedule whose time has come, and reports the runs that were missed.
func (k *keeper) time(ctx context.Context, e entry) time.Duration {
	p, err := parse(e.When.At)
	if err != nil { // the file was edited
		k.failed(ctx, "time", err)
		return time.Hour
	}
	now, zone := k.s.now(), k.s.cfg.Zone
	if e.Done.Sub(now) > setBack {
		e.Done = now
		k.s.update(k.name, func(e *entry) { e.Done = now })
	}
	first, ok := p.next(e.Done, e.Created, zone)
	switch {
	case !ok:
		return time.Hour // a single time that has passed
	case first.After(now):
		return min(first.Sub(now), tick)
	}
	// Of several that are due, only the last one runs, if it is not too late for that.
	from := e.Done
	if recent := now.Add(-grace); recent.After(from) {
		from = recent
	}
	latest, runs := time.Time{}, false
	for t, ok := p.next(from, e.Created, zone); ok && !t.After(now); t, ok = p.next(t, e.Created, zone) {
		latest, runs = t, true
	}
	missed := p.count(e.Done, now, e.Created, zone)
	if runs {
		missed--
	}
	k.s.update(k.name, func(e *entry) { e.Done = now })
	if missed > 0 {
		why, again := k.whyMissed(first)
		k.report(ctx, protocol.ScheduleRun{State: protocol.ScheduleMissed, Reason: "time", Missed: missed, Message: why}, again)
	}
	if runs {
		k.s.log.Info("a schedule runs", "schedule", k.name, "planned", latest)
		k.run(ctx, e, "time", "")
	}
	return 0
}

// whyMissed says why runs from a time on did not begin. again says that this may be so
// each time.
func (k *keeper) whyMissed(first time.Time) (why string, again bool) {
	switch {
	case k.restarted:
		return "Pilotfish was not running", false
	case !first.After(k.lastEnd):
		return "the run before had not ended", true
	}
	return "the computer was asleep, or its clock was set", false
}

// page checks whether a page has changed, when it is time for that.
func (k *keeper) page(ctx context.Context, e entry) time.Duration {
	every := time.Duration(e.When.EverySeconds) * time.Second
	now := k.s.now()
	k.s.mu.Lock()
	next := k.check
	k.s.mu.Unlock()
	// A longer wait means that the clock was set back.
	if wait := next.Sub(now); wait > 0 && wait <= every {
		return min(wait, tick)
	}
	k.s.mu.Lock()
	k.check = now.Add(every).UTC()
	k.s.mu.Unlock()
	if err := k.ready(ctx, e); err != nil {
		k.missed(ctx, "page", 1, protocol.AsError(err).Message)
		return min(every, tick)
	}
	looking, cancel := context.WithTimeout(ctx, checkTimeout)
	text, err := k.s.cfg.Runner.Text(looking, e.Schedule)
	cancel()
	if ctx.Err() != nil {
		return 0
	}
	if err != nil {
		k.failed(ctx, "page", fmt.Errorf("the page could not be checked: %w", err))
		return min(every, tick)
	}
	sum := sha256.Sum256([]byte(text))
	hash := hex.EncodeToString(sum[:])
	if hash == e.Text {
		return min(every, tick)
	}
	k.s.update(k.name, func(e *entry) { e.Text = hash })
	if e.Text != "" {
		k.run(ctx, e, "page", "")
	}
	return 0
}

// files runs the schedule for each file that has appeared in the folder.
func (k *keeper) files(ctx context.Context, e entry) time.Duration {
	found, err := k.folder.read(e, k.restarted)
	if err != nil {
		k.failed(ctx, "file", err)
		return rescan
	}
	arrived := found.arrived
	if k.restarted && e.Seen != nil {
		if n := len(arrived); n > 0 {
			k.missed(ctx, "file", n, "files appeared while Pilotfish was not running")
		}
		arrived = nil
	}
	if over := len(arrived) - mostArrivals; over > 0 {
		k.missed(ctx, "file", over, fmt.Sprintf("more than %d files appeared at once", mostArrivals))
		arrived = arrived[:mostArrivals]
	}
	if found.seen != nil { // also the names of those that are gone are dropped
		// A file that waits for its run is not known yet: if the program ends before, the
		// next start reports it.
		known := slices.DeleteFunc(slices.Clone(found.seen), func(name string) bool { return slices.Contains(arrived, name) })
		k.s.update(k.name, func(e *entry) { e.Seen = known })
	}
	for _, name := range arrived {
		// The user may have paused, changed or removed the schedule during the run before.
		now, ok := k.s.entry(k.name)
		if ctx.Err() != nil || !ok || now.Off || now.When.Folder != e.When.Folder || now.When.Pattern != e.When.Pattern {
			break
		}
		k.s.update(k.name, func(e *entry) {
			if !slices.Contains(e.Seen, name) {
				e.Seen = append(slices.Clone(e.Seen), name)
			}
		})
		k.run(ctx, now, "file", filepath.Join(now.When.Folder, name))
	}
	switch {
	case len(arrived) > 0:
		return 0
	case found.unsettled:
		return settle
	}
	return rescan
}

// ready makes the session ready for a run.
func (k *keeper) ready(ctx context.Context, e entry) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	return k.s.cfg.Runner.Ready(ctx, e.Schedule)
}

// run carries out one run and records it.
func (k *keeper) run(ctx context.Context, e entry, reason, file string) {
	k.setBusy(true)
	defer k.setBusy(false)
	if err := k.ready(ctx, e); err != nil {
		if ctx.Err() == nil {
			k.missed(ctx, reason, 1, protocol.AsError(err).Message)
		}
		return
	}
	// The user may have paused the schedule while its session started or its page loaded.
	if now, ok := k.s.entry(k.name); !ok || now.Off && reason != "user" {
		return
	}
	began, timed := k.s.now(), time.Now()
	this := protocol.ScheduleRun{State: protocol.ScheduleRunning, Reason: reason, Began: began.UTC(), File: file}
	k.s.update(k.name, func(e *entry) { e.add(this) })
	limit := time.Duration(e.MaxMinutes) * time.Minute
	running, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result, err := k.s.cfg.Runner.Run(running, e.Schedule, file, func(task protocol.TaskID) {
		this.Task = task
		k.s.update(k.name, func(e *entry) { e.change(this) })
	})
	this.State, this.Message, this.Steps, this.Tokens = protocol.ScheduleDone, result.Message, result.Steps, result.Tokens
	this.DurationMS = max(1, time.Since(timed).Milliseconds())
	switch {
	case ctx.Err() != nil:
		this.State, this.Message = protocol.ScheduleFailed, "Pilotfish ended during this run"
	case errors.Is(running.Err(), context.DeadlineExceeded):
		this.State, this.Message = protocol.ScheduleFailed, fmt.Sprintf("it was stopped after %s, the limit of one run", limit)
	case err != nil:
		this.State, this.Message = protocol.ScheduleFailed, said(err)
	}
	k.s.update(k.name, func(e *entry) { e.change(this) })
	k.lastEnd = k.s.now()
	k.notify(ctx, e, this)
}

// said returns message and hint of an error in one line.
func said(err error) string {
	e := protocol.AsError(err)
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

func (k *keeper) setBusy(busy bool) {
	k.s.mu.Lock()
	k.busy = busy
	k.s.mu.Unlock()
}

// change replaces the run that began last.
func (e *entry) change(run protocol.ScheduleRun) {
	run.Message = short(run.Message)
	for i := range e.Runs {
		if e.Runs[i].Began.Equal(run.Began) && e.Runs[i].State == protocol.ScheduleRunning {
			e.Runs[i] = run
			return
		}
	}
}

// missed records runs that did not begin. The same reason again counts up, and the user is
// notified once.
func (k *keeper) missed(ctx context.Context, reason string, count int, why string) {
	k.report(ctx, protocol.ScheduleRun{State: protocol.ScheduleMissed, Reason: reason, Missed: count, Message: why}, true)
}

// failed records that it could not be found out whether a run is due.
func (k *keeper) failed(ctx context.Context, reason string, err error) {
	k.report(ctx, protocol.ScheduleRun{State: protocol.ScheduleFailed, Reason: reason, Message: said(err)}, true)
}

// report records what did not run. With again, what is the same as the entry before is
// counted there, and the user is not notified once more.
func (k *keeper) report(ctx context.Context, run protocol.ScheduleRun, again bool) {
	run.Began, run.Message = k.s.now().UTC(), short(run.Message)
	repeated := false
	k.s.update(k.name, func(e *entry) {
		if again && len(e.Runs) > 0 {
			last := &e.Runs[0]
			repeated = last.State == run.State && last.Reason == run.Reason && last.Message == run.Message && last.DurationMS == 0
			if repeated {
				last.Missed, last.Began = min(last.Missed+run.Missed, mostMissed), run.Began
				return
			}
		}
		e.add(run)
	})
	if e, ok := k.s.entry(k.name); ok && !repeated {
		k.notify(ctx, e, run)
	}
}

// notify tells the user about a run, as the schedule says.
func (k *keeper) notify(ctx context.Context, e entry, run protocol.ScheduleRun) {
	k.s.log.Info("a run of a schedule", "schedule", k.name, "state", run.State, "reason", run.Reason)
	if ctx.Err() != nil || e.Notify == protocol.ScheduleNotifyNever || run.State == protocol.ScheduleDone && e.Notify != protocol.ScheduleNotifyAlways {
		return
	}
	k.s.cfg.Runner.Notify(ctx, k.name, run)
}
