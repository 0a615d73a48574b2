package schedule

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"pilotfish/backend/protocol"
)

// folder is what a keeper knows of the folder that its schedule watches. Only the keeper's
// goroutine uses it.
type folder struct {
	path    string
	notices <-chan struct{} // nil while it is not watched
	end     context.CancelFunc
	pending map[string]state // new files that may still be written
}

// state is what tells whether a file is still being written.
type state struct {
	size    int64
	changed time.Time
	since   time.Time // when it was first seen like this
}

// follow watches the folder of a schedule, and no other.
func (f *folder) follow(ctx context.Context, s *Scheduler, e entry) {
	wanted := e.When.Folder
	if e.Off {
		wanted = ""
	}
	if f.path == wanted && (wanted == "" || f.notices != nil) {
		return
	}
	f.stop()
	if f.path != wanted {
		f.path, f.pending = wanted, nil
	}
	if wanted == "" {
		return
	}
	own, cancel := context.WithCancel(ctx)
	notices, err := s.cfg.Watch(own, wanted)
	if err != nil { // the folder is read at intervals
		cancel()
		s.log.Warn("a folder cannot be watched", "schedule", e.Name, "folder", wanted, "error", err)
		return
	}
	f.notices, f.end = notices, cancel
}

// stop watches nothing more.
func (f *folder) stop() {
	if f.end != nil {
		f.end()
	}
	f.end, f.notices = nil, nil
}

// look is the result of reading a folder.
type look struct {
	// arrived are the names of files that are new and complete, sorted.
	arrived []string
	// seen are all names that are known from now on; nil when they have not changed.
	seen []string
	// unsettled: a new file may still be written.
	unsettled bool
}

// read reads the folder of an entry. complete says that new files are from before, and
// complete.
func (f *folder) read(e entry, complete bool) (look, error) {
	found := look{}
	entries, err := os.ReadDir(e.When.Folder)
	if err != nil {
		return found, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the folder %s cannot be read: %v", e.When.Folder, cause(err)), "change the schedule, or make the folder again")
	}
	seen, pending := []string{}, map[string]state{}
	for _, one := range entries {
		if match, _ := filepath.Match(e.When.Pattern, one.Name()); !match || one.IsDir() {
			continue
		}
		if slices.Contains(e.Seen, one.Name()) || e.Seen == nil {
			seen = append(seen, one.Name())
			continue
		}
		info, err := one.Info()
		if err != nil {
			continue // it is gone again
		}
		now := state{info.Size(), info.ModTime(), time.Now()}
		if before, known := f.pending[one.Name()]; known && before.size == now.size && before.changed.Equal(now.changed) {
			now.since = before.since
		}
		if complete || time.Since(now.since) >= settle {
			found.arrived, seen = append(found.arrived, one.Name()), append(seen, one.Name())
			continue
		}
		pending[one.Name()], found.unsettled = now, true
	}
	f.pending = pending
	if len(seen) > mostFiles {
		return look{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("more than %d files match %s", mostFiles, e.When.Pattern), "use a narrower pattern, or move old files away")
	}
	if e.Seen == nil || !slices.Equal(e.Seen, seen) {
		found.seen = seen
	}
	return found, nil
}

// present returns the matching files of an entry's folder, which are there before the
// schedule begins; nil for an entry without a folder, or one that cannot be read now.
func present(e entry) []string {
	if e.When.Folder == "" {
		return nil
	}
	e.Seen = nil
	var f folder
	found, err := f.read(e, true)
	if err != nil {
		return nil // the keeper reads it, and says why not
	}
	return found.seen
}

// cause returns an error of the system without the path, which the message has already.
func cause(err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return path.Err
	}
	return err
}

// watch sends after each change in a folder, until ctx ends. The channel is closed when
// the folder can no longer be watched.
func watch(ctx context.Context, path string) (<-chan struct{}, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching files: %w", err)
	}
	if err := w.Add(path); err != nil {
		return nil, errors.Join(fmt.Errorf("watching %s: %w", path, err), w.Close())
	}
	notices := make(chan struct{}, 1)
	go func() { // it ends with ctx, which is the keeper's
		defer close(notices)
		defer func() { _ = w.Close() }() // nothing is left to be read
		for {
			select {
			case <-ctx.Done():
				return
			case _, open := <-w.Errors:
				if !open {
					return
				}
			case event, open := <-w.Events:
				if !open || event.Has(fsnotify.Remove) && event.Name == path {
					return
				}
			}
			select {
			case notices <- struct{}{}:
			default: // the reader is going to look
			}
		}
	}()
	return notices, nil
}
