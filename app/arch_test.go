package main_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// These tests check the architecture: which folder may import what, and why.

// module is the path of this module.
const module = "pilotfish"

// buildTags are those of the desktop app.
const buildTags = "desktop,production,webkit2_41"

// goFile is one parsed file of the tree.
type goFile struct {
	path string // relative to the top, with slashes
	room string // its folder
	test bool
	fset *token.FileSet
	ast  *ast.File
}

// pos returns the position of a finding, which users can click.
func (f *goFile) pos(p token.Pos) string {
	return f.path + ":" + strconv.Itoa(f.fset.Position(p).Line)
}

// imports returns the paths that the file imports.
func (f *goFile) imports() map[string]token.Pos {
	found := map[string]token.Pos{}
	for _, spec := range f.ast.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil {
			found[name] = spec.Pos()
		}
	}
	return found
}

// tree returns all our Go files, those of other systems included: the rules must
// hold for files that are not compiled here, too.
func tree(t *testing.T) []*goFile {
	t.Helper()
	files, err := parsed()
	if err != nil {
		t.Fatalf("read the tree: %v", err)
	}
	if len(files) < 20 {
		t.Fatalf("only %d Go files found: the test looks in the wrong place", len(files))
	}
	return files
}

// parsed reads the tree once for all tests: parsing it takes seconds.
var parsed = sync.OnceValues(func() (files []*goFile, err error) {
	for _, top := range []string{"app", "backend", "build", "extension", "frontend"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() {
				if slices.Contains([]string{"node_modules", "testdata", "dist", "bin", "cache", "artifacts"}, entry.Name()) {
					return filepath.SkipDir
				}
				return nil
			}
			if !strings.HasSuffix(name, ".go") {
				return nil
			}
			fset := token.NewFileSet()
			parsed, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			relative, err := filepath.Rel("..", name)
			if err != nil {
				return err
			}
			relative = filepath.ToSlash(relative)
			files = append(files, &goFile{
				path: relative, room: path.Dir(relative), test: strings.HasSuffix(name, "_test.go"), fset: fset, ast: parsed,
			})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
})

// within reports whether room is folder or below it.
func within(room, folder string) bool {
	return room == folder || strings.HasPrefix(room, folder+"/")
}

// roomRule says which of our folders a folder may import.
type roomRule struct {
	room   string
	may    []string
	reason string
}

func roomRules() []roomRule {
	const leaf = "a leaf of the backend knows the vocabulary and no neighbour, so that it can be read and tested alone"
	const parts = "a part of a conversation knows neither the conversation nor its agents"
	const drivers = "a driver knows the protocol of its agent, and no conversation"
	const protocol = "backend/protocol"
	rules := []roomRule{
		{protocol, nil, "everything imports protocol: what it imports, everything imports"},
		{"backend/browser", []string{protocol, "backend/engine", "backend/hub", "backend/proc"}, "the browser is driven through its own API; agents, tokens and sessions are not its business"},
		{"backend/browser/attach", []string{protocol, "backend/browser/chromium", "backend/browser/devtools", "backend/peer"}, "a browser of the user is found and asked without knowing tabs; that no program of an agent answers instead is asked of peer"},
		{"backend/browser/devtools", []string{protocol}, "the connection knows the protocol of the browser, and no page, tab or command"},
		{"backend/browser/tabs", []string{protocol}, "the list of tabs gets events, and knows no connection"},
		{"backend/browser/page", []string{protocol, "extension", "backend/browser/devtools"}, "a page knows its frames and how to ask them; operations, tabs and the browser are given to it as functions"},
		{"backend/browser/elements", []string{protocol, "backend/browser/page", "backend/browser/devtools"}, "what finds an element is under the operations, and knows none of them"},
		{"backend/browser/inspect", []string{protocol, "extension", "backend/browser/page", "backend/browser/tabs", "backend/browser/elements", "backend/browser/devtools"}, "operations do not know each other, nor the browser whose pages they read"},
		{"backend/browser/details", []string{protocol, "backend/browser/page", "backend/browser/elements", "backend/browser/devtools", "backend/browser/sourcemaps"}, "operations do not know each other, nor the browser whose pages they read"},
		{"backend/browser/files", []string{protocol, "backend/journal"}, "files that commands make do not depend on what is in them"},
		{"backend/browser/sitedata", []string{protocol, "backend/browser/page", "backend/browser/watch", "backend/browser/devtools", "backend/browser/files", "backend/browser/tabs"}, "operations do not know each other, nor the browser whose pages they read"},
		{"backend/browser/signins", []string{protocol, "backend/proc", "backend/journal", "backend/browser/chromium", "backend/browser/devtools", "backend/browser/localstorage"}, "another browser is read on a copy; the session's own is given to it as an interface"},
		{"backend/browser/localstorage", []string{"backend/browser/devtools"}, "storage is written without knowing where it comes from"},
		{"backend/browser/signins/copies", []string{protocol}, "files of another program are copied without knowing what is in them"},
		{"backend/browser/signins/firefox", []string{protocol, "backend/browser/localstorage", "backend/browser/signins/copies"}, "a profile is read from its files; who asks for it is not its business"},
		{"backend/browser/watch", []string{protocol, "backend/browser/page", "backend/browser/tabs", "backend/browser/devtools"}, "what keeps a tab's watches knows none of them"},
		{"backend/browser/sourcemaps", []string{protocol}, "maps are read without a browser: what loads them is given as a function"},
		{"backend/engine", []string{protocol}, "what a user writes of an engine is checked without a browser"},
		{"backend/browser/remote", []string{protocol, "backend/browser/devtools", "backend/engine"}, "an engine is asked for a browser without knowing tabs"},
		{"backend/browser/observe", []string{protocol, "backend/redact", "backend/browser/page", "backend/browser/tabs", "backend/browser/watch", "backend/browser/devtools", "backend/browser/files", "backend/browser/sourcemaps", "backend/browser/background", "backend/browser/history"}, "reports know where a tab is and what its callers know; the browser and other operations they do not"},
		{"backend/browser/overrides", []string{protocol, "backend/browser/page", "backend/browser/watch", "backend/browser/devtools"}, "operations do not know each other, nor the browser whose pages they read"},
		{"backend/browser/gate", []string{protocol, "backend/browser/page", "backend/browser/tabs", "backend/browser/devtools"}, "operations do not know each other, nor the browser whose pages they read"},
		{"backend/browser/scripts", []string{protocol, "backend/browser/gate", "backend/browser/tabs", "backend/browser/devtools"}, "another program's protocol passes by rules and to tabs that are given to it as interfaces"},
		{"backend/sharing", []string{protocol, "backend/op", "backend/auth", "backend/activity/recorder", "backend/browser", "backend/browser/scripts", "backend/endpoint", "backend/policy", "backend/secret"}, "an address is made and served for one session, whose parts are given to it"},
		{"backend/browser/httpauth", []string{protocol, "backend/browser/devtools"}, "what answers servers knows neither the user nor their secrets: both are given to it as an interface"},
		{"backend/login", []string{protocol, "backend/policy", "backend/browser/httpauth", "backend/hub", "backend/secret"}, "logins are answered without knowing browsers and commands: those are given as an interface"},
		{"backend/browser/focus", []string{"backend/browser/page", "backend/browser/tabs", "backend/browser/devtools"}, "what keeps the focus knows no command that takes it"},
		{"backend/browser/overlay", []string{protocol, "backend/browser/page", "backend/browser/tabs", "backend/browser/watch", "backend/browser/devtools"}, "what is drawn over a page knows no command that acts on it"},
		{"backend/agentsign", []string{protocol}, "where a page says that an agent works is decided without knowing browsers, commands or agents"},
		{"backend/browser/downloads", []string{protocol, "backend/browser/page", "backend/browser/tabs", "backend/browser/devtools", "backend/hub"}, "operations do not know each other, nor the browser whose pages they read"},
		{"backend/browser/background", []string{protocol, "backend/browser/page", "backend/browser/watch", "backend/browser/devtools", "backend/browser/downloads"}, "what reports background events knows no operation"},
		{"backend/browser/input", []string{protocol, "backend/browser/page", "backend/browser/tabs", "backend/browser/watch", "backend/browser/devtools", "backend/browser/overlay", "backend/browser/focus", "backend/browser/background", "backend/browser/downloads", "backend/browser/observe"}, "input knows what lets it pass, where the user types and what an action sets off; the browser it does not"},
		{"backend/browser/capture", []string{protocol, "backend/browser/page", "backend/browser/elements", "backend/browser/tabs", "backend/browser/devtools", "backend/browser/files", "backend/browser/inspect", "backend/browser/overlay", "backend/browser/overrides"}, "screenshots know what covers a page, sets its size and reads its text; the browser and other operations they do not"},
		{"backend/browser/recording", []string{protocol, "backend/browser/page", "backend/browser/tabs", "backend/browser/watch", "backend/browser/devtools", "backend/browser/files", "backend/browser/focus", "backend/browser/history", "backend/browser/capture", "backend/hub"}, "a recording knows where a tab is and how it looks; the browser and other operations it does not"},
		{"backend/browser/live", []string{protocol, "backend/browser/page", "backend/browser/devtools", "backend/browser/input"}, "a live view knows a tab and the keys of a keyboard; the browser and other operations it does not"},
		{"backend/browser/snapshot", []string{protocol, "backend/browser/page", "backend/browser/elements", "backend/browser/background", "backend/browser/overlay"}, "a snapshot knows what marks a page and what happened on it; the browser and other operations it does not"},
		{"backend/browser/wait", []string{protocol, "backend/browser/page", "backend/browser/tabs", "backend/browser/devtools", "backend/browser/downloads", "backend/browser/observe"}, "a wait knows what reports the events of a tab; the browser and other operations it does not"},
		{"backend/browser/measure", []string{protocol, "backend/browser/page", "backend/browser/elements", "backend/browser/devtools", "backend/browser/files"}, "operations do not know each other, nor the browser whose pages they read"},
		{"backend/browser/pick", []string{protocol, "backend/browser/page", "backend/browser/elements", "backend/browser/focus", "backend/browser/snapshot", "backend/browser/devtools"}, "a picker lists what a snapshot shows; the browser and other operations it does not know"},
		{"backend/browser/history", []string{protocol, "backend/browser/page", "backend/browser/focus", "backend/browser/tabs", "backend/browser/devtools"}, "operations do not know each other, nor the browser whose pages they read"},
		{"backend/browser/chromium", []string{protocol, "backend/proc", "backend/journal", "backend/browser/tabs"}, "a browser is found and launched without knowing what is said to it"},
		{"backend/confine", []string{protocol, "backend/proc"}, "what a program does not see is said without knowing what it is"},
		{"backend/terminal", []string{protocol, "backend/proc", "backend/confine", "backend/agent", "backend/hub", "backend/op", "backend/auth"}, "a terminal runs any program; it does not know the browser or the session"},
		{"backend/terminal/screen", nil, "an emulator reads bytes; whose they are is not its business"},
		{"backend/terminal/reader", []string{protocol, "backend/terminal", "backend/terminal/screen"}, "what a terminal shows is said without knowing who asks"},
		{"backend/terminal/vt", []string{protocol}, "bytes of a terminal are read without knowing processes, sockets or viewers"},
		{"backend/terminal/pty", nil, "a pseudo terminal carries bytes both ways; whose they are is not its business"},
		{"backend/chat", []string{protocol, "backend/journal", "backend/op", "backend/auth", "backend/policy", "backend/hub", "backend/opentabs"}, "a conversation knows agents through their drivers, and no agent by name; agents are given to it as an interface, and its terminal as functions"},
		{"backend/chat/driver", []string{protocol, "backend/confine"}, "what an agent is to Chat is said without one"},
		{"backend/chat/agentpool", []string{protocol, "backend/chat/driver"}, "processes are started, shared and ended without knowing conversations or protocols"},
		{"backend/agent/builtin/grammar", nil, "words are read without knowing pages, commands or conversations"},
		{"backend/agent/builtin/match", []string{protocol, "backend/agent/builtin/grammar"}, "what is meant on a page is found without a command"},
		{"backend/agent/builtin/markdown", []string{protocol}, "words of a page are shown as data"},
		{"backend/chat/routing", []string{protocol, "backend/agent/builtin/grammar"}, "who carries a message out is chosen without knowing conversations"},
		{"backend/chat/stdio", []string{protocol, "backend/proc", "backend/confine", "backend/chat/driver"}, drivers},
		{"backend/chat/acp", []string{protocol, "backend/proc", "backend/chat/driver", "backend/chat/stdio"}, drivers},
		{"backend/chat/acp/wire", []string{protocol, "backend/chat/driver"}, "what agents write is read without a process or a session"},
		{"backend/chat/claude", []string{protocol, "backend/proc", "backend/chat/driver", "backend/chat/stdio"}, drivers},
		{"backend/chat/inprocess", []string{protocol}, drivers},
		{"backend/chat/pilot", []string{protocol, "backend/chat/driver", "backend/chat/inprocess", "backend/agent/builtin"}, drivers},
		{"backend/chat/agents", []string{protocol, "backend/chat", "backend/agent", "backend/auth", "backend/command", "backend/confine", "backend/llm", "backend/mcp", "backend/proc", "backend/saved", "backend/tokens", "backend/config", "backend/endpoint", "backend/question", "backend/toolservers"}, "which agent a conversation has, and with what, depends on every driver; commands and tools are given to it as those of an MCP caller"},
		{"backend/chat/past", []string{protocol, "backend/op", "backend/auth", "backend/chat", "backend/agent/history"}, "sessions of agents are listed from their files and their drivers, and continued by Chat, without a session of ours"},
		{"backend/chat/clip", nil, parts},
		{"backend/chat/files", []string{protocol, "backend/journal", "backend/chat/clip", "backend/chat/driver", "backend/command/foreign"}, parts},
		{"backend/chat/recall", []string{protocol, "backend/chat/driver", "backend/chat/transcript"}, parts},
		{"backend/chat/recorder", []string{protocol, "backend/chat/clip", "backend/chat/driver", "backend/chat/files", "backend/chat/transcript"}, parts},
		{"backend/chat/state", []string{protocol, "backend/journal", "backend/chat/clip"}, parts},
		{"backend/chat/transcript", []string{protocol, "backend/journal"}, "entries are kept without knowing turns, agents or viewers"},
		{"backend/chat/model", []string{protocol, "backend/chat", "backend/hub", "backend/opentabs", "backend/policy", "backend/llm", "app/agents/fakes/model"}, "the driver of models has them; its tests give it the stand-in for hosted models that all tests share"},
		{"backend/caller", []string{protocol, "backend/auth", "backend/opentabs", "backend/policy"}, "who calls is found by the grants and the processes, and its tab by the policy; what is called is not known"},
		{"backend/pairing", []string{protocol}, "a panel that waits for its code knows neither the server nor the session that it gets"},
		{"backend/clients", []string{protocol, "backend/op", "backend/auth", "backend/caller", "backend/controlpage", "backend/tokens", "backend/endpoint"}, "who is connected is known by the grants and the programs; how a panel gets its token is given to it as a function"},
		{"backend/desktop", []string{protocol, "backend/journal", "backend/spelling", "backend/proc"}, "what the desktop is asked for does not know who asks; its programs are found where no agent puts them"},
		{"backend/secret", []string{protocol, "backend/op", "backend/journal", "backend/spelling", "backend/proc"}, "secrets are kept without knowing who uses them; their keepers are found where no agent puts them"},
		{"backend/peer", []string{"backend/proc"}, "the process behind a connection is found without knowing what it asks for"},
		{"backend/controlpage", []string{protocol, "backend/op", "backend/auth", "backend/hub", "backend/logs"}, "a page of the user calls operations by a table that it is given; it knows neither the server nor the sessions"},
		{"backend/server", []string{protocol, "backend/op", "backend/auth", "backend/hub", "backend/controlpage"}, "the server has gates and routes and no logic: the operations are declared by the parts, and what else it needs is one interface"},
		{"backend/command", []string{protocol, "backend/policy", "backend/redact", "backend/spelling", "backend/config"}, "the registry and the commands declare the interfaces of the browser that they need, so that they can be described without one"},
		{"backend/command/foreign", []string{protocol}, "text of pages is handled without knowing commands, so that the rule can be read and tested alone"},
		{"backend/schedule", []string{protocol, "backend/journal"}, "when something runs does not depend on what runs: a runner carries it out"},
		{"backend/schedule/runner", []string{protocol, "backend/auth", "backend/command", "backend/schedule"}, "what a schedule runs is carried out by the sessions, which are given to it as an interface"},
		{"backend/approval", []string{protocol, "backend/op", "backend/policy", "backend/journal", "backend/desktop", "backend/hub"}, "what is asked of the user does not know who asks: terminals are given to it as an interface, the browser as a function; the window gets an event"},
		{"backend/attention", []string{protocol, "backend/config", "backend/desktop", "backend/hub", "backend/opentabs"}, "that a terminal wants its user does not depend on terminals or approvals: what they say is given to it"},
		{"backend/webhook", []string{protocol, "backend/attention", "backend/config"}, "what needs the user is posted without knowing sessions: it is given to it"},
		{"backend/inventory", []string{protocol, "backend/agent", "backend/browser/chromium", "backend/chat/agents", "backend/llm"}, "what a machine has is found without a session"},
		{"backend/feed", []string{protocol, "backend/browser/observe"}, "a feed is values for a reader; those of a tab are made of what the browser reports, which is given to them as an interface"},
		{"backend/connect", []string{protocol, "backend/connect/edit", "backend/journal"}, "other programs' settings are changed without knowing the browser or a session"},
		{"backend/connect/edit", nil, "a file is changed without knowing whose it is"},
		{"backend/identity", []string{protocol, "backend/engine", "backend/op", "backend/config", "backend/identity", "backend/journal", "backend/spelling", "backend/trust", "backend/secret", "backend/question"}, "what a session's browser is started with is known without the browser; its tests start one with it"},
		{"backend/identity/forward", nil, "the way to a proxy does not depend on who goes it"},
		{"backend/toolservers", []string{protocol, "backend/journal", "backend/redact", "backend/spelling", "backend/question"}, "the user's servers are kept and offered without knowing agents; who asks the user, and who keeps credentials, is given as an interface"},
		{"backend/toolservers/credentials", []string{protocol, "backend/secret", "backend/toolservers"}, "credentials of servers are kept as secrets are, apart from those of sites"},
		{"backend/toolservers/client", []string{protocol, "backend/toolservers", "backend/command/foreign", "backend/confine", "backend/proc", "backend/redact", "backend/question"}, "a server is used without knowing tasks or the session: how it starts and who is asked are given"},
		{"backend/activity", []string{protocol, "backend/journal", "backend/hub"}, "what is recorded of a command is a value: it does not know how commands run, and nobody is asked for it but the wiring"},
		{"backend/activity/shots", []string{protocol, "backend/hub", "backend/command", "backend/config"}, "a screenshot is taken of what a command did, which it gets as a value"},
		{"backend/activity/recorder", []string{protocol, "backend/activity", "backend/auth", "backend/command", "backend/policy", "backend/hub"}, "a command is recorded as it runs, through a function: who runs it is not its business"},
		{"backend/activity/viewer", []string{protocol, "backend/op", "backend/activity", "backend/auth", "backend/command", "backend/feed", "backend/config"}, "what is seen of the activity is read from its records and screenshots"},
		{"backend/saved", []string{protocol, "backend/command", "backend/policy", "backend/config"}, "which files a caller may have depends on the registry, the folders of the session and on who is an agent, and on nothing else"},
		{"backend/endpoint", []string{protocol, "backend/auth", "backend/instance", "backend/supervise"}, "where the app is reached does not depend on what is served there"},
		{"backend/storeddata", []string{protocol, "backend/op", "backend/auth"}, "what is stored is deleted by its place in the folder of the state, whatever has written it"},
		{"backend/tokens", []string{protocol, "backend/auth", "backend/agent"}, "what a token is good for does not depend on how its holder runs"},
		{"backend/opentabs", []string{protocol, "backend/auth"}, leaf},
		{"backend/mcp", []string{protocol, "backend/command", "backend/auth"}, "the tools are made from the registry and run for a caller, which is an interface: the server has one, and the bridge of the command line another"},
		{"backend/task/view", []string{protocol, "backend/policy", "backend/hub", "backend/opentabs"}, "what is seen of a task knows no command and no store; the browser is given to it as an interface"},
		{"backend/task/control", []string{protocol, "backend/op", "backend/task", "backend/auth", "backend/command", "backend/policy", "backend/agent/builtin", "backend/hub", "backend/opentabs", "backend/config", "backend/activity/recorder", "backend/llm"}, "what callers do with tasks is given what runs of a session by a function, and its browser as an interface"},
		{"backend/launcher", []string{protocol, "backend/agent", "backend/confine", "backend/inventory", "backend/terminal", "backend/tokens", "backend/trust", "backend/config", "backend/endpoint", "backend/command", "backend/policy", "backend/question"}, "what a terminal runs is decided without the session: what it needs of it is given to it"},
		{"backend/session", []string{"backend", "extension"}, "the backend does not know the programs that are built on it"},
		{"frontend", nil, "a folder that embeds files has no logic to import"},
		{"extension", nil, "a folder that embeds files has no logic to import"},
		{"build", nil, "a tool that imports the product cannot build while the product is broken"},
		{"app/tray", []string{protocol}, "the tray is a client that holds no truth; it speaks protocol over its pipe"},
		{"app/window", []string{protocol, "frontend"}, "the window is a client that holds no truth; it speaks protocol over its pipe"},
		{"app/cli", []string{"backend"}, "the command line starts in a few milliseconds and runs on machines without a screen"},
		{"app/cli/client", []string{protocol, "app/cli/say", "backend/config", "backend/instance"}, "the way to the app knows no command"},
		{"app/cli/syntax", []string{protocol, "backend/command", "backend/spelling"}, "how a line is read does not depend on what it does"},
		{"app/threats/attempts", nil, "the attempts use only what their caller passes in, as an attacker would"},
		{"app/service/doctor", []string{protocol, "app/cli/client", "backend/agent", "backend/browser/chromium", "backend/config", "backend/confine", "backend/journal", "app/threats/attempts"}, "an installation is checked without running it; findings are printed elsewhere"},
		{"app/service", []string{"backend", "app/assembly", "app/operations", "app/programs", "app/cli/client", "app/cli/say", "app/cli/fakes", "app/threats/attempts"}, "what the command line leaves running is no command of it"},
		{"app/service/bridge", []string{protocol, "app/cli/client", "backend/command/catalogue", "backend/mcp", "backend/task"}, "what serves models over streams carries commands to the app and runs none"},
		{"app/operations", []string{"backend", "app/programs", "app/service/connecting"}, "what the app itself does for its faces is the same in every program that runs it"},
		{"app/programs", []string{"backend", "app/service/connecting", "app/service/ownservers"}, "the window does to other programs what the command line does, by the same code"},
		{"app/assembly", []string{"backend", "extension", "frontend"}, "it puts the backend together for the programs that run it, and is none itself"},
		{"app/bench", []string{protocol, "app/e2e", "backend/browser/remote/standin"}, "the benchmark drives built programs; nothing of ours is linked into what is measured"},
		{"app/bench/peers", []string{protocol, "backend/browser/chromium", "backend/browser/devtools"}, "drivers know no measurement"},
		{"app/bench/product", []string{protocol, "app/e2e"}, "the app is started without knowing what is measured"},
		{"app/agents", []string{"backend"}, "real agents meet the built programs: nothing of them is linked"},
		{"app/e2e", []string{"backend", "extension", "frontend", "app/agents/fakes", "app/cli/client", "app/threats/attempts"}, "nobody imports a program; the stand-ins for hosted models and for an MCP server of the user are shared by all tests"},
		{"app", []string{"backend", "extension", "app/assembly"}, "nobody imports a program"},
		{"backend/op", []string{protocol, "backend/auth"}, "an operation is declared without knowing what it does"},
	}
	for _, name := range []string{"agent", "auth", "hub", "journal", "logs", "proc", "question", "redact", "spelling", "supervise"} {
		rules = append(rules, roomRule{"backend/" + name, []string{protocol}, leaf})
	}
	rules = append(rules, roomRule{"backend/policy", []string{protocol, "backend/hub", "backend/question"}, leaf})
	// Only journal writes files atomically, and only it makes the error for files
	// that cannot be written.
	for _, name := range []string{"config", "instance", "tabfiles", "task", "trust"} {
		rules = append(rules, roomRule{"backend/" + name, []string{protocol, "backend/hub", "backend/journal", "backend/question", "backend/spelling"}, leaf})
	}
	rules = append(rules, roomRule{"backend/llm", []string{protocol, "backend/journal", "backend/op", "backend/auth", "backend/spelling"}, leaf})
	return rules
}

// overTheRegistry is the only exception: tests that run commands of the registry
// in a real browser, and inspect the browser meanwhile, and the server's, which try the
// routes of the real operations.
func overTheRegistry(path, room string) bool {
	if strings.HasSuffix(path, "backend/server/harness_test.go") {
		return room == "backend/session" || room == "backend/config" || room == "backend/llm"
	}
	if !within(room, "backend/command") && room != "backend/policy" && room != "backend/secret" && room != "backend/identity" && room != "backend/peer" && room != "backend/config" {
		return false
	}
	return strings.HasSuffix(path, "backend/browser/middle_test.go") || strings.HasSuffix(path, "backend/browser/secret_test.go") || strings.HasSuffix(path, "backend/browser/identity_test.go") || strings.HasSuffix(path, "backend/login/login_test.go") || strings.HasSuffix(path, "backend/browser/history_test.go")
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	rules := roomRules()
	// The rule with the longest matching folder applies.
	slices.SortFunc(rules, func(a, b roomRule) int { return len(b.room) - len(a.room) })
	applied := map[int]bool{}
	for _, file := range tree(t) {
		index := slices.IndexFunc(rules, func(r roomRule) bool { return within(file.room, r.room) })
		applied[index] = true
		if index < 0 {
			t.Errorf("%s: no rule for this room; give it one", file.path)
			continue
		}
		rule := rules[index]
		for name, at := range file.imports() {
			room, ours := strings.CutPrefix(name, module+"/")
			if !ours || within(room, rule.room) || overTheRegistry(file.path, room) {
				continue
			}
			if !slices.ContainsFunc(rule.may, func(may string) bool { return within(room, may) }) {
				t.Errorf("%s: %s must not import %s: %s", file.pos(at), rule.room, room, rule.reason)
			}
		}
	}
	for index, rule := range rules {
		if !applied[index] {
			t.Errorf("the rule for %s applies to no file: its folder is gone, or another rule has it", rule.room)
		}
	}
}

func TestProtocolImportsOnlyTheStandardLibrary(t *testing.T) {
	for _, file := range tree(t) {
		if file.room != "backend/protocol" || file.test {
			continue
		}
		for name, at := range file.imports() {
			if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") || first == module {
				t.Errorf("%s: protocol must not import %s: everything imports protocol, the small programs too", file.pos(at), name)
			}
		}
	}
}

func TestForeignLibrariesStayInTheirRooms(t *testing.T) {
	rules := []struct {
		library string
		rooms   []string
		reason  string
	}{
		{"github.com/chromedp/", []string{"backend/browser", "app/e2e", "app/bench"}, "nobody outside sees a type of the browser's protocol; the whole-product tests look at the browser from outside"},
		{"github.com/coder/websocket", []string{"backend/server", "backend/terminal", "backend/session", "backend/browser/devtools", "backend/browser/remote/standin", "app/e2e"}, "sockets belong to the server, the terminals and the connection to a browser; the session hands one to the other, everybody else works with values"},
		{"github.com/coder/acp-go-sdk", []string{"backend/chat/acp"}, "an agent's protocol is its driver's matter"},
		{"github.com/modelcontextprotocol/", []string{"backend/mcp", "backend/connect", "backend/toolservers/client", "app/service", "app/programs/fakes", "app/e2e", "app/agents/fakes/notes", "app/bench"}, "MCP is one face of the registry; what it can do, the others can do without it (the service of the command line runs its bridge over stdio; a connected server is started as other programs do; tasks are clients of the user's servers; tests are clients of it)"},
		{"github.com/wailsapp/", []string{"app/window", "app/bench/blankwindow"}, "only the window's program draws one; the benchmark has a blank one to compare it with"},
		{"modernc.org/sqlite", []string{"backend/browser", "backend/identity"}, "only files of browsers are databases; our own state is journals and files that a person can read"},
		{"github.com/getlantern/systray", []string{"app/tray"}, "the tray owns GTK's main loop and cannot share a process with the window"},
	}
	nowhere := map[string]string{
		"io/ioutil":             "os and io have it",
		"math/rand":             "math/rand/v2 for jitter, crypto/rand for anything secret",
		"github.com/pkg/errors": "fmt.Errorf with %w",
	}
	for _, file := range tree(t) {
		for name, at := range file.imports() {
			if reason := nowhere[name]; reason != "" {
				t.Errorf("%s: %s is imported nowhere: %s", file.pos(at), name, reason)
			}
			for _, rule := range rules {
				if !strings.HasPrefix(name, rule.library) {
					continue
				}
				if !slices.ContainsFunc(rule.rooms, func(room string) bool { return within(file.room, room) }) {
					t.Errorf("%s: %s must not import %s: %s", file.pos(at), file.room, name, rule.reason)
				}
			}
		}
	}
}

// A program links more than its direct imports.
func TestProgramsLinkWhatTheyNeed(t *testing.T) {
	for program, forbidden := range map[string][]string{
		"./app":         {"github.com/wailsapp/", "github.com/getlantern/systray", "runtime/cgo", "net/http/pprof", "testing"},
		"./app/cli":     {"net/http", "crypto/tls", "github.com/chromedp/", "mvdan.cc/sh/", "github.com/wailsapp/", "github.com/getlantern/systray", "github.com/modelcontextprotocol/", "encoding/gob", "pilotfish/backend/session", "runtime/cgo", "testing"},
		"./app/service": {"github.com/wailsapp/", "github.com/getlantern/systray", "runtime/cgo", "net/http/pprof", "testing"},
		"./app/tray":    {"github.com/wailsapp/", "github.com/chromedp/", "pilotfish/backend/session", "testing"},
		"./app/window":  {"github.com/getlantern/systray", "github.com/chromedp/", "pilotfish/backend/session", "testing"},
	} {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", buildTags, program)
		list.Dir = ".."
		if program != "./app/tray" && program != "./app/window" {
			list.Env = append(os.Environ(), "CGO_ENABLED=0") // as the Makefile builds them
		}
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			t.Fatalf("list what %s links: %v", program, err)
		}
		for dependency := range strings.Lines(string(out)) {
			dependency = strings.TrimSpace(dependency)
			for _, name := range forbidden {
				if dependency == name || strings.HasSuffix(name, "/") && strings.HasPrefix(dependency, name) {
					t.Errorf("%s links %s: each program links what it needs, and those without a face start at once", program, dependency)
				}
			}
		}
	}
}

func TestPackagesAreNouns(t *testing.T) {
	empty := []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "base", "lib", "types"}
	for _, file := range tree(t) {
		name := strings.TrimSuffix(file.ast.Name.Name, "_test")
		if slices.Contains(empty, name) || slices.Contains(empty, path.Base(file.room)) {
			t.Errorf("%s: a package is named after what it has, not %q", file.path, name)
		}
	}
}

func TestNoInitFunctions(t *testing.T) {
	for _, file := range tree(t) {
		for _, decl := range file.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: what a program does starts in main, where it can be read and stopped", file.pos(fn.Pos()))
			}
		}
	}
}

// A package-level variable may be a value that never changes: a sentinel error, a
// regular expression, an embedded file, a table. State belongs to a value that
// some code creates, owns and closes.
func TestNoPackageLevelState(t *testing.T) {
	rooms := map[string][]*goFile{}
	for _, file := range tree(t) {
		if !file.test {
			rooms[file.room] = append(rooms[file.room], file)
		}
	}
	for room, files := range rooms {
		specs := map[string]*ast.ValueSpec{}
		for _, file := range files {
			for _, decl := range file.ast.Decls {
				gen, ok := decl.(*ast.GenDecl)
				if !ok || gen.Tok != token.VAR {
					continue
				}
				for _, s := range gen.Specs {
					spec, ok := s.(*ast.ValueSpec)
					if !ok {
						continue
					}
					for i, name := range spec.Names {
						specs[name.Name] = spec
						if reason := mutableByBirth(room, gen, spec, i); reason != "" {
							t.Errorf("%s: %s is package-level state: %s", file.pos(name.Pos()), name.Name, reason)
						}
					}
				}
			}
		}
		for _, file := range files {
			for name, at := range changed(file.ast, specs) {
				t.Errorf("%s: the package-level variable %s is changed here: state belongs to a part that somebody owns", file.pos(at), name)
			}
		}
	}
}

// mutableByBirth returns why a declaration can only be meant for mutable state;
// "" when it cannot.
func mutableByBirth(room string, gen *ast.GenDecl, spec *ast.ValueSpec, i int) string {
	if spec.Names[i].Name == "_" {
		return ""
	}
	for _, doc := range []*ast.CommentGroup{gen.Doc, spec.Doc} {
		if doc == nil {
			continue
		}
		for _, line := range doc.List {
			// The linker sets the version, the compiler the embedded file.
			if strings.HasPrefix(line.Text, "//go:embed ") || strings.Contains(line.Text, "-X main."+spec.Names[i].Name) {
				return ""
			}
		}
	}
	if i >= len(spec.Values) {
		return "it has no value until somebody gives it one"
	}
	switch value := spec.Values[i].(type) {
	case *ast.UnaryExpr:
		if value.Op == token.AND {
			return "a pointer is there to be shared and changed"
		}
	case *ast.CallExpr:
		switch callee(value) {
		case "regexp.MustCompile":
			if within(room, "app/bench") { // it costs no other program start-up time
				return ""
			}
			return "every start of the command line would compile it; write sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(…) })"
		case "sync.OnceValue":
			if compiles(value) {
				return ""
			}
		}
		if name := callee(value); !slices.Contains([]string{
			"errors.New", "fmt.Errorf", "template.Must", "strings.NewReplacer",
			"protocol.NewError", "NewError", "netip.MustParsePrefix", "netip.MustParseAddr", "[]byte",
		}, name) {
			return "it is made by " + name + ", which is not known to make something unchangeable"
		}
	}
	return ""
}

// compiles reports whether a call's argument is a function that only compiles a
// pattern.
func compiles(call *ast.CallExpr) bool {
	if len(call.Args) != 1 {
		return false
	}
	fn, ok := call.Args[0].(*ast.FuncLit)
	if !ok || len(fn.Body.List) != 1 {
		return false
	}
	out, ok := fn.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(out.Results) != 1 {
		return false
	}
	made, ok := out.Results[0].(*ast.CallExpr)
	return ok && callee(made) == "regexp.MustCompile"
}

// callee returns the name of the called function, as it is written.
func callee(call *ast.CallExpr) string {
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		return fn.Name
	case *ast.SelectorExpr:
		if pkg, ok := fn.X.(*ast.Ident); ok {
			return pkg.Name + "." + fn.Sel.Name
		}
		return fn.Sel.Name
	case *ast.ArrayType:
		if element, ok := fn.Elt.(*ast.Ident); ok && fn.Len == nil {
			return "[]" + element.Name
		}
	}
	return fmt.Sprintf("%T", call.Fun)
}

// changed finds assignments to the variables of specs or to parts of them, and
// addresses taken of them.
func changed(file *ast.File, specs map[string]*ast.ValueSpec) map[string]token.Pos {
	found := map[string]token.Pos{}
	check := func(target ast.Expr) {
		for {
			switch e := target.(type) {
			case *ast.IndexExpr:
				target = e.X
			case *ast.SelectorExpr:
				target = e.X
			case *ast.ParenExpr:
				target = e.X
			case *ast.Ident:
				spec := specs[e.Name]
				// The parser resolves names only within a file. A name that it
				// did not resolve is declared in another file of the package.
				if spec != nil && e.Name != "_" && (e.Obj == nil || e.Obj.Decl == spec) {
					found[e.Name] = e.Pos()
				}
				return
			default:
				return
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, target := range n.Lhs {
					check(target)
				}
			}
		case *ast.IncDecStmt:
			check(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				check(n.X)
			}
		case *ast.CallExpr:
			if fn, ok := n.Fun.(*ast.Ident); ok && (fn.Name == "delete" || fn.Name == "clear") && len(n.Args) > 0 {
				check(n.Args[0])
			}
		}
		return true
	})
	return found
}

// A path of the machine on which a file was written has no meaning elsewhere.
func TestNoMachinePaths(t *testing.T) {
	// Only at the start of a path: /home/somebody/work/ is an example.
	machine := regexp.MustCompile(`(?m)(?:^|[^\w.~/-])/(?:wor[k]|tm[p]/w|roo[t])/`)
	for name, text := range committed(t) {
		for _, at := range machine.FindAllIndex(text, -1) {
			t.Errorf("%s:%d: names a path of one machine: %s", name, 1+bytes.Count(text[:at[0]], []byte("\n")), text[at[0]:at[1]])
		}
		if path.Base(name) == "package-lock.json" && bytes.Contains(text, []byte(`"resolved": "http`)) {
			t.Errorf("%s: names the host of a registry; npm's omit-lockfile-registry-resolved leaves it out", name)
		}
	}
}

// TestPrintsAreEscaped: what a page or a file says may control a terminal, so the programs
// of the command line print by say, which escapes it.
func TestPrintsAreEscaped(t *testing.T) {
	raw := regexp.MustCompile(`fmt\.Print|(?:fmt\.Fprint\w*|io\.WriteString|json\.NewEncoder)\((?:\w+\.)?(?:stdout|stderr|out|console|Stdout|Stderr)\b|(?:stdout|stderr|os\.Stdout|os\.Stderr)\.Write`)
	for name, text := range committed(t) {
		if !strings.HasPrefix(name, "app/cli/") && !strings.HasPrefix(name, "app/service/") || !strings.HasSuffix(name, ".go") ||
			strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/fakes/") || strings.HasPrefix(name, "app/cli/say/") {
			continue
		}
		for _, at := range raw.FindAllIndex(text, -1) {
			t.Errorf("%s:%d: prints beside say: %s", name, 1+bytes.Count(text[:at[0]], []byte("\n")), text[at[0]:at[1]])
		}
	}
}

// committed reads the text files that git tracks, or would add.
func committed(t *testing.T) map[string][]byte {
	t.Helper()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatalf("list the files of the tree: %v", err)
	}
	files := map[string][]byte{}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
			continue // just deleted, a nested repository, or a binary file
		}
		files[name] = text
	}
	return files
}
