//go:build unix

package proc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// RunGuard runs the guard, with its standard input and output. It reports on ready
// that it ignores signals, reads from its app until the app is gone for any reason,
// and then ends everything that the app had not ended. It returns within 5 s of that.
func RunGuard(in io.Reader, ready io.WriteCloser) error {
	// Whatever ends the app, such as a logout or a closed terminal, must not end the
	// guard before its work is done.
	signal.Ignore(unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGTSTP,
		unix.SIGTTIN, unix.SIGTTOU, unix.SIGPIPE, unix.SIGUSR1, unix.SIGUSR2)
	_, err := io.WriteString(ready, guardReady)
	if err = errors.Join(err, ready.Close()); err != nil {
		return fmt.Errorf("telling the app that the guard is there: %w", err)
	}
	live := make(map[string]record)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var m guardMessage
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue // an incomplete line, because the app died while it wrote it
		}
		if m.Add != nil {
			live[m.Add.Mark] = *m.Add
		}
		delete(live, m.Remove)
	}
	records := make([]record, 0, len(live))
	for _, r := range live {
		records = append(records, r)
	}
	return endAll(records)
}

// Reap ends the processes that an earlier run of the app left over, according to its
// records in dir, and removes the records. It ends a process only if the process has
// the mark of a record, or belongs to the session of a leader with the record's pid,
// start time and boot; a pid alone is never enough. A folder that does not exist has
// no records.
func Reap(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the process records: %w", err)
	}
	boot := bootID()
	var records []record
	var paths []string
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if ext := filepath.Ext(e.Name()); ext != ".json" && ext != ".new" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		paths = append(paths, path)
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		var r record
		if json.Unmarshal(b, &r) != nil || r.Mark == "" || strings.TrimSuffix(e.Name(), ".json") != r.Mark {
			continue // an incomplete record was never used
		}
		if r.Boot == "" || r.Boot != boot {
			continue // no process survives a reboot
		}
		records = append(records, r)
	}
	errs := []error{endAll(records)}
	for _, path := range paths {
		errs = append(errs, os.Remove(path))
	}
	return errors.Join(errs...)
}

// endAll runs the stop ladder for all records in parallel.
func endAll(records []record) error {
	errs := make([]error, len(records))
	var wg sync.WaitGroup
	for i, r := range records {
		wg.Go(func() {
			t := newTree(r, false)
			defer t.close()
			errs[i] = t.end()
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
