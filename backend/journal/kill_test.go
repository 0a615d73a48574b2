package journal_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"pilotfish/backend/journal"
)

const writerEnv = "JOURNAL_TEST_WRITER"

func killConfig(dir string) journal.LogConfig {
	return journal.LogConfig{Dir: dir, FileSize: 64 << 10, Files: 1000, Logger: slog.New(slog.DiscardHandler)}
}

// appendForEver is the other process: it appends records whose content depends only
// on their index, and prints each index after it was appended.
func appendForEver(dir string) {
	l, err := journal.OpenLog(killConfig(dir))
	for err == nil {
		next := l.Last() + 1
		var got uint64
		if got, err = l.Append([]byte(content(next))); err == nil && got != next {
			err = fmt.Errorf("index %d, want %d", got, next)
		}
		if err == nil {
			_, err = fmt.Println(got)
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

func content(index uint64) string {
	return fmt.Sprintf(`{"index":%d,"text":%q}`, index, strings.Repeat("x", int(index*37%3000)))
}

// Writers are killed during their work: there is no gap and no incomplete
// record, and no record is lost that was reported as appended.
func TestKilledWriters(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	const kills = 25
	for range kills {
		said := writeAndKill(t, dir, 1+random.IntN(60))
		l, err := journal.OpenLog(killConfig(dir))
		if err != nil {
			t.Fatal(err)
		}
		// One more record may have been appended than was reported.
		if last := l.Last(); last < said {
			t.Fatalf("%d was appended, and the last one is %d", said, last)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	l := open(t, killConfig(dir))
	items, err := l.Read(0, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		if want := uint64(i + 1); item.Gap != nil || item.Index != want || string(item.Data) != content(want) {
			t.Fatalf("item %d: %.80s", want, show([]journal.Item{item}))
		}
	}
	if len(items) < kills {
		t.Fatalf("only %d records: the writers were killed before they wrote", len(items))
	}
	t.Logf("%d records after %d kills", len(items), kills)
}

// writeAndKill returns the last index that a writer printed before it was killed. It
// kills the writer after the given number of lines.
func writeAndKill(t *testing.T, dir string, lines int) uint64 {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this test itself
	cmd.Env = append(os.Environ(), writerEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last, n := uint64(0), 0
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break // killed, and all its output is read
		}
		if err != nil {
			t.Fatal(err)
		}
		if last, err = strconv.ParseUint(strings.TrimSpace(line), 10, 64); err != nil {
			t.Fatalf("the writer said %q", line)
		}
		if n++; n == lines {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // killed
	return last
}
