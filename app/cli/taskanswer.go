package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"pilotfish/app/cli/say"
	"pilotfish/backend/protocol"
)

// answer gives the user's answer to the open question of a task.
func (t *tasks) answer(ctx context.Context, words string) error {
	id, text, _ := strings.Cut(words, " ")
	ask, cancel := context.WithTimeout(ctx, protocol.TaskTakeTimeout+protocol.CLIMargin)
	defer cancel()
	return t.post(ask, "/task/answer", protocol.TaskAnswerRequest{Task: protocol.TaskID(id), Text: strings.TrimSpace(text)}, &struct{}{})
}

// questions shows the questions of a task that is followed, and takes the answers that the
// user types.
type questions struct {
	*tasks

	id    protocol.TaskID
	typed bool // the input is a terminal
	shown uint64
	open  atomic.Uint64 // the question that a line answers; 0 for none
	reads bool
}

// shows prints how a question that is new can be answered, and begins to read answers.
func (a *questions) shows(ctx context.Context, q *protocol.TaskQuestion) error {
	if q == nil {
		a.open.Store(0)
		return nil
	}
	if q.Index == a.shown {
		return nil
	}
	a.shown = q.Index
	a.open.Store(q.Index)
	if !a.typed {
		return a.print(offered(*q) + fmt.Sprintf("(answer it in Pilotfish, or with: pilotfish task answer %s \"…\")", a.id))
	}
	if !a.reads {
		a.reads = true
		go a.read(ctx) // it ends with the input, or with the program
	}
	if len(q.Choices) > 0 {
		if err := a.print(offered(*q)); err != nil {
			return err
		}
	}
	return say.Part(a.stderr, "Your answer: ")
}

// read sends each line that the user types while a question is open.
func (a *questions) read(ctx context.Context) {
	lines := bufio.NewReader(io.LimitReader(a.stdin, protocol.MaxBody))
	for {
		line, err := lines.ReadString('\n')
		if err != nil || ctx.Err() != nil {
			return
		}
		text, question := strings.TrimSpace(line), a.open.Load()
		switch {
		case text == "" && question != 0:
			_ = say.Part(a.stderr, "Your answer: ") // the question is still there without it
			continue
		case question == 0:
			say.Note(a.stderr, "the task asks nothing now")
			continue
		}
		ask, cancel := context.WithTimeout(ctx, protocol.TaskTakeTimeout+protocol.CLIMargin)
		err = a.post(ask, "/task/answer", protocol.TaskAnswerRequest{Task: a.id, Question: question, Text: text}, &struct{}{})
		cancel()
		if err != nil {
			say.Failure(a.stderr, protocol.AsError(err))
		}
	}
}

// offered returns the offered answers to a question, one a line.
func offered(q protocol.TaskQuestion) string {
	var b strings.Builder
	for _, c := range q.Choices {
		b.WriteString("   - " + say.OneLine(c.Say))
		if c.Where != "" {
			b.WriteString(" (in " + say.OneLine(c.Where) + ")")
		}
		b.WriteString("\n")
	}
	return b.String()
}
