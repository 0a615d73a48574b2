package schedule

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// Runner carries out what schedules say. Its methods are called from several goroutines.
type Runner interface {
	// Check returns an error when the session, the routine or a command of a schedule
	// does not exist.
	Check(s protocol.Schedule) error
	// Ready returns when the schedule's session runs; it starts it if the schedule says
	// so. The error says why it does not run.
	Ready(ctx context.Context, s protocol.Schedule) error
	// Run carries out one run and returns at its end; file is the file that appeared, or
	// empty. It calls begun once the run has a task. When ctx ends, it stops the run.
	Run(ctx context.Context, s protocol.Schedule, file string, begun func(protocol.TaskID)) (Result, error)
	// Text returns the text that a schedule of a page watches.
	Text(ctx context.Context, s protocol.Schedule) (string, error)
	// Notify tells the user about a run that ended or was missed. It must not block for long.
	Notify(ctx context.Context, name string, run protocol.ScheduleRun)
}

// Result is what a run did.
type Result struct {
	// Message is its result. It may contain text of a page.
	Message       string
	Steps, Tokens int
}

// Config is what New needs. All fields are required unless they say otherwise.
type Config struct {
	// File stores the schedules.
	File   string
	Runner Runner
	// Now is the clock of the computer; nil means time.Now. Zone is its time zone; nil
	// means the local one.
	Now  func() time.Time
	Zone *time.Location
	// Watch sends when something in a folder changed, until ctx ends; nil means the
	// notices of the system.
	Watch  func(ctx context.Context, folder string) (<-chan struct{}, error)
	Logger *slog.Logger
}

// Scheduler keeps the schedules and runs them. Its methods are safe for concurrent use.
type Scheduler struct {
	cfg Config
	log *slog.Logger

	mu      sync.Mutex
	all     map[string]*entry // nil until the file was read
	unread  error             // why it could not be read
	keepers map[string]*keeper
	start   func(*keeper) // starts a keeper; nil while Run does not run
	changed func()
	changes uint64
}

// New returns a Scheduler with the schedules of the file. Run runs them.
func New(cfg Config) *Scheduler {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Zone == nil {
		cfg.Zone = time.Local
	}
	if cfg.Watch == nil {
		cfg.Watch = watch
	}
	s := &Scheduler{cfg: cfg, log: cfg.Logger.With("component", "schedule"), keepers: map[string]*keeper{}, changed: func() {}}
	s.all, s.unread = load(cfg.File)
	if s.unread != nil {
		s.log.Warn("schedules do not run", "error", s.unread)
	}
	return s
}

// OnChange sets the function that is called after every change. It must not block. Call
// it before Run.
func (s *Scheduler) OnChange(changed func()) { s.changed = changed }

// Changes counts the changes of the schedules and their runs.
func (s *Scheduler) Changes() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changes
}

// now returns the time of the computer's clock. Without the monotonic reading, times are
// compared as the clock shows them.
func (s *Scheduler) now() time.Time { return s.cfg.Now().Round(0) }

// Run runs the schedules until ctx ends, and returns when no run is left.
func (s *Scheduler) Run(ctx context.Context) error {
	var keepers sync.WaitGroup
	s.mu.Lock()
	s.start = func(k *keeper) {
		own, cancel := context.WithCancel(ctx)
		k.cancel = cancel
		keepers.Go(func() {
			defer cancel()
			k.keep(own)
		})
	}
	for name := range s.all {
		s.keepLocked(name, true)
	}
	s.mu.Unlock()
	<-ctx.Done()
	s.mu.Lock()
	s.start = nil // nothing is added from here on
	s.mu.Unlock()
	keepers.Wait()
	return nil
}

// keepLocked makes the keeper of a schedule; old says that the schedule is from a run of
// the program before this one. The caller holds mu.
func (s *Scheduler) keepLocked(name string, old bool) {
	k := &keeper{s: s, name: name, restarted: old, wake: make(chan struct{}, 1), hand: make(chan struct{}, 1)}
	s.keepers[name] = k
	if s.start != nil {
		s.start(k)
	}
}

// Do carries out a request of the user, and returns all schedules.
func (s *Scheduler) Do(req protocol.ScheduleRequest) (protocol.ScheduleReply, error) {
	if s.unread != nil {
		return protocol.ScheduleReply{Schedules: []protocol.Schedule{}}, s.unread
	}
	var err error
	switch req.Do {
	case "list":
	case "add", "change":
		err = s.put(req)
	case "run":
		err = s.runNow(req.Name)
	case "pause", "resume":
		err = s.set(req.Name, func(e *entry) {
			if e.Off && req.Do == "resume" { // what happened meanwhile is not made up for
				e.Done, e.Text, e.Seen = s.now(), "", present(*e)
			}
			e.Off = req.Do == "pause"
		})
	case "remove":
		err = s.remove(req.Name)
	default:
		err = protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("schedules know no %.40q", req.Do), "use list, add, change, run, pause, resume or remove")
	}
	return protocol.ScheduleReply{Schedules: s.list()}, err
}

// list returns the schedules by name.
func (s *Scheduler) list() []protocol.Schedule {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []protocol.Schedule{}
	for name, e := range s.all {
		one := e.Schedule
		one.Runs = append([]protocol.ScheduleRun{}, one.Runs...)
		if next := s.nextLocked(e, s.keepers[name]); !next.IsZero() {
			one.Next = &next
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b protocol.Schedule) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// nextLocked returns when a schedule runs next, or when its page is checked next.
func (s *Scheduler) nextLocked(e *entry, k *keeper) time.Time {
	switch {
	case e.Off:
	case e.When.At != "":
		if p, err := parse(e.When.At); err == nil {
			after := e.Done
			if now := s.now(); now.After(after) {
				after = now
			}
			next, _ := p.next(after, e.Created, s.cfg.Zone)
			if next.After(after) {
				return next.UTC()
			}
		}
	case e.When.Page != "" && k != nil:
		return k.check
	}
	return time.Time{}
}

func unknown(name string) error {
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no schedule %.60q", name), "", protocol.Try("lists them", "schedule"))
}

// put adds or changes a schedule.
func (s *Scheduler) put(req protocol.ScheduleRequest) error {
	if req.Schedule == nil {
		return protocol.NewError(protocol.CodeBadArgument, "the request has no schedule", "send one")
	}
	now := s.now()
	one, err := check(*req.Schedule, now, s.cfg.Zone)
	if err == nil {
		err = s.cfg.Runner.Check(one)
	}
	if err != nil {
		return err
	}
	one.Created, one.Next, one.Runs = now.UTC(), nil, nil
	s.mu.Lock()
	old := s.all[one.Name]
	switch {
	case req.Do == "add" && old != nil:
		err = protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is a schedule %q already", one.Name), "choose another name, or remove it", protocol.Try("removes it", "schedule", "remove", one.Name))
	case req.Do == "change" && (old == nil || req.Name != one.Name):
		err = unknown(req.Name)
	case old == nil && len(s.all) >= protocol.MaxSchedules:
		err = protocol.NewError(protocol.CodeBusy, fmt.Sprintf("there are %d schedules, and no more can be kept", protocol.MaxSchedules), "remove some")
	}
	if err != nil {
		s.mu.Unlock()
		return err
	}
	made := &entry{Schedule: one, Done: now}
	made.Seen = present(*made)
	if old != nil {
		made.Runs = old.Runs
	}
	return s.storeLocked(one.Name, made)
}

// storeLocked stores an entry, nil to remove it, and wakes its keeper. It releases mu.
func (s *Scheduler) storeLocked(name string, e *entry) error {
	before := s.all[name]
	if s.all[name] = e; e == nil {
		delete(s.all, name)
	}
	if err := save(s.cfg.File, s.all); err != nil {
		if s.all[name] = before; before == nil {
			delete(s.all, name)
		}
		s.mu.Unlock()
		return err
	}
	switch k := s.keepers[name]; {
	case e == nil:
		delete(s.keepers, name)
		if k != nil && k.cancel != nil {
			k.cancel()
		}
	case k == nil:
		s.keepLocked(name, false)
	default:
		k.check = time.Time{} // a page is checked at once
		k.again()
	}
	s.changes++
	s.mu.Unlock()
	s.changed()
	return nil
}

// set changes an entry for the user.
func (s *Scheduler) set(name string, change func(*entry)) error {
	s.mu.Lock()
	e := s.all[name]
	if e == nil {
		s.mu.Unlock()
		return unknown(name)
	}
	next := *e
	change(&next)
	return s.storeLocked(name, &next)
}

func (s *Scheduler) remove(name string) error {
	s.mu.Lock()
	if s.all[name] == nil {
		s.mu.Unlock()
		return unknown(name)
	}
	return s.storeLocked(name, nil)
}

// runNow asks a schedule's keeper for a run.
func (s *Scheduler) runNow(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, k := s.all[name], s.keepers[name]
	switch {
	case e == nil:
		return unknown(name)
	case s.start == nil || k == nil:
		return protocol.NewError(protocol.CodeNotRunning, "schedules do not run yet", "try again when Pilotfish has started")
	case k.busy:
		return protocol.NewError(protocol.CodeBusy, fmt.Sprintf("the schedule %s runs already", name), "wait for its end")
	}
	k.busy = true
	select {
	case k.hand <- struct{}{}:
	default: // it was asked for already, and another run came before it
	}
	return nil
}

// entry returns a copy of an entry; ok is false when it was removed.
func (s *Scheduler) entry(name string) (e entry, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.all[name]; found != nil {
		return *found, true
	}
	return e, false
}

// update changes an entry for its keeper. An error of the disk is logged: the schedule
// continues with what is in memory.
func (s *Scheduler) update(name string, change func(*entry)) {
	s.mu.Lock()
	e := s.all[name]
	if e == nil {
		s.mu.Unlock()
		return
	}
	next := *e
	next.Runs = slices.Clone(e.Runs)
	change(&next)
	s.all[name] = &next
	s.changes++
	err := save(s.cfg.File, s.all)
	s.mu.Unlock()
	if err != nil {
		s.log.Warn("a schedule could not be stored", "schedule", name, "error", err)
	}
	s.changed()
}

// add puts a run in front of an entry's runs.
func (e *entry) add(run protocol.ScheduleRun) {
	run.Message = short(run.Message)
	e.Runs = append([]protocol.ScheduleRun{run}, e.Runs...)
	e.Runs = e.Runs[:min(len(e.Runs), protocol.MaxScheduleRuns)]
}

// short returns a text without control characters, and of a bounded length.
func short(text string) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)), " ")
	if runes := []rune(text); len(runes) > mostMessage {
		text = string(runes[:mostMessage-1]) + "…"
	}
	return text
}

// mostMessage is the length of a run's message, in characters.
const mostMessage = 400
