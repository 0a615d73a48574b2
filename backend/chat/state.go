package chat

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// state is what a conversation is beside its entries, as it stands on disk: the
// last record of a small log, so that it is written in microseconds and survives
// the end of the process in any way.
type state struct {
	Version int `json:"version"`
	// Head has the fields that do not follow from what runs.
	Head    protocol.Conversation `json:"head"`
	Command string                `json:"command,omitempty"`
	// URL is what its tab showed last.
	URL string `json:"url,omitempty"`
	// Titled is set when a person wrote the title.
	Titled bool `json:"titled,omitempty"`
	// Turn is the prompt whose turn has no end yet. It is written before the turn
	// begins and taken away after its end was written.
	Turn protocol.MessageID `json:"turn,omitempty"`
	// Held is set when the queue waits for a person's word.
	Held bool `json:"held,omitempty"`
	// Context is set when the agent's next session does not know what was said.
	Context bool `json:"context,omitempty"`
	// Elsewhere is set when something may have been said to the agent's session
	// that is not in the journal.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Aside is what was done without the agent since its last prompt.
	Aside []string `json:"aside,omitempty"`
	// Known are the last messages, oldest first: the same one is taken once.
	Known []protocol.MessageID `json:"known,omitempty"`
}

// The folders of a conversation.
const (
	stateDir = "state"
	filesDir = "files"
)

// stateLog is the log of a conversation's state.
func stateLog(dir string, log *slog.Logger) (*journal.Log, error) {
	return journal.OpenLog(journal.LogConfig{
		Dir: filepath.Join(dir, stateDir), FileSize: 128 << 10, Files: 2, MaxRecord: 8 << 20, Logger: log,
	})
}

// readState reads the newest state that can be read.
func readState(l *journal.Log) (state, error) {
	items, err := l.Read(0, int(l.Last()))
	if err != nil {
		return state{}, err
	}
	for i := len(items) - 1; i >= 0; i-- {
		var s state
		if items[i].Gap != nil || json.Unmarshal(items[i].Data, &s) != nil {
			continue
		}
		if s.Version != chatVersion {
			return state{}, fmt.Errorf("the conversation is of version %d, this program reads %d", s.Version, chatVersion)
		}
		return s, nil
	}
	return state{}, fmt.Errorf("the conversation has no state")
}

// know notes a message.
func (s *state) know(id protocol.MessageID) {
	if slices.Contains(s.Known, id) {
		return
	}
	if len(s.Known) >= chatKnown {
		s.Known = append([]protocol.MessageID(nil), s.Known[1:]...)
	}
	s.Known = append(s.Known, id)
}
