package journal

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// Data comes back as it was, and a line with any change to it does not.
func FuzzRecord(f *testing.F) {
	f.Add(uint64(1), []byte(`{"command":"goto"}`), uint(3))
	f.Add(uint64(1<<63), []byte("two\nlines"), uint(9))
	f.Add(uint64(0), []byte(nil), uint(40))
	f.Fuzz(func(t *testing.T, index uint64, data []byte, at uint) {
		line := encode(index, data)
		if r, ok := decode(line); !ok || r.Index != index || !bytes.Equal(r.Data, data) {
			t.Fatalf("%d %q came back as %d %q, %v", index, data, r.Index, r.Data, ok)
		}
		line[9+at%uint(len(line)-9)] ^= 1
		if r, ok := decode(line); ok {
			t.Errorf("the damaged line %q was read as %d %q", line, r.Index, r.Data)
		}
	})
}

// A file with any content does not stop a log: it is refused, or what is read
// from it is in order, and so is what is appended after it.
func FuzzFile(f *testing.F) {
	whole := append(append(header(), encode(1, []byte("one"))...), encode(2, []byte("two"))...)
	f.Add(whole)
	f.Add(append(bytes.Clone(whole), whole[:30]...))
	f.Add(append(header(), encode(1<<64-1, []byte("last"))...))
	f.Add([]byte("pilotfish journal 2\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "00000000000000000001.log"), content, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := OpenLog(LogConfig{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			return
		}
		index, err := l.Append([]byte("new"))
		if err != nil {
			t.Fatal(err)
		}
		items, err := l.Read(0, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		next := uint64(1)
		for _, item := range items {
			from, to := item.Index, item.Index
			if item.Gap != nil {
				from, to = item.Gap.From, item.Gap.To
			}
			if from != next || to < from {
				t.Fatalf("%d to %d follows %d", from, to, next-1)
			}
			next = to + 1
		}
		if last := items[len(items)-1]; last.Index != index || string(last.Data) != "new" {
			t.Errorf("the record %d was appended, the last one is %d %q", index, last.Index, last.Data)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
