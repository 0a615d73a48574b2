package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"

	"pilotfish/app/cli/say"
	"pilotfish/backend/protocol"
	"pilotfish/backend/task"
)

// follow prints the events of a task, line by line, until its end. Interrupting
// it does not stop the task.
func (t *tasks) follow(ctx context.Context, id protocol.TaskID, after uint64) error {
	ctx, release := signal.NotifyContext(ctx, os.Interrupt)
	defer release()
	if t.in.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.in.Timeout)
		defer cancel()
	}
	var teller task.Teller
	var head protocol.Task
	asked := questions{tasks: t, id: id, typed: !t.in.JSON && answersHere(t.stdin)}
	query := maps.Clone(t.query)
	if asked.typed {
		query.Set("answers", "true")
	}
	err := t.client.FollowTask(ctx, id, after, query, func(page protocol.TaskPage) error {
		head = page.Head
		if t.in.JSON {
			return nil
		}
		for _, line := range teller.Lines(page) {
			if err := t.print(line); err != nil {
				return err
			}
		}
		return asked.shows(ctx, head.Question)
	})
	if err == nil && t.in.JSON {
		err = t.printJSON(protocol.TaskRunReply{Task: head})
	}
	switch {
	case err == nil:
		return t.ended(head)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return protocol.NewError(protocol.CodeTimeout, "the task has not ended in time", goesOn(id))
	case ctx.Err() != nil:
		say.Note(t.stderr, goesOn(id))
		return exitError(130)
	}
	return err
}

func goesOn(id protocol.TaskID) string {
	return fmt.Sprintf("the task keeps running; `pilotfish task follow %s` shows it, `pilotfish task stop %s` stops it", id, id)
}

// ended prints how a task ended when it succeeded, and returns an error
// otherwise. With --json the result was already printed.
func (t *tasks) ended(head protocol.Task) error {
	err := taskError(head)
	switch {
	case err == nil && t.in.JSON:
		return nil
	case err == nil:
		return t.print(describeTask(head))
	case !t.in.JSON:
		return err
	}
	say.Note(t.stderr, err.Message)
	return exitError(err.Code.ExitCode())
}

// taskError returns the error with which a task ended; nil for one that
// succeeded.
func taskError(head protocol.Task) *protocol.Error {
	why := head.Summary
	if why == "" {
		why = "it gave no reason"
	}
	switch head.State {
	case protocol.TaskDone:
		return nil
	case protocol.TaskStopped:
		return protocol.NewError(protocol.CodeRefused, "the task was stopped", fmt.Sprintf("`pilotfish task show %s` says what it had done", head.ID))
	case protocol.TaskInterrupted:
		return protocol.NewError(protocol.CodeNotRunning, "the task was interrupted: what ran it was closed", "resume it in the panel beside "+where(head)+", or run it again")
	case protocol.TaskIdle, protocol.TaskRunning, protocol.TaskWaiting, protocol.TaskPaused, protocol.TaskFailed:
	}
	e := protocol.NewError(protocol.CodeInternal, "the task failed: "+say.OneLine(why), "")
	if head.Error != nil {
		e.Code, e.Hint = head.Error.Code, head.Error.Hint
	}
	return e
}
