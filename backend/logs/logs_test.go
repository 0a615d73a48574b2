package logs

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"pilotfish/backend/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secret represents every secret type of the project.
type secret string

func (secret) LogValue() slog.Value { return slog.StringValue("(secret)") }

func TestFileAndRingSayTheSame(t *testing.T) {
	dir := t.TempDir()
	var console strings.Builder
	l, err := New(Config{Dir: dir, Level: slog.LevelInfo, Also: &console})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	logger := l.Logger().With("component", "browser")
	logger.Debug("not this")
	logger.Warn("browser ended", "exit_code", 3, "token", secret("s3cr3t"), "why", "two words")

	records := l.Tail()
	if len(records) != 1 {
		t.Fatalf("the ring has %d records", len(records))
	}
	r := records[0]
	if r.Seq != 1 || r.Level != "WARN" || r.Component != "browser" || r.Message != "browser ended" || r.Attrs != `exit_code=3 token=(secret) why="two words"` {
		t.Errorf("the record is %+v", r)
	}
	data, err := os.ReadFile(filepath.Join(dir, "pilotfish.log"))
	if err != nil {
		t.Fatal(err)
	}
	var line map[string]any
	if err := json.Unmarshal(data, &line); err != nil || line["msg"] != "browser ended" || line["component"] != "browser" {
		t.Errorf("the file says %s (%v)", data, err)
	}
	if strings.Contains(string(data)+console.String(), "s3cr3t") {
		t.Error("the secret was logged")
	}
	if info, err := os.Stat(filepath.Join(dir, "pilotfish.log")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v, want 0600", err, info.Mode())
	}
}

func TestRotation(t *testing.T) {
	dir := t.TempDir()
	const limit = 1000
	l, err := newLog(Config{Dir: dir}, limit)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for i := range 40 {
		l.Logger().Info("a long line", "x", strings.Repeat("x", 300), "i", i)
	}
	names, err := filepath.Glob(filepath.Join(dir, "pilotfish.log*"))
	if err != nil || len(names) != logFileCount+1 {
		t.Fatalf("there are %v, %v; want the file and %d old ones", names, err, logFileCount)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil || len(data) > limit {
			t.Errorf("%s has %d bytes (%v), the limit is %d", name, len(data), err, limit)
		}
		for line := range strings.Lines(string(data)) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s has half a line: %q", name, line)
			}
		}
	}
	newest, err := os.ReadFile(filepath.Join(dir, "pilotfish.log"))
	if err != nil || !strings.Contains(string(newest), `"i":39`) {
		t.Errorf("the newest line is not in the newest file (%v)", err)
	}
}

// TestDiskFull writes to a device that is always full: one warning, then nothing, and
// a record when it works again.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pilotfish.log")
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	l, err := New(Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for range 10 {
		l.Logger().Info("a line")
	}
	warnings := 0
	for _, r := range l.Tail() {
		if r.Component == "logs" {
			warnings++
		}
	}
	if warnings != 1 || len(l.Tail()) != 11 {
		t.Errorf("there are %d warnings in %d records, want one in 11", warnings, len(l.Tail()))
	}
	// With space again, the file is opened again.
	if err := errors.Join(os.Remove(path), l.Close()); err != nil {
		t.Fatal(err)
	}
	l.Logger().Info("after")
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), "after") {
		t.Errorf("the file says %q, %v", data, err)
	}
	last := l.Tail()[len(l.Tail())-1]
	if last.Component != "logs" || last.Attrs != "lost=10" {
		t.Errorf("the last record is %+v, want that 10 lines were lost", last)
	}
}

func TestFolderMissing(t *testing.T) {
	l, err := New(Config{Dir: filepath.Join(t.TempDir(), "missing")})
	if err == nil {
		t.Error("New said nothing of a folder that is missing")
	}
	l.Logger().Info("still heard")
	if len(l.Tail()) != 1 {
		t.Error("the log does not work without its file")
	}
}

func TestFloodIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 * burst {
			l.Logger().Info("flood")
		}
		l.Logger().Info("another message")
		records := l.Tail()
		if len(records) > burst+1 || records[len(records)-1].Message != "another message" {
			t.Errorf("%d records passed, want at most %d", len(records), burst+1)
		}
	})
}

func TestRingKeepsTheNewest(t *testing.T) {
	r := newRing(10)
	for i := range 25 {
		r.add(slog.LevelInfo, "", "m", string(rune('a'+i)))
	}
	records := r.tail()
	if len(records) != 10 || records[0].Seq != 16 || records[0].Attrs != "p" || records[9].Attrs != "y" {
		t.Errorf("the ring has %+v", records)
	}
}

func TestFollow(t *testing.T) {
	l, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	l.Logger().Info("before")
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan []protocol.LogRecord)
	done := make(chan struct{})
	started := make(chan struct{})
	go func() {
		defer close(done)
		close(started)
		l.Follow(ctx, 2, func(records []protocol.LogRecord) { heard <- records })
	}()
	<-started
	var got []protocol.LogRecord
	for len(got) < 5 {
		// The follower may not be subscribed yet for the first records: log until it
		// receives one.
		l.Logger().Info("news", "i", len(got))
		select {
		case records := <-heard:
			if len(records) > 2 {
				t.Errorf("a batch has %d records, want at most 2", len(records))
			}
			got = append(got, records...)
		default:
		}
	}
	for i := 1; i < len(got); i++ {
		if got[i].Seq != got[i-1].Seq+1 {
			t.Errorf("record %d follows %d", got[i].Seq, got[i-1].Seq)
		}
	}
	cancel()
	for {
		select {
		case <-heard:
			continue
		case <-done:
			return
		}
	}
}
