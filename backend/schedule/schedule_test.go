package schedule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/protocol"
)

// fake is a runner whose runs take a time, and what the user was notified of.
type fake struct {
	mu       sync.Mutex
	takes    time.Duration
	err      error         // of a run
	absent   error         // of Ready
	starts   time.Duration // how long Ready takes
	text     string
	unseen   error // of Text
	ran      []string
	notified []string
	running  int
	shifted  time.Duration // how far the clock is set
}

func (f *fake) Check(s protocol.Schedule) error {
	if s.What.Routine == "unknown" {
		return errors.New("there is no such routine")
	}
	return nil
}

func (f *fake) Ready(ctx context.Context, _ protocol.Schedule) error {
	f.mu.Lock()
	starts, err := f.starts, f.absent
	f.mu.Unlock()
	select {
	case <-time.After(starts): // in the test's own time
	case <-ctx.Done():
		err = ctx.Err()
	}
	return err
}

func (f *fake) Run(ctx context.Context, _ protocol.Schedule, file string, begun func(protocol.TaskID)) (Result, error) {
	f.mu.Lock()
	f.running++
	if f.running > 1 {
		panic("two runs at the same time")
	}
	f.ran = append(f.ran, strings.TrimSpace(f.now().UTC().Format("02 15:04:05")+" "+filepath.Base(file+"")))
	takes, err := f.takes, f.err
	f.mu.Unlock()
	begun("task-1")
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		err = ctx.Err()
	}
	f.mu.Lock()
	f.running--
	f.mu.Unlock()
	return Result{Message: "all is well\x1b[31m", Steps: 2, Tokens: 30}, err
}

func (f *fake) Text(context.Context, protocol.Schedule) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.text, f.unseen
}

func (f *fake) Notify(_ context.Context, name string, run protocol.ScheduleRun) {
	f.with(func() { f.notified = append(f.notified, fmt.Sprintf("%s %s: %s", name, run.State, run.Message)) })
}

func (f *fake) with(change func()) {
	f.mu.Lock()
	change()
	f.mu.Unlock()
}

func (f *fake) now() time.Time { return time.Now().Add(f.shifted) }

// stage is a scheduler in a bubble of fake time, which begins on 2000-01-01 at 00:00 UTC.
type stage struct {
	*Scheduler
	*fake

	t      *testing.T
	file   string
	notice chan struct{}
	stop   func()
}

func newStage(t *testing.T, file string, shifted ...time.Duration) *stage {
	t.Helper()
	f := &fake{takes: time.Second}
	for _, by := range shifted {
		f.shifted += by
	}
	st := &stage{fake: f, t: t, file: file, notice: make(chan struct{}, 1)}
	st.Scheduler = New(Config{
		File: file, Runner: f, Zone: time.UTC, Logger: slog.New(slog.DiscardHandler),
		Now: func() time.Time {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.now()
		},
		Watch: func(context.Context, string) (<-chan struct{}, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			return st.notice, nil
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- st.Scheduler.Run(ctx) }()
	st.stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	synctest.Wait()
	return st
}

func (st *stage) do(what, name string, s *protocol.Schedule) []protocol.Schedule {
	st.t.Helper()
	reply, err := st.Do(protocol.ScheduleRequest{Do: what, Name: name, Schedule: s})
	if err != nil {
		st.t.Fatalf("%s %s: %v", what, name, err)
	}
	synctest.Wait()
	return reply.Schedules
}

// pass lets time pass. A sleep in a bubble returns at once.
func (st *stage) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// log returns the runs of a schedule, the oldest first.
func (st *stage) log() string {
	e, _ := st.entry("one")
	var lines []string
	for _, run := range e.Runs {
		line := fmt.Sprintf("%s %s", run.State, run.Reason)
		if run.Missed > 0 {
			line += fmt.Sprintf(" %d times", run.Missed)
		}
		if run.State != protocol.ScheduleDone {
			line += ": " + run.Message
		}
		lines = append([]string{line}, lines...)
	}
	return strings.Join(lines, "; ")
}

func (st *stage) expect(runs, log string) {
	st.t.Helper()
	st.with(func() {
		if got := strings.Join(st.ran, "; "); got != runs {
			st.t.Errorf("it ran %q, not %q", got, runs)
		}
		st.ran = nil
	})
	if got := st.log(); got != log {
		st.t.Errorf("the log is %q, not %q", got, log)
	}
}

func timed(at string) *protocol.Schedule {
	return &protocol.Schedule{Name: "one", What: protocol.ScheduleWhat{Task: "do it"}, When: protocol.ScheduleWhen{At: at}}
}

func bubble(t *testing.T, test func(t *testing.T, file string)) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "schedules.json")
	synctest.Test(t, func(t *testing.T) { test(t, file) })
}

func TestItRunsAtItsTime(t *testing.T) {
	bubble(t, func(t *testing.T, file string) {
		t.Helper()
		st := newStage(t, file)
		defer st.stop()
		list := st.do("add", "", timed("daily 09:30"))
		if len(list) != 1 || list[0].Next == nil || list[0].Next.Format("15:04") != "09:30" || list[0].MaxMinutes != protocol.DefaultScheduleMinutes {
			t.Errorf("%+v", list)
		}
		st.pass(9 * time.Hour)
		st.expect("", "")
		st.pass(24 * time.Hour)
		st.expect("01 09:30:00 .", "done time")
		st.pass(24 * time.Hour)
		st.expect("02 09:30:00 .", "done time; done time")
		if run := st.list()[0].Runs[0]; run.Task != "task-1" || run.DurationMS != 1000 || run.Message != "all is well [31m" || run.Steps != 2 || run.Tokens != 30 {
			t.Errorf("%+v", run)
		}
		if len(st.notified) != 0 {
			t.Error(st.notified)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	})
}

func TestASingleTimeRunsOnce(t *testing.T) {
	bubble(t, func(t *testing.T, file string) {
		t.Helper()
		st := newStage(t, file)
		defer st.stop()
		st.do("add", "", timed("2000-01-01 10:00"))
		st.pass(96 * time.Hour)
		st.expect("01 10:00:00 .", "done time")
		if st.list()[0].Next != nil {
			t.Error("it has a next time")
		}
	})
}

// A computer that slept, or a program that did not run, reports what it missed once.
func TestMissedRuns(t *testing.T) {
	bubble(t, func(t *testing.T, file string) {
		t.Helper()
		st := newStage(t, file)
		st.do("add", "", timed("every 1h"))
		st.pass(90 * time.Minute)
		st.with(func() { st.shifted = 5 * time.Hour }) // now 06:30
		st.pass(tick)
		st.expect("01 01:00:00 .", "done time; missed time 5 times: the computer was asleep, or its clock was set")
		if len(st.notified) != 1 {
			t.Error(st.notified)
		}
		st.with(func() { st.shifted = 6*time.Hour + 31*time.Minute }) // now 08:01: not too late for the last one
		st.pass(tick)
		st.expect("01 08:01:21 .", "done time; missed time 5 times: the computer was asleep, or its clock was set; missed time 1 times: the computer was asleep, or its clock was set; done time")
		st.stop()
		time.Sleep(3*time.Hour + 10*time.Minute)
		again := newStage(t, file, 6*time.Hour+31*time.Minute)
		defer again.stop()
		if log := again.log(); !strings.HasSuffix(log, "; missed time 3 times: Pilotfish was not running") {
			t.Error(log)
		}
		if len(again.ran) != 0 {
			t.Error(again.ran)
		}
	})
}

// The clock is set back: what ran is not repeated, unless the clock was quite wrong.
func TestTheClockIsSetBack(t *testing.T) {
	bubble(t, func(t *testing.T, file string) {
		t.Helper()
		st := newStage(t, file)
		defer st.stop()
		st.do("add", "", timed("every 1h"))
		st.pass(61 * time.Minute)
		st.with(func() { st.shifted = -time.Hour })
		st.pass(30 * time.Minute)
		st.expect("01 01:00:00 .", "done time")
		st.pass(90 * time.Minute)
		st.expect("01 02:00:00 .", "done time; done time")
		st.with(func() { st.shifted = 24*365*time.Hour + 30*time.Minute })
		st.pass(time.Minute)
		st.with(func() { st.shifted, st.ran = -time.Hour, nil })
		st.pass(time.Hour)
		st.expect("01 03:00:00 .", "done time; done time; missed time 1000 times: the computer was asleep, or its clock was set; done time")
	})
}

// Runs of one schedule never overlap, and one that takes too long is stopped.
func TestLongRuns(t *testing.T) {
	bubble(t, func(t *testing.T, file string) {
		t.Helper()
		st := newStage(t, file)
		defer st.stop()
		st.with(func() { st.takes = 8*time.Minute + 30*time.Second })
		st.do("add", "", timed("every 1m"))
		st.pass(9*time.Minute + 31*time.Second)
		st.expect("01 00:01:00 .; 01 00:09:30 .", "done time; missed time 7 times: the run before had not ended; running time: ")
		if _, err := st.Do(protocol.ScheduleRequest{Do: "run", Name: "one"}); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBusy {
			t.Errorf("a second run: %v", err)
		}
		st.do("pause", "one", nil)
		st.pass(time.Hour)
		long := timed("daily 02:00")
		long.MaxMinutes = 1
		st.with(func() { st.takes = time.Hour })
		st.do("change", "one", long)
		st.pass(time.Hour)
		if log := st.log(); !strings.HasSuffix(log, "failed time: it was stopped after 1m0s, the limit of one run") {
			t.Error(log)
		}
	})
}

func TestPauseRunAndRemove(t *testing.T) {
	bubble(t, func(t *testing.T, file string) {
		t.Helper()
		st := newStage(t, file)
		defer st.stop()
		off := timed("every 1h")
		off.Off, off.Notify = true, protocol.ScheduleNotifyAlways
		st.do("add", "", off)
		st.pass(3*time.Hour + time.Minute)
		st.do("run", "one", nil)
		st.pass(time.Minute)
		st.expect("01 03:01:00 .", "done user")
		st.do("resume", "one", nil)
		st.pass(time.Hour)
		st.expect("01 04:00:00 .", "done user; done time")
		if len(st.notified) != 2 {
			t.Error(st.notified)
		}
		st.with(func() { st.takes = time.Hour })
		st.do("run", "one", nil)
		if list := st.do("remove", "one", nil); len(list) != 0 {
			t.Error(list)
		}
		if st.running != 0 {
			t.Error("its run was not stopped")
		}
		for _, what := range []string{"run", "pause", "resume", "remove", "fly"} {
			if _, err := st.Do(protocol.ScheduleRequest{Do: what, Name: "one"}); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}

// A schedule that is paused while its session starts does not run, unless the user asked
// for the run.
func TestPausedWhileTheSessionStarts(t *testing.T) {
	bubble(t, func(t *testing.T, file string) {
		t.Helper()
		st := newStage(t, file)
		defer st.stop()
		st.with(func() { st.starts = 30 * time.Second })
		st.do("add", "", timed("every 1h"))
		st.pass(time.Hour + 10*time.Second)
		st.do("pause", "one", nil)
		st.pass(time.Minute)
		st.expect("", "")
		st.do("run", "one", nil)
		st.pass(time.Minute)
		st.expect("01 01:01:40 .", "done user")
	})
}

// A session that does not run is reported once, with the number of runs.
func TestTheSessionDoesNotRun(t *testing.T) {
	bubble(t, func(t *testing.T, file string) {
		t.Helper()
		st := newStage(t, file)
		defer st.stop()
		st.with(func() { st.absent = protocol.NewError(protocol.CodeNotRunning, "the session is not running", "") })
		st.do("add", "", timed("every 1h"))
		st.pass(3*time.Hour + time.Minute)
		st.expect("", "missed time 3 times: the session is not running")
		if len(st.notified) != 1 {
			t.Error(st.notified)
		}
		st.with(func() { st.absent, st.err = nil, protocol.NewError(protocol.CodeGone, "it broke", "mend it") })
		st.pass(time.Hour)
		st.expect("01 04:00:00 .", "missed time 3 times: the session is not running; failed time: it broke; mend it")
	})
}

func TestAPageChanges(t *testing.T) {
	bubble(t, func(t *testing.T, file string) {
		t.Helper()
		st := newStage(t, file)
		watched := &protocol.Schedule{Name: "one", What: protocol.ScheduleWhat{Routine: "buy"}, When: protocol.ScheduleWhen{Page: "shop.example/tea", EverySeconds: 600}}
		st.with(func() { st.text = "3 €" })
		st.do("add", "", watched)
		if next := st.list()[0].Next; next == nil || next.Format("15:04") != "00:10" {
			t.Error(next)
		}
		st.pass(time.Hour)
		st.expect("", "")
		st.with(func() { st.text = "2 €" })
		st.pass(10*time.Minute + 2*time.Second)
		st.expect("01 01:10:00 .", "done page")
		st.with(func() { st.unseen = errors.New("no network") })
		st.pass(time.Hour)
		st.expect("", "done page; failed page: the page could not be checked: no network")
		if len(st.notified) != 1 {
			t.Error(st.notified)
		}
		st.with(func() { st.unseen, st.text = nil, "1 €" })
		st.stop()
		again := newStage(t, file) // it changed while nobody looked
		defer again.stop()
		again.with(func() { again.text = "1 €" })
		again.pass(11 * time.Minute)
		again.with(func() { again.absent = errors.New("the session is not running") })
		again.pass(11 * time.Minute)
		if log := again.log(); !strings.Contains(log, "done page") || !strings.Contains(log, "missed page 1 times: the session is not running") {
			t.Error(log)
		}
	})
}

func TestAFileAppears(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bubble(t, func(t *testing.T, file string) {
		t.Helper()
		write("old.csv", "old")
		st := newStage(t, file)
		st.do("add", "", &protocol.Schedule{Name: "one", What: protocol.ScheduleWhat{Routine: "book"}, When: protocol.ScheduleWhen{Folder: dir, Pattern: "*.csv"}})
		st.pass(time.Minute)
		st.expect("", "")
		appear := func(names ...string) {
			for _, name := range names {
				write(name, "new")
			}
			st.notice <- struct{}{}
			synctest.Wait()
		}
		appear("a.csv", "b.csv", "c.txt")
		st.pass(500 * time.Millisecond)
		write("a.csv", "still written")
		st.notice <- struct{}{}
		st.pass(5 * time.Second)
		if len(st.ran) != 2 || !strings.HasSuffix(st.ran[0]+st.ran[1], ".csv") {
			t.Error(st.ran)
		}
		write("a.csv", "changed later")
		st.ran = nil
		st.pass(5 * time.Minute)
		st.expect("", "done file; done file")
		var many []string
		for i := range 25 {
			many = append(many, fmt.Sprintf("m%02d.csv", i))
		}
		appear(many...)
		st.pass(time.Hour)
		if log := st.log(); !strings.Contains(log, "done file") || len(st.ran) != mostArrivals {
			t.Errorf("%d runs, %s", len(st.ran), log)
		}
		st.stop()
		write("late.csv", "new")
		again := newStage(t, file)
		again.pass(time.Hour)
		again.expect("", again.log())
		if log := again.log(); !strings.Contains(log, "missed file 1 times: files appeared while Pilotfish was not running") {
			t.Error(log)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		gone := again.notice
		again.with(func() { again.notice = make(chan struct{}) })
		close(gone)
		again.pass(time.Hour)
		if log := again.log(); !strings.Contains(log, "cannot be read") || len(again.notified) != 2 {
			t.Errorf("%s, %v", log, again.notified)
		}
		again.stop()
	})
}

// Files that wait for their run do not run after a pause, and are reported when the program
// ends before.
func TestFilesThatWait(t *testing.T) {
	dir := t.TempDir()
	bubble(t, func(t *testing.T, file string) {
		t.Helper()
		st := newStage(t, file)
		st.with(func() { st.takes = time.Hour })
		st.do("add", "", &protocol.Schedule{Name: "one", What: protocol.ScheduleWhat{Routine: "book"}, When: protocol.ScheduleWhen{Folder: dir, Pattern: "*.csv"}, MaxMinutes: 120})
		appear := func(names ...string) {
			for _, name := range names {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("new"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			st.notice <- struct{}{}
			st.pass(time.Minute)
		}
		appear("a.csv", "b.csv", "c.csv")
		st.do("pause", "one", nil)
		st.pass(5 * time.Hour)
		if len(st.ran) != 1 {
			t.Errorf("after a pause: %v", st.ran)
		}
		st.do("resume", "one", nil)
		st.pass(time.Hour)
		appear("d.csv", "e.csv", "f.csv")
		st.stop()
		again := newStage(t, file)
		defer again.stop()
		again.pass(time.Hour)
		again.expect("", "done file; failed file: Pilotfish ended during this run; missed file 2 times: files appeared while Pilotfish was not running")
	})
}

// The system's notices of a folder arrive, and end with it.
func TestWatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "in")
	if _, err := watch(t.Context(), dir); err == nil {
		t.Error("a folder that does not exist is watched")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	notices, err := watch(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-notices
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for range notices { // it ends when the folder is gone
	}
}

// A run that the end of the program cut off is not shown as running, and is not repeated.
func TestTheProgramEnds(t *testing.T) {
	bubble(t, func(t *testing.T, file string) {
		t.Helper()
		st := newStage(t, file)
		st.with(func() { st.takes = time.Hour })
		st.do("add", "", timed("daily 01:00"))
		st.pass(time.Hour + time.Minute)
		raw, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(raw), `"running"`) {
			t.Fatalf("%s, %v", raw, err)
		}
		st.stop()
		if err := os.WriteFile(file, raw, 0o600); err != nil { // as after a crash
			t.Fatal(err)
		}
		again := newStage(t, file)
		defer again.stop()
		again.pass(time.Hour)
		again.expect("", "failed time: Pilotfish ended during this run")
	})
}

// A file that cannot be read is left as it is.
func TestAFileThatCannotBeRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "schedules.json")
	if err := os.WriteFile(file, []byte(`{"version":7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(Config{File: file, Runner: &fake{}, Logger: slog.New(slog.DiscardHandler)})
	if _, err := s.Do(protocol.ScheduleRequest{Do: "list"}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("%v", err)
	}
	broken := New(Config{File: filepath.Join(file, "below"), Runner: &fake{}, Logger: slog.New(slog.DiscardHandler)})
	if _, err := broken.Do(protocol.ScheduleRequest{Do: "add", Schedule: timed("daily 09:00")}); err == nil {
		t.Error("it is stored nowhere")
	}
}

// Every wrong schedule is refused with what to write instead.
func TestBadSchedules(t *testing.T) {
	dir := t.TempDir()
	s := New(Config{File: filepath.Join(dir, "schedules.json"), Runner: &fake{}, Zone: time.UTC, Logger: slog.New(slog.DiscardHandler)})
	for name, change := range map[string]func(*protocol.Schedule){
		"no name":           func(s *protocol.Schedule) { s.Name = "" },
		"a bad name":        func(s *protocol.Schedule) { s.Name = "Ä b" },
		"nothing to run":    func(s *protocol.Schedule) { s.What.Task = " " },
		"two things to run": func(s *protocol.Schedule) { s.What.Routine = "r" },
		"params for a task": func(s *protocol.Schedule) { s.What.Params = map[string]string{"a": "b"} },
		"too long":          func(s *protocol.Schedule) { s.What.Task = strings.Repeat("x", 3000) },
		"too many commands": func(s *protocol.Schedule) { s.What = protocol.ScheduleWhat{Commands: make([]string, 60)} },
		"a bad start":       func(s *protocol.Schedule) { s.What.Start = "file:///etc/passwd" },
		"no time":           func(s *protocol.Schedule) { s.When.At = "" },
		"two reasons":       func(s *protocol.Schedule) { s.When.Page = "a.example" },
		"the past":          func(s *protocol.Schedule) { s.When.At = "1999-01-01 10:00" },
		"a bad page":        func(s *protocol.Schedule) { s.When = protocol.ScheduleWhen{Page: "javascript://x"} },
		"too often":         func(s *protocol.Schedule) { s.When = protocol.ScheduleWhen{Page: "a.example", EverySeconds: 5} },
		"a long selector": func(s *protocol.Schedule) {
			s.When = protocol.ScheduleWhen{Page: "a.example", Selector: strings.Repeat("x", 3000)}
		},
		"a bad pattern":      func(s *protocol.Schedule) { s.When = protocol.ScheduleWhen{Folder: dir, Pattern: "[a"} },
		"a pattern of paths": func(s *protocol.Schedule) { s.When = protocol.ScheduleWhen{Folder: dir, Pattern: "a/*"} },
		"no such folder":     func(s *protocol.Schedule) { s.When = protocol.ScheduleWhen{Folder: dir + "/none"} },
		"a relative folder":  func(s *protocol.Schedule) { s.When = protocol.ScheduleWhen{Folder: "."} },
		"too long a run":     func(s *protocol.Schedule) { s.MaxMinutes = 5000 },
		"too many steps":     func(s *protocol.Schedule) { s.MaxSteps = 501 },
		"fewer tokens":       func(s *protocol.Schedule) { s.MaxTokens = -1 },
		"a bad notification": func(s *protocol.Schedule) { s.Notify = "loudly" },
	} {
		one := timed("daily 09:00")
		change(one)
		if name == "too many commands" {
			for i := range one.What.Commands {
				one.What.Commands[i] = "reload"
			}
		}
		_, err := s.Do(protocol.ScheduleRequest{Do: "add", Schedule: one})
		if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeBadArgument || e.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	unknown := timed("daily 09:00")
	unknown.What = protocol.ScheduleWhat{Routine: "unknown"}
	for name, req := range map[string]protocol.ScheduleRequest{
		"an unknown routine":   {Do: "add", Schedule: unknown},
		"no schedule":          {Do: "add"},
		"change of a stranger": {Do: "change", Name: "one", Schedule: timed("daily 09:00")},
	} {
		if _, err := s.Do(req); err == nil {
			t.Errorf("%s is stored", name)
		}
	}
	for i := range protocol.MaxSchedules {
		one := timed("daily 09:00")
		one.Name = fmt.Sprintf("s%d", i)
		if _, err := s.Do(protocol.ScheduleRequest{Do: "add", Schedule: one}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Do(protocol.ScheduleRequest{Do: "add", Schedule: timed("daily 09:00")}); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBusy {
		t.Errorf("one more: %v", err)
	}
	same := timed("daily 09:00")
	same.Name = "s1"
	if _, err := s.Do(protocol.ScheduleRequest{Do: "add", Schedule: same}); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("the same name: %v", err)
	}
	if _, err := s.Do(protocol.ScheduleRequest{Do: "run", Name: "s1"}); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeNotRunning {
		t.Errorf("before Run: %v", err)
	}
}
