package catalogue

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/command"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// batches returns the commands that run several commands in order.
func (c *commands) batches() []command.Command {
	// The lines of a chain may contain secrets, so they are not recorded; its
	// commands are recorded one by one.
	return []command.Command{
		{Spec: command.Spec{
			Name: "chain", Scope: protocol.ScopeRead, Summary: "run several commands in order, in one call",
			Help:    "Stops at the first that fails, unless --keep-going. Each is checked as if it were called alone. One --timeout applies to all together.",
			Args:    []command.Arg{{Name: "commands", Type: command.Lines, Required: true, Secret: true, Help: "command lines, each one argument"}, {Name: "keep-going", Type: command.Boolean, Flag: true, Help: "continue after a failure"}},
			Returns: "one reply for each command that ran", Examples: []string{"chain 'goto example.com' 'text --max 500'", "chain 'click #save' 'watch text Saved' --keep-going"},
		}, Tab: command.NoTab, Nests: true, Run: c.runChain},
		{Spec: command.Spec{
			Name: "run", Scope: protocol.ScopeRead, Summary: "run a saved routine with other parameters, or list the routines",
			Help:    "`pilotfish record` saves one. ${name} in its lines stands for a parameter.",
			Args:    []command.Arg{{Name: "name", Type: command.String, Help: "the routine's name; lists the routines if left out"}, {Name: "params", Type: command.Lines, Secret: true, Help: "each as name=value"}, {Name: "keep-going", Type: command.Boolean, Flag: true, Help: "continue after a failure"}},
			Returns: "one reply for each step that ran", Examples: []string{"run login user=ann password=secret", "run"},
		}, Tab: command.NoTab, Nests: true, Run: c.runRoutine},
	}
}

func (c *commands) runChain(ctx context.Context, in *command.Invocation) (command.Result, error) {
	lines := in.Args.List("commands")
	return in.RunBatch(ctx, command.Batch{Lines: lines, KeepGoing: in.Args.Flag("keep-going")})
}

var paramPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([a-zA-Z][a-zA-Z0-9_]*)\}`) })

func (c *commands) runRoutine(ctx context.Context, in *command.Invocation) (command.Result, error) {
	name := in.Args.Text("name")
	if name == "" {
		all, err := c.Browser.Routines()
		var lines []string
		for _, r := range all {
			lines = append(lines, fmt.Sprintf("%s  %s  %s  %s", r.Name, spelling.Plural(len(r.Steps), "step"), strings.Join(slices.Sorted(maps.Keys(r.Params)), " "), r.Created.Format(time.RFC3339)))
		}
		return command.Result{Text: listing.Last(lines, 0, "no routine is saved; record start begins one"), Data: all}, err
	}
	r, err := c.Browser.Routine(name)
	if err != nil {
		return command.Result{}, err
	}
	given := maps.Clone(r.Params)
	if given == nil {
		given = map[string]string{}
	}
	for _, p := range in.Args.List("params") {
		key, value, ok := strings.Cut(p, "=")
		if _, known := r.Params[key]; !ok || !known {
			return command.Result{}, command.BadArgument(fmt.Sprintf("%.60q is no parameter of %s", p, name), paramHint(r.Params))
		}
		given[key] = value
	}
	var secrets []string
	for _, value := range given {
		if len(value) >= shortestSecret {
			secrets = append(secrets, value, "•••")
		}
	}
	for _, step := range r.Steps {
		for _, place := range paramPattern().FindAllStringSubmatch(step, -1) {
			if key := place[1]; given[key] == "" {
				return command.Result{}, command.BadArgument(fmt.Sprintf("%s needs the parameter %s", name, key), "", protocol.Example("run", name, key+"=…"))
			}
		}
	}
	return in.RunBatch(ctx, command.Batch{
		Lines: r.Steps, Fill: fillParams(given), KeepGoing: in.Args.Flag("keep-going"), Hide: strings.NewReplacer(secrets...).Replace,
	})
}

// fillParams returns a function that replaces parameters in a word by their values.
// A line break in a value becomes a space.
func fillParams(given map[string]string) func(word string) string {
	return func(word string) string {
		return paramPattern().ReplaceAllStringFunc(word, func(place string) string {
			return strings.ReplaceAll(given[place[2:len(place)-1]], "\n", " ")
		})
	}
}

// shortestSecret is the length from which a parameter's value is removed from
// the recorded replies. Removing shorter values would also remove parts of
// ordinary words.
const shortestSecret = 4

// paramHint returns a hint that lists a routine's parameters.
func paramHint(params map[string]string) string {
	if len(params) == 0 {
		return "it takes no parameters"
	}
	return "it takes " + strings.Join(slices.Sorted(maps.Keys(params)), ", ") + ", each as name=value"
}
