package agent

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// watchMask is what may change what a probe finds. A program that is being
// written does not run yet: its end of writing, or its mode, is another event.
const watchMask = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_MOVED_FROM | unix.IN_DELETE | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | unix.IN_ONLYDIR

// Watch calls probe, and again each time that an agent, a sign-in of one, or one
// of the other programs appears, changes or goes, until ctx ends. The kernel
// reports the changes: nothing is polled. Where it cannot, Watch probes once.
func (p *Prober) Watch(ctx context.Context, also Watched, probe func(context.Context)) {
	w, err := newFolderWatch()
	if err != nil {
		p.log.WarnContext(ctx, "new agents are not noticed", "error", err)
		probe(ctx)
		return
	}
	defer func() { _ = w.file.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = w.file.SetReadDeadline(time.Now()) }) // ends wait
	defer stop()

	w.follow(p.watchList(also))
	known := p.watchList(also).state()
	probe(ctx)
	for ctx.Err() == nil {
		// The probe asked the login shell for its PATH, which may have new folders.
		list := p.watchList(also)
		w.follow(list)
		now := list.state()
		if maps.Equal(now, known) {
			if err := w.wait(); err != nil {
				if ctx.Err() == nil {
					p.log.WarnContext(ctx, "new agents are no longer noticed", "error", err)
				}
				return
			}
			continue
		}
		known = now
		probe(ctx)
	}
}

// folderWatch waits until something happens in folders.
type folderWatch struct {
	file   *os.File
	fd     int
	ids    map[string]int
	names  map[int]map[string]bool
	buffer []byte
}

func newFolderWatch() (*folderWatch, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("watching folders: %w", err)
	}
	return &folderWatch{file: os.NewFile(uintptr(fd), "inotify"), fd: fd, ids: map[string]int{}, names: map[int]map[string]bool{}, buffer: make([]byte, 16<<10)}, nil
}

// follow watches the folders of a list, and no others. A folder that cannot be
// read is left out: nothing in it can be run either.
func (w *folderWatch) follow(list watchList) {
	wanted := list.folders()
	for folder, id := range w.ids {
		if wanted[folder] == nil {
			_, _ = unix.InotifyRmWatch(w.fd, uint32(id)) // the kernel's numbers are small; a removed folder has no watch
			delete(w.ids, folder)
			delete(w.names, id)
		}
	}
	for folder, names := range wanted {
		// For a folder that was made again, this is a new watch.
		id, err := unix.InotifyAddWatch(w.fd, folder, watchMask)
		if err != nil {
			delete(w.ids, folder)
			continue
		}
		if old, ok := w.ids[folder]; ok && old != id {
			delete(w.names, old)
		}
		w.ids[folder] = id
		if w.names[id] == nil {
			w.names[id] = map[string]bool{}
		}
		// Two paths of one folder, such as /bin and /usr/bin, have one watch.
		maps.Copy(w.names[id], names)
	}
}

// wait returns when something happened to one of the names.
func (w *folderWatch) wait() error {
	for {
		n, err := w.file.Read(w.buffer)
		if err != nil {
			return err
		}
		if w.concerns(w.buffer[:n]) {
			return nil
		}
	}
}

// concerns reports whether one of the events is about a watched name.
func (w *folderWatch) concerns(events []byte) bool {
	for len(events) >= unix.SizeofInotifyEvent {
		id := int(int32(binary.NativeEndian.Uint32(events))) // it is a signed number of the kernel
		mask := binary.NativeEndian.Uint32(events[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(events[12:]))
		if end > len(events) {
			return true
		}
		name := strings.TrimRight(string(events[unix.SizeofInotifyEvent:end]), "\x00")
		if w.names[id][name] || mask&(unix.IN_Q_OVERFLOW|unix.IN_IGNORED) != 0 {
			return true
		}
		events = events[end:]
	}
	return false
}
