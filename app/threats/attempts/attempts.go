// Package attempts tries what a program inside of an agent's confinement can do to get
// more than an agent's rights. Each way is one line: what was tried, and whether it was
// refused or has succeeded. Nothing is left behind: what a way changes, it changes back.
//
// What a confined agent may do by promise (SECURITY.md) is not among the ways.
package attempts

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// World is what the attempts know about the machine outside of the confinement. A real
// attacker would have to guess it. The attempts get it, so that none is refused only
// because a path or a process id was not known.
type World struct {
	State    string   `json:"state"`
	Config   string   `json:"config"`
	Profiles []string `json:"profiles"`
	// Agent is the session's folder for agents; empty for none.
	Agent string `json:"agent,omitempty"`
	// Programs are the files of the app that the user starts.
	Programs []string `json:"programs"`
	// Singletons are the sockets by which the app's browsers take orders.
	Singletons []string `json:"singletons"`
	// Identities are what the folders of state and settings are, by path.
	Identities map[string]string `json:"identities"`
	// Env are the variables of the desktop, which a confined program does not have.
	Env map[string]string `json:"env"`
	// Files that Lay made outside of the confinement: an abstract socket, a terminal, a
	// file in the shared memory, a segment of shared memory. Bus is the socket of a session
	// bus that the environment does not name; where it is given, it listens already. A key of the kernel's has the name Abstract.
	Abstract string `json:"abstract"`
	Bus      string `json:"bus"`
	Terminal string `json:"terminal"`
	Shared   string `json:"shared"`
	Segment  int    `json:"segment"`
}

// Result is what came of one way.
type Result struct {
	// Row is the row of docs/threats.md that the way belongs to; 0 for none.
	Row       int    `json:"row,omitempty"`
	Name      string `json:"name"`
	Succeeded bool   `json:"succeeded"`
	// Detail is why it was refused, or what it gave.
	Detail string `json:"detail,omitempty"`
}

// way is one attempt. It returns an error when it was refused, and what it gave when not.
type way struct {
	row  int
	name string
	try  func(context.Context, World) (string, error)
}

// limit is how long one way may take: one that waits for the user's answer is refused.
const limit = 5 * time.Second

// Run tries every way, one after the other.
func Run(ctx context.Context, w World) []Result {
	var results []Result
	for _, one := range ways() {
		r := Result{Row: one.row, Name: one.name}
		limited, cancel := context.WithTimeout(ctx, limit)
		gave, err := one.try(limited, w)
		cancel()
		if err != nil {
			r.Detail = err.Error()
		} else {
			r.Succeeded, r.Detail = true, gave
		}
		r.Detail, _, _ = strings.Cut(r.Detail, "\n")
		results = append(results, r)
	}
	return results
}

// Read reads a World from the file that Write wrote.
func Read(file string) (w World, err error) {
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &w)
	}
	if err != nil {
		return w, fmt.Errorf("reading what the attempts know: %w", err)
	}
	return w, nil
}

// Write writes a World to a file.
func (w World) Write(file string) error {
	data, err := json.Marshal(w)
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing what the attempts know: %w", err)
	}
	return nil
}

// Text formats the results for a user, one line for each.
func Text(results []Result) string {
	var b strings.Builder
	succeeded := 0
	for _, r := range results {
		what := "refused"
		if r.Succeeded {
			what = "SUCCEEDED"
			succeeded++
		}
		row := ""
		if r.Row > 0 {
			row = fmt.Sprint(r.Row)
		}
		fmt.Fprintf(&b, "%-10s%3s %s: %s\n", what, row, r.Name, r.Detail)
	}
	fmt.Fprintf(&b, "%d of %d ways succeeded\n", succeeded, len(results))
	return b.String()
}
