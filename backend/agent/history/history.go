// Package history reads the sessions that agents keep on this machine, so that a user can
// continue one that was begun in a terminal, an editor or yesterday. It reads the files of
// Claude Code and Codex; other agents are asked over ACP (see backend/chat/acp).
//
// The files are foreign data: their form is not documented, other programs write to them
// meanwhile, and their texts are whatever was said. So everything is bounded, lines that
// cannot be read are skipped, and nothing is ever written. What is read is shown as text.
package history

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"pilotfish/backend/protocol"
)

const (
	// maxFiles is how many files of one agent are considered, the newest first as far as
	// their names say.
	maxFiles = 2000
	// maxListed is how many sessions are listed.
	maxListed = 200
	// headSize and tailSize are what is read of a file for the list: the first prompt is
	// near its start, and the title that was given last near its end. In bytes.
	headSize = 192 << 10
	tailSize = 32 << 10
	// maxWhole is how much of the end of a file is read for its messages.
	maxWhole = 8 << 20
	// maxLine is the longest line that is read; a line with an image is longer.
	maxLine = 1 << 20
	// maxTurns and maxText bound what is returned of a session: its last turns, and the runes
	// of one text.
	maxTurns = 100
	maxText  = 20_000
	// maxTitle and maxFolder bound what is listed, in runes and bytes.
	maxTitle  = 160
	maxFolder = 4096
)

// Session is a session of an agent on disk.
type Session struct {
	protocol.PastSession
	file string
}

// Turn is one prompt of a session and what the agent answered.
type Turn struct {
	Prompt string
	// Replies are the texts of the agent, in order. What it did with tools is left out.
	Replies []string
}

// Store reads the sessions of one user.
type Store struct {
	home string
	env  func(name string) string
}

// New returns the sessions below a home folder; env has CLAUDE_CONFIG_DIR and CODEX_HOME.
func New(home string, env func(name string) string) *Store {
	return &Store{home: home, env: env}
}

// source is where and how one agent keeps its sessions.
type source struct {
	agent protocol.AgentKind
	name  string
	dir   string
	// depth is how many folders deep the files are; matches is about the name of a file.
	depth   int
	matches *regexp.Regexp
	reader  func() reader
}

// reader follows the lines of one file.
type reader interface {
	// line reads one line. It ignores what it does not know.
	line(data []byte)
	// about returns what was found out about the session.
	about() about
	turns() []Turn
}

// about is what the lines of a file say about its session.
type about struct {
	id, folder string
	// title is what the user or the agent called it, first the first prompt.
	title, first string
	// skip says that it is not a session of the user's, such as one of a helper.
	skip bool
}

func (s *Store) sources() []source {
	return []source{
		{
			agent: protocol.AgentClaude, name: "Claude Code", depth: 1,
			dir:     filepath.Join(cmp.Or(s.env("CLAUDE_CONFIG_DIR"), filepath.Join(s.home, ".claude")), "projects"),
			matches: regexp.MustCompile(`^(` + idForm + `)\.jsonl$`), reader: func() reader { return &claude{} },
		},
		{
			agent: "codex", name: "Codex", depth: 3,
			dir:     filepath.Join(cmp.Or(s.env("CODEX_HOME"), filepath.Join(s.home, ".codex")), "sessions"),
			matches: regexp.MustCompile(`^rollout-.*-(` + idForm + `)\.jsonl$`), reader: func() reader { return &codex{} },
		},
	}
}

// idForm is the form of the ids of both agents: a UUID. An id becomes an argument of a
// command line.
const idForm = `[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`

// Args returns the arguments with which an agent in a terminal continues a session.
func Args(agent protocol.AgentKind, id string) (string, bool) {
	if !regexp.MustCompile("^" + idForm + "$").MatchString(id) {
		return "", false
	}
	switch agent {
	case protocol.AgentClaude:
		return "--resume " + id, true
	case "codex":
		return "resume " + id, true
	}
	return "", false
}

// found is a file that may be a session.
type found struct {
	source source
	id     string
	path   string
	info   fs.FileInfo
}

// List returns the sessions, the one that was used last first. An agent without
// sessions, and files that cannot be read, are left out.
func (s *Store) List() []Session {
	var files []found
	for _, src := range s.sources() {
		files = append(files, src.files()...)
	}
	slices.SortFunc(files, func(a, b found) int {
		return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), cmp.Compare(a.id, b.id))
	})
	list := []Session{}
	for _, f := range files {
		if len(list) == maxListed {
			break
		}
		if one, ok := f.read(); ok {
			list = append(list, one)
		}
	}
	return list
}

// Find returns one session. Its errors carry a protocol.Code.
func (s *Store) Find(agent protocol.AgentKind, id string) (Session, error) {
	name := string(agent)
	for _, src := range s.sources() {
		if src.agent != agent {
			continue
		}
		name = src.name
		for _, f := range src.files() {
			if f.id != id {
				continue
			}
			if one, ok := f.read(); ok {
				return one, nil
			}
		}
	}
	return Session{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s has no session %.60q on this machine", name, id), "it may have been removed; open the list again")
}

// Resume returns where an agent in a terminal continues a session, and with which
// arguments. Its errors carry a protocol.Code.
func (s *Store) Resume(agent protocol.AgentKind, id string) (folder, args string, err error) {
	one, err := s.Find(agent, id)
	if err != nil {
		return "", "", err
	}
	args, ok := Args(agent, id)
	if info, err := os.Stat(one.Folder); !ok || err != nil || !info.IsDir() {
		return "", "", protocol.NewError(protocol.CodeBadArgument, "the folder of this session is gone: "+OneLine(one.Folder, maxTitle), "make it again, or begin a new session")
	}
	return one.Folder, args, nil
}

// Turns returns what was said in a session, oldest first: the last turns.
func (s *Store) Turns(one Session) ([]Turn, error) {
	for _, src := range s.sources() {
		if src.agent != one.Agent {
			continue
		}
		r := src.reader()
		if err := part(one.file, -maxWhole, maxWhole, r.line); err != nil {
			return nil, fmt.Errorf("reading a session of %s: %w", src.name, err)
		}
		turns := r.turns()
		return turns[max(0, len(turns)-maxTurns):], nil
	}
	return nil, errors.New("the agent keeps no sessions that can be read")
}

// files returns the files of an agent.
func (s source) files() []found {
	var all []found
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return
		}
		// Names of folders with dates: the newest first.
		for _, e := range slices.Backward(entries) {
			if len(all) >= maxFiles {
				return
			}
			path := filepath.Join(dir, e.Name())
			if depth > 0 && e.IsDir() {
				walk(path, depth-1)
				continue
			}
			name := s.matches.FindStringSubmatch(e.Name())
			// A link or a pipe is not a session, and opening a pipe would wait.
			if depth > 0 || name == nil || !e.Type().IsRegular() {
				continue
			}
			if info, err := e.Info(); err == nil && info.Size() > 0 {
				all = append(all, found{s, name[1], path, info})
			}
		}
	}
	walk(s.dir, s.depth)
	return all
}

// read returns the session of a file; false if there is none of the user's in it.
func (f found) read() (Session, bool) {
	r := f.source.reader()
	if err := part(f.path, 0, headSize, r.line); err != nil {
		return Session{}, false
	}
	if f.info.Size() > headSize {
		if err := part(f.path, -tailSize, tailSize, r.line); err != nil {
			return Session{}, false
		}
	}
	a := r.about()
	title := OneLine(cmp.Or(a.title, a.first), maxTitle)
	// The folder is where the agent starts, so it is used as it is or not at all.
	if a.skip || title == "" || !filepath.IsAbs(a.folder) || len(a.folder) > maxFolder || a.id != "" && a.id != f.id {
		return Session{}, false
	}
	return Session{PastSession: protocol.PastSession{
		Agent: f.source.agent, AgentName: f.source.name, ID: f.id, Title: title,
		Folder: filepath.Clean(a.folder), Updated: f.info.ModTime().UTC(), Terminal: true,
	}, file: f.path}, true
}

// part calls line with each whole line of a part of a file. A negative from counts from
// the end, and the line that the part begins in is left out.
func part(path string, from, size int64, line func([]byte)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return err
	}
	begun := true
	if from < 0 {
		if from = max(0, info.Size()+from); from > 0 {
			begun = false
		}
	}
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(file, size))
	if err != nil {
		return err
	}
	for len(data) > 0 {
		one, rest, whole := bytes.Cut(data, []byte{'\n'})
		// The last line may still be written, or go on behind this part.
		if begun && whole && len(one) > 0 && len(one) <= maxLine {
			line(one)
		}
		begun, data = true, rest
	}
	return nil
}

// OneLine makes one line of a text of somebody else: no control or direction
// characters, at most limit runes.
func OneLine(text string, limit int) string {
	if len(text) > 8*limit {
		text = text[:8*limit]
	}
	words := strings.FieldsFunc(strings.ToValidUTF8(text, " "), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	kept := []rune(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.Join(words, " ")))
	if len(kept) > limit {
		kept = append(kept[:limit-1], '…')
	}
	return strings.TrimSpace(string(kept))
}

// said bounds the text of a message.
func said(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText-1]) + "…"
	}
	return text
}

// add adds what was said to turns. A text of the agent before the first prompt has none.
func add(turns []Turn, prompt bool, text string) []Turn {
	switch text = said(text); {
	case text == "":
	case prompt:
		turns = append(turns, Turn{Prompt: text})
		if len(turns) > 2*maxTurns {
			turns = slices.Clone(turns[maxTurns:])
		}
	case len(turns) > 0:
		last := &turns[len(turns)-1]
		last.Replies = append(last.Replies, text)
	}
	return turns
}
