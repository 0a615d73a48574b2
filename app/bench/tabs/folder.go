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

// fileState is what the two files said together after one of them was replaced.
type fileState struct {
	at     time.Time
	tabs   []protocol.Tab
	active *protocol.Tab
}

// tab is the tab of an address; the zero one when there is none.
func (s fileState) tab(url string) protocol.Tab {
	for _, t := range s.tabs {
		if t.URL == url {
			return t
		}
	}
	return protocol.Tab{}
}

// folder follows the files that agents read: the kernel says when one was
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

// look reads both files. Its time is after that, so that no file counts as older
// than it is.
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

// first is when the files first were as ok says, since a time; zero: they were
// not.
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

// last is what the files say now.
func (f *folder) last() fileState {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.states[len(f.states)-1]
}

// close ends the watching. A file that could not be read whole is an error.
func (f *folder) close() error {
	err := f.file.Close()
	<-f.done
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(err, f.err)
}
