package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// schedule lists, adds and changes schedules.
func (p *program) schedule(ctx context.Context, in syntax.Invocation) error {
	action, name := in.Values["action"], in.Values["name"]
	req := protocol.ScheduleRequest{Do: action, Name: name}
	switch action {
	case "", "list", "show", "log":
		req = protocol.ScheduleRequest{Do: "list"}
	case "add":
		one, err := newSchedule(in, p.getenv)
		if err != nil {
			return err
		}
		req.Name, req.Schedule = "", &one
	}
	if name == "" && action != "" && action != "list" {
		return protocol.NewError(protocol.CodeBadArgument, "which schedule?", "", protocol.Try("lists them", "schedule"))
	}
	var reply protocol.ScheduleReply
	if err := p.post(ctx, in, "/schedules", req, &reply); err != nil {
		return err
	}
	if name == "" || action == "remove" {
		return p.schedules(in, reply)
	}
	at := slices.IndexFunc(reply.Schedules, func(s protocol.Schedule) bool { return s.Name == name })
	if at < 0 {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no schedule %.60q", name), "", protocol.Try("lists them", "schedule"))
	}
	one := reply.Schedules[at]
	switch {
	case in.JSON:
		return p.printJSON(one)
	case action == "log":
		return p.print(scheduleLog(one))
	case action == "show":
		return p.print(scheduleDetails(one) + scheduleLog(one))
	}
	return p.print(scheduleLine(one))
}

func (p *program) schedules(in syntax.Invocation, reply protocol.ScheduleReply) error {
	if in.JSON {
		return p.printJSON(reply)
	}
	if len(reply.Schedules) == 0 {
		return p.print("no schedules; `pilotfish schedule add` adds one")
	}
	var out strings.Builder
	for _, one := range reply.Schedules {
		out.WriteString(scheduleLine(one) + "\n")
	}
	return p.print(out.String())
}

// scheduleSpec declares the command schedule.
func scheduleSpec() syntax.Spec {
	return syntax.Spec{
		Name: "schedule", Summary: "run a routine, a task or a command at a time, when a page changes, or when a file appears", Group: syntax.GroupAgent,
		Help: "Times: \"daily 09:30\", \"mon-fri 09:00,13:00\", \"monthly last 18:00\", \"every 30m\", \"2026-12-24 18:00\". Each run has a tab of its own. " +
			"What was missed, because Pilotfish was not running or the computer slept, is reported once and not made up for. Only the user can add a schedule.",
		Args: []syntax.Arg{
			{Name: "action", Choices: []string{"list", "add", "show", "log", "run", "pause", "resume", "remove"}, Help: "what to do; list when it is left out"},
			{Name: "name", Help: "the schedule: a to z, 0 to 9, _ and -"},
			{Name: "at", Flag: true, Help: "add: run at this time"},
			{Name: "page", Flag: true, Help: "add: run when the text of this address changes"},
			{Name: "selector", Flag: true, Help: "add: only the text of this element of the page"},
			{Name: "every", Flag: true, Help: "add: how often the page is checked, at most every minute (15m when it is left out)"},
			{Name: "file", Flag: true, Help: "add: run when a file appears, such as ~/Downloads/*.csv; ${file} in what runs stands for it. Quote it"},
			{Name: "routine", Flag: true, Help: "add: the routine that runs"},
			{Name: "param", Flag: true, Help: "add: values for the routine's parameters, with commas between: city=Paris,days=3"},
			{Name: "task", Flag: true, Help: "add: the task that runs, in words"},
			{Name: "command", Flag: true, Help: "add: the command of the browser that runs; chain runs several"},
			{Name: "open", Flag: true, Help: "add: the page on which each run begins"},
			{Name: "model", Flag: true, Help: "add: the model of the task, by its name in Settings"},
			{Name: "start-session", Flag: true, Kind: syntax.KindBool, Help: "add: start the session for a run when it is not running"},
			{Name: "minutes", Flag: true, Kind: syntax.KindInt, Help: "add: how long one run may take (15 when it is left out)"},
			{Name: "steps", Flag: true, Kind: syntax.KindInt, Help: "add: how many steps the task of a run has at most"},
			{Name: "tokens", Flag: true, Kind: syntax.KindInt, Help: "add: how many tokens the task of a run may use"},
			{Name: "notify", Flag: true, Choices: []string{"failure", "always", "never"}, Help: "add: when to show a notification (failure when it is left out)"},
		},
		Examples: []string{
			`pilotfish schedule add report --at "mon-fri 09:30" --routine report`,
			`pilotfish schedule add news --at "daily 08:00" --open https://news.example --task "summarise the front page" --tokens 50000`,
			`pilotfish schedule add tea --page https://shop.example/tea --selector .price --every 30m --command "screenshot --full"`,
			`pilotfish schedule add invoice --file '~/Downloads/*.csv' --routine book --param 'path=${file}'`,
			"pilotfish schedule log report",
		},
	}
}

// newSchedule returns the schedule that the options describe.
func newSchedule(in syntax.Invocation, getenv func(string) string) (protocol.Schedule, error) {
	v := in.Values
	s := protocol.Schedule{
		Name: v["name"], Session: in.Session, StartSession: v["start-session"] == "true", Notify: protocol.ScheduleNotify(v["notify"]),
		What: protocol.ScheduleWhat{Routine: v["routine"], Task: v["task"], Start: v["open"], Profile: v["model"]},
		When: protocol.ScheduleWhen{At: v["at"], Page: v["page"], Selector: v["selector"]},
	}
	if v["command"] != "" {
		s.What.Commands = []string{v["command"]}
	}
	for option, into := range map[string]*int{"minutes": &s.MaxMinutes, "steps": &s.MaxSteps, "tokens": &s.MaxTokens} {
		if text := v[option]; text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return s, syntax.Bad("--%s is a number from 1, not %q", option, text)
			}
			*into = n
		}
	}
	if text := v["every"]; text != "" {
		every, err := time.ParseDuration(text)
		if err != nil || s.When.Page == "" {
			return s, syntax.Bad("--every is the time between checks of a --page, such as 30m; for a time write --at \"every 30m\"")
		}
		s.When.EverySeconds = int(every.Seconds())
	}
	if file := v["file"]; file != "" {
		if below, ok := strings.CutPrefix(file, "~/"); ok { // in quotes the shell leaves it
			file = filepath.Join(getenv("HOME"), below)
		}
		whole, err := filepath.Abs(file)
		if err != nil {
			return s, fmt.Errorf("reading the path of --file: %w", err)
		}
		s.When.Folder, s.When.Pattern = filepath.Split(whole)
	}
	for _, pair := range strings.Split(v["param"], ",") {
		name, value, ok := strings.Cut(pair, "=")
		switch {
		case ok:
			if s.What.Params == nil {
				s.What.Params = map[string]string{}
			}
			s.What.Params[strings.TrimSpace(name)] = value
		case strings.TrimSpace(pair) != "":
			return s, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the parameter %.40q has no value", pair), "write --param NAME=VALUE")
		}
	}
	return s, nil
}

// scheduleLine describes a schedule in one line.
func scheduleLine(s protocol.Schedule) string {
	next := ""
	switch {
	case s.Off:
		next = ", paused"
	case s.Next != nil && s.When.Page != "":
		next = ", next check " + s.Next.Local().Format("2006-01-02 15:04")
	case s.Next != nil:
		next = ", next " + s.Next.Local().Format("2006-01-02 15:04")
	}
	last := ""
	if len(s.Runs) > 0 {
		last = ", last: " + string(s.Runs[0].State)
	}
	return fmt.Sprintf("%-16s %s: %s%s%s", s.Name, scheduleWhen(s.When), scheduleWhat(s.What), next, last)
}

func scheduleWhen(w protocol.ScheduleWhen) string {
	switch {
	case w.Page != "" && w.Selector != "":
		return fmt.Sprintf("when %s of %s changes", say.OneLine(w.Selector), say.OneLine(w.Page))
	case w.Page != "":
		return fmt.Sprintf("when %s changes", say.OneLine(w.Page))
	case w.Folder != "":
		return "when a file appears as " + say.OneLine(filepath.Join(w.Folder, w.Pattern))
	}
	return w.At
}

func scheduleWhat(w protocol.ScheduleWhat) string {
	switch {
	case w.Routine != "":
		return "routine " + w.Routine
	case w.Task != "":
		return fmt.Sprintf("task “%s”", say.OneLine(w.Task))
	}
	return say.OneLine(strings.Join(w.Commands, " then "))
}

// scheduleDetails describes a schedule in several lines, without its runs.
func scheduleDetails(s protocol.Schedule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  session: %s", scheduleLine(s), s.Session)
	if s.StartSession {
		b.WriteString(", started for a run")
	}
	fmt.Fprintf(&b, "\n  limits of one run: %d minutes", s.MaxMinutes)
	if s.MaxSteps > 0 {
		fmt.Fprintf(&b, ", %d steps", s.MaxSteps)
	}
	if s.MaxTokens > 0 {
		fmt.Fprintf(&b, ", %d tokens", s.MaxTokens)
	}
	fmt.Fprintf(&b, "\n  notification: %s\n", s.Notify)
	if s.What.Start != "" {
		fmt.Fprintf(&b, "  begins on: %s\n", say.OneLine(s.What.Start))
	}
	for _, name := range slices.Sorted(maps.Keys(s.What.Params)) {
		fmt.Fprintf(&b, "  %s = %s\n", name, say.OneLine(s.What.Params[name]))
	}
	return b.String()
}

// scheduleLog lists the last runs, the oldest first.
func scheduleLog(s protocol.Schedule) string {
	if len(s.Runs) == 0 {
		return "no runs yet"
	}
	var b strings.Builder
	for _, run := range slices.Backward(s.Runs) {
		fmt.Fprintf(&b, "%s  %s (%s)", run.Began.Local().Format("2006-01-02 15:04:05"), run.State, run.Reason)
		if run.Missed > 1 {
			fmt.Fprintf(&b, ", %d times", run.Missed)
		}
		if run.DurationMS > 0 {
			fmt.Fprintf(&b, ", %s", (time.Duration(run.DurationMS) * time.Millisecond).Round(100*time.Millisecond))
		}
		if run.Task != "" {
			fmt.Fprintf(&b, ", task %s", run.Task)
		}
		if run.File != "" {
			fmt.Fprintf(&b, ", %s", say.OneLine(run.File))
		}
		if run.Message != "" {
			fmt.Fprintf(&b, ": %s", say.OneLine(run.Message))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
