package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// routinesVersion is the version of routines.json.
const routinesVersion = 1

// routinesFile is routines.json.
type routinesFile struct {
	Version  int                    `json:"version"`
	Routines []protocol.TaskRoutine `json:"routines"`
}

// parameter is {{name}} in a routine's goal.
var parameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*([A-Za-z][A-Za-z0-9_ -]{0,39}?)\s*\}\}`) })

func (s *Store) routinesPath() string { return filepath.Join(s.config.Dir, "routines.json") }

func (s *Store) loadRoutines() error {
	data, err := os.ReadFile(s.routinesPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var file routinesFile
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil || file.Version != routinesVersion {
		s.log.Warn("the routines could not be read and are put aside", "error", err, "version", file.Version)
		if err := os.Rename(s.routinesPath(), s.routinesPath()+".bad"); err != nil {
			return fmt.Errorf("putting the routines aside: %w", err)
		}
		return nil
	}
	s.routines = file.Routines
	return nil
}

// Routines are the routines by name.
func (s *Store) Routines() []protocol.TaskRoutine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]protocol.TaskRoutine{}, s.routines...)
}

// SaveRoutine adds a routine, or replaces the one of its name. Its parameters
// are those that its goal has.
func (s *Store) SaveRoutine(r protocol.TaskRoutine) ([]protocol.TaskRoutine, error) {
	r.Name = strings.TrimSpace(r.Name)
	switch {
	case r.Name == "" || len(r.Name) > 80:
		return nil, protocol.NewError(protocol.CodeBadArgument, "a routine needs a name of at most 80 letters", "")
	case strings.TrimSpace(r.Goal) == "":
		return nil, protocol.NewError(protocol.CodeBadArgument, "a routine needs a goal", "")
	case len(r.Actions) > protocol.MaxTaskEvent:
		return nil, protocol.NewError(protocol.CodeTooLarge, "the routine has too many actions", "make two of it")
	}
	r.Params, r.Created = Params(r.Goal), now()
	return s.changeRoutines(func(all []protocol.TaskRoutine) ([]protocol.TaskRoutine, error) {
		if i := slices.IndexFunc(all, func(one protocol.TaskRoutine) bool { return one.Name == r.Name }); i >= 0 {
			all[i] = r
			return all, nil
		}
		if len(all) >= protocol.MaxTaskRoutines {
			return nil, protocol.NewError(protocol.CodeBusy, fmt.Sprintf("there are %d routines already", len(all)), "remove one first")
		}
		all = append(all, r)
		slices.SortFunc(all, func(a, b protocol.TaskRoutine) int { return strings.Compare(a.Name, b.Name) })
		return all, nil
	})
}

// DeleteRoutine forgets a routine.
func (s *Store) DeleteRoutine(name string) ([]protocol.TaskRoutine, error) {
	return s.changeRoutines(func(all []protocol.TaskRoutine) ([]protocol.TaskRoutine, error) {
		i := slices.IndexFunc(all, func(one protocol.TaskRoutine) bool { return one.Name == name })
		if i < 0 {
			return nil, unknownRoutine(name)
		}
		return slices.Delete(all, i, i+1), nil
	})
}

func unknownRoutine(name string) error {
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no routine %.80q", name), "`pilotfish task routines` lists them")
}

func (s *Store) changeRoutines(change func([]protocol.TaskRoutine) ([]protocol.TaskRoutine, error)) ([]protocol.TaskRoutine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, err := change(slices.Clone(s.routines))
	if err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(routinesFile{Version: routinesVersion, Routines: next}, "", "  ")
	if err != nil {
		return nil, protocol.NewError(protocol.CodeBadArgument, "the routine's actions are not JSON: "+err.Error(), "")
	}
	if err := os.MkdirAll(s.config.Dir, 0o700); err != nil {
		return nil, unwritable(err)
	}
	if err := journal.WriteFile(s.routinesPath(), data, 0o600); err != nil {
		return nil, unwritable(err)
	}
	s.routines = next
	return append([]protocol.TaskRoutine{}, next...), nil
}

// Params are the names of the parameters of a goal, in their order.
func Params(goal string) []string {
	names := []string{}
	for _, m := range parameter().FindAllStringSubmatch(goal, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// Fill puts the values of a routine's parameters into its goal. It returns
// CodeBadArgument for one that is missing, or that the routine does not have.
func (s *Store) Fill(name string, values map[string]string) (goal string, err error) {
	s.mu.Lock()
	i := slices.IndexFunc(s.routines, func(one protocol.TaskRoutine) bool { return one.Name == name })
	if i < 0 {
		s.mu.Unlock()
		return "", unknownRoutine(name)
	}
	r := s.routines[i]
	s.mu.Unlock()
	for given := range values {
		if !slices.Contains(r.Params, given) {
			return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the routine %q has no parameter %.40q", r.Name, given), "it has: "+strings.Join(r.Params, ", "))
		}
	}
	for _, p := range r.Params {
		if _, ok := values[p]; !ok {
			return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the routine %q needs a value for %q", r.Name, p), "it has: "+strings.Join(r.Params, ", "))
		}
	}
	return parameter().ReplaceAllStringFunc(r.Goal, func(m string) string {
		return values[parameter().FindStringSubmatch(m)[1]]
	}), nil
}
