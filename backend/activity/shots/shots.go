package shots

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"pilotfish/backend/command"
	"pilotfish/backend/config"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

const (
	// quiet is how long a tab must be without a command before its screenshot is
	// taken. It lets the page draw what the command caused, and a program that gives
	// one command after the other is not slowed down: only its last one has a
	// screenshot.
	quiet = 150 * time.Millisecond
	// takes is how long a screenshot may take.
	takes = 10 * time.Second
	// atOnce is how many tabs may be captured at the same time.
	atOnce = 2
)

// Config is what Shots need. All fields are required.
type Config struct {
	// Dir is the folder of the screenshots. No other code writes there.
	Dir string
	// Settings say whether the user wants screenshots.
	Settings *config.Store
	// Commands says which commands act on their tab.
	Commands command.Table
	Logger   *slog.Logger
}

// Camera takes screenshots of tabs.
type Camera interface {
	// Moment returns a small JPEG of what a tab shows, without the values of secret
	// fields.
	Moment(ctx context.Context, tab protocol.TabID, maxBytes int) ([]byte, error)
}

// Shots are the screenshots of a session's activity. They outlive the session's
// runs. The methods are safe for concurrent use.
type Shots struct {
	cfg  Config
	log  *slog.Logger
	news *hub.Hub[uint64]
	due  chan struct{} // has an element when wanted may have changed

	mu     sync.Mutex
	store  *store // nil until first needed
	wanted map[protocol.TabID]wanted
	warned bool
}

// wanted is the screenshot that a tab is waiting for.
type wanted struct {
	index uint64    // of the newest entry
	at    time.Time // when the tab is quiet
	busy  bool      // an earlier one is being taken
}

// New returns the screenshots of a session.
func New(cfg Config) *Shots {
	return &Shots{
		cfg: cfg, log: cfg.Logger.With("component", "shots"), news: hub.New[uint64](256),
		due: make(chan struct{}, 1), wanted: map[protocol.TabID]wanted{},
	}
}

// Recorded asks for the screenshot of an entry, if it is of a command that acted on
// a tab. It returns at once. A later command on the same tab replaces an earlier one
// that waits.
func (s *Shots) Recorded(e protocol.ActivityEntry) {
	spec, err := s.cfg.Commands.Find(e.Command)
	if err != nil || spec.Scope != protocol.ScopeAct || e.What() != protocol.ActivityCommand || e.Phase != "" || e.Tab == "" || !e.OK || !s.cfg.Settings.Get().ActivityShots {
		return
	}
	s.mu.Lock()
	w := s.wanted[e.Tab]
	w.index, w.at = e.Index, time.Now().Add(quiet)
	s.wanted[e.Tab] = w
	s.mu.Unlock()
	s.wake()
}

func (s *Shots) wake() {
	select {
	case s.due <- struct{}{}:
	default:
	}
}

// Run takes the screenshots that are asked for until ctx ends.
func (s *Shots) Run(ctx context.Context, camera Camera) {
	s.mu.Lock()
	clear(s.wanted) // from a previous run: its tabs are closed
	s.mu.Unlock()
	var taking sync.WaitGroup
	defer taking.Wait()
	slots := make(chan struct{}, atOnce)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		tab, index, wait := s.next()
		if tab != "" {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			taking.Go(func() {
				s.take(ctx, camera, tab, index)
				<-slots
				s.taken(tab)
			})
			continue
		}
		timer.Reset(wait)
		select {
		case <-s.due:
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

// next returns a tab that is quiet, with its entry; otherwise how long to wait.
func (s *Shots) next() (tab protocol.TabID, index uint64, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait = time.Hour // until something is asked for
	now := time.Now()
	for id, w := range s.wanted {
		if w.busy || w.index == 0 {
			continue
		}
		if left := w.at.Sub(now); left > 0 {
			wait = min(wait, left)
			continue
		}
		index, w.index, w.busy = w.index, 0, true
		s.wanted[id] = w
		return id, index, 0
	}
	return "", 0, wait
}

// taken ends the work on a tab.
func (s *Shots) taken(tab protocol.TabID) {
	s.mu.Lock()
	if w := s.wanted[tab]; w.index == 0 {
		delete(s.wanted, tab)
	} else {
		w.busy = false
		s.wanted[tab] = w
	}
	s.mu.Unlock()
	s.wake()
}

// take takes and keeps one screenshot.
func (s *Shots) take(ctx context.Context, camera Camera, tab protocol.TabID, index uint64) {
	inner, cancel := context.WithTimeout(ctx, takes)
	defer cancel()
	data, err := camera.Moment(inner, tab, MaxShot)
	if err != nil {
		if ctx.Err() == nil { // the tab was closed, or shows a dialog
			s.log.Debug("a command has no screenshot", "tab", tab, "entry", index, "error", err)
		}
		return
	}
	store, err := s.opened()
	if err == nil {
		err = store.keep(index, data)
	}
	s.mu.Lock()
	warned := s.warned
	s.warned = err != nil
	s.mu.Unlock()
	if err != nil {
		if !warned {
			s.log.Warn("screenshots of commands cannot be kept", "error", err)
		}
		return
	}
	s.news.Publish(index)
}

// opened returns the store, and opens it at the first use.
func (s *Shots) opened() (*store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store != nil {
		return s.store, nil
	}
	var err error
	s.store, err = openStore(s.cfg.Dir, MaxCount, MaxBytes)
	return s.store, err
}

// Read returns the screenshot of an entry, a JPEG.
func (s *Shots) Read(index uint64) ([]byte, error) {
	store, err := s.opened()
	if err != nil {
		return nil, err
	}
	return store.read(index)
}

// Of returns the indexes of those entries that have a screenshot.
func (s *Shots) Of(entries []protocol.ActivityEntry) []uint64 {
	store, err := s.opened()
	if err != nil {
		return []uint64{}
	}
	return store.of(entries)
}

// Forget makes the next use read the folder again: its files were moved or deleted.
func (s *Shots) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store = nil
}

// News returns a subscription to the indexes of the entries whose screenshot was
// taken. Its owner must close it.
func (s *Shots) News() *hub.Subscription[uint64] { return s.news.Subscribe() }
