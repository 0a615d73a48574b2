package storeddata_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
	"pilotfish/backend/storeddata"
)

// fixture is a folder of the state with two sessions, default and work.
type fixture struct {
	*storeddata.Data
	dir     string
	running map[protocol.SessionName]bool
	did     []string
	startup error
	// stopping is called while a session stops.
	stopping func()
}

// old is when the files of a fixture were changed, unless a test says otherwise.
func old() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func (f *fixture) Names() []protocol.SessionName { return []protocol.SessionName{"default", "work"} }

func (f *fixture) Running(name protocol.SessionName) bool { return f.running[name] }

func (f *fixture) WhileStopped(name protocol.SessionName, do func() error) error {
	if f.running[name] {
		return protocol.NewError(protocol.CodeBusy, "it runs", "")
	}
	f.did = append(f.did, "hold "+string(name))
	return do()
}

func (f *fixture) Stop(ctx context.Context, name protocol.SessionName) error {
	f.did = append(f.did, "stop "+string(name))
	f.running[name] = false
	if f.stopping != nil {
		f.stopping()
	}
	return ctx.Err()
}

func (f *fixture) Start(ctx context.Context, name protocol.SessionName) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.did = append(f.did, "start "+string(name))
	f.running[name] = f.startup == nil
	return f.startup
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{dir: t.TempDir(), running: map[protocol.SessionName]bool{}}
	f.Data = storeddata.New(storeddata.Config{Dir: f.dir, Sessions: f, Logger: slog.New(slog.DiscardHandler)})
	for _, name := range []string{
		"sessions/default/profile/Local State", "sessions/default/profile/Default/History", "sessions/default/profile/Default/Bookmarks",
		"sessions/default/profile/Default/Cookies", "sessions/default/profile/Default/Network/Cookies", "sessions/default/profile/Default/Local Storage/leveldb/1.log",
		"sessions/default/profile/Default/Cache/Cache_Data/1", "sessions/default/profile/Default/Cache/Cache_Data/Cookies", "sessions/default/profile/ShaderCache/2",
		"sessions/default/session.json", "sessions/default/states/shop.keychain.age", "sessions/default/signins.json",
		"sessions/default/chat/c1/events.1", "sessions/default/chat/c1/state.json", "sessions/default/chat/c2/events.1", "sessions/default/attachments/a.png",
		"sessions/default/tasks/t1/head.json", "sessions/default/routines/login.json", "sessions/default/routines/buy.json",
		"sessions/default/activity/1.log", "sessions/default/moments/1.jpg", "sessions/default/downloads/a.pdf", "sessions/default/screenshots/b.png", "sessions/default/har/c.har",
		"sessions/default/work/notes.md", "sessions/default/rules.json", "sessions/default/title.json",
		"sessions/work/downloads/z.pdf", "logs/pilotfish.log", "logs/pilotfish.log.1", "logs/pilotfish.log.2", "pilotfish.json",
	} {
		f.write(t, name, "0123456789")
	}
	return f
}

func (f *fixture) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, old(), old()); err != nil {
		t.Fatal(err)
	}
}

// files returns the paths of all files below the folder of the state.
func (f *fixture) files(t *testing.T) []string {
	t.Helper()
	var list []string
	if err := filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			below, _ := filepath.Rel(f.dir, path)
			list = append(list, filepath.ToSlash(below))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

func (f *fixture) do(t *testing.T, req protocol.StoredRequest) protocol.StoredReply {
	t.Helper()
	reply, err := f.Do(t.Context(), req)
	if err != nil {
		t.Fatalf("%+v: %v", req, err)
	}
	return reply
}

// Every file of a session is of one kind at most, so that the sizes add up.
func TestMeasure(t *testing.T) {
	f := newFixture(t)
	newer := old().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(f.dir, "sessions/default/routines/buy.json"), newer, newer); err != nil {
		t.Fatal(err)
	}
	want := map[protocol.StoredKind][2]int{ // files of 10 bytes, and what is counted
		protocol.StoredProfiles: {4, 4}, protocol.StoredSignIns: {5, 5}, protocol.StoredCaches: {3, 3}, protocol.StoredConversations: {4, 2}, protocol.StoredTasks: {1, 1},
		protocol.StoredRoutines: {2, 2}, protocol.StoredActivity: {2, 2}, protocol.StoredFiles: {3, 3}, protocol.StoredWork: {1, 1}, protocol.StoredLogs: {3, 3},
	}
	f.running["default"] = true
	reply := f.do(t, protocol.StoredRequest{Do: protocol.StoredMeasure})
	if len(reply.Data) != len(want) {
		t.Errorf("%d kinds, want %d", len(reply.Data), len(want))
	}
	for _, data := range reply.Data {
		if data.Title == "" || data.About == "" || data.Loss == "" || data.Unit == "" {
			t.Errorf("%s has no words: %+v", data.Kind, data)
		}
		if len(data.Parts) == 0 {
			t.Errorf("%s was not found", data.Kind)
			continue
		}
		part := data.Parts[0]
		if part.Bytes != int64(10*want[data.Kind][0]) || part.Count != want[data.Kind][1] || part.Oldest == nil || !part.Oldest.Equal(old()) {
			t.Errorf("%s: %+v, want %v", data.Kind, part, want[data.Kind])
		}
		if logs := data.Kind == protocol.StoredLogs; part.InUse == logs || (part.Session == "") != logs {
			t.Errorf("%s: %+v", data.Kind, part)
		}
	}
	one := f.do(t, protocol.StoredRequest{Do: protocol.StoredMeasure, Kind: protocol.StoredFiles})
	if len(one.Data) != 1 || len(one.Data[0].Parts) != 2 || one.Data[0].Parts[1].Session != "work" || one.Data[0].Parts[1].InUse {
		t.Errorf("%+v", one)
	}
	for _, data := range f.do(t, protocol.StoredRequest{Do: protocol.StoredList}).Data {
		if len(data.Parts) != 0 {
			t.Errorf("list measured %+v", data)
		}
	}
}

func TestDelete(t *testing.T) {
	for kind, left := range map[protocol.StoredKind]func(string) bool{
		protocol.StoredProfiles: func(name string) bool {
			return !strings.HasPrefix(name, "sessions/default/profile/") && name != "sessions/default/session.json"
		},
		protocol.StoredSignIns: func(name string) bool {
			below, profile := strings.CutPrefix(name, "sessions/default/profile/Default/")
			return name != "sessions/default/signins.json" && !strings.Contains(name, "/states/") &&
				(!profile || below != "Cookies" && !strings.HasPrefix(below, "Network/") && !strings.HasPrefix(below, "Local Storage/"))
		},
		protocol.StoredCaches: func(name string) bool { return !strings.Contains(name, "Cache/") },
		protocol.StoredConversations: func(name string) bool {
			return !strings.Contains(name, "/chat/") && !strings.Contains(name, "/attachments/")
		},
		protocol.StoredTasks:    func(name string) bool { return !strings.Contains(name, "/tasks/") },
		protocol.StoredRoutines: func(name string) bool { return !strings.Contains(name, "/routines/") },
		protocol.StoredActivity: func(name string) bool {
			return !strings.Contains(name, "/activity/") && !strings.Contains(name, "/moments/")
		},
		protocol.StoredFiles: func(name string) bool {
			return !strings.Contains(name, "/downloads/") && !strings.Contains(name, "/screenshots/") && !strings.Contains(name, "/har/")
		},
		protocol.StoredWork: func(name string) bool { return !strings.Contains(name, "/default/work/") },
		protocol.StoredLogs: func(name string) bool { return !strings.HasPrefix(name, "logs/pilotfish.log.") },
	} {
		f := newFixture(t)
		before := f.files(t)
		want := slices.DeleteFunc(slices.Clone(before), func(name string) bool { return !left(name) })
		reply := f.do(t, protocol.StoredRequest{Do: protocol.StoredDelete, Kind: kind})
		if got := f.files(t); !slices.Equal(got, want) {
			t.Errorf("%s left\n%q, want\n%q", kind, got, want)
		}
		if want := int64(10 * (len(before) - len(want))); reply.Freed != want {
			t.Errorf("%s freed %d bytes, want %d", kind, reply.Freed, want)
		}
	}
}

// What one session has is deleted without that of another. A session that runs is refused
// before anything is deleted, or stopped and started again.
func TestDeleteOfRunningSessions(t *testing.T) {
	f := newFixture(t)
	f.running["work"] = true
	before := f.files(t)
	if _, err := f.Do(t.Context(), protocol.StoredRequest{Do: protocol.StoredDelete, Kind: protocol.StoredFiles}); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBusy || protocol.AsError(err).Hint == "" {
		t.Errorf("a running session: %v", err)
	}
	if got := f.files(t); !slices.Equal(got, before) || len(f.did) != 0 {
		t.Errorf("something was deleted: %q, %q", got, f.did)
	}
	reply := f.do(t, protocol.StoredRequest{Do: protocol.StoredDelete, Kind: protocol.StoredFiles, Session: "default"})
	if got := f.files(t); len(got) != len(before)-3 || !slices.Contains(got, "sessions/work/downloads/z.pdf") || reply.Freed != 30 {
		t.Errorf("%q left, %d bytes freed", got, reply.Freed)
	}
	f.did = nil
	f.do(t, protocol.StoredRequest{Do: protocol.StoredDelete, Kind: protocol.StoredFiles, Stop: true})
	if want := []string{"stop work", "hold work", "start work"}; !slices.Equal(f.did, want) || slices.Contains(f.files(t), "sessions/work/downloads/z.pdf") {
		t.Errorf("%q, want %q", f.did, want)
	}
	f.write(t, "sessions/work/downloads/y.pdf", "y")
	f.running["work"], f.startup = true, errors.New("no display")
	if _, err := f.Do(t.Context(), protocol.StoredRequest{Do: protocol.StoredDelete, Kind: protocol.StoredFiles, Stop: true}); !errors.Is(err, f.startup) {
		t.Errorf("a session that does not start again: %v", err)
	}
}

// A session that was stopped for a deletion is started again, also for a caller that has
// left meanwhile.
func TestTheCallerLeavesDuringADeletion(t *testing.T) {
	f := newFixture(t)
	f.running["work"] = true
	ctx, leave := context.WithCancel(t.Context())
	f.stopping = leave
	_, err := f.Do(ctx, protocol.StoredRequest{Do: protocol.StoredDelete, Kind: protocol.StoredFiles, Session: "work", Stop: true})
	if !errors.Is(err, context.Canceled) || !f.running["work"] {
		t.Errorf("%v; it did %q", err, f.did)
	}
}

// No link is followed, at any place: neither read, nor counted, nor deleted through.
func TestLinksAreNotFollowed(t *testing.T) {
	outside := t.TempDir()
	for _, name := range []string{"mine.txt", "Cache/x", "Default/Cookies"} {
		path := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := newFixture(t)
	link := func(target, name string) {
		t.Helper()
		path := filepath.Join(f.dir, filepath.FromSlash(name))
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}
	link(outside, "sessions/default/downloads")
	link(outside, "sessions/default/chat/c1")
	link(outside, "sessions/default/profile/Default/Cache")
	link(outside, "sessions/default/profile/Second")
	link(filepath.Join(outside, "mine.txt"), "sessions/default/routines/login.json")
	link(outside, "sessions/work")
	link("../default/work", "sessions/default/tasks")
	link(outside, "logs/pilotfish.log.1")
	for _, kind := range f.do(t, protocol.StoredRequest{Do: protocol.StoredList}).Data {
		for _, data := range f.do(t, protocol.StoredRequest{Do: protocol.StoredMeasure, Kind: kind.Kind}).Data {
			for _, part := range data.Parts {
				if part.Session == "work" || part.Bytes%10 != 0 {
					t.Errorf("%s has measured through a link: %+v", kind.Kind, part)
				}
			}
		}
		if kind.Kind != protocol.StoredWork {
			f.do(t, protocol.StoredRequest{Do: protocol.StoredDelete, Kind: kind.Kind})
		}
	}
	for _, name := range []string{"mine.txt", "Cache/x", "Default/Cookies"} {
		if data, err := os.ReadFile(filepath.Join(outside, name)); err != nil || string(data) != "mine" {
			t.Errorf("%s outside: %q, %v", name, data, err)
		}
	}
	if !slices.Contains(f.files(t), "sessions/default/work/notes.md") {
		t.Error("what a link within the folder points to was deleted")
	}

	// The folder for deleted data is a link.
	link(outside, "deleted")
	if _, err := f.Do(t.Context(), protocol.StoredRequest{Do: protocol.StoredDelete, Kind: protocol.StoredWork}); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeNotWritable {
		t.Errorf("a link for deleted data: %v", err)
	}
	f.do(t, protocol.StoredRequest{Do: protocol.StoredList}) // removes the link, and nothing behind it
	if _, err := os.Stat(filepath.Join(outside, "mine.txt")); err != nil {
		t.Error(err)
	}
}

// What a deletion left behind, because the app ended, is removed at the next list.
func TestACutOffDeletion(t *testing.T) {
	f := newFixture(t)
	f.write(t, "deleted/abc/default/xyz/History", "x")
	f.do(t, protocol.StoredRequest{Do: protocol.StoredList})
	if slices.ContainsFunc(f.files(t), func(name string) bool { return strings.HasPrefix(name, "deleted/") }) {
		t.Errorf("%q", f.files(t))
	}
}

func TestWrongRequests(t *testing.T) {
	f := newFixture(t)
	for name, req := range map[string]protocol.StoredRequest{
		"no kind": {Do: protocol.StoredDelete}, "unknown kind": {Do: protocol.StoredMeasure, Kind: "../logs"}, "unknown word": {Do: "burn"},
		"logs of a session": {Do: protocol.StoredDelete, Kind: protocol.StoredLogs, Session: "work"},
	} {
		if _, err := f.Do(t.Context(), req); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument || protocol.AsError(err).Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := f.Do(t.Context(), protocol.StoredRequest{Do: protocol.StoredDelete, Kind: protocol.StoredFiles, Session: "gone"}); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeUnknownSession {
		t.Errorf("a session that does not exist: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Do(ended, protocol.StoredRequest{Do: protocol.StoredMeasure}); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	if _, err := f.Do(ended, protocol.StoredRequest{Do: protocol.StoredDelete, Kind: protocol.StoredFiles}); !errors.Is(err, context.Canceled) || len(f.do(t, protocol.StoredRequest{Do: protocol.StoredMeasure, Kind: protocol.StoredFiles}).Data[0].Parts) != 2 {
		t.Errorf("a deletion with an ended context: %v", err)
	}
}
