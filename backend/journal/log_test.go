package journal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"pilotfish/backend/journal"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerEnv); dir != "" {
		appendForEver(dir)
	}
	goleak.VerifyTestMain(m)
}

func open(t *testing.T, c journal.LogConfig) *journal.Log {
	t.Helper()
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	l, err := journal.OpenLog(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func add(t *testing.T, l *journal.Log, data ...string) {
	t.Helper()
	for _, d := range data {
		if _, err := l.Append([]byte(d)); err != nil {
			t.Fatal(err)
		}
	}
}

// show formats items for reading.
func show(items []journal.Item) string {
	var words []string
	for _, i := range items {
		if i.Gap != nil {
			words = append(words, fmt.Sprintf("gap %d-%d", i.Gap.From, i.Gap.To))
			continue
		}
		words = append(words, fmt.Sprintf("%d=%s", i.Index, i.Data))
	}
	return strings.Join(words, " ")
}

func expect(t *testing.T, l *journal.Log, after uint64, limit int, want string) {
	t.Helper()
	items, err := l.Read(after, limit)
	if err != nil {
		t.Fatal(err)
	}
	if got := show(items); got != want {
		t.Errorf("Read(%d, %d) = %q, want %q", after, limit, got, want)
	}
}

func TestAppendAndRead(t *testing.T) {
	dir := t.TempDir()
	l := open(t, journal.LogConfig{Dir: dir})
	expect(t, l, 0, 10, "")
	add(t, l, `{"a":1}`, "", "two\nlines \xff")
	expect(t, l, 0, 10, "1={\"a\":1} 2= 3=two\nlines \xff")
	expect(t, l, 1, 1, "2=")
	expect(t, l, 3, 10, "")
	expect(t, l, 99, 10, "")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(nil); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("Append after Close: %v", err)
	}
	l = open(t, journal.LogConfig{Dir: dir, MaxRecord: 8})
	add(t, l, "more")
	if _, err := l.Append([]byte("too large")); !errors.Is(err, journal.ErrTooLarge) {
		t.Errorf("Append of too much: %v", err)
	}
	expect(t, l, 2, 10, "3=two\nlines \xff 4=more")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
}

func TestRotationIsBoundedAndSaysWhatIsGone(t *testing.T) {
	dir := t.TempDir()
	l := open(t, journal.LogConfig{Dir: dir, FileSize: 120, Files: 3})
	for i := range 50 {
		add(t, l, fmt.Sprintf("record %02d", i+1))
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Fatalf("%d files, %v; want 3", len(entries), err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Size() > 120 {
			t.Errorf("%s has %d bytes, %v", e.Name(), info.Size(), err)
		}
	}
	items, err := l.Read(5, 100)
	if err != nil || len(items) < 2 || items[0].Gap == nil || items[0].Gap.From != 6 {
		t.Fatalf("Read(5) = %s, %v", show(items), err)
	}
	if first, last := items[1], items[len(items)-1]; first.Index != items[0].Gap.To+1 || last.Index != 50 {
		t.Errorf("after the gap: %s", show(items))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if again := open(t, journal.LogConfig{Dir: dir, FileSize: 120, Files: 3}); again.Last() != 50 {
		t.Errorf("Last() = %d after opening again", again.Last())
	}
}

func TestSkipIsAGap(t *testing.T) {
	l := open(t, journal.LogConfig{Dir: t.TempDir()})
	add(t, l, "a")
	if got := l.Skip(); got != 2 {
		t.Errorf("Skip() = %d", got)
	}
	expect(t, l, 0, 10, "1=a gap 2-2")
	add(t, l, "b")
	expect(t, l, 0, 10, "1=a gap 2-2 3=b")
	expect(t, l, 1, 1, "gap 2-2 3=b")
}

func TestATornTailIsCutOnce(t *testing.T) {
	for name, tail := range map[string]string{"half a record": "0123abcd 3 t{", "no line break": "\x00\x00\x00", "a wrong sum": "00000000 3 tx\n"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l := open(t, journal.LogConfig{Dir: dir})
			add(t, l, "a", "b")
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			damage(t, dir, func(b []byte) []byte { return append(b, tail...) })
			var said bytes.Buffer
			c := journal.LogConfig{Dir: dir, Logger: slog.New(slog.NewTextHandler(&said, nil))}
			l = open(t, c)
			add(t, l, "c")
			expect(t, l, 0, 10, "1=a 2=b 3=c")
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			open(t, c)
			if n := strings.Count(said.String(), "cut off"); n != 1 {
				t.Errorf("said %d times: %s", n, said.String())
			}
		})
	}
}

func TestDamageInTheMiddleIsAGap(t *testing.T) {
	dir := t.TempDir()
	l := open(t, journal.LogConfig{Dir: dir})
	add(t, l, "aaaa", "bbbb", "cccc")
	damage(t, dir, func(b []byte) []byte { return bytes.Replace(b, []byte("bbbb"), []byte("bXbb"), 1) })
	expect(t, l, 0, 10, "1=aaaa gap 2-2 3=cccc")
}

func TestAFileWithoutABeginningIsRemoved(t *testing.T) {
	dir := t.TempDir()
	l := open(t, journal.LogConfig{Dir: dir})
	add(t, l, "a")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "00000000000000000002.log"), []byte("pilot"), 0o600); err != nil {
		t.Fatal(err)
	}
	l = open(t, journal.LogConfig{Dir: dir})
	add(t, l, "b")
	expect(t, l, 0, 10, "1=a 2=b")
}

// damage changes the log's only file.
func damage(t *testing.T, dir string, change func([]byte) []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], change(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Many readers follow while a writer writes so fast that files are removed: each
// reader gets every index once, in order, as a record or in a gap.
func TestManyReadersFollow(t *testing.T) {
	const total = 3000
	l := open(t, journal.LogConfig{Dir: t.TempDir(), FileSize: 4 << 10, Files: 2})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			next := uint64(1)
			for item, err := range l.Follow(ctx, 0) {
				switch {
				case err != nil:
					t.Error(err)
					return
				case item.Gap != nil && item.Gap.From == next:
					next = item.Gap.To + 1
				case item.Gap == nil && item.Index == next && string(item.Data) == fmt.Sprint("record ", next):
					next++
				default:
					t.Errorf("%s, want %d", show([]journal.Item{item}), next)
					return
				}
				if next > total {
					return
				}
			}
			t.Errorf("the reader ended at %d", next)
		})
	}
	for i := range total {
		add(t, l, fmt.Sprint("record ", i+1))
	}
	readers.Wait()
}

func TestFollowEnds(t *testing.T) {
	l := open(t, journal.LogConfig{Dir: t.TempDir()})
	add(t, l, "a")
	closed := make(chan error, 1)
	go func() {
		var last error
		for item, err := range l.Follow(t.Context(), 0) {
			if last = err; err == nil && item.Index == 1 {
				closed <- l.Close()
			}
		}
		closed <- last
	}()
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	if err := <-closed; !errors.Is(err, journal.ErrClosed) {
		t.Errorf("Follow of a closed journal ended with %v", err)
	}
}

// Reading after an index always begins at the next one, with short and long records,
// many files, and a damaged file.
func TestReadFindsEveryPlace(t *testing.T) {
	c := journal.LogConfig{Dir: t.TempDir(), FileSize: 200 << 10, Files: 1000}
	l := open(t, c)
	const all = 1500
	for i := range all {
		add(t, l, content(uint64(i + 1))[:min(30+i*7919%2600, len(content(uint64(i+1))))])
	}
	for after := uint64(0); after <= all; after += 11 {
		items, err := l.Read(after, 2)
		if err != nil {
			t.Fatal(err)
		}
		want := min(2, all-int(after))
		if len(items) != want {
			t.Fatalf("after %d: %s", after, show(items))
		}
		for i, item := range items {
			if item.Gap != nil || item.Index != after+uint64(i)+1 {
				t.Fatalf("after %d: %.80s", after, show(items))
			}
		}
	}
}

// The position in a large log is found without reading everything before it.
func BenchmarkReadAfter(b *testing.B) {
	l, err := journal.OpenLog(journal.LogConfig{Dir: b.TempDir(), Files: 1 << 20, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	line := []byte(`{"op":"append","id":"e1","text":"` + strings.Repeat("x", 80) + `"}`)
	for range 200_000 {
		if _, err := l.Append(line); err != nil {
			b.Fatal(err)
		}
	}
	i := uint64(0)
	for b.Loop() {
		i += 7919
		if _, err := l.Read(i%199_000, 100); err != nil {
			b.Fatal(err)
		}
	}
}
