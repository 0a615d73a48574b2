package update

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// earlier is how the name of a program of the version before ends.
const earlier = ".before"

// startLimit is how long a new program may take to say its version.
const startLimit = 30 * time.Second

// programs are the programs of an archive.
func programs(system string) []string {
	if system == "windows" {
		return []string{"pilotfish-service.exe", "pilotfish.exe"}
	}
	return []string{"pilotfish-service", "pilotfish"}
}

// Install loads the archive of a release that Check found, verifies it, and puts its
// programs into the folder. Until everything was verified, the folder's programs are as
// they were. Restore takes it back.
func (s Source) Install(ctx context.Context, m Manifest, folder string) error {
	a, err := m.archive(s.OS, s.Arch)
	if err != nil {
		return err
	}
	base, err := address(s.Address)
	if err != nil {
		return err
	}
	to, err := base.Parse(a.URL)
	if err == nil {
		to, err = address(to.String())
	}
	if err != nil {
		return protocol.NewError(protocol.CodeRefused, "the update's manifest names an archive at an address that is not allowed", "nothing was changed; install the new version by hand")
	}
	// Beside the programs, because a rename does not work across file systems.
	stage, err := os.MkdirTemp(folder, ".pilotfish-update-*")
	if err != nil {
		return notWritable(folder, err)
	}
	defer func() { _ = os.RemoveAll(stage) }() // what is left over is in nobody's way
	body, err := s.open(ctx, to)
	if err != nil {
		return err
	}
	defer body.Close()
	packed := filepath.Join(stage, "archive")
	if err := save(packed, body, a); err != nil {
		return err
	}
	if err := unpack(packed, stage, programs(s.OS)); err != nil {
		return err
	}
	if err := s.try(ctx, stage, m.Release); err != nil {
		return err
	}
	return swap(stage, folder, programs(s.OS))
}

func notWritable(where string, err error) error {
	return journal.NotWritable(where, err, "; nothing was changed")
}

// save writes the archive and compares it with the manifest.
func save(to string, body io.Reader, a Archive) error {
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return notWritable(to, err)
	}
	sum := sha256.New()
	source := &counted{r: io.LimitReader(body, a.Size+1)}
	_, err = io.Copy(io.MultiWriter(file, sum), source)
	if source.err != nil {
		_ = file.Close() // it is thrown away
		return protocol.NewError(protocol.CodeNavigation, "the archive did not come whole: "+source.err.Error(), "nothing was changed; try again")
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return notWritable(to, err)
	}
	if source.n != a.Size {
		return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("the archive has not the %d bytes that the manifest says", a.Size), "nothing was changed; try again")
	}
	if hex.EncodeToString(sum.Sum(nil)) != a.SHA256 {
		return protocol.NewError(protocol.CodeRefused, "the archive's checksum is not the one in the manifest", "nothing was changed; somebody changed the archive, or it was damaged on its way")
	}
	return nil
}

// counted tells an error of the source from one of the disk.
type counted struct {
	r   io.Reader
	n   int64
	err error
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// unpack takes the programs out of an archive, and nothing else.
func unpack(packed, stage string, names []string) error {
	unreadable := func(err error) error {
		return protocol.NewError(protocol.CodeRefused, "the archive is signed, but it cannot be unpacked: "+err.Error(), "nothing was changed; install the new version by hand")
	}
	file, err := os.Open(packed)
	if err != nil {
		return unreadable(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return unreadable(err)
	}
	found := 0
	for entries := tar.NewReader(unzipped); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return unreadable(err)
		}
		name := path.Base(entry.Name)
		if entry.Typeflag != tar.TypeReg || !slices.Contains(names, name) {
			continue
		}
		if entry.Size > maxProgram {
			return unreadable(fmt.Errorf("%s is too large", name))
		}
		to := filepath.Join(stage, name)
		out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755) //nolint:gosec // a program
		if err != nil {
			return notWritable(to, err)
		}
		_, err = io.CopyN(out, entries, entry.Size)
		if err == nil {
			err = out.Sync()
		}
		if err = errors.Join(err, out.Close()); err != nil {
			return notWritable(to, err)
		}
		found++
	}
	if found != len(names) {
		return unreadable(errors.New("a program is missing in it"))
	}
	return nil
}

// try starts the new command line: a program that does not run here, or is another
// version than the manifest says, does not replace one that runs.
func (s Source) try(ctx context.Context, stage, release string) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	names := programs(s.OS)
	said, err := exec.CommandContext(ctx, filepath.Join(stage, names[len(names)-1]), "version", "--json").Output()
	var about struct {
		Version string `json:"version"`
	}
	if err == nil {
		err = json.Unmarshal(said, &about)
	}
	if err == nil && about.Version != release {
		err = fmt.Errorf("it says that it is %q", about.Version)
	}
	if err != nil {
		return protocol.NewError(protocol.CodeRefused, "the new version does not start on this machine: "+err.Error(), "nothing was changed; install it by hand")
	}
	return nil
}

// swap puts the programs of one folder in the place of another's. When one fails, those
// before it are taken back. What runs goes on with its own file.
func swap(stage, folder string, names []string) error {
	var done []string
	for _, name := range names {
		old := filepath.Join(folder, name)
		err := renew(filepath.Join(stage, name), old)
		if err != nil {
			for _, name := range done {
				path := filepath.Join(folder, name)
				err = errors.Join(err, os.Rename(path+earlier, path))
			}
			return notWritable(old, err)
		}
		done = append(done, name)
	}
	return nil
}

// renew puts a program in the place of the old one, which it keeps. Where a file can have
// two names, the place is never empty, so that a crash leaves a program there. Windows does
// not replace a program that runs, but it renames one.
func renew(program, old string) error {
	if err := os.Remove(old + earlier); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if runtime.GOOS != "windows" && os.Link(old, old+earlier) == nil {
		err := os.Rename(program, old)
		if err != nil {
			err = errors.Join(err, os.Remove(old+earlier))
		}
		return err
	}
	if err := os.Rename(old, old+earlier); err != nil {
		return err
	}
	err := os.Rename(program, old)
	if err != nil {
		err = errors.Join(err, os.Rename(old+earlier, old))
	}
	return err
}

// Restore puts the version before the last Install back. It is also a way forward again:
// the two change places.
func Restore(folder, system string) error {
	names := programs(system)
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(folder, name+earlier)); errors.Is(err, fs.ErrNotExist) {
			return protocol.NewError(protocol.CodeBadArgument, "there is no version before this one in "+folder, "only an update keeps one")
		}
	}
	stage, err := os.MkdirTemp(folder, ".pilotfish-update-*")
	if err != nil {
		return notWritable(folder, err)
	}
	defer func() { _ = os.RemoveAll(stage) }() // what is left over is in nobody's way
	for i, name := range names {
		if err := os.Rename(filepath.Join(folder, name+earlier), filepath.Join(stage, name)); err != nil {
			for _, moved := range names[:i] {
				err = errors.Join(err, os.Rename(filepath.Join(stage, moved), filepath.Join(folder, moved+earlier)))
			}
			return notWritable(folder, err)
		}
	}
	return swap(stage, folder, names)
}

// Way is how this Pilotfish was installed.
type Way string

// The ways. Only a plain folder is changed by Install; what installed the others renews them.
const (
	ByDeb    Way = "deb"
	ByRPM    Way = "rpm"
	ByNPM    Way = "npm"
	ByClone  Way = "clone"
	ByFolder Way = "archive"
)

// WayOf returns how the programs in a folder came there. owned reports whether a command
// such as `dpkg-query -S FILE` knows the file.
func WayOf(folder string, owned func(command ...string) bool) Way {
	switch {
	case owned("dpkg-query", "-S", filepath.Join(folder, "pilotfish")):
		return ByDeb
	case owned("rpm", "-qf", filepath.Join(folder, "pilotfish")):
		return ByRPM
	case slices.Contains(strings.Split(filepath.ToSlash(folder), "/"), "node_modules"):
		return ByNPM
	}
	if top, err := os.ReadFile(filepath.Join(folder, "..", "..", "go.mod")); err == nil && strings.HasPrefix(string(top), "module pilotfish\n") {
		return ByClone
	}
	return ByFolder
}
