package storeddata

import (
	"path"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// kind is one kind of data: its words, and where it is.
type kind struct {
	protocol.StoredData

	// session are the files and folders of a session that have it, app those of the app;
	// both relative to the session's folder, or to that of the state.
	session, app []string
	// counted is the folder whose entries are counted; empty: files are counted.
	counted string
}

// profile is the folder of a session's browser profile.
const profile = "profile"

// kinds returns every kind, in the order in which they are shown.
func kinds() []kind {
	of := func(id protocol.StoredKind, title, about, loss string, session ...string) kind {
		return kind{StoredData: protocol.StoredData{Kind: id, Title: title, About: about, Loss: loss, Unit: protocol.StoredUnitFile, Parts: []protocol.StoredPart{}}, session: session}
	}
	counted := func(k kind, unit protocol.StoredUnit, folder string) kind {
		k.Unit, k.counted = unit, folder
		return k
	}
	logs := of(protocol.StoredLogs, "Logs of the app", "What the app did and what went wrong, to find the cause of a problem.",
		"The older log files. The one that is being written stays.")
	logs.app = []string{"logs"}
	return []kind{
		of(protocol.StoredProfiles, "Browser profiles", "History, bookmarks, extensions and settings of the sessions' browsers, and their open tabs.",
			"The whole profile: history, bookmarks, extensions and open tabs, and with them all sign-ins and caches. The browser starts like a new one.", profile, "session.json"),
		of(protocol.StoredSignIns, "Sign-ins and site data", "Cookies, saved passwords, what sites stored, and states that you saved.",
			"You are signed out of every site, and passwords that the browser saved and saved states are gone.", profile, "signins.json", "states"),
		of(protocol.StoredCaches, "Caches", "Copies of what sites sent, so that pages load faster.",
			"Nothing that cannot be loaded again. Pages load slower at first.", profile),
		counted(of(protocol.StoredConversations, "Conversations", "What you and the agents of Chat said, with pictures and files.",
			"All conversations, their pictures and their files.", "chat", "attachments"), protocol.StoredUnitConversation, "chat"),
		counted(of(protocol.StoredTasks, "Tasks", "Each step of the tasks that were carried out, with pictures.",
			"The history of all tasks. Routines stay.", "tasks"), protocol.StoredUnitTask, "tasks"),
		counted(of(protocol.StoredRoutines, "Routines", "Steps that you recorded or saved, to be run again.",
			"All routines. Schedules that run one of them fail.", "routines"), protocol.StoredUnitRoutine, "routines"),
		of(protocol.StoredActivity, "Activity", "Who did what in the browser, with small screenshots.",
			"The record of what you and agents did, and its screenshots.", "activity", "moments"),
		of(protocol.StoredFiles, "Saved files", "Downloads, screenshots, recordings, traces and what else commands saved.",
			"Every download and screenshot that was not moved elsewhere. Messages and tasks no longer show them.", "downloads", "screenshots", "recordings", "network", "har", "traces"),
		of(protocol.StoredWork, "Agents' folders", "What agents wrote into the folder that they start in, unless Settings name another.",
			"Everything that agents wrote there.", "work"),
		logs,
	}
}

// find returns a kind by its id.
func find(id protocol.StoredKind) (kind, error) {
	all := kinds()
	if i := slices.IndexFunc(all, func(k kind) bool { return k.Kind == id }); i >= 0 {
		return all[i], nil
	}
	ids := make([]string, len(all))
	for i, k := range all {
		ids[i] = string(k.Kind)
	}
	return kind{}, protocol.NewError(protocol.CodeBadArgument, "there is no stored data of the kind "+quote(string(id)), "known are "+strings.Join(ids, ", "))
}

// caches are the folders of a profile that the browser fills again by itself.
func caches() []string {
	return []string{
		"Cache", "Code Cache", "GPUCache", "DawnCache", "DawnGraphiteCache", "DawnWebGPUCache", "GrShaderCache", "GraphiteDawnCache", "ShaderCache",
		"component_crx_cache", "extensions_crx_cache", "optimization_guide_model_store",
	}
}

// signIns are the files and folders of a profile by which sites know their user.
func signIns() []string {
	return []string{
		"Cookies", "Cookies-journal", "Network", "Login Data", "Login Data-journal", "Login Data For Account", "Login Data For Account-journal",
		"Local Storage", "Session Storage", "IndexedDB", "Service Worker", "File System", "WebStorage", "databases", "Extension Cookies", "Extension Cookies-journal",
	}
}

// deepest is how far below the profile's folder the entries of caches and signIns are.
const deepest = 2

// within returns the kind of an entry of a session: of one below the profile, by its name.
// Other entries have the kind that names them.
func within(relative string) protocol.StoredKind {
	below, is := strings.CutPrefix(relative, profile+"/")
	if !is {
		return ""
	}
	for depth, at := 1, below; depth <= deepest; depth++ {
		name, rest, more := strings.Cut(at, "/")
		switch {
		case slices.Contains(caches(), name):
			return protocol.StoredCaches
		case depth > 1 && slices.Contains(signIns(), name):
			return protocol.StoredSignIns
		case !more:
			return protocol.StoredProfiles
		}
		at = rest
	}
	return protocol.StoredProfiles
}

// has reports whether a kind has an entry of a session.
func (k kind) has(relative string) bool {
	if of := within(relative); of != "" {
		return of == k.Kind
	}
	return relative != profile || k.Kind == protocol.StoredProfiles
}

// isEntry reports whether an entry is one of those that are counted.
func (k kind) isEntry(relative string, dir bool) bool {
	if k.counted == "" {
		return !dir
	}
	return path.Dir(relative) == k.counted
}
