package control

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// AnswerOperation is how the user answers a question of a task outside of the panel. No agent
// may call it.
func AnswerOperation(find func(protocol.SessionName) (*Tasks, error)) op.Operation {
	return op.Of(find, "AnswerTask", func(ctx context.Context, t *Tasks, _ op.Call, req protocol.TaskAnswerRequest) (op.None, error) {
		return op.None{}, t.Answer(ctx, req)
	}).At(op.Route{
		Path: "/task/answer", Capability: auth.CapabilityApp, Window: true,
		About: "Answer the open question of a task; the reply comes when the task has the answer.",
	})
}

// Answer gives the user's answer to the open question of a task, and returns when the task has it.
func (t *Tasks) Answer(ctx context.Context, req protocol.TaskAnswerRequest) error {
	store, head, err := t.find(req.Task)
	if err != nil {
		return err
	}
	asked := head.Question
	switch {
	case strings.TrimSpace(req.Text) == "":
		return protocol.NewError(protocol.CodeBadArgument, "the answer is empty", "write the answer", protocol.Example("task", "answer", string(req.Task), "the green one"))
	case asked == nil:
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the task asks nothing: it is %s", head.State), "", protocol.Try("shows what it did", "task", "show", string(req.Task)))
	case req.Question != 0 && req.Question != asked.Index:
		return protocol.NewError(protocol.CodeBadArgument, "this question was answered already, and the task asks another one", "read that one", protocol.Try("shows it", "task", "status", string(req.Task)))
	}
	if err := t.Tell(protocol.TaskOrderRequest{Task: req.Task, Order: protocol.TaskOrderSay, Text: req.Text}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.TaskTakeTimeout)
	defer cancel()
	for page, err := range store.Follow(ctx, req.Task, head.Index) {
		if now := page.Head.Question; err != nil || now == nil || now.Index != asked.Index {
			return err
		}
	}
	return protocol.NewError(protocol.CodeTimeout, "the task did not take the answer in time", "answer it once more")
}

// SetAttended says whether somebody can answer the questions of all tasks.
func (t *Tasks) SetAttended(is bool) {
	h := &t.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.attended == is {
		return
	}
	h.attended = is
	for _, one := range h.tasks {
		h.limit(one)
	}
}

// answerable returns the pages of a task for a user who can answer its questions as long as they
// follow it.
func (t *Tasks) answerable(id protocol.TaskID, pages iter.Seq2[protocol.TaskPage, error]) iter.Seq2[protocol.TaskPage, error] {
	return func(yield func(protocol.TaskPage, error) bool) {
		h := &t.host
		h.mu.Lock()
		one := h.tasks[id]
		h.mu.Unlock()
		if one != nil {
			h.viewed(one, 1)
			defer h.viewed(one, -1)
		}
		pages(yield)
	}
}

func (h *host) viewed(one *hosted, more int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one.viewers += more
	h.limit(one)
}

// asks follows whether a task in the task page waits for an answer. It does not block.
func (t *Tasks) asks(head protocol.Task) {
	h := &t.host
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.tasks[head.ID]
	switch {
	case one == nil || !t.cfg.Headless:
		return
	case head.State != protocol.TaskWaiting:
		one.asked = time.Time{}
	case one.asked.IsZero():
		one.asked = time.Now()
	}
	h.limit(one)
}

// limit sets until when the open question of a task waits; h.mu is held. A user who is not
// there may be on the way: the command line follows a task after it was started, and a control
// page connects again.
func (h *host) limit(one *hosted) {
	if one.asked.IsZero() {
		one.giveUp.Stop()
		return
	}
	left := time.Until(one.asked.Add(protocol.TaskAnswerWait))
	if !h.attended && one.viewers == 0 {
		left = min(left, protocol.TaskNobodyWait)
	}
	one.giveUp.Reset(left)
}

// giveUp orders the task page to end a task with its open question, again until it has: a page
// that is connecting again gets no order.
func (t *Tasks) giveUp(id protocol.TaskID) {
	h := &t.host
	h.mu.Lock()
	one := h.tasks[id]
	asks := one != nil && !one.asked.IsZero()
	if asks {
		one.giveUp.Reset(protocol.TaskNobodyWait)
	}
	h.mu.Unlock()
	if !asks {
		return
	}
	t.log.Info("nobody answers a task", "task", id)
	if err := t.orderLiving(protocol.TaskOrderGiveUp, id); err != nil {
		t.log.Warn("a task that nobody answers was not ended", "task", id, "error", err)
	}
}
