package toolservers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// Permission says whether agents get a server.
type Permission string

// The permissions.
const (
	Ask   Permission = "ask"
	Allow Permission = "allow"
	Deny  Permission = "deny"
)

// Limits of the list.
const (
	maxServers = 50
	maxFile    = 1 << 20  // bytes
	maxText    = 16 << 10 // bytes of one argument or value
	maxParts   = 200      // arguments, or variables, of one server
)

// fileVersion is the version of the file's form.
const fileVersion = 1

// Server is one of the user's MCP servers: a program that speaks on its standard streams.
type Server struct {
	Name    string   `json:"name"`
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	// Env are its variables. The values may be secrets.
	Env map[string]string `json:"env,omitempty"`
	// From is the program out of whose settings it came; empty when the user added it.
	From       string     `json:"from,omitempty"`
	Permission Permission `json:"permission"`
}

// Variables returns the names of the variables, sorted. The values are shown nowhere.
func (s Server) Variables() []string {
	names := make([]string, 0, len(s.Env))
	for name := range s.Env {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// same reports whether two servers start the same program in the same way.
func (s Server) same(other Server) bool {
	a, _ := json.Marshal([]any{s.Command, s.Args, s.Env}) // texts can always be encoded
	b, _ := json.Marshal([]any{other.Command, other.Args, other.Env})
	return bytes.Equal(a, b)
}

func (s Server) check() error {
	bad := func(message, hint string) error { return protocol.NewError(protocol.CodeBadArgument, message, hint) }
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$`).MatchString(s.Name) || s.Name == "pilotfish" {
		return bad("this is no name for a server", "use letters, digits, - and _, at most 40; pilotfish is the browser's own")
	}
	if s.Command == "" || len(s.Args) > maxParts || len(s.Env) > maxParts {
		return bad(s.Name+" has no command, or too many arguments or variables", "give the command line that starts it")
	}
	for _, text := range append(slices.Clone(s.Args), s.Command) {
		if len(text) > maxText || strings.ContainsFunc(text, unicode.IsControl) {
			return bad("the command line of "+s.Name+" has a part that is too long, or control characters in it", "correct it")
		}
	}
	for name, value := range s.Env {
		if !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`).MatchString(name) || strings.HasPrefix(name, "PILOTFISH_") {
			return bad(s.Name+" has a variable whose name is not allowed", "use letters, digits and _; names that begin with PILOTFISH_ are Pilotfish's own")
		}
		if len(value) > maxText || strings.ContainsRune(value, 0) {
			return bad("the value of "+name+" of "+s.Name+" is too long, or not text", "correct it")
		}
	}
	return nil
}

// Store is the list on disk. It is read for each call, because the command line changes
// it while the app runs.
type Store struct{ path string }

// NewStore returns the list in a file, which need not exist.
func NewStore(path string) *Store { return &Store{path: path} }

type file struct {
	Version int      `json:"version"`
	Servers []Server `json:"servers"`
}

// List returns the servers, in the order of their names.
func (s *Store) List() ([]Server, error) {
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	unreadable := func(why string) error {
		return protocol.NewError(protocol.CodeNotWritable, "the list of your MCP servers cannot be read: "+why, "correct or remove "+s.path)
	}
	if err != nil {
		return nil, unreadable(journal.Reason(err))
	}
	if info.Size() > maxFile || !info.Mode().IsRegular() {
		return nil, unreadable("it is too large, or no file")
	}
	text, err := os.ReadFile(s.path)
	if err != nil {
		return nil, unreadable(journal.Reason(err))
	}
	var f file
	if err := json.Unmarshal(text, &f); err != nil || f.Version != fileVersion {
		return nil, unreadable("it is not in the form of this version") // an error of JSON may quote a secret
	}
	for _, server := range f.Servers {
		if err := server.check(); err != nil {
			return nil, err
		}
	}
	return f.Servers, nil
}

// Add adds servers, or replaces those of the same name. What is as before keeps its
// permission; anything else is asked about.
func (s *Store) Add(added ...Server) error {
	return s.change(func(all []Server) ([]Server, error) {
		for _, server := range added {
			if err := server.check(); err != nil {
				return nil, err
			}
			server.Permission = Ask
			if i := slices.IndexFunc(all, named(server.Name)); i >= 0 {
				if all[i].same(server) {
					server.Permission = all[i].Permission
				}
				all[i] = server
				continue
			}
			all = append(all, server)
		}
		if len(all) > maxServers {
			return nil, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("there are at most %d servers", maxServers), "remove some")
		}
		return all, nil
	})
}

// Remove takes a server out of the list.
func (s *Store) Remove(name string) error {
	return s.change(func(all []Server) ([]Server, error) {
		i, err := find(all, name)
		if err != nil {
			return nil, err
		}
		return slices.Delete(all, i, i+1), nil
	})
}

// Permit sets the permission of a server.
func (s *Store) Permit(name string, p Permission) error {
	return s.change(func(all []Server) ([]Server, error) {
		i, err := find(all, name)
		if err == nil {
			all[i].Permission = p
		}
		return all, err
	})
}

// permitAs sets the permission of a server that is still as the user was shown it.
func (s *Store) permitAs(shown Server, p Permission) error {
	return s.change(func(all []Server) ([]Server, error) {
		if i := slices.IndexFunc(all, named(shown.Name)); i >= 0 && all[i].same(shown) {
			all[i].Permission = p
		}
		return all, nil
	})
}

func (s *Store) change(how func([]Server) ([]Server, error)) error {
	all, err := s.List()
	if err != nil {
		return err
	}
	if all, err = how(all); err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	text, err := json.MarshalIndent(file{Version: fileVersion, Servers: all}, "", "  ")
	if err == nil {
		if err = os.MkdirAll(filepath.Dir(s.path), 0o700); err == nil {
			err = journal.WriteFile(s.path, append(text, '\n'), 0o600)
		}
	}
	if err != nil {
		return journal.NotWritable(s.path, err, "")
	}
	return nil
}

func named(name string) func(Server) bool { return func(s Server) bool { return s.Name == name } }

func find(all []Server, name string) (int, error) {
	i := slices.IndexFunc(all, named(name))
	if i >= 0 {
		return i, nil
	}
	names := make([]string, len(all))
	for i, server := range all {
		names[i] = server.Name
	}
	hint := "`pilotfish mcp-servers` lists them"
	if near := spelling.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return 0, protocol.NewError(protocol.CodeBadArgument, "you have no MCP server of this name", hint)
}
