// Package recorder runs commands and records them in the activity of their
// session: entries at the end of a command, and before that for commands that
// wait for the user or run other commands. It also decides which entries a
// caller may see.
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
	"pilotfish/backend/activity/shots"
	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

// Config is what a Recorder needs. All fields are required unless they say
// otherwise.
type Config struct {
	Session protocol.SessionName
	// Dir is the folder of the activity.
	Dir string
	// Commands has the specs of the commands.
	Commands command.Table
	// Events receives Done after each command, and a Step for every step of an actor.
	Events *hub.Hub[any]
	// Shots are the screenshots of what is recorded; nil for none.
	Shots  *shots.Shots
	Logger *slog.Logger
}

// Step is what an actor did, with the data of the reply.
type Step struct {
	Actor protocol.Actor
	Entry protocol.ActivityEntry
	Data  json.RawMessage
}

// Done is the event that a command has ended.
type Done struct {
	Actor   protocol.Actor
	Command string
	Reply   protocol.CommandReply
}

// Recorder records the commands of a session. It outlives the session's runs.
// Its methods are safe for concurrent use.
type Recorder struct {
	cfg Config
	log *slog.Logger

	mu     sync.Mutex
	opened *activity.Log // nil until first needed
	beside happened
}

// New returns a Recorder. It opens its log at the first use.
func New(cfg Config) *Recorder {
	return &Recorder{cfg: cfg, log: cfg.Logger.With("component", "recorder"), beside: newHappened()}
}

// activity returns the log and opens it if necessary.
func (r *Recorder) activity() (*activity.Log, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opened != nil {
		return r.opened, nil
	}
	log, err := activity.Open(activity.Config{Dir: r.cfg.Dir, Secret: r.secret, Logger: r.cfg.Logger})
	if err != nil {
		return nil, err
	}
	r.opened = log
	return log, nil
}

// find returns the spec of a command. The use of a tool of one of the user's MCP servers
// is no command of the registry; its arguments come without credentials.
func (r *Recorder) find(name string) (command.Spec, error) {
	if name == protocol.ToolQuestion {
		return command.Spec{Name: name, Scope: protocol.ScopeAct, Args: []command.Arg{{Name: "server"}, {Name: "tool"}, {Name: "arguments"}}}, nil
	}
	return r.cfg.Commands.Find(name)
}

// secret reports whether the registry marks an argument as secret. It returns
// true for an unknown argument too: that may be a secret in the wrong place.
func (r *Recorder) secret(name, arg string) bool {
	spec, err := r.find(name)
	if err != nil {
		return true
	}
	i := slices.IndexFunc(spec.Args, func(a command.Arg) bool { return a.Name == arg })
	return i < 0 || spec.Args[i].Secret
}

// recorded returns what is recorded of a reply: nothing of what a page wrote, and
// nothing at all where the reply is a value: of code, a cookie or the clipboard.
func (r *Recorder) recorded(name, text string) string {
	spec, err := r.find(name)
	if err != nil || spec.Scope == protocol.ScopeSensitive || slices.Contains(valued(), spec.Name) {
		return ""
	}
	return foreign.Before(text)
}

// valued returns the commands that are not sensitive as such, and whose reply may be
// a value that the site stores.
func valued() []string { return []string{"cookies", "storage"} }

// Close closes the log and ends all calls of Follow.
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

// call records one call of a command: its end, and the entries before that.
type call struct {
	r      *Recorder
	actor  protocol.Actor
	parent atomic.Uint64 // index of the call's first entry, if there is one before its end
	chain  atomic.Bool   // the command runs other commands

	mu    sync.Mutex
	overs []func() // end the use of the tabs that the command acts on
}

// on records that the command acts on a tab.
func (t *call) on(tab protocol.TabID) {
	over := t.r.on(t.actor, tab)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.overs = append(t.overs, over)
}

// over ends the use of the tabs.
func (t *call) over() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, over := range t.overs {
		over()
	}
	t.overs = nil
}

// Do runs a command and records it. It calls waiting when the command waits for
// the user; nil for no callback.
func (r *Recorder) Do(actor protocol.Actor, req protocol.CommandRequest, waiting func(protocol.Waiting), run func(command.Watch) protocol.CommandReply) protocol.CommandReply {
	began := time.Now()
	t := &call{r: r, actor: actor}
	defer t.over()
	reply := run(command.Watch{Note: t.note, On: t.on, Asking: func(question protocol.Approval) {
		t.asks(question)
		if waiting != nil {
			waiting(question.Waiting())
		}
	}})
	if reply.DurationMS == 0 {
		// Rounded up: a command that was refused at once took less than a
		// microsecond.
		reply.DurationMS = float64(time.Since(began).Microseconds()+1) / 1000
	}
	t.keep("", false, began, req, reply)
	r.cfg.Events.Report(Done{actor, req.Command, reply})
	return reply
}

// keep records one entry and returns its index; 0 when there is no log. inside
// is true if the entry is about a command that this command ran. A log that
// cannot be opened does not stop the command; each attempt logs a warning.
func (t *call) keep(phase protocol.ActivityPhase, inside bool, began time.Time, req protocol.CommandRequest, reply protocol.CommandReply) uint64 {
	log, err := t.r.activity()
	if err != nil {
		t.r.log.Warn("activity cannot be recorded", "error", err)
		return 0
	}
	if reply.OK && phase == "" {
		reply.Text = t.r.recorded(req.Command, reply.Text)
	}
	e := log.Entry(began, t.actor, t.r.cfg.Session, req, reply)
	e.Phase, e.Parent = phase, t.parent.Load()
	if phase == protocol.ActivityWaiting {
		e.Kind = protocol.ActivityQuestion
	}
	e = t.r.recordedAs(log.Record(e))
	// The end of a command that ran others is not a step of its own.
	if phase == "" && (inside || !t.chain.Load()) {
		t.r.cfg.Events.Report(Step{t.actor, e, reply.Data})
	}
	return e.Index
}

// note records what a command that runs others does.
func (t *call) note(n command.Note) {
	index := t.keep(n.Phase, true, n.Began, n.Request, n.Reply)
	if n.Phase == protocol.ActivityBegun {
		t.parent.Store(index)
		t.chain.Store(true)
		return
	}
	t.r.cfg.Events.Report(Done{t.actor, n.Request.Command, n.Reply})
}

// asks records that a command waits for the user.
func (t *call) asks(question protocol.Approval) {
	index := t.keep(protocol.ActivityWaiting, false, question.Since, request(question), protocol.CommandReply{OK: true, Tab: question.Tab, Text: question.Words.Sentence})
	t.r.waits(question.ID, index)
	// A question inside a chain belongs to the chain's first entry.
	t.parent.CompareAndSwap(0, index)
}

// Search returns the entries that a query selects, of those that a caller may
// see.
func (r *Recorder) Search(ctx context.Context, grant auth.Grant, q protocol.ActivityQuery) (protocol.ActivityFound, error) {
	log, err := r.activity()
	if err != nil {
		return protocol.ActivityFound{}, err
	}
	return log.Search(ctx, q, visible(grant))
}

// History returns at most limit entries after an index, of those that a caller
// may see.
func (r *Recorder) History(grant auth.Grant, after uint64, limit int) (protocol.ActivityPage, error) {
	log, err := r.activity()
	if err != nil {
		return protocol.ActivityPage{}, err
	}
	return log.History(after, limit, visible(grant))
}

// Follow yields the entries after an index that a caller may see, and every new
// one, until ctx ends.
func (r *Recorder) Follow(ctx context.Context, grant auth.Grant, after uint64) (iter.Seq2[protocol.ActivityItem, error], error) {
	log, err := r.activity()
	if err != nil {
		return nil, err
	}
	return log.Follow(ctx, after, visible(grant)), nil
}

// Parts yields everything after an index, and what is new, in parts, until ctx ends.
// It is for the user, who sees the whole session.
func (r *Recorder) Parts(ctx context.Context, after uint64) (parts iter.Seq2[[]protocol.ActivityItem, error], last uint64, err error) {
	log, err := r.activity()
	if err != nil {
		return nil, 0, err
	}
	return log.Parts(ctx, after), log.Last(), nil
}

// visible returns the filter for a caller: the user's panel and shell see the
// whole session, an agent only its own commands.
func visible(grant auth.Grant) func(protocol.ActivityEntry) bool {
	if grant.Kind != auth.KindAgent {
		return nil
	}
	return func(e protocol.ActivityEntry) bool {
		return e.Actor.Kind == grant.Actor.Kind && e.Actor.ID == grant.Actor.ID
	}
}
