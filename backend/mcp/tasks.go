package mcp

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/protocol"
)

// lastLines is how many lines of a task task_status shows.
const lastLines = 12

func (b *builder) taskRun() (tool, bool) {
	s := b.shape()
	s.add("goal", "string", "the whole of it: its agent knows nothing else")
	s.require("goal")
	s.tab()
	s.add("wait", "integer", "seconds to wait for the end")
	return b.make("task_run", "Hand a task over", "Let Pilotfish's own agent work on a tab while the user watches.",
		s, changes(), (*toolbox).taskRun), true
}

func (b *builder) taskStatus() (tool, bool) {
	s := b.shape()
	s.add("task", "string", "all of yours when left out")
	s.add("wait", "integer", "")
	return b.make("task_status", "How a task goes", "How it goes, or ended.", s, readOnly(), (*toolbox).taskStatus), true
}

func (b *builder) taskStop() (tool, bool) {
	s := b.shape()
	s.add("task", "string", "")
	s.require("task")
	return b.make("task_stop", "Stop a task", "Stop your task.", s, changes(), (*toolbox).taskStop), true
}

func (b *toolbox) taskRun(c *call) *sdk.CallToolResult {
	goal, err := take[string](c, "goal")
	if err != nil {
		return failure(err)
	}
	tab, err := take[string](c, "tab")
	if err != nil {
		return failure(err)
	}
	wait, bad := c.patience(true)
	if bad != nil {
		return bad
	}
	if bad := unknown(c, "goal, tab, wait"); bad != nil {
		return bad
	}
	task, err := b.config.Caller.RunTask(c.ctx, protocol.TaskRunRequest{Goal: goal, Tab: protocol.TabID(tab)})
	if err != nil {
		return failure(err)
	}
	return b.follow(c, task.ID, wait, true)
}

func (b *toolbox) taskStatus(c *call) *sdk.CallToolResult {
	id, err := take[string](c, "task")
	if err != nil {
		return failure(err)
	}
	wait, bad := c.patience(false)
	if bad != nil {
		return bad
	}
	if bad := unknown(c, "task, wait"); bad != nil {
		return bad
	}
	if id != "" {
		return b.follow(c, protocol.TaskID(id), wait, false)
	}
	list, err := b.config.Caller.TaskList(c.ctx)
	if err != nil {
		return failure(err)
	}
	lines := make([]string, 0, len(list))
	for _, t := range list[:min(len(list), lastLines)] {
		lines = append(lines, standing(t)+" "+t.Title)
	}
	if len(lines) == 0 {
		return plain("no tasks; task_run makes one")
	}
	return plain(enclosed(strings.Join(lines, "\n")))
}

func (b *toolbox) taskStop(c *call) *sdk.CallToolResult {
	id, err := take[string](c, "task")
	if err != nil {
		return failure(err)
	}
	if bad := unknown(c, "task"); bad != nil {
		return bad
	}
	task, err := b.config.Caller.StopTask(c.ctx, protocol.TaskID(id))
	if err != nil {
		return failure(err)
	}
	return plain(standing(task))
}

// patience returns how long the caller wants to wait for a task's end. begins
// is true for the call that starts the task.
func (c *call) patience(begins bool) (time.Duration, *sdk.CallToolResult) {
	_, said := c.args["wait"]
	seconds, err := take[int](c, "wait")
	most := int(taskToolMaxWait / time.Second)
	switch {
	case err != nil:
		return 0, failure(err)
	case seconds < 0 || seconds > most:
		return 0, wrong(fmt.Sprintf("wait is from 0 to %d seconds", most), "")
	case said:
		return time.Duration(seconds) * time.Second, nil
	case !begins:
		return 0, nil
	case c.hears:
		return taskToolMaxWait, nil
	}
	return taskToolWait, nil
}

// follow waits for a task's end, reports its progress, and returns its state.
// The task continues after the call. What happened before the call is not
// reported as progress, unless the call started the task.
func (b *toolbox) follow(c *call, id protocol.TaskID, wait time.Duration, news bool) *sdk.CallToolResult {
	// Without a wait, the state in the first page is enough.
	ctx, cancel := context.WithTimeout(c.ctx, max(wait, time.Minute))
	defer cancel()
	var last []string
	task, err := b.config.Caller.FollowTask(ctx, id, func(head protocol.Task, lines []string) {
		for _, line := range lines {
			if news {
				c.news(head.Steps, head.MaxStep, line)
			}
		}
		news = true
		last = append(last, lines...)
		if wait == 0 {
			cancel()
		}
	})
	if err != nil {
		return failure(err)
	}
	last = last[max(0, len(last)-lastLines):]
	out := []string{standing(task)}
	if said := task.Summary; said != "" || len(last) > 0 {
		out = append(out, enclosed(strings.TrimSpace(strings.Join(last, "\n")+"\n"+said)))
	}
	switch task.State {
	case protocol.TaskRunning, protocol.TaskIdle:
		out = append(out, "It goes on: task_status with this id and wait tells its end.")
	case protocol.TaskWaiting:
		out = append(out, "It waits for the user's answer, which only the user can give.")
	case protocol.TaskPaused:
		out = append(out, "The user paused it.")
	case protocol.TaskInterrupted:
		out = append(out, "It was interrupted; the user can resume it in the panel.")
	case protocol.TaskDone, protocol.TaskFailed, protocol.TaskStopped:
	}
	result := plain(strings.Join(out, "\n"))
	result.IsError = task.State == protocol.TaskFailed
	return result
}

// standing returns a task's state in text that contains nothing from a page.
func standing(t protocol.Task) string {
	return fmt.Sprintf("task %s: %s, step %d of %d", t.ID, t.State, t.Steps, t.MaxStep)
}

func plain(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// enclosed puts text of a task's model into an envelope: the model has read
// pages, and may repeat what a page said.
func enclosed(text string) string {
	nonce := make([]byte, 8)
	_, _ = rand.Read(nonce) // never fails: crypto/rand ends the program instead
	tag := "page-" + hex.EncodeToString(nonce)
	return fmt.Sprintf("<%s origin=\"task\">\n%s\n</%s>", tag, text, tag)
}
