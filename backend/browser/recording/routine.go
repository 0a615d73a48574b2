package recording

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pilotfish/backend/browser/files"
	"pilotfish/backend/protocol"
)

// SaveRoutine writes a routine under its name, and a Playwright test of the same
// steps beside it. It replaces a routine of the same name.
func (rs *Recordings) SaveRoutine(r protocol.Routine, test string) (routine, playwright protocol.SavedFile, err error) {
	path, err := rs.routinePath(r.Name)
	if err != nil {
		return routine, playwright, err
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return routine, playwright, err
	}
	if err := files.Replace(path, append(data, '\n')); err != nil {
		return routine, playwright, err
	}
	beside := strings.TrimSuffix(path, ".json") + ".spec.ts"
	if err := files.Replace(beside, []byte(test)); err != nil {
		return routine, playwright, err
	}
	rs.config.Events.Report(RoutineSaved{})
	return protocol.SavedFile{Path: path, Bytes: len(data) + 1, Entries: len(r.Steps)}, protocol.SavedFile{Path: beside, Bytes: len(test)}, nil
}

func (rs *Recordings) routinePath(name string) (string, error) {
	if !files.IsName(name) {
		return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is not a valid name for a routine", name), "use a to z, 0 to 9, _ and -")
	}
	dir, err := rs.config.Folder.Of("routines")
	return filepath.Join(dir, name+".json"), err
}

// Routine reads a saved routine.
func (rs *Recordings) Routine(name string) (protocol.Routine, error) {
	var r protocol.Routine
	path, err := rs.routinePath(name)
	if err != nil {
		return r, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return r, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no routine %q", name), "", protocol.Try("lists them", "run"))
	}
	if err != nil {
		return r, files.NotWritable(path, err)
	}
	if err := json.Unmarshal(data, &r); err != nil || r.Version != 1 {
		return r, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the routine %q cannot be read", name), "record it again")
	}
	return r, nil
}

// Routines lists the saved routines by name. It skips routines that cannot be read.
func (rs *Recordings) Routines() ([]protocol.Routine, error) {
	dir, err := rs.config.Folder.Of("routines")
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, files.NotWritable(dir, err)
	}
	out := []protocol.Routine{}
	for _, f := range entries {
		if name, ok := strings.CutSuffix(f.Name(), ".json"); ok {
			if r, err := rs.Routine(name); err == nil {
				out = append(out, r)
			}
		}
	}
	slices.SortFunc(out, func(a, b protocol.Routine) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}
