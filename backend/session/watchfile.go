package session

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// fileSettled is how long a file has to be left alone before it is read: many editors empty
// a file before they write it.
const fileSettled = 100 * time.Millisecond

// watchFile calls changed after each change of a file, until ctx ends. It watches the folder:
// editors replace a file by another one, and the file may not be there yet. It follows a
// symbolic link to the folder of its target.
func watchFile(ctx context.Context, path string, changed func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching %s: %w", path, err)
	}
	defer func() { _ = w.Close() }()
	if err := w.Add(filepath.Dir(path)); err != nil {
		return fmt.Errorf("watching %s: %w", path, err)
	}
	names := map[string]bool{filepath.Clean(path): true}
	if target, err := filepath.EvalSymlinks(path); err == nil && target != path {
		names[target] = true
		_ = w.Add(filepath.Dir(target)) // without it a change shows at the next start
	}
	timer := time.NewTimer(0) // what was changed before the watch began
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case event, open := <-w.Events:
			if !open {
				return nil
			}
			if names[filepath.Clean(event.Name)] && !event.Has(fsnotify.Chmod) {
				timer.Reset(fileSettled)
			}
		case err, open := <-w.Errors:
			if !open {
				return nil
			}
			_ = err // events were lost: look once
			timer.Reset(fileSettled)
		case <-timer.C:
			changed()
		}
	}
}
