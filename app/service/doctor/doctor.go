// Package doctor checks an installation, and says how to fix what is wrong.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// The statuses of a finding.
const (
	findingOK   = "ok"
	findingWarn = "warn" // it works, with something missing
	findingFail = "fail" // it does not work
)

// Finding is the result of one check.
type Finding struct {
	Check  string `json:"check"`
	Status string `json:"status"`
	Detail string `json:"detail"`
	// Hint says how to fix it.
	Hint string `json:"hint,omitempty"`
}

func ok(format string, args ...any) Finding {
	return Finding{Status: findingOK, Detail: fmt.Sprintf(format, args...)}
}

func warn(hint, format string, args ...any) Finding {
	return Finding{Status: findingWarn, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

func fail(hint, format string, args ...any) Finding {
	return Finding{Status: findingFail, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

// Installation is what is checked.
type Installation struct {
	Getenv  func(string) string
	Version string // of this program
	// Executable returns the path of the program that users start.
	Executable func() (string, error)
}

// examination is one check.
type examination struct {
	name string
	look func(i Installation, ctx context.Context) Finding
}

// checks returns the checks in the order in which they are shown.
func checks() []examination {
	return []examination{
		{"version", Installation.checkVersion},
		{"browser", Installation.checkBrowser},
		{"sandbox", Installation.checkSandbox},
		{"display", Installation.checkDisplay},
		{"folders", Installation.checkFolders},
		{"settings", Installation.checkSettings},
		{"app", Installation.checkApp},
		{"command", Installation.checkCommand},
		{"agents", Installation.checkAgents},
		{"confined", Installation.checkConfinement},
		{"keyring", Installation.checkKeyring},
		{"fonts", Installation.checkFonts},
	}
}

// timeout is how long each of the checks may take.
const timeout = 10 * time.Second

// Examine runs all checks concurrently. The findings are in the order in which
// they are shown.
func Examine(ctx context.Context, i Installation) []Finding {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	list := checks()
	findings := make([]Finding, len(list))
	var running sync.WaitGroup
	for at, c := range list {
		running.Go(func() {
			findings[at] = c.look(i, ctx)
			findings[at].Check = c.name
		})
	}
	running.Wait()
	return findings
}

// Healthy reports whether no check failed; a warning is not a failure.
func Healthy(findings []Finding) bool {
	return !slices.ContainsFunc(findings, func(f Finding) bool { return f.Status == findingFail })
}

// Text formats the findings for a user.
func Text(findings []Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%-5s%-9s%s\n", f.Status, f.Check, f.Detail)
		if f.Hint != "" {
			fmt.Fprintf(&b, "%14s→ %s\n", "", f.Hint)
		}
	}
	return b.String()
}
