package catalogue

import (
	"context"
	"maps"
	"slices"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// replacesRoutine returns the difference between a routine of somebody else and
// the recording that would replace it; nil if there is no such routine.
func (c *commands) replacesRoutine(ctx context.Context, in *command.Invocation) ([]protocol.ApprovalArg, error) {
	name, do := in.Args.Text("name"), in.Args.Do("status")
	if (do != "stop" && do != "save") || name == "" || !routineName().MatchString(name) {
		return nil, nil
	}
	r, err := c.Browser.Recording(ctx, in.Tab)
	if err != nil || (!r.Running && !r.Held) {
		return nil, err
	}
	routine := routineOf(name, r.Steps)
	return c.setOwner(in, &routine)
}

// setOwner sets the owner of a routine that will be saved. If it replaces one of
// another owner, which stays the owner, setOwner returns the difference. The user
// may replace every routine, and then owns it.
func (c *commands) setOwner(in *command.Invocation, routine *protocol.Routine) ([]protocol.ApprovalArg, error) {
	if !in.Agent() {
		return nil, nil
	}
	routine.Owner = in.Caller()
	all, err := c.Browser.Routines()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(r protocol.Routine) bool { return r.Name == routine.Name })
	if i < 0 || all[i].Owner == routine.Owner {
		return nil, nil
	}
	routine.Owner = all[i].Owner
	return []protocol.ApprovalArg{{Name: "difference", Value: difference(routineLines(all[i]), routineLines(*routine))}}, nil
}

// routineLines returns a routine as lines to compare.
func routineLines(r protocol.Routine) []string {
	var lines []string
	for _, part := range [][2]string{{"title", r.Title}, {"goal", r.Goal}} {
		if part[1] != "" {
			lines = append(lines, part[0]+": "+part[1])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Params)) {
		lines = append(lines, "parameter "+name+": "+r.Params[name])
	}
	return append(lines, r.Steps...)
}

// difference returns the lines of both texts: "-" marks those that go, "+" those
// that come. Lines at the beginning and at the end that stay are not marked.
func difference(old, now []string) string {
	begin := 0
	for begin < min(len(old), len(now)) && old[begin] == now[begin] {
		begin++
	}
	end := 0
	for end < min(len(old), len(now))-begin && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
	}
	var lines []string
	mark := func(sign string, part []string) {
		for _, line := range part {
			lines = append(lines, sign+" "+line)
		}
	}
	mark(" ", old[:begin])
	mark("-", old[begin:len(old)-end])
	mark("+", now[begin:len(now)-end])
	mark(" ", old[len(old)-end:])
	return strings.Join(lines, "\n")
}
