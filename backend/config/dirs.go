package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// Dirs are the app's own folders.
type Dirs struct {
	// Config holds the settings, State everything else.
	Config, State string
	// Passing is the folder that contains both when this run keeps nothing; empty for
	// permanent folders.
	Passing string
}

// UserDirs returns the folders by the system's convention: XDG on Linux, Application
// Support on macOS, AppData on Windows. If protocol.EnvHome is set, they are all in
// that folder.
func UserDirs(getenv func(string) string) (Dirs, error) {
	if home := getenv(protocol.EnvHome); home != "" {
		home, err := filepath.Abs(home)
		if err != nil {
			return Dirs{}, fmt.Errorf("reading %s: %w", protocol.EnvHome, err)
		}
		return Dirs{Config: filepath.Join(home, "config"), State: filepath.Join(home, "state")}, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return Dirs{}, protocol.NewError(protocol.CodeNotWritable, "your home folder is not known", "set HOME, or "+protocol.EnvHome)
	}
	// or returns the value of a variable if it is absolute, as the XDG specification
	// requires, and else a folder below the home folder.
	or := func(name string, below ...string) string {
		if dir := getenv(name); filepath.IsAbs(dir) {
			return dir
		}
		return filepath.Join(append([]string{home}, below...)...)
	}
	switch runtime.GOOS {
	case "darwin":
		base := filepath.Join(home, "Library", "Application Support", "Pilotfish")
		return Dirs{Config: base, State: filepath.Join(base, "State")}, nil
	case "windows":
		return Dirs{
			Config: filepath.Join(or("APPDATA", "AppData", "Roaming"), "Pilotfish"),
			State:  filepath.Join(or("LOCALAPPDATA", "AppData", "Local"), "Pilotfish"),
		}, nil
	default:
		return Dirs{
			Config: filepath.Join(or("XDG_CONFIG_HOME", ".config"), "pilotfish"),
			State:  filepath.Join(or("XDG_STATE_HOME", ".local", "state"), "pilotfish"),
		}, nil
	}
}

// SettingsFile is the path of the settings file.
func (d Dirs) SettingsFile() string { return filepath.Join(d.Config, "settings.toml") }

// ModelsFile is the path of the file of model profiles. It contains no keys.
func (d Dirs) ModelsFile() string { return filepath.Join(d.Config, "models.json") }

// SecretsFile has the names and origins of the user's secrets. It contains no values.
func (d Dirs) SecretsFile() string { return filepath.Join(d.Config, "secrets.json") }

// SchedulesFile has the schedules, and their last runs.
func (d Dirs) SchedulesFile() string { return filepath.Join(d.State, "schedules.json") }

// ServersFile is the path of the file of the user's own MCP servers. It may contain
// secrets.
func (d Dirs) ServersFile() string { return filepath.Join(d.Config, "mcp-servers.json") }

// ServerSecretsFile has which credentials of the user's own MCP servers are kept. It
// contains no values.
func (d Dirs) ServerSecretsFile() string { return filepath.Join(d.Config, "mcp-server-secrets.json") }

// TrustFile has the folders whose settings for agents the user trusts.
func (d Dirs) TrustFile() string { return filepath.Join(d.State, "trust.json") }

// EndpointFile is the file by which the command line finds the running app.
func (d Dirs) EndpointFile() string { return filepath.Join(d.State, "pilotfish.json") }

// LockFile is locked by the one running app.
func (d Dirs) LockFile() string { return filepath.Join(d.State, "lock") }

// LogDir is the folder of the logs.
func (d Dirs) LogDir() string { return filepath.Join(d.State, "logs") }

// ProcessDir holds the records of running processes, by which the next start finds
// what a crash left behind.
func (d Dirs) ProcessDir() string { return filepath.Join(d.State, "processes") }

// TrayDir holds the files of the tray's icon.
func (d Dirs) TrayDir() string { return filepath.Join(d.State, "tray") }

// maxTemporary is the longest path of TemporaryDir: the path of a socket has at most 107
// bytes on Linux, of which a browser needs 46, and its own folder 12.
const maxTemporary = 107 - 46 - 12

// TemporaryDir holds the temporary folders of running browsers, with the sockets by which
// they take orders. Where the state's path is too long for a socket, it is in the system's
// temporary folder.
func (d Dirs) TemporaryDir() string {
	dir := filepath.Join(d.State, "tmp")
	if len(dir) <= maxTemporary || runtime.GOOS == "windows" {
		return dir
	}
	sum := sha256.Sum256([]byte(d.State))
	return filepath.Join(os.TempDir(), fmt.Sprintf("pilotfish-%d-%s", os.Getuid(), hex.EncodeToString(sum[:6])))
}

// EmptyTemporary removes what browsers of an earlier run left in TemporaryDir.
func (d Dirs) EmptyTemporary() error {
	dir := d.TemporaryDir()
	if err := ownFolder(dir); err != nil {
		return err
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("reading %s: %w", dir, err)
	}
	for _, one := range left {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, one.Name())))
	}
	return err
}

func (d Dirs) sessionsDir() string { return filepath.Join(d.State, "sessions") }

// Prepare creates the folders that every start needs. It returns CodeNotWritable,
// with what to do, when one cannot be used, because it cannot be written or because
// other users have access to it.
func (d Dirs) Prepare() error {
	for _, dir := range []string{d.Passing, d.Config, d.State, d.LogDir(), d.ProcessDir(), d.TrayDir(), d.TemporaryDir(), d.sessionsDir()} {
		if dir == "" {
			continue
		}
		if err := ownFolder(dir); err != nil {
			return err
		}
	}
	if err := probeWritable(d.Config); err != nil {
		return err
	}
	return probeWritable(d.State)
}

// SessionDirs are the folders and files of one session.
type SessionDirs struct {
	Root string
	// Agent is the only folder that the session's agents receive: it holds tabs.json
	// and active-tab.json.
	Agent string
	// Work is where agents start, unless the settings name a folder.
	Work        string
	Profile     string
	Downloads   string
	Screenshots string
	// Uploads has copies of the files that agents gave to pages. Confined agents do not see it.
	Uploads string
	// Attachments holds the files of conversations: attachments of prompts, and
	// images from agents.
	Attachments string
	Extension   string
	// Memory is session.json, the saved state of the session.
	Memory string
}

// Of returns the folders of a session, and makes none. They are within State, which
// Prepare has checked.
func (d Dirs) Of(name protocol.SessionName) SessionDirs {
	root := filepath.Join(d.sessionsDir(), string(name))
	return SessionDirs{
		Root: root, Agent: filepath.Join(root, "agent"), Work: filepath.Join(root, "work"),
		Profile: filepath.Join(root, "profile"), Downloads: filepath.Join(root, "downloads"),
		Screenshots: filepath.Join(root, "screenshots"), Uploads: filepath.Join(root, "uploads"), Attachments: filepath.Join(root, "attachments"), Extension: filepath.Join(root, "extension"),
		Memory: filepath.Join(root, "session.json"),
	}
}

// Session creates the folders of a session and returns them.
func (d Dirs) Session(name protocol.SessionName) (SessionDirs, error) {
	if _, err := protocol.ParseSessionName(string(name)); err != nil {
		return SessionDirs{}, err
	}
	s := d.Of(name)
	for _, dir := range []string{d.State, d.TemporaryDir(), d.sessionsDir(), s.Root, s.Agent, s.Work, s.Profile, s.Downloads, s.Screenshots, s.Attachments, s.Extension} {
		if err := ownFolder(dir); err != nil {
			return SessionDirs{}, err
		}
	}
	return s, nil
}

// Hidden returns the folders that a confined program does not see: everything of
// Pilotfish's, and the profile folder of Settings.
func (d Dirs) Hidden(settings protocol.Settings) []string {
	hidden := []string{d.Config, d.State}
	if dir := d.TemporaryDir(); filepath.Dir(dir) != d.State {
		hidden = append(hidden, dir)
	}
	if settings.ProfileDir != "" {
		hidden = append(hidden, settings.ProfileDir)
	}
	return hidden
}

// ForAgents returns the folders of the session that a confined agent sees all the
// same. Commands answer with paths in those for reading, and prompts name files in
// Attachments.
func (s SessionDirs) ForAgents() (writable, readOnly []string) {
	return []string{s.Agent, s.Work}, []string{s.Screenshots, s.Downloads, s.Attachments}
}

// Sessions lists the sessions that have a folder.
func (d Dirs) Sessions() ([]protocol.SessionName, error) {
	entries, err := os.ReadDir(d.sessionsDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", d.sessionsDir(), err)
	}
	var names []protocol.SessionName
	for _, e := range entries {
		if name, err := protocol.ParseSessionName(e.Name()); err == nil && e.IsDir() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// RemoveSession removes everything that a session has on disk.
func (d Dirs) RemoveSession(name protocol.SessionName) error {
	if _, err := protocol.ParseSessionName(string(name)); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(d.sessionsDir(), string(name))); err != nil {
		return fmt.Errorf("removing session %s: %w", name, err)
	}
	return nil
}

// ownFolder creates a folder with mode 0700, or checks that an existing one belongs
// only to us. A symlink or another user's folder, created before the first start,
// would give that user our tokens.
func ownFolder(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return notWritable(dir, err)
		}
		info, err = os.Lstat(dir)
	}
	if err != nil {
		return notWritable(dir, err)
	}
	if err := foreign(dir, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a folder must be entered
			return notWritable(dir, err)
		}
	}
	return nil
}

// Foreign returns why an existing folder cannot be used by the app; nil for one that
// belongs only to us, or that does not exist yet.
func Foreign(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return notWritable(dir, err)
	}
	return foreign(dir, info)
}

func foreign(dir string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return protocol.NewError(protocol.CodeNotWritable, dir+" is a symbolic link", "replace it with a real folder that belongs to you")
	case !info.IsDir():
		return protocol.NewError(protocol.CodeNotWritable, dir+" is not a folder", "move it away")
	case !ownedByUs(info):
		return protocol.NewError(protocol.CodeNotWritable, dir+" belongs to another user", "move it away, or set "+protocol.EnvHome+" to a folder of yours")
	}
	return nil
}

// probeWritable checks now whether files can be written, and not only when data would
// be lost.
func probeWritable(dir string) error {
	f, err := os.CreateTemp(dir, ".probe")
	if err != nil {
		return notWritable(dir, err)
	}
	_ = f.Close() // nothing was written
	if err := os.Remove(f.Name()); err != nil {
		return notWritable(dir, err)
	}
	return nil
}

func notWritable(dir string, err error) error {
	return journal.NotWritable(dir, err, ", or set "+protocol.EnvHome+" to another folder")
}
