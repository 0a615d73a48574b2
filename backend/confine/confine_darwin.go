package confine

import (
	"context"
	"os/exec"
	"strconv"
	"strings"

	"pilotfish/backend/protocol"
)

// sandboxExec applies a profile of the system's sandbox to a program. It is marked
// as deprecated since macOS 10.12, and is what the agents' own sandboxes use.
const sandboxExec = "/usr/bin/sandbox-exec"

// try starts a program as Wrap would.
func try(ctx context.Context, _ string) error {
	p := Wrap(Program{Path: "/usr/bin/true", Dir: "/"}, Folders{})
	if out, err := exec.CommandContext(ctx, p.Path, p.Args...).CombinedOutput(); err != nil {
		return protocol.NewError(protocol.CodeNotConfined, "sandbox-exec does not work here: "+err.Error()+" "+string(out), "")
	}
	return nil
}

// Wrap returns the program that starts p so that it sees no more than folders allow.
func Wrap(p Program, folders Folders) Program {
	return Program{Path: sandboxExec, Args: append([]string{"-p", profile(folders), p.Path}, p.Args...), Env: environment(p.Env), Dir: p.Dir}
}

// profile is written in the sandbox's own language. A later rule wins.
func profile(folders Folders) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n")
	// Other processes: neither their memory, nor signals, nor what they are.
	b.WriteString("(deny mach-priv-task-port (target others))\n(deny process-info* (target others))\n(deny signal (target others))\n(allow signal (target same-sandbox))\n(allow process-info* (target same-sandbox))\n")
	// What types and clicks for its user, and what starts programs outside.
	b.WriteString("(deny appleevent-send)\n(deny mach-lookup (global-name \"com.apple.coreservices.launchservicesd\"))\n")
	rule := func(verb, operations string, dirs []string) {
		for _, dir := range dirs {
			b.WriteString("(" + verb + " " + operations + " (subpath " + strconv.Quote(dir) + "))\n")
		}
	}
	rule("deny", "file-read* file-write*", folders.Hidden)
	rule("allow", "file-read* file-write*", folders.Writable)
	rule("allow", "file-read*", folders.ReadOnly)
	return b.String()
}

// Exit returns how a confined program ended.
func Exit(e protocol.Exit) protocol.Exit { return e }
