package schedule

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// version is the format version of the file.
const version = 1

// entry is a schedule as it is on disk.
type entry struct {
	protocol.Schedule

	// Done: all runs that were planned until then ran, or were reported as missed.
	Done time.Time `json:"done"`
	// Text is a hash of the page's text at the last check; empty before the first one.
	Text string `json:"text,omitempty"`
	// Seen are the matching files of the folder; nil before it was read for the first
	// time.
	Seen []string `json:"seen"`
}

type file struct {
	Version   int     `json:"version"`
	Schedules []entry `json:"schedules"`
}

// load reads the file. A run that it shows as running ended with the program.
func load(path string) (map[string]*entry, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]*entry{}, nil
	}
	var f file
	if err == nil {
		err = json.Unmarshal(raw, &f)
	}
	if err == nil && f.Version != version {
		err = fmt.Errorf("it has version %d", f.Version)
	}
	if err != nil {
		return nil, protocol.NewError(protocol.CodeNotWritable, fmt.Sprintf("the list of schedules cannot be read: %s: %v", path, err), "move the file away and add the schedules again")
	}
	all := map[string]*entry{}
	for _, one := range f.Schedules {
		for i := range one.Runs {
			if run := &one.Runs[i]; run.State == protocol.ScheduleRunning {
				run.State, run.Message = protocol.ScheduleFailed, "Pilotfish ended during this run"
			}
		}
		all[one.Name] = &one
	}
	return all, nil
}

// save writes the file, readable only for the user: goals may be private.
func save(path string, all map[string]*entry) error {
	f := file{Version: version, Schedules: []entry{}}
	for _, one := range all {
		f.Schedules = append(f.Schedules, *one)
	}
	slices.SortFunc(f.Schedules, func(a, b entry) int { return cmp.Compare(a.Name, b.Name) })
	raw, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the list of schedules: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return journal.NotWritable(filepath.Dir(path), err, "")
	}
	return journal.WriteFile(path, append(raw, '\n'), 0o600)
}
