package command

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

func batchCommands() []command {
	// The lines of a chain may have secrets; its commands are recorded one by one.
	return []command{
		{Spec: Spec{
			Name: "chain", Scope: protocol.ScopeRead, Summary: "run several commands in order, in one call",
			Help:    "Stops at the first that fails, unless --keep-going. Each is checked as if it were called alone. One --timeout applies to all together.",
			Args:    []Arg{{Name: "commands", Type: Lines, Required: true, Secret: true, Help: "command lines, each one argument"}, {Name: "keep-going", Type: Boolean, Flag: true, Help: "continue after a failure"}},
			Returns: "one reply for each command that ran", Examples: []string{"chain 'goto example.com' 'text --max 500'", "chain 'click #save' 'watch text Saved' --keep-going"},
		}, tab: noTab, run: runChain},
		{Spec: Spec{
			Name: "run", Scope: protocol.ScopeRead, Summary: "run a saved routine with other parameters, or list the routines",
			Help:    "`pilotfish record` saves one. ${name} in its lines stands for a parameter.",
			Args:    []Arg{{Name: "name", Type: String, Help: "the routine's name; lists the routines if left out"}, {Name: "params", Type: Lines, Secret: true, Help: "each as name=value"}, {Name: "keep-going", Type: Boolean, Flag: true, Help: "continue after a failure"}},
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
	return in.steps(ctx, in.args.list("commands"), in.args.list("commands"), nil)
}

// Note is what a call does beside its own reply: that it begins to run other
// commands (Phase is begun), and each of these with its reply.
type Note struct {
	Phase   protocol.ActivityPhase
	Began   time.Time
	Request protocol.CommandRequest
	Reply   protocol.CommandReply
}

// begun notes that the call begins to run other commands.
func (in *invocation) begun(count int) {
	if in.call.Note != nil {
		in.call.Note(Note{
			Phase: protocol.ActivityBegun, Began: time.Now(), Request: in.call.Request,
			Reply: protocol.CommandReply{OK: true, Tab: in.tab, Text: "runs " + plural(count, "command")},
		})
	}
}

// step runs one command of several and notes it. shown is the request as it may
// be kept, without the secrets of a routine's parameters.
func (in *invocation) step(ctx context.Context, one Call, shown protocol.CommandRequest, hide func(string) string) protocol.CommandReply {
	began := time.Now()
	reply := in.Execute(ctx, one)
	if in.call.Note != nil {
		noted := reply
		if hide != nil {
			noted.Text = hide(noted.Text)
			if noted.Error != nil {
				noted.Error = protocol.NewError(noted.Error.Code, hide(noted.Error.Message), "")
			}
		}
		shown.Tab = one.Request.Tab
		in.call.Note(Note{Began: began, Request: shown, Reply: noted})
	}
	return reply
}

// parse reads the lines of a call that runs several commands. Nothing has run
// when one of them is wrong.
func parse(lines []string) ([]protocol.CommandRequest, error) {
	if len(lines) > protocol.MaxBatch {
		return nil, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("at most %d commands at once, not %d", protocol.MaxBatch, len(lines)), "send them in several calls")
	}
	requests := make([]protocol.CommandRequest, len(lines))
	for i, l := range lines {
		request, err := ParseLine(l, Find)
		if err == nil && nests(request.Command) {
			err = badArgument(request.Command+" cannot stand inside of another", "name its commands one by one")
		}
		if err != nil {
			e := protocol.AsError(err)
			return nil, e.Saying(fmt.Sprintf("command %d: %s", i+1, e.Message))
		}
		requests[i] = request
	}
	return requests, nil
}

// steps runs command lines in order. shown is how they are called in the reply,
// and hide takes out of what is kept what parameters put in; nil when there are
// none.
func (in *invocation) steps(ctx context.Context, lines, shown []string, hide func(string) string) (result, error) {
	requests, err := parse(lines)
	if err != nil {
		return result{}, err
	}
	in.begun(len(requests))
	replies := []stepReply{}
	var parts []string
	var failed error
	tab := in.call.Request.Tab
	for i, req := range requests {
		if ctx.Err() != nil {
			parts = append(parts, fmt.Sprintf("… %d more were not run: the time is over", len(requests)-i))
			if failed == nil {
				failed = protocol.NewError(protocol.CodeTimeout, fmt.Sprintf("the time ran out after %s", plural(i, "command")), "", protocol.MoreTime())
			}
			break
		}
		one := in.call
		one.Request = req
		if one.Request.Tab == "" && req.Args["tab"] == nil {
			one.Request.Tab = tab
		}
		kept := req
		if hide != nil {
			if kept, err = ParseLine(shown[i], Find); err != nil {
				kept = protocol.CommandRequest{Command: req.Command}
			}
		}
		reply := in.step(ctx, one, kept, hide)
		replies = append(replies, stepReply{shown[i], reply})
		mark := ""
		if !reply.OK {
			mark = "failed: "
		}
		parts = append(parts, fmt.Sprintf("%d. %s\n%s%s", i+1, line(shown[i], 200), mark, reply.Text))
		if reply.OK && req.Command == "newtab" && reply.Tab != "" {
			tab = reply.Tab // what follows is about the tab that it opened
		}
		if reply.OK {
			continue
		}
		if failed == nil {
			failed = reply.Error.Saying(fmt.Sprintf("command %d of %d failed: %s", i+1, len(requests), reply.Error.Message))
		}
		if !in.args.flag("keep-going") {
			if more := len(requests) - i - 1; more > 0 {
				parts = append(parts, fmt.Sprintf("… %d more were not run (--keep-going runs them)", more))
			}
			break
		}
	}
	return result{text: strings.Join(parts, "\n"), data: replies, failed: failed}, nil
}

var paramPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([a-zA-Z][a-zA-Z0-9_]*)\}`) })

func runRoutine(ctx context.Context, in *invocation) (result, error) {
	name := in.args.text("name")
	if name == "" {
		all, err := in.browser.Routines()
		var lines []string
		for _, r := range all {
			lines = append(lines, fmt.Sprintf("%s  %s  %s  %s", r.Name, plural(len(r.Steps), "step"), strings.Join(slices.Sorted(maps.Keys(r.Params)), " "), r.Created.Format(time.RFC3339)))
		}
		return result{text: listed(lines, 0, "no routine is saved; record start begins one"), data: all}, err
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
			return result{}, badArgument(fmt.Sprintf("%.60q is no parameter of %s", p, name), takes(r.Params))
		}
		given[key] = value
	}
	var secrets []string
	for _, value := range given {
		if len(value) >= shortestSecret {
			secrets = append(secrets, value, "•••")
		}
	}
	lines := make([]string, len(r.Steps))
	for i, step := range r.Steps {
		var missing string
		lines[i] = paramPattern().ReplaceAllStringFunc(step, func(m string) string {
			key := m[2 : len(m)-1]
			if given[key] == "" {
				missing = key
			}
			return quoteInside(given[key])
		})
		if missing != "" {
			return result{}, badArgument(fmt.Sprintf("%s needs the parameter %s", name, missing), "", protocol.Example("run", name, missing+"=…"))
		}
	}
	return in.steps(ctx, lines, r.Steps, strings.NewReplacer(secrets...).Replace)
}

// shortestSecret is the length from which a parameter's value is taken out of
// what is kept of the replies; a shorter one would take half of the words along.
const shortestSecret = 4

// takes says which parameters a routine has.
func takes(params map[string]string) string {
	if len(params) == 0 {
		return "it takes no parameters"
	}
	return "it takes " + strings.Join(slices.Sorted(maps.Keys(params)), ", ") + ", each as name=value"
}

// quoteInside makes a value safe between the double quotes of a line.
func quoteInside(v string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(v)
}

// quoteWord is a word of a command line.
func quoteWord(v string) string { return `"` + quoteInside(v) + `"` }
