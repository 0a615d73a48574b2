package trust

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
)

// Folders decides whether an agent may start in the folder that the user chose. A
// folder with settings that an agent would use is asked about, once.
type Folders struct {
	store *Store
	// one is a lock: one question at a time, because its answer may answer the next.
	one chan struct{}

	mu sync.Mutex
	// denied has the folders that the user did not want in this run of the app.
	denied map[string]Folder
}

// NewFolders returns Folders that keep in store what the user trusts.
func NewFolders(store *Store) *Folders {
	return &Folders{store: store, one: make(chan struct{}, 1), denied: map[string]Folder{}}
}

// Asked says whether the user has to be asked about a folder, and if not, whether an
// agent may start in it.
func (fs *Folders) Asked(f Folder) (ask, may bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	switch {
	case len(f.Files) == 0 || fs.store.Trusts(f):
		return false, true
	case fs.denied[f.Path].Same(f):
		return false, false
	}
	return true, false
}

func (fs *Folders) deny(f Folder) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.denied[f.Path] = f
}

// In finds the settings for agents in a folder.
func In(dir string) (Folder, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then none of the settings are known to be the user's own
	}
	f, err := Look(dir, home)
	if err != nil {
		return f, protocol.NewError(protocol.CodeBadArgument, "the settings for agents in the working folder cannot be read: "+err.Error(),
			"make them readable, or choose another working folder in Settings")
	}
	return f, nil
}

// MayStart reports whether an agent may start in a folder, and asks the user where
// that is not known yet.
func (fs *Folders) MayStart(ctx context.Context, user question.Asker, actor protocol.Actor, tab protocol.TabID, dir string) (bool, error) {
	return fs.May(ctx, user, func() (Folder, error) { return In(dir) }, func(f Folder) protocol.Approval { return folderQuestion(actor, tab, f) })
}

// May reports whether the user trusts what look finds, and asks where that is not known
// yet. What was found last is what the user trusts.
func (fs *Folders) May(ctx context.Context, user question.Asker, look func() (Folder, error), question func(Folder) protocol.Approval) (bool, error) {
	select {
	case fs.one <- struct{}{}:
		defer func() { <-fs.one }()
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	for {
		f, err := look()
		if err != nil {
			return false, err
		}
		ask, may := fs.Asked(f)
		if !ask {
			return may, nil
		}
		answer, err := user.Ask(ctx, question(f))
		if err != nil {
			return false, err
		}
		if answer == protocol.AnswerDeny {
			fs.deny(f)
			return false, nil
		}
		// The answer is for what the user was shown.
		if now, err := look(); err != nil || !now.Same(f) {
			continue
		}
		if answer == protocol.AnswerAlways {
			return true, fs.store.Trust(f)
		}
		return true, nil
	}
}

// Nobody is the question.Asker of an app without a window: it refuses each folder with settings
// that are not trusted yet, and names the command by which the user trusts them.
type Nobody struct{}

// Ask implements question.Asker.
func (Nobody) Ask(_ context.Context, q protocol.Approval) (protocol.ApprovalAnswer, error) {
	at := slices.IndexFunc(q.Args, func(a protocol.ApprovalArg) bool { return a.Name == argFolder })
	folder := q.Args[at].Value
	return "", protocol.NewError(protocol.CodeRefused, "the settings for agents in "+folder+" are not trusted, and there is no window in which you could be asked", "",
		protocol.Try("shows their files and asks you", "trust", folder, "--agents"))
}

// argFolder is the argument of the question that has the folder.
const argFolder = "folder"

// folderQuestion asks whether an agent may use the settings in a folder.
func folderQuestion(actor protocol.Actor, tab protocol.TabID, f Folder) protocol.Approval {
	return protocol.Approval{
		Actor: actor, Tab: tab, Command: protocol.TrustQuestion, Kind: protocol.ActionSensitive,
		Args: []protocol.ApprovalArg{
			{Name: argFolder, Value: f.Path},
			{Name: "settings", Value: strings.Join(f.Files, "\n")},
		},
		Options: []protocol.PermissionOption{
			{ID: "always", Name: "Trust this folder", Kind: protocol.AnswerAlways},
			{ID: "deny", Name: "Deny", Kind: protocol.AnswerDeny},
		},
	}
}
