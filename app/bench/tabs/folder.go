package tabs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// fileState is the content of the two files after one of them was replaced.
type fileState struct {
	at     time.Time
	tabs   []protocol.Tab
	active *protocol.Tab
}

// tab returns the tab with an address, or the zero Tab.
func (s fileState) tab(url string) protocol.Tab {
	for _, t := range s.tabs {
		if t.URL == url {
			return t
		}
	}
	return protocol.Tab{}
}

// folder watches the files that agents read. The kernel reports when one was
// replaced.
type folder struct {
	dir  string
	file *os.File
	done chan struct{}

	mu     sync.Mutex
	states []fileState
	err    error
}

func watchFolder(dir string) (*folder, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("watching a folder: %w", err)
	}
	f := &folder{dir: dir, file: os.NewFile(uintptr(fd), "inotify"), done: make(chan struct{})}
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_MOVED_TO); err != nil {
		return nil, errors.Join(fmt.Errorf("watching %s: %w", dir, err), f.file.Close())
	}
	f.look()
	go f.follow()
	return f, nil
}

func (f *folder) follow() {
	defer close(f.done)
	buffer := make([]byte, 64<<10)
	for {
		if _, err := f.file.Read(buffer); err != nil {
			return // closed
		}
		f.look()
	}
}

// look reads both files. The recorded time is taken after reading, so that no
// file counts as older than it is.
func (f *folder) look() {
	var tabs protocol.TabsFile
	var active protocol.ActiveTabFile
	err := errors.Join(readJSON(filepath.Join(f.dir, "tabs.json"), &tabs), readJSON(filepath.Join(f.dir, "active-tab.json"), &active))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = errors.Join(f.err, err)
	f.states = append(f.states, fileState{time.Now(), tabs.Tabs, active.Tab})
}

func readJSON(path string, into any) error {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	return err
}

// first returns the time after since at which the files first satisfied ok, or
// zero when they never did.
func (f *folder) first(since time.Time, ok func(fileState) bool) time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.states {
		if !s.at.Before(since) && ok(s) {
			return s.at
		}
	}
	return time.Time{}
}

// last returns the newest content.
func (f *folder) last() fileState {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.states[len(f.states)-1]
}

// close ends the watch. It returns an error when a file could not be read
// completely.
func (f *folder) close() error {
	err := f.file.Close()
	<-f.done
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(err, f.err)
}
