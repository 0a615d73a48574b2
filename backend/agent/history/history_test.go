package history

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

const (
	claudeID = "0205f437-f816-4704-b6f3-9cf7b060888c"
	codexID  = "019a2d7a-41c4-78b1-b7cc-a45d62a89cd5"
)

// stored returns the sessions of testdata, which are in the real form.
func stored(t *testing.T) *Store {
	t.Helper()
	env := map[string]string{"CLAUDE_CONFIG_DIR": "testdata/claude", "CODEX_HOME": "testdata/codex"}
	return New("/nowhere", func(name string) string { return env[name] })
}

func TestList(t *testing.T) {
	list := stored(t).List()
	got := map[string]protocol.PastSession{}
	for _, one := range list {
		if one.Updated.IsZero() {
			t.Errorf("%s has no time", one.ID)
		}
		one.Updated = time.Time{}
		got[one.ID] = one.PastSession
	}
	want := map[string]protocol.PastSession{
		claudeID: {Agent: protocol.AgentClaude, AgentName: "Claude Code", ID: claudeID, Title: "Cart is empty after a reload", Folder: "/home/ada/src/shop", Terminal: true},
		codexID:  {Agent: "codex", AgentName: "Codex", ID: codexID, Title: "Write the changelog", Folder: "/home/ada/src/shop", Terminal: true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTurns(t *testing.T) {
	s := stored(t)
	for id, want := range map[string][]Turn{
		claudeID: {
			{Prompt: "Why is the cart\nempty after a reload?", Replies: []string{"I look at the store first.", "The store is never saved. I have mended it."}},
			{Prompt: "Add a test."},
		},
		codexID: {{Prompt: "Write the changelog", Replies: []string{"It is in CHANGELOG.md."}}},
	} {
		agent := protocol.AgentKind("codex")
		if id == claudeID {
			agent = protocol.AgentClaude
		}
		one, err := s.Find(agent, id)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Turns(one); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", agent, got, err)
		}
	}
	_, err := s.Find("codex", claudeID)
	if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeBadArgument {
		t.Errorf("a session of another agent: %v", err)
	}
	if _, err := s.Turns(Session{PastSession: protocol.PastSession{Agent: "goose"}}); err == nil {
		t.Error("an agent whose sessions are not read has turns")
	}
	if _, err := s.Turns(Session{PastSession: protocol.PastSession{Agent: "codex"}, file: "testdata/none"}); err == nil {
		t.Error("a file that is gone has turns")
	}
}

func TestResume(t *testing.T) {
	if _, _, err := stored(t).Resume("codex", "none"); protocol.AsError(err) == nil {
		t.Errorf("an unknown session: %v", err)
	}
	_, _, err := stored(t).Resume("codex", codexID)
	if e := protocol.AsError(err); e == nil || !strings.Contains(e.Message, "/home/ada/src/shop") || e.Hint == "" {
		t.Errorf("a folder that is gone: %v", err)
	}
	dir := t.TempDir()
	s := write(t, claudeID+".jsonl", strings.ReplaceAll(userLine, "/src", dir))
	if folder, args, err := s.Resume(protocol.AgentClaude, claudeID); err != nil || folder != dir || args != "--resume "+claudeID {
		t.Errorf("%q %q, %v", folder, args, err)
	}
}

func TestArgs(t *testing.T) {
	for _, test := range []struct {
		agent protocol.AgentKind
		id    string
		want  string
	}{
		{protocol.AgentClaude, claudeID, "--resume " + claudeID},
		{"codex", codexID, "resume " + codexID},
		{"goose", codexID, ""},
		{protocol.AgentClaude, "-p", ""},
		{protocol.AgentClaude, claudeID + " --dangerously-skip-permissions", ""},
	} {
		if got, ok := Args(test.agent, test.id); got != test.want || ok != (test.want != "") {
			t.Errorf("%s %q: %q, %v", test.agent, test.id, got, ok)
		}
	}
}

// write makes a session of claude below a home folder and returns the store.
func write(t *testing.T, name, text string) *Store {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".claude", "projects", "-src")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return New(home, func(string) string { return "" })
}

const userLine = `{"type":"user","cwd":"/src","sessionId":"x","message":{"content":"hello"}}` + "\n"

func TestWhatIsNoSession(t *testing.T) {
	for name, text := range map[string]string{
		"empty":           "",
		"no prompt":       `{"type":"summary","summary":"Nothing was said"}` + "\n",
		"a helper's":      `{"type":"user","isSidechain":true,"cwd":"/src","message":{"content":"x"}}` + "\n" + userLine,
		"no folder":       `{"type":"user","message":{"content":"x"}}` + "\n",
		"relative folder": `{"type":"user","cwd":"../x","message":{"content":"x"}}` + "\n",
		"half a line":     strings.TrimSuffix(userLine, "\n"),
		"binary":          "\x00\xff\xfe\n\x80\n",
		"an array":        "[[[[\n" + `["type","user"]` + "\n",
	} {
		if list := write(t, claudeID+".jsonl", text).List(); len(list) != 0 {
			t.Errorf("%s: %+v", name, list)
		}
	}
	if list := write(t, "notes.jsonl", userLine).List(); len(list) != 0 {
		t.Errorf("a file of another name: %+v", list)
	}
	// A link could lead anywhere.
	s := write(t, "target.jsonl", userLine)
	dir := filepath.Join(s.home, ".claude", "projects", "-src")
	if err := os.Symlink(filepath.Join(dir, "target.jsonl"), filepath.Join(dir, claudeID+".jsonl")); err != nil {
		t.Fatal(err)
	}
	if list := s.List(); len(list) != 0 {
		t.Errorf("a link: %+v", list)
	}
}

func TestBounds(t *testing.T) {
	long := strings.Repeat(`{"type":"system","content":"`+strings.Repeat("x", 1000)+`"}`+"\n", 2*headSize/1000)
	image := `{"type":"user","cwd":"/src","message":{"content":"` + strings.Repeat("y", maxLine) + `"}}` + "\n"
	text := userLine + long + image + `{"type":"custom-title","customTitle":"My ` + "\u202e" + `own\u001b[31m\n title ` + strings.Repeat("z", 500) + `"}` + "\n"
	s := write(t, claudeID+".jsonl", text)
	list := s.List()
	if len(list) != 1 {
		t.Fatalf("%d sessions", len(list))
	}
	title := []rune(list[0].Title)
	if !strings.HasPrefix(list[0].Title, "My own [31m title zzz") || len(title) != maxTitle {
		t.Errorf("the title is %d runes: %q", len(title), list[0].Title)
	}
	if turns, err := s.Turns(list[0]); err != nil || len(turns) != 1 || turns[0].Prompt != "hello" {
		t.Errorf("%d turns, %v", len(turns), err)
	}
	many := strings.Repeat(userLine, 3*maxTurns)
	s = write(t, claudeID+".jsonl", many)
	if turns, err := s.Turns(s.List()[0]); err != nil || len(turns) != maxTurns {
		t.Errorf("%d turns, %v", len(turns), err)
	}
}

// Whatever is in a file, its reading ends, and what is listed is one short line of text.
func FuzzFile(f *testing.F) {
	for _, path := range []string{
		"testdata/claude/projects/-home-ada-src-shop/" + claudeID + ".jsonl",
		"testdata/codex/sessions/2025/11/20/rollout-2025-11-20T10-00-00-" + codexID + ".jsonl",
	} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("{\"type\":\"user\",\"cwd\":\"/\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\u202eb\"}]}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, r := range []reader{&claude{}, &codex{}} {
			for line := range bytes.SplitSeq(data, []byte{'\n'}) {
				r.line(line)
			}
			a := r.about()
			title := OneLine(a.title, maxTitle)
			if len([]rune(title)) > maxTitle || strings.ContainsAny(title, "\n\r\x1b\u202e") {
				t.Errorf("title %q", title)
			}
			for _, turn := range r.turns() {
				if turn.Prompt == "" || len([]rune(turn.Prompt)) > maxText {
					t.Errorf("a prompt of %d bytes", len(turn.Prompt))
				}
			}
		}
	})
}
