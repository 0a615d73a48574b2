// Package connect makes other programs find Pilotfish: it adds the MCP server, and the
// skill where the program knows skills, to a program's own configuration, and takes both
// away again. What else is in the configuration stays as it is, byte for byte.
package connect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pilotfish/backend/connect/edit"
	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// Config says for whom programs are connected.
type Config struct {
	Homes Homes
	// State is the file that remembers what was changed.
	State string
	// Server is what the programs shall start.
	Server Server
	// Skill is the text of the skill.
	Skill string
}

// Connections are the programs of a user that Pilotfish is connected to.
type Connections struct{ Config }

// New returns the connections.
func New(c Config) *Connections { return &Connections{c} }

// Status says how a program stands.
type Status struct {
	Name      string `json:"name"`
	Title     string `json:"title"`
	Installed bool   `json:"installed"`
	// Connected: the program's configuration has our server.
	Connected bool `json:"connected"`
	// Current: it starts the Pilotfish that asks, and not another one.
	Current bool   `json:"current"`
	File    string `json:"file"`
	// Skill is the file of the skill; empty for a program without skills.
	Skill string `json:"skill,omitempty"`
	// Problem says why the configuration cannot be read or changed.
	Problem string `json:"problem,omitempty"`
}

// Done says what was changed.
type Done struct {
	Status
	// Change is the change as lines with + and -, for the user.
	Change string `json:"change"`
	// Own is the program's own command that made the change; empty if we made it.
	Own string `json:"own,omitempty"`
}

// ownTimeout is the time that a program's own command has. Some start a runtime of
// their own and look for updates first.
const ownTimeout = 30 * time.Second

// maxFile is the largest configuration file that is changed.
const maxFile = 16 << 20

// List returns how every program stands.
func (c *Connections) List() []Status {
	programs := Programs()
	out := make([]Status, 0, len(programs))
	for _, p := range programs {
		out = append(out, c.status(p))
	}
	return out
}

func (c *Connections) status(p Program) Status {
	s := Status{Name: p.Name, Title: p.Title, File: c.file(p)}
	if p.skills != nil {
		s.Skill = filepath.Join(p.skills.in(c.Homes), serverName, "SKILL.md")
	}
	_, err := exec.LookPath(p.Binary)
	_, stat := os.Stat(filepath.Dir(s.File))
	s.Installed = err == nil || stat == nil && filepath.Dir(s.File) != c.Homes.Home
	text, err := read(s.File)
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	entry, err := p.place.Get(text)
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	s.Connected = entry != nil
	server, ok := p.read(entry)
	s.Current = ok && server.Command == c.Server.Command && slices.Equal(server.Args, c.Server.Args)
	return s
}

// file returns the program's configuration file, past symbolic links: programs keep
// them when they write, and so do we.
func (c *Connections) file(p Program) string {
	for _, f := range p.files {
		if target, err := filepath.EvalSymlinks(f.in(c.Homes)); err == nil {
			return target
		}
	}
	return p.files[0].in(c.Homes)
}

// find returns a program by its name.
func (c *Connections) find(name string) (Program, error) {
	programs := Programs()
	names := make([]string, 0, len(programs))
	for _, p := range programs {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Program{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a program that can be connected", name), "choose one of "+strings.Join(names, ", "))
}

// Add connects a program. With dry, nothing is written; Done says what would be.
func (c *Connections) Add(ctx context.Context, name string, dry bool) (Done, error) {
	p, err := c.find(name)
	if err != nil {
		return Done{}, err
	}
	path := c.file(p)
	before, err := read(path)
	if err != nil {
		return Done{}, err
	}
	change, err := p.place.Set(before, p.entry(c.Server))
	if err != nil {
		return Done{}, unsafe(path, err)
	}
	after := change.Apply(before)
	done := Done{Change: difference(path, change)}
	if dry {
		done.Status = c.status(p)
		return done, nil
	}
	now, _ := p.place.Get(before)
	if server, ok := p.read(now); !ok || server.Command != c.Server.Command || !slices.Equal(server.Args, c.Server.Args) {
		// A program that never ran would also set itself up.
		if now == nil && len(before) > 0 {
			if made, own := c.byOwnCommand(ctx, p, path, before); own != "" {
				change, after, done.Own = made, made.Apply(before), own
				done.Change = difference(path, change)
			}
		}
		if done.Own == "" {
			if err := write(path, before, after); err != nil {
				return Done{}, err
			}
		}
		if err := c.remember(p.Name, &change, len(before) == 0); err != nil {
			return Done{}, err
		}
	} else {
		done.Change = ""
	}
	if p.skills != nil && c.Skill != "" {
		skill := filepath.Join(p.skills.in(c.Homes), serverName, "SKILL.md")
		if err := os.MkdirAll(filepath.Dir(skill), 0o700); err != nil {
			return Done{}, fmt.Errorf("make the folder of the skill: %w", err)
		}
		if err := journal.WriteFile(skill, []byte(c.Skill), 0o600); err != nil {
			return Done{}, fmt.Errorf("write the skill: %w", err)
		}
	}
	done.Status = c.status(p)
	return done, nil
}

// byOwnCommand lets the program add the server itself. It returns "" when the program
// is not there, failed, or changed anything else; the file is then as before.
func (c *Connections) byOwnCommand(ctx context.Context, p Program, path string, before []byte) (edit.Change, string) {
	if p.own == nil {
		return edit.Change{}, ""
	}
	program, err := exec.LookPath(p.Binary)
	if err != nil {
		return edit.Change{}, ""
	}
	ctx, cancel := context.WithTimeout(ctx, ownTimeout)
	defer cancel()
	args := p.own(c.Server)
	run := exec.CommandContext(ctx, program, args...)
	run.Dir = c.Homes.Home // a project's own settings are not meant
	run.WaitDelay = time.Second
	failed := run.Run()
	after, err := read(path)
	if err == nil && failed == nil {
		change := between(before, after)
		entry, _ := p.place.Get(after)
		server, ok := p.read(entry)
		// Only our text may have come, and nothing may have gone.
		back, removed, _ := p.place.Remove(after)
		exact := removed && bytes.Equal(back.Apply(after), before) || strings.TrimSpace(change.Old) == "" && len(before) > 0
		if ok && server.Command == c.Server.Command && exact {
			return change, p.Binary + " " + strings.Join(args, " ")
		}
	}
	switch {
	case err != nil || bytes.Equal(after, before):
	case len(before) == 0:
		_ = os.Remove(path)
	default:
		_ = write(path, after, before)
	}
	return edit.Change{}, ""
}

// between returns the one change that makes a file another one.
func between(before, after []byte) edit.Change {
	same := 0
	for same < min(len(before), len(after)) && before[same] == after[same] {
		same++
	}
	tail := 0
	for tail < min(len(before), len(after))-same && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	return edit.Change{At: same, Old: string(before[same : len(before)-tail]), New: string(after[same : len(after)-tail])}
}

// Remove takes away what Add added. With dry, nothing is written.
func (c *Connections) Remove(name string, dry bool) (Done, error) {
	p, err := c.find(name)
	if err != nil {
		return Done{}, err
	}
	path := c.file(p)
	before, err := read(path)
	if err != nil {
		return Done{}, err
	}
	made, err := c.remembered()
	if err != nil {
		return Done{}, err
	}
	record := made[p.Name]
	change, ok := edit.Change{}, false
	if record != nil {
		if change, ok = record.Change.Undo(before); ok {
			entry, err := p.place.Get(change.Apply(before))
			ok = err == nil && entry == nil
		}
	}
	if !ok {
		if change, ok, err = p.place.Remove(before); err != nil {
			return Done{}, unsafe(path, err)
		}
	}
	done := Done{}
	if ok {
		done.Change = difference(path, change)
	}
	if dry {
		done.Status = c.status(p)
		return done, nil
	}
	if ok {
		after := change.Apply(before)
		if record != nil && record.Made && len(bytes.TrimSpace(after)) == 0 {
			err = os.Remove(path)
		} else {
			err = write(path, before, after)
		}
		if err != nil {
			return Done{}, fmt.Errorf("take the server out of %s: %w", path, err)
		}
	}
	if err := c.remember(p.Name, nil, false); err != nil {
		return Done{}, err
	}
	if p.skills != nil {
		if err := os.RemoveAll(filepath.Join(p.skills.in(c.Homes), serverName)); err != nil {
			return Done{}, fmt.Errorf("remove the skill: %w", err)
		}
		file{p.skills.below, p.skills.path + "/" + serverName, p.skills.variable, p.skills.cut}.prune(c.Homes)
	}
	if record != nil && record.Made {
		p.files[0].prune(c.Homes)
	}
	done.Status = c.status(p)
	return done, nil
}

// Entry returns how a program starts the server, as its configuration says now.
func (c *Connections) Entry(name string) (Server, error) {
	p, err := c.find(name)
	if err != nil {
		return Server{}, err
	}
	text, err := read(c.file(p))
	if err != nil {
		return Server{}, err
	}
	entry, err := p.place.Get(text)
	if err != nil {
		return Server{}, unsafe(c.file(p), err)
	}
	server, ok := p.read(entry)
	if !ok {
		return Server{}, protocol.NewError(protocol.CodeNotRunning, p.Title+" is not connected", "`pilotfish connect "+name+"` connects it")
	}
	return server, nil
}

// record is what is remembered of a change.
type record struct {
	Change edit.Change `json:"change"`
	// Made: the file did not exist before, or was empty.
	Made bool `json:"made,omitempty"`
}

func (c *Connections) remembered() (map[string]*record, error) {
	b, err := os.ReadFile(c.State)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]*record{}, nil
	}
	out := map[string]*record{}
	if err != nil {
		return nil, fmt.Errorf("read what was connected: %w", err)
	}
	if json.Unmarshal(b, &out) != nil {
		out = map[string]*record{} // it is only needed to undo to the byte
	}
	return out, nil
}

func (c *Connections) remember(name string, change *edit.Change, made bool) error {
	all, err := c.remembered()
	if err != nil {
		return err
	}
	delete(all, name)
	if change != nil {
		all[name] = &record{Change: *change, Made: made}
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		if err = os.MkdirAll(filepath.Dir(c.State), 0o700); err == nil {
			err = journal.WriteFile(c.State, b, 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("remember what was connected: %w", err)
	}
	return nil
}

// read returns a file; a missing one is empty.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && (info.Size() > maxFile || !info.Mode().IsRegular()) {
		return nil, protocol.NewError(protocol.CodeTooLarge, path+" is no file of settings", "look at it; it is left as it is")
	}
	var b []byte
	if err == nil {
		b, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, protocol.NewError(protocol.CodeNotWritable, "the settings cannot be read: "+err.Error(), "check the file's permissions")
	}
	return b, nil
}

// write replaces a file whole, if it is still what was read, and keeps its mode.
func write(path string, before, after []byte) error {
	now, err := read(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) {
		return protocol.NewError(protocol.CodeChanged, path+" was changed by another program in this moment", "try again")
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return protocol.NewError(protocol.CodeNotWritable, "the folder of the settings cannot be made: "+err.Error(), "check the permissions")
	}
	if err := journal.WriteFile(path, after, mode); err != nil {
		return protocol.NewError(protocol.CodeNotWritable, "the settings cannot be written: "+err.Error(), "check the file's permissions")
	}
	return nil
}

// unsafe says that a file is left as it is.
func unsafe(path string, err error) error {
	return protocol.NewError(protocol.CodeBadArgument, path+" is left as it is: "+err.Error(), "correct the file, or add the server by hand")
}

// difference returns a change as lines for the user.
func difference(path string, c edit.Change) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", path)
	for _, part := range []struct{ sign, text string }{{"-", c.Old}, {"+", c.New}} {
		for line := range strings.Lines(strings.Trim(part.text, "\r\n")) {
			fmt.Fprintf(&out, "%s %s\n", part.sign, strings.TrimRight(line, "\r\n"))
		}
	}
	return out.String()
}
