// Package state keeps the state of a conversation apart from its entries:
// queue, draft, title, and the prompt whose turn has no end yet.
package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"pilotfish/backend/chat/clip"
	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// Dir is the name of the state's folder within the conversation's folder.
const Dir = "state"

const (
	// version is the version of a conversation's files.
	version = 1
	// maxKnown is how many of the last messages of a conversation are
	// remembered, so that a message that is sent again is recognised.
	maxKnown = 256
)

// State is the state of a conversation apart from its entries. On disk it is
// the last record of a small log, so that a write takes microseconds and
// survives any end of the process.
type State struct {
	Version int `json:"version"`
	// Head has only the fields that are stored; the others are computed from
	// what runs.
	Head    protocol.Conversation `json:"head"`
	Command string                `json:"command,omitempty"`
	// Folder is where the agent works instead of the folder of Settings: where the session
	// was begun that the conversation continues.
	Folder string `json:"folder,omitempty"`
	// URL is the last address of its tab.
	URL string `json:"url,omitempty"`
	// Titled is set when the title is the user's own.
	Titled bool `json:"titled,omitempty"`
	// Turn is the prompt whose turn has no end yet. It is written before the
	// turn begins and removed after the end was written.
	Turn protocol.MessageID `json:"turn,omitempty"`
	// Held is set when the queue waits for the user.
	Held bool `json:"held,omitempty"`
	// Context is set when the agent's next session does not know the
	// conversation, so that its first prompt must quote it.
	Context bool `json:"context,omitempty"`
	// Elsewhere is set when the agent's session may contain messages from a
	// terminal that are not in the journal.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Aside describes what was done without the agent since its last prompt.
	Aside []string `json:"aside,omitempty"`
	// Known are the ids of the last messages, oldest first. A message that is
	// in it is not accepted a second time.
	Known []protocol.MessageID `json:"known,omitempty"`
}

// New returns the state of a new conversation.
func New() State { return State{Version: version} }

// Know records the id of a message.
func (s *State) Know(id protocol.MessageID) {
	if slices.Contains(s.Known, id) {
		return
	}
	if len(s.Known) >= maxKnown {
		s.Known = append([]protocol.MessageID(nil), s.Known[1:]...)
	}
	s.Known = append(s.Known, id)
}

// maxAside bounds the description of one instant message for the agent, in
// characters.
const maxAside = 2000

// AddAside records what was done without the agent, for the agent's next
// prompt.
func (s *State) AddAside(asked, done string) {
	s.Aside = append(s.Aside, fmt.Sprintf("The person said %q, and it was carried out without you: %s", clip.Cut(asked, maxAside/4), clip.Cut(done, maxAside)))
	if n := len(s.Aside); n > 5 {
		s.Aside = s.Aside[n-5:]
	}
}

// TakeAside returns a prompt with the recorded asides in front of it, and
// removes them from the state.
func (s *State) TakeAside(text string) string {
	if len(s.Aside) == 0 {
		return text
	}
	before := strings.Join(s.Aside, "\n\n")
	s.Aside = nil
	return "[For you to know, not to answer: " + before + "]\n\n" + text
}

// Store keeps a conversation's state on disk, as the last record of a small
// log, so that a write takes microseconds and survives any end of the process.
// It has no lock: its owner must make one call at a time.
type Store struct {
	dir string
	log *slog.Logger
	// saved is nil until the first Write.
	saved *journal.Log
}

// NewStore returns the store in a conversation's folder. It opens nothing.
func NewStore(dir string, log *slog.Logger) *Store {
	return &Store{dir: filepath.Join(dir, Dir), log: log}
}

func (s *Store) open() (*journal.Log, error) {
	return journal.OpenLog(journal.LogConfig{Dir: s.dir, FileSize: 128 << 10, Files: 2, MaxRecord: 8 << 20, Logger: s.log})
}

// Write writes a state. It is on disk when Write returns.
func (s *Store) Write(state *State) error {
	data, err := json.Marshal(state)
	if err != nil {
		return err
	}
	if s.saved == nil {
		if s.saved, err = s.open(); err != nil {
			s.saved = nil
			return err
		}
	}
	_, err = s.saved.Append(data)
	return err
}

// Read returns the newest readable state. It must be called before the first
// Write.
func (s *Store) Read() (State, error) {
	saved, err := s.open()
	if err != nil {
		return State{}, err
	}
	state, err := newest(saved)
	return state, errors.Join(err, saved.Close())
}

func newest(l *journal.Log) (State, error) {
	items, err := l.Read(0, int(l.Last()))
	if err != nil {
		return State{}, err
	}
	for i := len(items) - 1; i >= 0; i-- {
		var s State
		if items[i].Gap != nil || json.Unmarshal(items[i].Data, &s) != nil {
			continue
		}
		if s.Version != version {
			return State{}, fmt.Errorf("the conversation is of version %d, this program reads %d", s.Version, version)
		}
		return s, nil
	}
	return State{}, fmt.Errorf("the conversation has no state")
}

// Close closes the log that Write opened.
func (s *Store) Close() error {
	if s.saved == nil {
		return nil
	}
	return s.saved.Close()
}
