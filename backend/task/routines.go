package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// routineVersion is the version of a routine's file.
const routineVersion = 1

// routineName is the form of names that can be used as file names, and on a
// command line.
var routineName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`) })

// parameter matches ${name} in a routine's goal or lines.
var parameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([a-zA-Z][a-zA-Z0-9_]*)\}`) })

// Routines manages the routines of a session: those made from tasks, and those
// that the command layer records. Its methods are safe for concurrent use.
type Routines struct {
	dir string
	log *slog.Logger
	mu  sync.Mutex // guards saving
}

func (rs *Routines) path(name string) string {
	return filepath.Join(rs.dir, name+".json")
}

// List returns the session's routines by name, both those made from tasks and
// the recorded ones. Unreadable routines are left out.
func (rs *Routines) List() []protocol.TaskRoutine {
	out := []protocol.TaskRoutine{}
	files, err := os.ReadDir(rs.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		rs.log.Warn("the routines cannot be listed", "error", err)
	}
	for _, f := range files {
		name, isRoutine := strings.CutSuffix(f.Name(), ".json")
		if !isRoutine {
			continue
		}
		if r, err := rs.read(name); err == nil {
			out = append(out, asTaskRoutine(r))
		}
	}
	return out
}

// read reads one routine.
func (rs *Routines) read(name string) (protocol.Routine, error) {
	var r protocol.Routine
	if !routineName().MatchString(name) {
		return r, unknownRoutine(name)
	}
	data, err := os.ReadFile(rs.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return r, unknownRoutine(name)
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err == nil && r.Version != routineVersion {
		err = fmt.Errorf("it is of version %d", r.Version)
	}
	if err != nil {
		rs.log.Warn("a routine cannot be read", "routine", name, "error", err)
		return r, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the routine %q cannot be read", name), "save it again")
	}
	r.Name = name
	return r, nil
}

func asTaskRoutine(r protocol.Routine) protocol.TaskRoutine {
	return protocol.TaskRoutine{
		Name: r.Name, Title: r.Title, Goal: r.Goal, Params: paramsOf(r), Defaults: r.Params, Secrets: r.Secrets, Steps: r.Steps,
		Actions: r.Actions, Created: r.Created,
	}
}

// paramsOf returns the names of a routine's parameters: first those of its
// goal, in their order there, then the others by name.
func paramsOf(r protocol.Routine) []string {
	names := Params(r.Goal)
	for _, name := range slices.Sorted(maps.Keys(r.Params)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Save adds a routine, or replaces the one with the same name. Its parameters
// are those in its goal and its lines. A secret parameter gets no default.
func (rs *Routines) Save(r protocol.TaskRoutine) ([]protocol.TaskRoutine, error) {
	switch {
	case !routineName().MatchString(r.Name):
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is not a valid name for a routine", r.Name), "use a to z, 0 to 9, _ and -")
	case strings.TrimSpace(r.Goal) == "" && len(r.Steps) == 0:
		return nil, protocol.NewError(protocol.CodeBadArgument, "a routine needs a goal", "")
	case len(r.Actions) > maxTaskEvent:
		return nil, protocol.NewError(protocol.CodeTooLarge, "the routine has too many actions", "make two of it")
	}
	params := map[string]string{}
	for _, text := range append([]string{r.Goal}, r.Steps...) {
		for _, name := range Params(text) {
			params[name] = r.Defaults[name]
			if slices.Contains(r.Secrets, name) {
				params[name] = ""
			}
		}
	}
	file := protocol.Routine{
		Version: routineVersion, Name: r.Name, Title: r.Title, Goal: r.Goal, Params: params, Secrets: r.Secrets, Steps: r.Steps,
		Actions: r.Actions, Created: now(),
	}
	if file.Steps == nil {
		file.Steps = []string{}
	}
	data, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return nil, protocol.NewError(protocol.CodeBadArgument, "the routine's actions are not JSON: "+err.Error(), "")
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	all := rs.List()
	if len(all) >= maxTaskRoutines && !slices.ContainsFunc(all, func(one protocol.TaskRoutine) bool { return one.Name == r.Name }) {
		return nil, protocol.NewError(protocol.CodeBusy, fmt.Sprintf("there are %d routines already", len(all)), "remove one first")
	}
	if err := os.MkdirAll(rs.dir, 0o700); err != nil {
		return nil, unwritable(err)
	}
	if err := journal.WriteFile(rs.path(r.Name), append(data, '\n'), 0o600); err != nil {
		return nil, unwritable(err)
	}
	return rs.List(), nil
}

// Delete deletes a routine, and the test that a recording saved beside it.
func (rs *Routines) Delete(name string) ([]protocol.TaskRoutine, error) {
	if !routineName().MatchString(name) {
		return nil, unknownRoutine(name)
	}
	err := os.Remove(rs.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknownRoutine(name)
	}
	if err == nil {
		err = os.Remove(strings.TrimSuffix(rs.path(name), ".json") + ".spec.ts")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unwritable(err)
	}
	return rs.List(), nil
}

func unknownRoutine(name string) error {
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no routine %.80q", name), "", protocol.Try("lists them", "task", "routines"))
}

// Params returns the names of the parameters in a text, in their order.
func Params(text string) []string {
	names := []string{}
	for _, m := range parameter().FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// Fill returns a routine's goal with the values of its parameters. A parameter
// without a value gets its default. Fill returns CodeBadArgument for a
// parameter that is missing, or that the routine does not have.
func (rs *Routines) Fill(name string, values map[string]string) (goal string, err error) {
	r, err := rs.read(name)
	if err != nil {
		return "", err
	}
	if r.Goal == "" {
		return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the routine %q was recorded and has no goal for a model", name), "", protocol.Try("runs it without one", "run", name))
	}
	has := paramsOf(r)
	for given := range values {
		if !slices.Contains(has, given) {
			return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the routine %q has no parameter %.40q", r.Name, given), "it has: "+strings.Join(has, ", "))
		}
	}
	filled := maps.Clone(r.Params)
	if filled == nil {
		filled = map[string]string{}
	}
	maps.Copy(filled, values)
	for _, p := range Params(r.Goal) {
		if filled[p] == "" {
			return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the routine %q needs a value for %q", r.Name, p), "it has: "+strings.Join(has, ", "))
		}
	}
	return parameter().ReplaceAllStringFunc(r.Goal, func(m string) string {
		return filled[parameter().FindStringSubmatch(m)[1]]
	}), nil
}
