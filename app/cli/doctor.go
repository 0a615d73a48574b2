package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"pilotfish/app/cli/syntax"
)

// The words of a finding.
const (
	findingOK   = "ok"
	findingWarn = "warn" // it works, with something missing
	findingFail = "fail" // it does not work
)

// finding is what one check found.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"`
	Detail string `json:"detail"`
	// Hint says how to mend it.
	Hint string `json:"hint,omitempty"`
}

func ok(format string, args ...any) finding {
	return finding{Status: findingOK, Detail: fmt.Sprintf(format, args...)}
}

func warn(hint, format string, args ...any) finding {
	return finding{Status: findingWarn, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

func fail(hint, format string, args ...any) finding {
	return finding{Status: findingFail, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

// examination is one question to the machine.
type examination struct {
	name string
	look func(p *program, ctx context.Context) finding
}

// checks are in the order in which they are shown.
func checks() []examination {
	return []examination{
		{"version", (*program).checkVersion},
		{"browser", (*program).checkBrowser},
		{"sandbox", (*program).checkSandbox},
		{"display", (*program).checkDisplay},
		{"folders", (*program).checkFolders},
		{"settings", (*program).checkSettings},
		{"app", (*program).checkApp},
		{"command", (*program).checkCommand},
		{"agents", (*program).checkAgents},
		{"keyring", (*program).checkKeyring},
		{"fonts", (*program).checkFonts},
	}
}

// doctor asks all of it at once, and shows it in order. It fails when a check
// fails; a warning is none.
func (p *program) doctor(ctx context.Context, in syntax.Invocation) error {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	list := checks()
	findings := make([]finding, len(list))
	var running sync.WaitGroup
	for i, c := range list {
		running.Go(func() {
			findings[i] = c.look(p, ctx)
			findings[i].Check = c.name
		})
	}
	running.Wait()

	failed := 0
	var b strings.Builder
	for _, f := range findings {
		if f.Status == findingFail {
			failed++
		}
		fmt.Fprintf(&b, "%-5s%-9s%s\n", f.Status, f.Check, f.Detail)
		if f.Hint != "" {
			fmt.Fprintf(&b, "%14s→ %s\n", "", f.Hint)
		}
	}
	var err error
	if in.JSON {
		err = p.printJSON(map[string]any{"ok": failed == 0, "checks": findings})
	} else {
		err = p.print(b.String())
	}
	if err == nil && failed > 0 {
		return exitError(1)
	}
	return err
}
