package saved

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

func agent(id string) protocol.Actor {
	return protocol.Actor{Kind: protocol.ActorTerminal, ID: id, Name: "claude in t1"}
}

func TestFilesAreTheSessionsAndAnAgentsItsOwn(t *testing.T) {
	root := t.TempDir()
	dirs := config.SessionDirs{Root: root, Screenshots: filepath.Join(root, "screenshots"), Downloads: filepath.Join(root, "downloads")}
	for _, dir := range []string{dirs.Screenshots, dirs.Downloads} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	files := New(dirs, catalogue.Table())
	write := func(path string) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(filepath.Base(path)), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mine := write(filepath.Join(dirs.Screenshots, "mine.png"))
	other := write(filepath.Join(dirs.Downloads, "other.pdf"))
	secret := write(filepath.Join(dirs.Root, "session.json"))
	link := filepath.Join(dirs.Screenshots, "link.png")
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(protocol.Screenshot{Path: mine})
	if err != nil {
		t.Fatal(err)
	}
	files.Keep(agent("a"), "screenshot", protocol.CommandReply{OK: true, Data: data})
	// Text of a page in a reply's data must not give access to a file.
	stolen, err := json.Marshal(map[string]any{"path": secret, "paths": []string{link}})
	if err != nil {
		t.Fatal(err)
	}
	files.Keep(agent("a"), "screenshot", protocol.CommandReply{OK: true, Data: stolen})
	planted, err := json.Marshal(map[string]any{"path": other})
	if err != nil {
		t.Fatal(err)
	}
	files.Keep(agent("a"), "text", protocol.CommandReply{OK: true, Data: planted})

	shell := protocol.Actor{Kind: protocol.ActorShell, Name: "shell"}
	for _, c := range []struct {
		actor protocol.Actor
		path  string
		open  bool
	}{
		{shell, mine, true},
		{shell, other, true},
		{shell, "screenshots/mine.png", true},
		{agent("a"), mine, true},
		{agent("a"), "screenshots/../screenshots/mine.png", true},
		{protocol.Actor{Kind: agent("a").Kind, ID: agent("a").ID, Name: "claude in t9", Tab: "t9"}, mine, true}, // in another tab now
		{agent("b"), mine, false},
		{agent("a"), other, false},
		{agent("a"), secret, false},
		{agent("a"), link, false},
		{shell, link, false},
		{shell, secret, false},
		{shell, "screenshots/../session.json", false},
		{shell, filepath.Join(dirs.Screenshots, "..", "session.json"), false},
		{shell, "/etc/passwd", false},
		{shell, "../../../pilotfish.json", false},
		{shell, dirs.Screenshots, false},
		{shell, "screenshots/none.png", false},
		{shell, "", false},
	} {
		f, err := files.Open(c.actor, c.path)
		if c.open != (err == nil) {
			t.Errorf("%s, %q: %v, want open %v", c.actor.ID, c.path, err, c.open)
		}
		if err != nil {
			if protocol.AsError(err).Code != protocol.CodeRefused {
				t.Errorf("%q: %v", c.path, err)
			}
			continue
		}
		if text, err := io.ReadAll(f); err != nil || string(text) != filepath.Base(c.path) {
			t.Errorf("%q has %q, %v", c.path, text, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAttachment(t *testing.T) {
	root := t.TempDir()
	files := New(config.SessionDirs{Root: root, Screenshots: root}, catalogue.Table())
	shell := protocol.Actor{Kind: protocol.ActorShell, Name: "shell"}
	for name, size := range map[string]int64{"a.png": 3, "b.pdf": 3, "c.bin": protocol.MaxAttachment + 1} {
		f, err := os.Create(filepath.Join(root, name))
		if err == nil {
			_, err = f.WriteString("abc")
		}
		if err == nil {
			err = errors.Join(f.Truncate(size), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]protocol.ChatAttachment{
		"a.png": {Kind: protocol.AttachImage, Name: "a.png", Mime: "image/png", Path: "a.png", Data: "YWJj"},
		"b.pdf": {Kind: protocol.AttachFile, Name: "b.pdf", Mime: "application/pdf", Path: "b.pdf", Data: "YWJj"},
	} {
		if got, err := files.Attachment(shell, path); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
	if _, err := files.Attachment(shell, "c.bin"); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeTooLarge {
		t.Errorf("a file over the limit: %v", err)
	}
	if _, err := files.Attachment(agent("a"), "a.png"); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeRefused {
		t.Errorf("a file of others: %v", err)
	}
}

// The user is given the pictures of conversations, those of earlier
// versions too, which are beside the journals; nobody is given a journal.
func TestFilesOfConversations(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "chat", "c1", "files")
	now := filepath.Join(root, "attachments")
	for _, dir := range []string{folder, filepath.Join(now, "c1")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(now, "c1", "c.png"), filepath.Join(folder, "a.png"), filepath.Join(root, "chat", "c1", "journal")} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := New(config.SessionDirs{Root: root, Attachments: now}, catalogue.Table())
	for path, open := range map[string]bool{"attachments/c1/c.png": true, "attachments/c1/../../chat/c1/journal": false, "chat/c1/files/a.png": true, "chat/c1/journal": false, "chat/c1/files/../journal": false, "chat/c1/files/b.png": false} {
		f, err := files.Open(protocol.Actor{Kind: protocol.ActorShell}, path)
		if open != (err == nil) {
			t.Errorf("%s: %v", path, err)
		}
		if err == nil {
			_ = f.Close()
		}
	}
}

// An agent that makes many files can fetch the newest.
func TestAnActorsFilesAreBounded(t *testing.T) {
	root := t.TempDir()
	files := New(config.SessionDirs{Root: root, Screenshots: root}, catalogue.Table())
	for i := range actorFiles + 1 {
		data, err := json.Marshal(protocol.Screenshot{Path: filepath.Join(root, fmt.Sprint(i))})
		if err != nil {
			t.Fatal(err)
		}
		files.Keep(agent("a"), "screenshot", protocol.CommandReply{OK: true, Data: data})
	}
	files.Keep(agent("a"), "screenshot", protocol.CommandReply{Data: json.RawMessage(`{"path":"/failed"}`)})
	if kept := files.made[ownerOf(agent("a"))]; len(kept) != actorFiles || kept[0] != filepath.Join(root, "1") || kept[actorFiles-1] != filepath.Join(root, fmt.Sprint(actorFiles)) {
		t.Errorf("%d files, from %s", len(kept), kept[0])
	}
}

func TestPaths(t *testing.T) {
	var data any
	if err := json.Unmarshal([]byte(`{"path":"/a","list":[{"path":"/b"},{"paths":["/c",7,"/d"]}],"other":{"text":"/e","path":""}}`), &data); err != nil {
		t.Fatal(err)
	}
	got := Paths(data)
	slices.Sort(got)
	if !slices.Equal(got, []string{"/a", "/b", "/c", "/d"}) {
		t.Errorf("%q", got)
	}
}

// A picture comes with its type; one that is too large is refused.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	files := New(config.SessionDirs{Root: dir, Screenshots: dir, Downloads: dir}, catalogue.Table())
	user := protocol.Actor{Kind: protocol.ActorShell, Name: "shell"}
	small, large := filepath.Join(dir, "small.JPG"), filepath.Join(dir, "large.png")
	for _, path := range []string{small, large} {
		if err := os.WriteFile(path, []byte("picture"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if data, kind, err := files.Image(user, small); err != nil || kind != "image/jpeg" || string(data) != "picture" {
		t.Errorf("%q, %s, %v", data, kind, err)
	}
	if err := os.Truncate(large, protocol.MaxImage+1); err != nil {
		t.Fatal(err)
	}
	if _, _, err := files.Image(user, large); protocol.AsError(err).Code != protocol.CodeTooLarge {
		t.Errorf("a large picture: %v", err)
	}
}
