package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"

	"pilotfish/backend/journal"
)

// version is the version of the file.
const version = 1

// file is the format of the file: the sum of each trusted folder's settings.
type file struct {
	Version int               `json:"version"`
	Folders map[string]string `json:"folders"`
}

// Store keeps which folders the user trusts. It is safe for concurrent use.
type Store struct {
	path string
	log  *slog.Logger
	mu   sync.Mutex // guards the file
}

// NewStore returns the store in a file, which need not exist.
func NewStore(path string, log *slog.Logger) *Store {
	return &Store{path: path, log: log.With("component", "trust")}
}

// Trusts reports whether the user trusts a folder with the settings that it has now.
func (s *Store) Trusts(f Folder) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum, known := s.read().Folders[f.Path]
	return known && sum == f.sum
}

// Trust records that the user trusts a folder with the settings that it has now.
func (s *Store) Trust(f Folder) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.read()
	known.Folders[f.Path] = f.sum
	data, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		return err
	}
	return journal.WriteFile(s.path, append(data, '\n'), 0o600)
}

// read reads the file. One that cannot be read is put aside: then the user is asked
// again.
func (s *Store) read() file {
	empty := file{Version: version, Folders: map[string]string{}}
	data, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty
	}
	var f file
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err == nil && (f.Version != version || f.Folders == nil) {
		err = fmt.Errorf("it is of version %d", f.Version)
	}
	if err != nil {
		s.log.Warn("the trusted folders could not be read and are put aside", "error", err)
		if err := os.Rename(s.path, s.path+".bad"); err != nil {
			s.log.Warn("the trusted folders could not be put aside", "error", err)
		}
		return empty
	}
	return f
}
