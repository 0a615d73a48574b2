package chat

import (
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/files"
	"pilotfish/backend/chat/recorder"
	"pilotfish/backend/chat/state"
	"pilotfish/backend/chat/transcript"
	"pilotfish/backend/protocol"
)

// conversation is one conversation. mu guards its state; nothing that blocks is
// called while mu is held.
type conversation struct {
	m   *Manager
	id  protocol.ConversationID
	dir string
	log *slog.Logger

	mu       sync.Mutex
	state    state.State
	saved    *state.Store // of state
	agent    *connection
	entries  *transcript.Transcript
	viewers  viewerSet
	idle     *time.Timer // ends an agent that is idle
	ending   bool        // no new turn begins
	closed   bool
	turn     *turn              // the running turn; nil when none runs
	rec      *recorder.Recorder // writes what is said into entries
	files    files.Store
	failure  *protocol.Error
	unsaved  *time.Timer // retries a write that failed, for instance on a full disk
	replaced string      // the message that was removed, when its replacement could not be written yet

	asked    map[string]asked // questions of commands, by the broker's id
	shownTab protocol.TabID   // the tab in the last published head

	ended []protocol.TerminalID // since the terminal began to start
}

func newConversation(m *Manager, id protocol.ConversationID) *conversation {
	dir, log := filepath.Join(m.config.Dir, string(id)), m.log.With("conversation", id)
	c := &conversation{
		m: m, id: id, dir: dir, log: log, files: files.Store{Root: m.config.Root, Dir: filepath.Join(m.config.Attachments, string(id))},
		state: state.New(), saved: state.NewStore(dir, log),
	}
	c.agent = &connection{c: c, opener: make(chan struct{}, 1)}
	c.keep(transcript.New(dir, 0, log))
	return c
}

// keep makes entries the conversation's transcript.
func (c *conversation) keep(entries *transcript.Transcript) {
	c.entries = entries
	c.rec = recorder.New(recorder.Config{
		Entries: entries, Files: c.files, Open: c.loadLocked, Written: c.viewers.Show, Head: &c.state.Head,
	})
}

// readConversation reads only the state of a conversation that is on disk.
func readConversation(m *Manager, id protocol.ConversationID) (*conversation, error) {
	c := newConversation(m, id)
	s, err := c.saved.Read()
	if err != nil {
		return nil, err
	}
	if s.Head.Terminal != "" {
		// Its terminal ended with the previous run of the session.
		s.Head.Terminal, s.Elsewhere = "", true
	}
	c.state = s
	c.keep(transcript.New(c.dir, s.Head.Index, c.log))
	c.failure = s.Head.Error
	return c, nil
}

// change makes one change of the state, on disk first and then in memory. If
// the write fails, the state in memory stays as it was. edit gets a copy; it
// must replace lists instead of writing into them. The caller holds mu.
func (c *conversation) change(edit func(s *state.State)) error {
	next := c.state
	edit(&next)
	next.Head.Index, next.Head.Error = c.entries.Last(), c.failure
	if err := c.writeState(&next); err != nil {
		return err
	}
	c.state = next
	return nil
}

// saveLocked writes the state unchanged.
func (c *conversation) saveLocked() error { return c.change(func(*state.State) {}) }

func (c *conversation) writeState(s *state.State) error {
	if c.closed {
		return errClosed
	}
	if err := c.saved.Write(s); err != nil {
		return transcript.Unwritable(err)
	}
	return nil
}

// save writes the state and marks the head as changed. If the write fails, the
// conversation shows the error.
func (c *conversation) save(urgent bool) {
	if err := c.saveLocked(); err != nil && !c.closed {
		c.failure = protocol.AsError(err)
		c.saveLater()
	}
	c.m.news.Touch(c, urgent)
}

// saveLater retries a failed write until it succeeds, so that the user need not
// come back once there is room on the disk.
func (c *conversation) saveLater() {
	if c.unsaved != nil || c.closed {
		return
	}
	c.unsaved = time.AfterFunc(protocol.StateRetry, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.unsaved = nil
		if c.closed || c.turn != nil || c.failure == nil || c.failure.Code != protocol.CodeNotWritable {
			return // it was written meanwhile, or the end of the turn writes it
		}
		if err := c.writeOwed(); err != nil {
			c.saveLater()
			return
		}
		c.m.news.Touch(c, true)
	})
}

// writeOwed writes the end of a turn that could not be written before, and the
// state.
func (c *conversation) writeOwed() error {
	why := c.failure
	if c.state.Turn != "" {
		if err := c.endCutOff(protocol.EndFailed, why); err != nil {
			return err
		}
	}
	c.failure = nil
	if err := c.saveLocked(); err != nil {
		c.failure = why
		return err
	}
	return nil
}

// errClosed is returned when the conversation was deleted or its session has
// ended.
var errClosed = protocol.NewError(protocol.CodeNotRunning, "the conversation is closed", "")

// loadLocked opens the journals and compacts the events that are not compacted
// on disk yet. A turn that has no end gets one.
func (c *conversation) loadLocked() error {
	if c.closed {
		return errClosed
	}
	if c.entries.IsOpen() {
		return nil
	}
	// Events after this index are not counted in the state on disk yet.
	counted := c.state.Head.Index
	err := c.entries.Open(func(event uint64) {
		if event > counted {
			c.state.Head.Entries++
		}
	})
	if err != nil {
		return err
	}
	if c.state.Turn != "" {
		why := protocol.NewError(protocol.CodeNotRunning, "Pilotfish was closed before the answer was complete", "send it again")
		if err := c.endCutOff(protocol.EndRestarted, why); err != nil {
			c.failure = protocol.AsError(err)
			return nil // it can be read, and the end is written before the next turn begins
		}
		c.save(true)
	}
	return nil
}

// Head returns the conversation's head.
func (c *conversation) Head() protocol.Conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.headLocked()
}

func (c *conversation) headLocked() protocol.Conversation {
	head := c.state.Head
	head.Index, head.Error, head.SignIn = c.entries.Last(), c.failure, c.agent.signIn
	if c.agent.signIn != nil {
		head.Error = c.agent.signInWhy
	}
	head.Queue = slices.Clone(head.Queue)
	head.State, head.Message, head.Quiet = protocol.ConversationIdle, "", false
	switch t := c.turn; {
	case head.Terminal != "":
		head.State = protocol.ConversationTerminal
	case t != nil:
		head.Message, head.Quiet = t.message.ID, t.quiet
		switch {
		case c.agent.signIn != nil:
			head.State = protocol.ConversationSignIn
		case t.asks > 0:
			head.State = protocol.ConversationNeedsYou
		case c.agent.session == nil && !t.direct:
			head.State = protocol.ConversationStarting
		default:
			head.State = protocol.ConversationRunning
		}
	case c.agent.opening:
		head.State = protocol.ConversationStarting
	case c.failure != nil:
		head.State = protocol.ConversationFailed
	}
	head.URL = ""
	switch {
	case head.Tab != "" && c.m.config.Tabs.Has(head.Tab):
		if url := c.m.config.Tabs.URL(head.Tab); url != "" {
			c.state.URL = url
		}
	default:
		head.Tab, head.URL = "", c.state.URL
	}
	// Lists are never null on the wire.
	head.Queue, head.Options, head.Commands = some(head.Queue), some(head.Options), some(head.Commands)
	return head
}

// prompt returns what an agent receives for a message. The caller holds mu.
func (c *conversation) prompt(message protocol.QueuedMessage, agent driver.Starter, images bool) driver.Prompt {
	return c.files.Prompt(message, files.Beside(message, c.headLocked().Tab), c.state.Head.Tab, agent, images)
}

func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// showHead sends the head to the viewers and returns it.
func (c *conversation) showHead() protocol.Conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	head := c.headLocked()
	c.shownTab = head.Tab
	c.viewers.Show(protocol.ChatEvent{Index: c.entries.Last(), Op: protocol.ChatHead, Head: &head})
	return head
}

// actor returns the actor that the conversation's agent is for the browser.
func (c *conversation) actor() protocol.Actor {
	name := c.state.Head.AgentName
	if c.state.Head.Tab != "" {
		name += " in " + string(c.state.Head.Tab)
	}
	return protocol.Actor{Kind: protocol.ActorChat, ID: string(c.id), Name: name, Agent: c.state.Head.AgentName}
}

// close ends the viewers and closes the journals.
func (c *conversation) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	c.awake()
	if c.unsaved != nil {
		c.unsaved.Stop()
	}
	c.viewers.End()
	if err := errors.Join(c.entries.Close(), c.saved.Close()); err != nil {
		c.log.Warn("a conversation's journal could not be closed", "error", err)
	}
}
