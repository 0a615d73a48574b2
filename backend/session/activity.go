package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pilotfish/backend/activity"
	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	words "pilotfish/backend/question"
)

// record is what a session keeps of what was done in it. It outlives the runs of
// the session.
type record struct {
	mu  sync.Mutex
	log *activity.Log
	// made are the files of each actor's commands, oldest first.
	made map[protocol.Actor][]string
}

// activity returns the session's log, opened at its first use.
func (s *Session) activity() (*activity.Log, error) {
	s.record.mu.Lock()
	defer s.record.mu.Unlock()
	if s.record.log != nil {
		return s.record.log, nil
	}
	dirs, err := s.m.cfg.Dirs.Session(s.name)
	if err != nil {
		return nil, err
	}
	log, err := activity.Open(activity.Config{
		Dir: filepath.Join(dirs.Root, "activity"), Secret: s.m.secretArgument, Logger: s.plainLog(),
	})
	if err != nil {
		return nil, err
	}
	s.record.log = log
	return log, nil
}

// secretArgument says whether an argument is marked as a secret in the registry.
// One that the registry does not know is not recorded either: it may be a secret
// in the wrong place.
func (m *Manager) secretArgument(name, arg string) bool {
	spec, err := m.known.Find(name)
	if err != nil {
		return true
	}
	i := slices.IndexFunc(spec.Args, func(a command.Arg) bool { return a.Name == arg })
	return i < 0 || spec.Args[i].Secret
}

// closeActivity ends the log and those who follow it.
func (s *Session) closeActivity() {
	s.record.mu.Lock()
	log := s.record.log
	s.record.log = nil
	s.record.mu.Unlock()
	if log == nil {
		return
	}
	if err := log.Close(); err != nil {
		s.log.Warn("activity could not be closed", "error", err)
	}
}

// told is what one call of a command leaves in the activity: its end, and
// before that what it does meanwhile.
type told struct {
	s      *Session
	actor  protocol.Actor
	parent atomic.Uint64 // of its first entry, when there is one before the end
	chain  atomic.Bool   // it runs other commands
}

// recorded runs a command and records it. waiting is told when it waits for the
// person; nil for nobody.
func (s *Session) recorded(ctx context.Context, actor protocol.Actor, req protocol.CommandRequest, waiting func(protocol.Waiting), run func(context.Context, func(command.Note)) protocol.CommandReply) protocol.CommandReply {
	began := time.Now()
	t := &told{s: s, actor: actor}
	ctx = policy.WithAsking(ctx, func(question protocol.Approval) {
		t.asks(question)
		if waiting != nil {
			waiting(question.Waiting())
		}
	})
	reply := run(ctx, t.note)
	if reply.DurationMS == 0 {
		reply.DurationMS = float64(time.Since(began).Microseconds()) / 1000
	}
	t.keep("", false, began, req, reply)
	s.keepFiles(actor, req.Command, reply)
	return reply
}

// keep records one entry, of a command inside of this one or of itself, and
// returns its index; 0 when there is no log. A log
// that cannot be opened does not keep anybody from working; it was said when it
// was tried.
func (t *told) keep(phase protocol.ActivityPhase, inside bool, began time.Time, req protocol.CommandRequest, reply protocol.CommandReply) uint64 {
	log, err := t.s.activity()
	if err != nil {
		t.s.log.Warn("activity cannot be recorded", "error", err)
		return 0
	}
	e := log.Entry(began, t.actor, t.s.name, req, reply)
	e.Phase, e.Parent = phase, t.parent.Load()
	e = log.Record(e)
	// The end of a command that ran others is no step of its own.
	if phase == "" && (inside || !t.chain.Load()) {
		t.s.chatStep(t.actor, e, reply.Data)
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
	t.s.keepFiles(t.actor, n.Request.Command, n.Reply)
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

// keepFiles notes which files a command made: an agent may fetch those of its
// own.
func (s *Session) keepFiles(actor protocol.Actor, name string, reply protocol.CommandReply) {
	spec, err := s.m.known.Find(name)
	// Only a command that says so gives paths; in the data of another one a page
	// may have written some.
	if err != nil || !reply.OK || !spec.Files {
		return
	}
	var data any
	if json.Unmarshal(reply.Data, &data) != nil {
		return
	}
	made := paths(data, nil)
	if len(made) == 0 {
		return
	}
	s.record.mu.Lock()
	defer s.record.mu.Unlock()
	if s.record.made == nil {
		s.record.made = map[protocol.Actor][]string{}
	}
	for _, path := range made {
		list := s.record.made[actor]
		if len(list) >= actorFiles {
			list = slices.Clone(list[1:])
		}
		s.record.made[actor] = append(list, filepath.Clean(path))
	}
}

// paths are the values of all fields that are called path, or are lists called
// paths.
func paths(v any, found []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			path, text := inner.(string)
			list, many := inner.([]any)
			switch {
			case name == "path" && text && path != "":
				found = append(found, path)
			case name == "paths" && many:
				for _, one := range list {
					if path, text := one.(string); text && path != "" {
						found = append(found, path)
					}
				}
			default:
				found = paths(inner, found)
			}
		}
	case []any:
		for _, inner := range v {
			found = paths(inner, found)
		}
	}
	return found
}

// Activity gives what a caller may see of what was done in its session.
func (m *Manager) Activity(_ context.Context, grant auth.Grant, after uint64, limit int) (protocol.ActivityPage, error) {
	log, err := m.activityOf(grant)
	if err != nil {
		return protocol.ActivityPage{}, err
	}
	return log.History(after, limit, visible(grant))
}

// FollowActivity gives it as it happens.
func (m *Manager) FollowActivity(ctx context.Context, grant auth.Grant, after uint64) (iter.Seq2[protocol.ActivityItem, error], error) {
	log, err := m.activityOf(grant)
	if err != nil {
		return nil, err
	}
	return log.Follow(ctx, after, visible(grant)), nil
}

func (m *Manager) activityOf(grant auth.Grant) (*activity.Log, error) {
	s, err := m.pick(grant.Session)
	if err != nil {
		return nil, err
	}
	return s.activity()
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

// File opens a file that a command of the session saved. Nothing outside the
// session's screenshots and downloads is reached, whatever the path says or
// links to.
func (m *Manager) File(_ context.Context, grant auth.Grant, path string) (*os.File, error) {
	s, err := m.pick(grant.Session)
	if err != nil {
		return nil, err
	}
	dirs, err := m.cfg.Dirs.Session(s.name)
	if err != nil {
		return nil, err
	}
	path = filepath.Clean(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dirs.Root, path)
	}
	if policy.Agent(grant.Actor) && !s.made(grant.Actor, path) {
		return nil, noFile(path)
	}
	for _, dir := range append([]string{dirs.Screenshots, dirs.Downloads}, conversationFiles(dirs.Root, path)...) {
		below, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsLocal(below) {
			continue
		}
		return openBelow(dir, below, path)
	}
	return nil, noFile(path)
}

// conversationFiles is the folder of files of the conversation that a path lies
// in; none for another path. The journal beside it is given to nobody.
func conversationFiles(root, path string) []string {
	below, err := filepath.Rel(filepath.Join(root, "chat"), path)
	if err != nil || !filepath.IsLocal(below) {
		return nil
	}
	parts := strings.Split(filepath.ToSlash(below), "/")
	if len(parts) != 3 || parts[1] != "files" {
		return nil
	}
	return []string{filepath.Join(root, "chat", parts[0], "files")}
}

// made says whether a file is one of an actor's commands.
func (s *Session) made(actor protocol.Actor, path string) bool {
	s.record.mu.Lock()
	defer s.record.mu.Unlock()
	return slices.Contains(s.record.made[actor], path)
}

// openBelow opens a regular file below a folder; no link leads out of it.
func openBelow(dir, below, path string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of a file: %w", err)
	}
	defer func() { _ = root.Close() }() // what is open stays open
	info, err := root.Stat(below)
	if err != nil || !info.Mode().IsRegular() {
		return nil, noFile(path)
	}
	f, err := root.Open(below)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("opening a file: %w", err)
	}
	return f, nil
}

// noFile is the same error for a file that is not there and for one that is not
// the caller's: the difference is nobody's business.
func noFile(path string) error {
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%.300s is not a file that you can have", path), "take a path that a command of yours gave")
}
