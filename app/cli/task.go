package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
	"pilotfish/backend/task"
)

// task requests a task from the panel and follows it, or shows tasks.
func (p *program) task(ctx context.Context, in syntax.Invocation) error {
	c, err := client.Find(p.getenv)
	if err != nil {
		return err
	}
	t := tasks{program: p, client: c, in: in, query: url.Values{}}
	if in.Session != "" {
		t.query.Set("session", string(in.Session))
	}
	words := strings.TrimSpace(in.Values["words"])
	action := in.Values["action"]
	switch action {
	case "list", "":
		return t.list(ctx, words)
	case "run":
		return t.run(ctx, words)
	case "routines":
		return t.routines(ctx)
	}
	if words == "" {
		return protocol.NewError(protocol.CodeBadArgument, "which task?", "", protocol.Try("lists them", "task", "list"))
	}
	id := protocol.TaskID(words)
	switch action {
	case "status":
		return t.status(ctx, id)
	case "show":
		return t.show(ctx, id)
	case "follow":
		return t.follow(ctx, id, 0)
	case "answer":
		return t.answer(ctx, words)
	}
	var reply protocol.TaskRunReply // for stop; the parser allows no other word
	if err := t.post(ctx, "/task/stop", protocol.TaskRequest{Task: id}, &reply); err != nil {
		return err
	}
	if in.JSON {
		return p.printJSON(reply)
	}
	return p.print(describeTask(reply.Task))
}

// tasks is one use of the command task.
type tasks struct {
	*program

	client *client.Client
	in     syntax.Invocation
	query  url.Values // names the session, if one was given
}

func (t *tasks) post(ctx context.Context, path string, in, out any) error {
	return t.client.Post(ctx, path+"?"+t.query.Encode(), in, out)
}

func (t *tasks) list(ctx context.Context, text string) error {
	var reply protocol.TaskListReply
	if err := t.post(ctx, "/task/list", protocol.TaskListRequest{Text: text, Limit: 50}, &reply); err != nil {
		return err
	}
	if t.in.JSON {
		return t.printJSON(reply)
	}
	steps := map[protocol.TaskID]int{}
	for _, found := range reply.Found {
		steps[found.Task] = found.Step
	}
	var out strings.Builder
	for _, one := range reply.Tasks {
		fmt.Fprintf(&out, "%s  %s, %s, step %d of %d  %s", one.ID, one.State, where(one), one.Steps, one.MaxStep, say.OneLine(one.Title))
		if step := steps[one.ID]; step > 0 {
			fmt.Fprintf(&out, " (found in step %d)", step)
		}
		out.WriteByte('\n')
	}
	return t.print(out.String())
}

func (t *tasks) routines(ctx context.Context) error {
	var reply protocol.TaskRoutinesReply
	if err := t.post(ctx, "/task/routines", struct{}{}, &reply); err != nil {
		return err
	}
	if t.in.JSON {
		return t.printJSON(reply)
	}
	var out strings.Builder
	for _, one := range reply.Routines {
		fmt.Fprintf(&out, "%s", say.OneLine(one.Name))
		for _, name := range one.Params {
			fmt.Fprintf(&out, " --param %s=…", name)
		}
		fmt.Fprintf(&out, "  %s\n", say.OneLine(one.Goal))
	}
	return t.print(out.String())
}

func (t *tasks) status(ctx context.Context, id protocol.TaskID) error {
	page, err := t.page(ctx, id, 0)
	if err != nil {
		return err
	}
	if t.in.JSON {
		return t.printJSON(protocol.TaskRunReply{Task: page.Head})
	}
	return t.print(describeTask(page.Head))
}

func (t *tasks) page(ctx context.Context, id protocol.TaskID, after uint64) (protocol.TaskPage, error) {
	var page protocol.TaskPage
	err := t.post(ctx, "/task/get", protocol.TaskRequest{Task: id, After: after}, &page)
	return page, err
}

// show prints everything that was recorded of a task so far.
func (t *tasks) show(ctx context.Context, id protocol.TaskID) error {
	whole := protocol.TaskPage{Events: []protocol.TaskEvent{}}
	for after := uint64(0); ; {
		page, err := t.page(ctx, id, after)
		if err != nil {
			return err
		}
		whole.Head = page.Head
		whole.Events = append(whole.Events, page.Events...)
		if len(page.Events) < protocol.TaskPageSize {
			break
		}
		after = page.Events[len(page.Events)-1].Index
	}
	if t.in.JSON {
		return t.printJSON(whole)
	}
	var teller task.Teller
	lines := append([]string{"goal: " + say.OneLine(whole.Head.Goal)}, teller.Lines(whole)...)
	return t.print(strings.Join(append(lines, describeTask(whole.Head)), "\n"))
}

// run requests a task and follows it to its end.
func (t *tasks) run(ctx context.Context, goal string) error {
	req := protocol.TaskRunRequest{Goal: goal, Tab: t.in.Tab, Profile: t.in.Values["model"], Routine: t.in.Values["routine"]}
	if steps := t.in.Values["steps"]; steps != "" {
		if _, err := fmt.Sscanf(steps, "%d", &req.MaxSteps); err != nil || req.MaxSteps < 1 || req.MaxSteps > 500 {
			return protocol.NewError(protocol.CodeBadArgument, "steps is from 1 to 500", "")
		}
	}
	for _, pair := range strings.Split(t.in.Values["param"], ",") {
		name, value, ok := strings.Cut(pair, "=")
		switch {
		case ok:
			if req.Params == nil {
				req.Params = map[string]string{}
			}
			req.Params[strings.TrimSpace(name)] = value
		case strings.TrimSpace(pair) != "":
			return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the parameter %.40q has no value", pair), "write --param NAME=VALUE")
		}
	}
	var reply protocol.TaskRunReply
	// In a browser elsewhere the page for tasks may need a browser of its own first.
	ask, cancel := context.WithTimeout(ctx, protocol.BrowserStartTimeout+protocol.TaskPageTimeout+protocol.TaskTakeTimeout+protocol.CLIMargin)
	defer cancel()
	if err := t.post(ask, "/task/run", req, &reply); err != nil {
		return err
	}
	if !t.in.JSON {
		if err := t.print(fmt.Sprintf("task %s on %s", reply.Task.ID, where(reply.Task))); err != nil {
			return err
		}
	}
	if t.in.Values["detach"] == "true" {
		if t.in.JSON {
			return t.printJSON(reply)
		}
		return nil
	}
	return t.follow(ctx, reply.Task.ID, 0)
}

// where returns a task's tab, for users.
func where(t protocol.Task) string {
	if t.Tab == "" {
		return "no tab"
	}
	return string(t.Tab)
}

// describeTask returns the state of a task, for users.
func describeTask(t protocol.Task) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, step %d of %d", t.ID, t.State, t.Steps, t.MaxStep)
	if t.Tokens > 0 {
		fmt.Fprintf(&b, ", %d tokens", t.Tokens)
	}
	b.WriteString("\n")
	if t.Summary != "" {
		b.WriteString(t.Summary + "\n")
	}
	if t.Question != nil {
		b.WriteString("it asks: " + say.OneLine(t.Question.Text) + "\n" + offered(*t.Question))
	}
	return b.String()
}
