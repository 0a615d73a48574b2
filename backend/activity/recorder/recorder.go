// Package recorder runs commands and writes down what they did: what each call leaves
// in the activity of its session, before its end, at it, and inside of it. It also says
// what of that a caller may see.
package recorder

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pilotfish/backend/activity"
	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
	words "pilotfish/backend/question"
)

// Config is what a Recorder needs. All fields are required.
type Config struct {
	Session protocol.SessionName
	// Dir is the folder of the activity.
	Dir func() (string, error)
	// Find finds a command.
	Find func(name string) (command.Spec, error)
	// Files hears which files a command made.
	Files Files
	// Step hears of every step that an actor made, with the data of the reply.
	Step   func(actor protocol.Actor, entry protocol.ActivityEntry, data json.RawMessage)
	Logger *slog.Logger
}

// Files hear which files a command made.
type Files interface {
	Keep(actor protocol.Actor, name string, reply protocol.CommandReply)
}

// Recorder writes down what is done in a session. It outlives the session's runs. Its
// methods are safe for concurrent use.
type Recorder struct {
	cfg Config
	log *slog.Logger

	mu     sync.Mutex
	opened *activity.Log // nil until it is needed
}

// New returns a Recorder. Its log is opened at its first use.
func New(cfg Config) *Recorder {
	return &Recorder{cfg: cfg, log: cfg.Logger.With("component", "recorder")}
}

// activity returns the log.
func (r *Recorder) activity() (*activity.Log, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opened != nil {
		return r.opened, nil
	}
	dir, err := r.cfg.Dir()
	if err != nil {
		return nil, err
	}
	log, err := activity.Open(activity.Config{Dir: dir, Secret: r.secret, Logger: r.cfg.Logger})
	if err != nil {
		return nil, err
	}
	r.opened = log
	return log, nil
}

// secret says whether an argument is marked as a secret in the registry. One that the
// registry does not know is not recorded either: it may be a secret in the wrong place.
func (r *Recorder) secret(name, arg string) bool {
	spec, err := r.cfg.Find(name)
	if err != nil {
		return true
	}
	i := slices.IndexFunc(spec.Args, func(a command.Arg) bool { return a.Name == arg })
	return i < 0 || spec.Args[i].Secret
}

// Close ends the log and those who follow it.
func (r *Recorder) Close() {
	r.mu.Lock()
	log := r.opened
	r.opened = nil
	r.mu.Unlock()
	if log == nil {
		return
	}
	if err := log.Close(); err != nil {
		r.log.Warn("activity could not be closed", "error", err)
	}
}

// told is what one call of a command leaves in the activity: its end, and
// before that what it does meanwhile.
type told struct {
	r      *Recorder
	actor  protocol.Actor
	parent atomic.Uint64 // of its first entry, when there is one before the end
	chain  atomic.Bool   // it runs other commands
}

// Do runs a command and records it. waiting is told when it waits for the
// person; nil for nobody.
func (r *Recorder) Do(actor protocol.Actor, req protocol.CommandRequest, waiting func(protocol.Waiting), run func(command.Watch) protocol.CommandReply) protocol.CommandReply {
	began := time.Now()
	t := &told{r: r, actor: actor}
	reply := run(command.Watch{Note: t.note, Asking: func(question protocol.Approval) {
		t.asks(question)
		if waiting != nil {
			waiting(question.Waiting())
		}
	}})
	if reply.DurationMS == 0 {
		// Rounded up: what was refused at once took less than a microsecond.
		reply.DurationMS = float64(time.Since(began).Microseconds()+1) / 1000
	}
	t.keep("", false, began, req, reply)
	r.cfg.Files.Keep(actor, req.Command, reply)
	return reply
}

// keep records one entry, of a command inside of this one or of itself, and
// returns its index; 0 when there is no log. A log
// that cannot be opened does not keep anybody from working; it was said when it
// was tried.
func (t *told) keep(phase protocol.ActivityPhase, inside bool, began time.Time, req protocol.CommandRequest, reply protocol.CommandReply) uint64 {
	log, err := t.r.activity()
	if err != nil {
		t.r.log.Warn("activity cannot be recorded", "error", err)
		return 0
	}
	e := log.Entry(began, t.actor, t.r.cfg.Session, req, reply)
	e.Phase, e.Parent = phase, t.parent.Load()
	e = log.Record(e)
	// The end of a command that ran others is no step of its own.
	if phase == "" && (inside || !t.chain.Load()) {
		t.r.cfg.Step(t.actor, e, reply.Data)
	}
	return e.Index
}

// note records what a command does that runs others.
func (t *told) note(n command.Note) {
	index := t.keep(n.Phase, true, n.Began, n.Request, n.Reply)
	if n.Phase == protocol.ActivityBegun {
		t.parent.Store(index)
		t.chain.Store(true)
		return
	}
	t.r.cfg.Files.Keep(t.actor, n.Request.Command, n.Reply)
}

// asks records that a command waits for the person.
func (t *told) asks(question protocol.Approval) {
	req := protocol.CommandRequest{Command: question.Command, Tab: question.Tab, Args: map[string]json.RawMessage{}}
	for _, a := range question.Args {
		if value, err := json.Marshal(a.Value); err == nil {
			req.Args[a.Name] = value
		}
	}
	index := t.keep(protocol.ActivityWaiting, false, question.Since, req, protocol.CommandReply{OK: true, Tab: question.Tab, Text: words.Sentence(question)})
	// What stands in a chain belongs to the chain.
	t.parent.CompareAndSwap(0, index)
}

// History gives at most limit entries after an index: those that a caller may see.
func (r *Recorder) History(grant auth.Grant, after uint64, limit int) (protocol.ActivityPage, error) {
	log, err := r.activity()
	if err != nil {
		return protocol.ActivityPage{}, err
	}
	return log.History(after, limit, visible(grant))
}

// Follow gives them, and everything new, until ctx ends.
func (r *Recorder) Follow(ctx context.Context, grant auth.Grant, after uint64) (iter.Seq2[protocol.ActivityItem, error], error) {
	log, err := r.activity()
	if err != nil {
		return nil, err
	}
	return log.Follow(ctx, after, visible(grant)), nil
}

// visible is what a caller may see: the person's panel and shell the session, an
// agent what it did itself.
func visible(grant auth.Grant) func(protocol.ActivityEntry) bool {
	if grant.Kind != auth.KindAgent {
		return nil
	}
	return func(e protocol.ActivityEntry) bool {
		return e.Actor.Kind == grant.Actor.Kind && e.Actor.ID == grant.Actor.ID
	}
}
