package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// Store holds the settings of this run and keeps them on disk. It is safe for
// concurrent use.
type Store struct {
	path string

	mu       sync.Mutex
	settings protocol.Settings
	// text is the file as it was last read or written; nil without a file.
	text []byte
	// problem is what is wrong in text. keep is the ending under which text is kept
	// before a save would lose something of it; empty when it has nothing to lose.
	problem *protocol.SettingsProblem
	keep    string
	changes uint64
	// notifyURL is the last one that was not empty: clients undo its removal with a
	// masked one.
	notifyURL string
	onChange  func(protocol.Settings)
}

// Endings of the files beside the settings: a file with unknown settings and a file
// with a mistake, as they were before a save, and the last valid file.
const (
	unknownEnding = ".bak"
	badEnding     = ".bad"
	lastEnding    = ".last"
)

// Open reads the settings. A file with a mistake stays as it is: the last valid
// settings are in force, or the defaults if there never were any. Problem says what is
// wrong.
func Open(path string) (*Store, error) {
	s := &Store{path: path, settings: Defaults(), onChange: func(protocol.Settings) {}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the settings: %w", err)
	}
	s.take(text)
	if s.keep == badEnding {
		if last, err := os.ReadFile(path + lastEnding); err == nil {
			if settings, problem := parse(path, last); problem == nil {
				s.settings = settings
			}
		}
	}
	return s, nil
}

// take makes a text of the file the current one. The caller holds mu.
func (s *Store) take(text []byte) {
	settings, problem := parse(s.path, text)
	s.text, s.problem, s.keep = text, problem, ""
	switch {
	case problem == nil:
		s.settings = settings
		_ = journal.WriteFile(s.path+lastEnding, text, 0o600) // without it the defaults would apply after a mistake
	case problem.Unknown:
		s.settings, s.keep = settings, unknownEnding
	default:
		s.keep = badEnding
	}
}

// OnChange sets the function that is called after each change of the settings or of
// their problem. Call it before the first change.
func (s *Store) OnChange(changed func(protocol.Settings)) { s.onChange = changed }

// Path is the path of the settings file.
func (s *Store) Path() string { return s.path }

// Get returns the settings.
func (s *Store) Get() protocol.Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings
}

// Problem returns what is wrong in the file, nil for nothing, and how often settings or
// problem have changed.
func (s *Store) Problem() (*protocol.SettingsProblem, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem, s.changes
}

// Reload reads the file again after another program has changed it. A file that is gone
// or cannot be read changes nothing: editors replace files.
func (s *Store) Reload() {
	text, err := os.ReadFile(s.path)
	if err != nil {
		return
	}
	s.mu.Lock()
	same := bytes.Equal(text, s.text)
	if !same {
		s.take(text)
		s.changes++
	}
	settings := s.settings
	s.mu.Unlock()
	if !same {
		s.onChange(settings)
	}
}

// Save checks the settings and writes them. On an error nothing has changed; if one
// setting is wrong, the error is a *FieldError. A file with a mistake or with unknown
// settings is kept beside the new one.
func (s *Store) Save(settings protocol.Settings) (protocol.Settings, error) {
	settings.NotifyURL = s.unmasked(settings.NotifyURL)
	if err := check(settings); err != nil {
		return s.Get(), err
	}
	if err := checkPaths(settings); err != nil {
		return s.Get(), err
	}
	s.mu.Lock()
	if now, err := os.ReadFile(s.path); err == nil && !bytes.Equal(now, s.text) {
		s.mu.Unlock()
		s.Reload()
		return s.Get(), protocol.NewError(protocol.CodeChanged, filepath.Base(s.path)+" was changed by another program in this moment", "look at the settings and try again")
	}
	err := s.write(settings, s.sessions())
	now := s.settings
	s.mu.Unlock()
	if err != nil {
		return now, err
	}
	s.onChange(now)
	return now, nil
}

// sessions returns the tables of sessions that are in force: those in the file, or of
// the last valid one. The caller holds mu.
func (s *Store) sessions() map[string]any {
	if s.keep == badEnding {
		return sessionsIn(s.path + lastEnding)
	}
	return sessionsIn(s.path)
}

// write writes the file, after it has kept the one before if need be. The caller holds
// mu.
func (s *Store) write(settings protocol.Settings, sessions map[string]any) error {
	f := fileOf(settings)
	f.Sessions = sessions
	data, err := toml.Marshal(f)
	if err != nil {
		return fmt.Errorf("encoding the settings: %w", err)
	}
	data = explained(data)
	if s.keep != "" {
		if err := journal.WriteFile(s.path+s.keep, s.text, 0o600); err != nil {
			return notWritable(s.path+s.keep, err)
		}
	}
	if err := journal.WriteFile(s.path, data, 0o600); err != nil {
		return notWritable(s.path, err)
	}
	_ = journal.WriteFile(s.path+lastEnding, data, 0o600) // see take
	s.settings, s.text, s.problem, s.keep = settings, data, nil, ""
	s.changes++
	return nil
}

// Read reads a settings file without changing anything; if there is none, it returns
// the defaults. problem says what is wrong in the file; err, that it cannot be read.
func Read(path string) (settings protocol.Settings, problem *protocol.SettingsProblem, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Defaults(), nil, nil
	}
	if err != nil {
		return Defaults(), nil, fmt.Errorf("reading the settings: %w", err)
	}
	settings, problem = parse(path, text)
	if problem != nil && !problem.Unknown {
		settings = Defaults()
	}
	return settings, problem, nil
}

// parse reads a settings file over the defaults. With a problem that is not Unknown,
// settings is not to be used.
func parse(path string, text []byte) (settings protocol.Settings, problem *protocol.SettingsProblem) {
	f := fileOf(Defaults())
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&f)
	unknown, isUnknown := errors.AsType[*toml.StrictMissingError](err)
	if err != nil && !isUnknown {
		return settings, mistake(path, text, err)
	}
	if f.Version > version {
		line, column := find(text, "version")
		return settings, &protocol.SettingsProblem{
			File: path, Line: line, Column: column, Name: "version",
			Message: fmt.Sprintf("version %d is of a newer Pilotfish", f.Version), Allowed: fmt.Sprintf("version = %d, or install the newer Pilotfish", version),
		}
	}
	settings = f.settings()
	// Paths that are wrong today (a disk that is not mounted) are reported by the
	// code that uses them. Only values that can never be valid are refused here.
	if err := check(settings); err != nil {
		return settings, invalid(path, text, err)
	}
	if isUnknown && len(unknown.Errors) > 0 {
		return settings, unknownSetting(path, unknown.Errors)
	}
	return settings, nil
}

// mistake says where a file cannot be read.
func mistake(path string, text []byte, err error) *protocol.SettingsProblem {
	p := &protocol.SettingsProblem{File: path, Message: strings.TrimPrefix(err.Error(), "toml: "), Allowed: `one setting on each line, such as theme = "dark"; texts are in quotes`}
	wrong, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return p
	}
	p.Line, p.Column = wrong.Position()
	name := ""
	if key := wrong.Key(); len(key) > 0 {
		name = key[0]
	} else if lines := strings.Split(string(text), "\n"); p.Line >= 1 && p.Line <= len(lines) {
		key, _, _ := strings.Cut(lines[p.Line-1], "=")
		name = strings.TrimSpace(key)
	}
	for _, s := range list() {
		if s.Name == name {
			p.Name, p.Allowed = name, Allowed(s)
			if strings.Contains(p.Message, "decode") || strings.Contains(p.Message, "Go ") {
				p.Message = "this is no value for " + name
			}
		}
	}
	return p
}

// invalid says where a value is that the checks refuse.
func invalid(path string, text []byte, err error) *protocol.SettingsProblem {
	refused := protocol.AsError(err)
	p := &protocol.SettingsProblem{File: path, Message: refused.Message, Allowed: refused.Hint}
	wrong, ok := errors.AsType[*FieldError](err)
	if !ok {
		return p
	}
	for _, s := range list() {
		if field, _, _ := strings.Cut(s.Field, "."); field != wrong.field {
			continue
		}
		line, column := find(text, s.Name)
		// Of the settings in one field the one that the message names is meant.
		if p.Name == "" || strings.HasPrefix(refused.Message, s.Name+" ") {
			p.Name, p.Line, p.Column, p.Allowed = s.Name, line, column, strings.TrimSpace(Allowed(s)+" "+s.Unit)
		}
	}
	return p
}

// find returns where a setting is in a file; 0 when it is not there.
func find(text []byte, name string) (line, column int) {
	n := 0
	for l := range strings.Lines(string(text)) {
		n++
		key, _, isKey := strings.Cut(l, "=")
		if isKey && strings.Trim(key, " \t\"'") == name {
			return n, strings.Index(l, name) + 1
		}
	}
	return 0, 0
}

// unknownSetting names the settings that Pilotfish does not know, and suggests what was
// meant.
func unknownSetting(path string, unknown []toml.DecodeError) *protocol.SettingsProblem {
	var known []string
	for _, s := range list() {
		known = append(known, s.Name)
	}
	said := make([]string, len(unknown))
	allowed := "the names in the file that Pilotfish writes"
	for i, e := range unknown {
		name := strings.Join(e.Key(), ".")
		said[i] = fmt.Sprintf("%.60q", name)
		if near := spelling.Nearest(name, known); near != "" {
			said[i] += " (did you mean " + near + "?)"
		}
	}
	p := &protocol.SettingsProblem{
		File: path, Unknown: true, Allowed: allowed,
		Message: fmt.Sprintf("Pilotfish does not know %s; the other settings are used", strings.Join(said, ", ")),
	}
	p.Line, p.Column = unknown[0].Position()
	p.Name = fmt.Sprintf("%.60s", strings.Join(unknown[0].Key(), "."))
	return p
}
