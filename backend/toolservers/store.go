package toolservers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// fileVersion is the version of the file's form.
const fileVersion = 1

// Keeper keeps the values of headers that are credentials, for the origin of the
// server's address; credentials.Keeper does.
type Keeper interface {
	// Keep stores a value. It refuses one that it cannot keep for good, and says what
	// to do.
	Keep(ctx context.Context, server Server, header, value string) error
	// Value returns a value. The origin must be the one that it was kept for.
	Value(ctx context.Context, server Server, header string) (string, error)
	// Forget removes a value; one that is not there is no error.
	Forget(ctx context.Context, server Server, header string) error
}

// Store is the list on disk. It is read for each call, because the command line changes
// it while the app runs.
type Store struct {
	path   string
	keeper Keeper
}

// NewStore returns the list in a file, which need not exist. keeper has the values of
// headers that are credentials.
func NewStore(path string, keeper Keeper) *Store { return &Store{path: path, keeper: keeper} }

type file struct {
	Version int      `json:"version"`
	Servers []Server `json:"servers"`
}

// List returns the servers, in the order of their names.
func (s *Store) List() ([]Server, error) {
	all, _, err := s.read()
	return all, err
}

// read returns the servers, and the text of the file; nil when there is no file.
func (s *Store) read() (all []Server, text []byte, err error) {
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	unreadable := func(why string) error {
		return protocol.NewError(protocol.CodeNotWritable, "the list of your MCP servers cannot be read: "+why, "correct or remove "+s.path)
	}
	if err != nil {
		return nil, nil, unreadable(journal.Reason(err))
	}
	if info.Size() > maxFile || !info.Mode().IsRegular() {
		return nil, nil, unreadable("it is too large, or no file")
	}
	text, err = os.ReadFile(s.path)
	if err != nil {
		return nil, nil, unreadable(journal.Reason(err))
	}
	var f file
	if err := json.Unmarshal(text, &f); err != nil || f.Version != fileVersion {
		return nil, nil, unreadable("it is not in the form of this version") // an error of JSON may quote a secret
	}
	for _, server := range f.Servers {
		if err := server.check(); err != nil {
			return nil, nil, err
		}
	}
	return f.Servers, text, nil
}

// Add adds servers, or replaces those of the same name. What is as before keeps its
// permission; anything else is asked about. The value of a header that is a credential
// goes to the Keeper; a header with Secret and no value keeps the value that it has.
func (s *Store) Add(ctx context.Context, added ...Server) error {
	var stale, kept []credential
	err := s.change(func(all []Server) ([]Server, error) {
		stale = nil
		checked := make([]Server, 0, len(added))
		more := 0
		for _, server := range added {
			server, err := withSecrets(all, server)
			if err == nil {
				err = server.check()
			}
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(all, named(server.Name)) && !slices.ContainsFunc(checked, named(server.Name)) {
				more++
			}
			checked = append(checked, server)
		}
		if len(all)+more > maxServers {
			return nil, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("there are at most %d servers", maxServers), "remove some")
		}
		for _, server := range checked {
			at := slices.IndexFunc(all, named(server.Name))
			server, err := s.keep(ctx, server)
			if err != nil {
				return nil, err
			}
			if at < 0 {
				all = append(all, server)
				kept = append(kept, lost(server, Server{})...)
				continue
			}
			if all[at].Same(server) {
				server.Permission, server.Tools = all[at].Permission, all[at].Tools
			}
			kept = append(kept, lost(server, all[at])...)
			stale = append(stale, lost(all[at], server)...)
			all[at] = server
		}
		return all, nil
	})
	if err != nil {
		_ = s.forget(ctx, kept) // the error that the user sees is the first one
		return err
	}
	return s.forget(ctx, stale)
}

// Remove takes a server out of the list, and its credentials out of the Keeper.
func (s *Store) Remove(ctx context.Context, name string) error {
	var stale []credential
	err := s.change(func(all []Server) ([]Server, error) {
		i, err := find(all, name)
		if err != nil {
			return nil, err
		}
		stale = lost(all[i], Server{})
		return slices.Delete(all, i, i+1), nil
	})
	if err != nil {
		return err
	}
	return s.forget(ctx, stale)
}

// Permit sets the permission of a server.
func (s *Store) Permit(name string, p Permission) error {
	return s.change(func(all []Server) ([]Server, error) {
		i, err := find(all, name)
		if err == nil {
			if all[i].Permission = p; p != Allow {
				all[i].Tools = nil
			}
		}
		return all, err
	})
}

// permitAs sets the permission of a server that is still as the user was shown it.
func (s *Store) permitAs(shown Server, p Permission) error {
	return s.change(func(all []Server) ([]Server, error) {
		if i := slices.IndexFunc(all, named(shown.Name)); i >= 0 && all[i].Same(shown) {
			all[i].Permission = p
		}
		return all, nil
	})
}

// allowTool lets tasks use a tool of a server that is still as the user was shown it.
func (s *Store) allowTool(shown Server, tool string) error {
	return s.change(func(all []Server) ([]Server, error) {
		i := slices.IndexFunc(all, named(shown.Name))
		if i < 0 || !all[i].Same(shown) || all[i].Allows(tool) {
			return all, nil
		}
		if len(all[i].Tools) >= maxParts {
			return nil, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("at most %d tools of a server are allowed always", maxParts), "")
		}
		all[i].Tools = append(slices.Clone(all[i].Tools), tool)
		return all, nil
	})
}

// change changes the list. It calls how again with the newer list when somebody else has
// changed it meanwhile: the command line does, other sessions do, and a keychain may wait
// long for its user.
func (s *Store) change(how func([]Server) ([]Server, error)) error {
	for {
		all, before, err := s.read()
		if err != nil {
			return err
		}
		if all, err = how(all); err != nil {
			return err
		}
		_, now, err := s.read()
		if err != nil {
			return err
		}
		if bytes.Equal(now, before) {
			return s.write(all)
		}
	}
}

func (s *Store) write(all []Server) error {
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
