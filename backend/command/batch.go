package command

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"pilotfish/backend/protocol"
)

func batchCommands() []command {
	return []command{
		{Spec: Spec{
			Name: "chain", Scope: protocol.ScopeRead, Summary: "run several commands one after the other in one round trip",
			Help:    "It stops at the first that fails unless --keep-going. Each is checked as if it were called alone. The whole has one --timeout.",
			Args:    []Arg{{Name: "commands", Type: Lines, Required: true, Help: "command lines, each one argument"}, {Name: "keep-going", Type: Boolean, Flag: true, Help: "run the rest after one that failed"}},
			Returns: "one reply for each command that ran", Examples: []string{"chain 'goto example.com' 'text --max 500'", "chain 'click #save' 'watch text Saved' --keep-going"},
		}, tab: noTab, run: runChain},
		{Spec: Spec{
			Name: "run", Scope: protocol.ScopeRead, Summary: "run a saved routine with other parameters, or list the routines",
			Help:    "`pilotfish record` saves one. ${name} in its lines stands for a parameter.",
			Args:    []Arg{{Name: "name", Type: String, Help: "of the routine; lists them when left out"}, {Name: "params", Type: Lines, Secret: true, Help: "each as name=value"}, {Name: "keep-going", Type: Boolean, Flag: true, Help: "run the rest after a step that failed"}},
			Returns: "one reply for each step that ran", Examples: []string{"run login user=ann password=secret", "run"},
		}, tab: noTab, run: runRoutine},
	}
}

// nests says whether a command runs others: these do not stand in each other.
func nests(name string) bool { return slices.Contains([]string{"chain", "run", "each"}, name) }

// stepReply is the reply of one command of several.
type stepReply struct {
	Command string                `json:"command"`
	Reply   protocol.CommandReply `json:"reply"`
}

func runChain(ctx context.Context, in *invocation) (result, error) {
	return in.steps(ctx, in.args.list("commands"), in.args.list("commands"))
}

// steps runs command lines in order. shown is how they are called in the reply:
// without what parameters put in.
func (in *invocation) steps(ctx context.Context, lines, shown []string) (result, error) {
	if len(lines) > protocol.MaxBatch {
		return result{}, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("at most %d commands at once, not %d", protocol.MaxBatch, len(lines)), "")
	}
	requests := make([]protocol.CommandRequest, len(lines))
	for i, l := range lines {
		var err error
		if requests[i], err = ParseLine(l, Find); err != nil {
			return result{}, err
		}
		if nests(requests[i].Command) {
			return result{}, badArgument(requests[i].Command+" cannot stand inside of another", "")
		}
	}
	replies := []stepReply{}
	var parts []string
	tab := in.call.Request.Tab
	for i, req := range requests {
		if ctx.Err() != nil {
			parts = append(parts, fmt.Sprintf("… %d more were not run: the time is over", len(requests)-i))
			break
		}
		one := in.call
		one.Request = req
		if one.Request.Tab == "" && req.Args["tab"] == nil {
			one.Request.Tab = tab
		}
		reply := in.Execute(ctx, one)
		replies = append(replies, stepReply{shown[i], reply})
		mark := ""
		if !reply.OK {
			mark = "failed: "
		}
		parts = append(parts, fmt.Sprintf("%d. %s\n%s%s", i+1, line(shown[i], 200), mark, reply.Text))
		if reply.OK && requests[i].Command == "newtab" && reply.Tab != "" {
			tab = reply.Tab // what follows is about the tab that it opened
		}
		if !reply.OK && !in.args.flag("keep-going") {
			if more := len(requests) - i - 1; more > 0 {
				parts = append(parts, fmt.Sprintf("… %d more were not run (--keep-going runs them)", more))
			}
			break
		}
	}
	return result{text: strings.Join(parts, "\n"), data: replies}, nil
}

var paramPattern = regexp.MustCompile(`\$\{([a-zA-Z][a-zA-Z0-9_]*)\}`)

func runRoutine(ctx context.Context, in *invocation) (result, error) {
	name := in.args.text("name")
	if name == "" {
		all, err := in.browser.Routines()
		var lines []string
		for _, r := range all {
			lines = append(lines, fmt.Sprintf("%s  %s  %s  %s", r.Name, plural(len(r.Steps), "step"), strings.Join(slices.Sorted(maps.Keys(r.Params)), " "), r.Created.Format(time.RFC3339)))
		}
		return result{text: listed(lines, 0, "no routine is saved; `pilotfish record start` begins one"), data: all}, err
	}
	r, err := in.browser.Routine(name)
	if err != nil {
		return result{}, err
	}
	given := maps.Clone(r.Params)
	if given == nil {
		given = map[string]string{}
	}
	for _, p := range in.args.list("params") {
		key, value, ok := strings.Cut(p, "=")
		if _, known := r.Params[key]; !ok || !known {
			return result{}, badArgument(fmt.Sprintf("%.60q is no parameter of %s", p, name), "it takes "+strings.Join(slices.Sorted(maps.Keys(r.Params)), ", ")+", each as name=value")
		}
		given[key] = value
	}
	lines := make([]string, len(r.Steps))
	for i, step := range r.Steps {
		var missing string
		lines[i] = paramPattern.ReplaceAllStringFunc(step, func(m string) string {
			key := m[2 : len(m)-1]
			if given[key] == "" {
				missing = key
			}
			return quoteInside(given[key])
		})
		if missing != "" {
			return result{}, badArgument(fmt.Sprintf("%s needs the parameter %s", name, missing), fmt.Sprintf("for example: pilotfish run %s %s=…", name, missing))
		}
	}
	return in.steps(ctx, lines, r.Steps)
}

// quoteInside makes a value safe between the double quotes of a line.
func quoteInside(v string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(v)
}

// quoteWord is a word of a command line.
func quoteWord(v string) string { return `"` + quoteInside(v) + `"` }
