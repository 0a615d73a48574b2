// Package storeddata says what Pilotfish has stored on this computer, by kind, and deletes
// it. It works within the folder of the state only, through os.Root, and never follows a
// symbolic link. What is deleted is first moved aside in one step, so that a session that
// starts afterwards never sees half of it.
package storeddata

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/auth"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// Config is what New needs. All fields are required.
type Config struct {
	// Dir is the folder of the state.
	Dir      string
	Sessions Sessions
	Logger   *slog.Logger
}

// Sessions are the sessions of the app.
type Sessions interface {
	Names() []protocol.SessionName
	// Running reports whether a session runs.
	Running(name protocol.SessionName) bool
	// WhileStopped calls do while a session cannot start, and closes the session's files
	// before. It returns an error with CodeBusy for one that runs.
	WhileStopped(name protocol.SessionName, do func() error) error
	Stop(ctx context.Context, name protocol.SessionName) error
	Start(ctx context.Context, name protocol.SessionName) error
}

// Data is what is stored. Its methods are safe for concurrent use.
type Data struct {
	cfg Config
	log *slog.Logger
	// deleting is held while data is deleted.
	deleting sync.Mutex
}

// New returns the stored data. It reads nothing yet.
func New(cfg Config) *Data {
	return &Data{cfg: cfg, log: cfg.Logger.With("component", "storeddata")}
}

// The folders in that of the state.
const (
	sessionsDir = "sessions"
	// asideDir has what is being deleted.
	asideDir = "deleted"
)

func quote(text string) string { return fmt.Sprintf("%.40q", text) }

// Do carries out a request.
func (d *Data) Do(ctx context.Context, req protocol.StoredRequest) (protocol.StoredReply, error) {
	reply := protocol.StoredReply{Data: []protocol.StoredData{}}
	root, err := os.OpenRoot(d.cfg.Dir)
	if err != nil {
		return reply, fmt.Errorf("opening the folder of the state: %w", err)
	}
	defer func() { _ = root.Close() }()
	var asked []kind
	if req.Kind == "" {
		asked = kinds()
	} else {
		one, err := find(req.Kind)
		if err != nil {
			return reply, err
		}
		asked = []kind{one}
	}
	switch req.Do {
	case protocol.StoredList:
		d.finish(root)
		for _, k := range asked {
			reply.Data = append(reply.Data, k.StoredData)
		}
		return reply, nil
	case protocol.StoredMeasure:
	case protocol.StoredDelete:
		if req.Kind == "" {
			return reply, protocol.NewError(protocol.CodeBadArgument, "which kind of data?", "`pilotfish stored` lists the kinds")
		}
		if reply.Freed, err = d.delete(ctx, root, asked[0], req); err != nil {
			return reply, err
		}
	default:
		return reply, protocol.NewError(protocol.CodeBadArgument, "stored data cannot "+quote(string(req.Do)), "use list, measure or delete")
	}
	for _, k := range asked {
		if err := d.measure(ctx, root, &k); err != nil {
			return reply, err
		}
		reply.Data = append(reply.Data, k.StoredData)
	}
	return reply, nil
}

// measure finds the parts of a kind.
func (d *Data) measure(ctx context.Context, root *os.Root, k *kind) error {
	if k.app != nil {
		part, err := measured(ctx, root, *k, "", k.app)
		k.Parts = append(k.Parts, part)
		return err
	}
	for _, name := range d.cfg.Sessions.Names() {
		part, err := measured(ctx, root, *k, path.Join(sessionsDir, string(name)), k.session)
		if err != nil {
			return err
		}
		if part.Session = name; part.Count > 0 || part.Bytes > 0 {
			part.InUse = d.cfg.Sessions.Running(name)
			k.Parts = append(k.Parts, part)
		}
	}
	return nil
}

// measured adds up what a kind has below a folder.
func measured(ctx context.Context, root *os.Root, k kind, folder string, names []string) (protocol.StoredPart, error) {
	var part protocol.StoredPart
	for _, name := range names {
		err := walk(ctx, root, folder, name, func(relative string, info fs.FileInfo) (bool, error) {
			if !k.has(relative) {
				return info.IsDir() && relative == profile || info.IsDir() && within(relative) == protocol.StoredProfiles, nil
			}
			if k.isEntry(relative, info.IsDir()) {
				part.Count++
			}
			if info.Mode().IsRegular() {
				part.Bytes += info.Size()
				if at := info.ModTime(); part.Oldest == nil || at.Before(*part.Oldest) {
					part.Oldest = &at
				}
			}
			return true, nil
		})
		if err != nil {
			return part, err
		}
	}
	return part, nil
}

// walk calls visit for an entry of a folder and, where visit returns true, for everything
// below. Paths are relative to the folder. What goes away meanwhile is left out, and links
// are not followed.
func walk(ctx context.Context, root *os.Root, folder, relative string, visit func(relative string, info fs.FileInfo) (into bool, err error)) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("reading the stored data: %w", err)
	}
	whole := path.Join(folder, relative)
	info, err := plain(root, whole)
	if err != nil || info == nil {
		return err
	}
	into, err := visit(relative, info)
	if err != nil || !into || !info.IsDir() {
		return err
	}
	dir, err := root.Open(whole)
	if err != nil {
		return gone(whole, err)
	}
	entries, err := dir.ReadDir(-1)
	_ = dir.Close()
	if err != nil {
		return gone(whole, err)
	}
	for _, e := range entries {
		if err := walk(ctx, root, folder, path.Join(relative, e.Name()), visit); err != nil {
			return err
		}
	}
	return nil
}

// plain returns what is at a path; nil when there is nothing, or when a folder on the way
// to it is a link: then it is not ours.
func plain(root *os.Root, whole string) (fs.FileInfo, error) {
	for at := range parents(whole) {
		info, err := root.Lstat(at)
		if err != nil {
			return nil, gone(at, err)
		}
		if at == whole {
			return info, nil
		}
		if !info.IsDir() {
			return nil, nil
		}
	}
	return nil, nil
}

// parents returns the folders on the way to a path, and then the path.
func parents(whole string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i, c := range whole {
			if c == '/' && !yield(whole[:i]) {
				return
			}
		}
		yield(whole)
	}
}

// gone returns nil for the error of a path that does not exist any more.
func gone(whole string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("reading %s: %w", whole, err)
}

// finish removes what a deletion before left behind because the app ended.
func (d *Data) finish(root *os.Root) {
	if !d.deleting.TryLock() {
		return
	}
	defer d.deleting.Unlock()
	if err := root.RemoveAll(asideDir); err != nil {
		d.log.Warn("deleted data could not be removed", "error", err)
	}
}

// delete deletes a kind of one session, or of all. It returns how many bytes that was.
func (d *Data) delete(ctx context.Context, root *os.Root, k kind, req protocol.StoredRequest) (freed int64, err error) {
	d.deleting.Lock()
	defer d.deleting.Unlock()
	if err := d.measure(ctx, root, &k); err != nil {
		return 0, err
	}
	parts := k.Parts[:0:0]
	for _, part := range k.Parts {
		if k.app != nil || req.Session == "" || part.Session == req.Session {
			parts = append(parts, part)
		}
	}
	switch {
	case req.Session == "":
	case k.app != nil:
		return 0, protocol.NewError(protocol.CodeBadArgument, k.Title+" do not belong to a session", "leave the session out")
	case !slices.Contains(d.cfg.Sessions.Names(), req.Session):
		return 0, protocol.NewError(protocol.CodeUnknownSession, "there is no session "+quote(string(req.Session)), "`pilotfish status` lists the sessions")
	}
	for _, part := range parts { // before anything is deleted
		if part.InUse && !req.Stop {
			return 0, inUse(part.Session)
		}
	}
	aside := path.Join(asideDir, strings.ToLower(rand.Text()))
	if err := root.Mkdir(asideDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return 0, fmt.Errorf("making the folder for deleted data: %w", err)
	}
	if info, err := root.Lstat(asideDir); err != nil || !info.IsDir() {
		return 0, protocol.NewError(protocol.CodeNotWritable, asideDir+" in the folder of the state is not a folder", "move it away")
	}
	if err := root.Mkdir(aside, 0o700); err != nil {
		return 0, fmt.Errorf("making the folder for deleted data: %w", err)
	}
	for _, part := range parts {
		if err = d.deletePart(ctx, root, k, part, aside, req.Stop); err != nil {
			break
		}
	}
	// What was moved aside is gone for the app; so it is counted and removed even if ctx has
	// ended.
	freed = moved(context.WithoutCancel(ctx), root, aside)
	if removed := root.RemoveAll(asideDir); removed != nil {
		err = cmp.Or(err, fmt.Errorf("removing the deleted data: %w", removed))
	}
	d.log.Info("stored data was deleted", "kind", k.Kind, "bytes", freed)
	return freed, err
}

// moved returns how many bytes were moved aside: of a profile, more than it was measured
// with; of the logs, less.
func moved(ctx context.Context, root *os.Root, aside string) (bytes int64) {
	// What cannot be read is not counted: the number is only shown.
	_ = walk(ctx, root, "", aside, func(_ string, info fs.FileInfo) (bool, error) {
		if info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return true, nil
	})
	return bytes
}

func inUse(name protocol.SessionName) error {
	return protocol.NewError(protocol.CodeBusy, fmt.Sprintf("session %s is running and uses this data", name), "stop it first, or let it be stopped and started again")
}

// deletePart deletes what one session has of a kind.
func (d *Data) deletePart(ctx context.Context, root *os.Root, k kind, part protocol.StoredPart, aside string, stop bool) error {
	if k.app != nil {
		return moveLogs(ctx, root, k, aside)
	}
	restart := false
	// The caller may leave meanwhile. A session that began to stop is started again all the
	// same.
	whole := context.WithoutCancel(ctx)
	if stop && d.cfg.Sessions.Running(part.Session) {
		if err := d.cfg.Sessions.Stop(whole, part.Session); err != nil {
			return err
		}
		restart = true
	}
	folder := path.Join(sessionsDir, string(part.Session))
	err := d.cfg.Sessions.WhileStopped(part.Session, func() error {
		for _, name := range k.session {
			if err := move(ctx, root, k, folder, name, path.Join(aside, string(part.Session))); err != nil {
				return err
			}
		}
		return nil
	})
	if restart {
		err = errors.Join(err, d.cfg.Sessions.Start(whole, part.Session))
	}
	return err
}

// move moves an entry of a session aside, or what a kind has below it. A profile is moved
// as a whole: what else is in it belongs to it.
func move(ctx context.Context, root *os.Root, k kind, folder, name, aside string) error {
	return walk(ctx, root, folder, name, func(relative string, info fs.FileInfo) (bool, error) {
		if !k.has(relative) {
			return info.IsDir() && within(relative) != protocol.StoredCaches && within(relative) != protocol.StoredSignIns, nil
		}
		// A random name: names of two folders may be the same.
		if err := root.MkdirAll(aside, 0o700); err != nil {
			return false, fmt.Errorf("making the folder for deleted data: %w", err)
		}
		if err := root.Rename(path.Join(folder, relative), path.Join(aside, strings.ToLower(rand.Text()))); err != nil {
			return false, fmt.Errorf("moving %s aside: %w", relative, err)
		}
		return false, nil
	})
}

// moveLogs moves the logs aside, except the one that the app writes.
func moveLogs(ctx context.Context, root *os.Root, k kind, aside string) error {
	for _, name := range k.app {
		err := walk(ctx, root, "", name, func(relative string, info fs.FileInfo) (bool, error) {
			if info.IsDir() || strings.HasSuffix(relative, ".log") {
				return info.IsDir(), nil
			}
			if err := root.Rename(relative, path.Join(aside, path.Base(relative))); err != nil {
				return false, fmt.Errorf("moving %s aside: %w", relative, err)
			}
			return false, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Operations are what the user does with stored data in the window and on the command line.
func (d *Data) Operations() []op.Operation {
	return []op.Operation{
		op.New("Stored", func(ctx context.Context, _ op.Call, req protocol.StoredRequest) (protocol.StoredReply, error) {
			return d.Do(ctx, req)
		}).At(op.Route{Path: "/stored", Capability: auth.CapabilityApp, Window: true, About: "What is stored, by kind, with its size: measure it, or delete some."}),
	}
}
