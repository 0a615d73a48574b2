package session

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
	"pilotfish/backend/trust"
)

// folderWait is how long the question about a folder waits in a terminal. Nothing
// but the agent waits for it.
const folderWait = 24 * time.Hour

// folders decides whether an agent may start in the folder that the user chose. A
// folder with settings that an agent would use is asked about, once.
type folders struct {
	store *trust.Store
	// one is a lock: one question at a time, because its answer may answer the next.
	one chan struct{}

	mu sync.Mutex
	// denied has the folders that the user did not want in this run of the app.
	denied map[string]trust.Folder
}

func newFolders(store *trust.Store) *folders {
	return &folders{store: store, one: make(chan struct{}, 1), denied: map[string]trust.Folder{}}
}

// asked says whether the user has to be asked about a folder, and if not, whether an
// agent may start in it.
func (fs *folders) asked(f trust.Folder) (ask, may bool) {
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

func (fs *folders) deny(f trust.Folder) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.denied[f.Path] = f
}

// look finds the settings for agents in a folder.
func look(dir string) (trust.Folder, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then none of the settings are known to be the user's own
	}
	f, err := trust.Look(dir, home)
	if err != nil {
		return f, protocol.NewError(protocol.CodeBadArgument, "the settings for agents in the working folder cannot be read: "+err.Error(),
			"make them readable, or choose another working folder in Settings")
	}
	return f, nil
}

// mayStart reports whether an agent may start in a folder, and asks the user where
// that is not known yet.
func (fs *folders) mayStart(ctx context.Context, broker *policy.Broker, actor protocol.Actor, tab protocol.TabID, dir string) (bool, error) {
	select {
	case fs.one <- struct{}{}:
		defer func() { <-fs.one }()
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	for {
		f, err := look(dir)
		if err != nil {
			return false, err
		}
		ask, may := fs.asked(f)
		if !ask {
			return may, nil
		}
		answer, err := broker.Ask(ctx, folderQuestion(actor, tab, f))
		if err != nil {
			return false, err
		}
		if answer == protocol.AnswerDeny {
			fs.deny(f)
			return false, nil
		}
		// The answer is for what the user was shown.
		if now, err := look(dir); err != nil || !now.Same(f) {
			continue
		}
		if answer == protocol.AnswerAlways {
			return true, fs.store.Trust(f)
		}
		return true, nil
	}
}

// folderQuestion asks whether an agent may use the settings in a folder.
func folderQuestion(actor protocol.Actor, tab protocol.TabID, f trust.Folder) protocol.Approval {
	return protocol.Approval{
		Actor: actor, Tab: tab, Command: question.Trust, Kind: protocol.ActionSensitive,
		Args: []protocol.ApprovalArg{
			{Name: "folder", Value: f.Path},
			{Name: "settings", Value: strings.Join(f.Files, "\n")},
		},
		Options: []protocol.PermissionOption{
			{ID: "always", Name: "Trust this folder", Kind: protocol.AnswerAlways},
			{ID: "deny", Name: "Deny", Kind: protocol.AnswerDeny},
		},
	}
}

// readsSettings reports whether agents of a kind read settings in their folder. A
// shell and Pilot do not.
func readsSettings(kind protocol.AgentKind) bool {
	return kind != protocol.AgentShell && kind != protocol.AgentPilot
}

// folder returns the launch of a conversation's agent in the folder in which it may
// start.
func (c conversations) folder(ctx context.Context, actor protocol.Actor, tab protocol.TabID, launch driver.Launch) (driver.Launch, error) {
	chosen, own := c.s.m.cfg.Settings.Get().WorkDir, ""
	if r := c.s.running(); r != nil {
		own = r.workDir
	}
	if launch.Path == "" || !readsSettings(launch.Kind) || chosen == "" || launch.Dir != chosen || own == "" {
		return launch, nil
	}
	if actor.Agent == "" {
		actor.Agent = launch.Name
	}
	may, err := c.s.m.folders.mayStart(ctx, c.s.approvals.Broker(), actor, tab, chosen)
	if err != nil || may {
		return launch, err // of the user's silence, too: then the agent does not start
	}
	if err := os.MkdirAll(own, 0o700); err != nil {
		return launch, protocol.NewError(protocol.CodeNotWritable, "the agents' folder cannot be made: "+err.Error(), "")
	}
	launch.Dir = own
	launch.Env = slices.Clone(launch.Env)
	for i, v := range launch.Env {
		if strings.HasPrefix(v, "PWD=") {
			launch.Env[i] = "PWD=" + own
		}
	}
	return launch, nil
}
