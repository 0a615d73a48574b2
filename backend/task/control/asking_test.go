package control

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// asks writes that a task asks its user something.
func (d *desk) asks(t *testing.T, id protocol.TaskID, text string) protocol.TaskQuestion {
	t.Helper()
	reply, err := d.Write(t.Context(), protocol.TaskWriteRequest{
		Task: id, Viewer: "p", Kind: protocol.TaskEventNotice, Data: []byte(`{"question":"` + text + `"}`),
		Head: &protocol.Task{State: protocol.TaskWaiting, Question: &protocol.TaskQuestion{Text: text, Choices: []protocol.TaskChoice{{Say: "Skip"}}}},
	})
	if err != nil || reply.Head.Question == nil || reply.Head.Question.Index != reply.Index {
		t.Fatalf("%+v, %v", reply, err)
	}
	return *reply.Head.Question
}

// gaveUp returns how often the task page was ordered to end a task with its question.
func (d *desk) gaveUp() (n int) {
	for _, order := range d.orders() {
		if order.Order == protocol.TaskOrderGiveUp {
			n++
		}
	}
	return n
}

// The user answers the open question of a task, and no other one.
func TestAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, nil)
		answer := func(question uint64, text string) error {
			return d.Answer(t.Context(), protocol.TaskAnswerRequest{Task: one, Question: question, Text: text})
		}
		d.write(t, one, "p", protocol.TaskRunning)
		if err := answer(0, "green"); code(err) != protocol.CodeBadArgument {
			t.Errorf("without a question: %v", err)
		}
		first := d.asks(t, one, "Which?")
		d.follows = func(event any) {
			if order, is := event.(protocol.TaskOrderEvent); is && order.Text == "green" {
				d.write(t, one, "p", protocol.TaskRunning)
			}
		}
		if err := answer(first.Index, "green"); err != nil {
			t.Error(err)
		}
		second := d.asks(t, one, "How many?")
		for text, question := range map[string]uint64{"green": first.Index, " ": second.Index} {
			if err := answer(question, text); code(err) != protocol.CodeBadArgument {
				t.Errorf("%q to question %d: %v", text, question, err)
			}
		}
		if err := answer(0, "two"); code(err) != protocol.CodeTimeout {
			t.Errorf("a task that does not react: %v", err)
		}
		if n := len(d.orders()); n != 2 {
			t.Errorf("the task got %d answers", n)
		}
		d.PanelGone("p")
		if head, err := d.Read(shell(), one, 0); err != nil || head.Head.Question != nil {
			t.Errorf("an interrupted task asks %+v, %v", head.Head.Question, err)
		}
	})
}

// Without a window a question waits while somebody can answer it, and for a limited time.
func TestAQuestionThatNobodyAnswers(t *testing.T) {
	for _, c := range []struct {
		name     string
		window   bool
		attended bool
		kind     auth.Kind // who follows the task, and says that they answer; empty for nobody
		waits    time.Duration
	}{
		{name: "nobody is there", waits: protocol.TaskNobodyWait},
		{name: "a control page is open", attended: true, waits: protocol.TaskAnswerWait},
		{name: "the user follows it", kind: auth.KindCLI, waits: protocol.TaskAnswerWait},
		{name: "an agent follows it", kind: auth.KindAgent, waits: protocol.TaskNobodyWait},
		{name: "the app has a window", window: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := hostDesk(t, func(cfg *Config) { cfg.Headless = !c.window })
			d.SetAttended(c.attended)
			id := d.runs(t, "t1", "p")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.kind != "" {
				grant := shell()
				grant.Kind = c.kind
				if c.kind == auth.KindAgent {
					head, _ := d.Read(shell(), id, 0)
					grant.Actor = *head.Head.Asker
				}
				go d.stream(ctx, t, grant, id)
			}
			synctest.Wait()
			d.asks(t, id, "Which?")
			if c.window {
				time.Sleep(24 * time.Hour)
			} else {
				time.Sleep(c.waits - time.Second)
			}
			synctest.Wait()
			if n := d.gaveUp(); n != 0 {
				t.Errorf("%s: it gave up %d times too early", c.name, n)
			}
			if c.window {
				return
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if n := d.gaveUp(); n != 1 {
				t.Errorf("%s: it gave up %d times", c.name, n)
			}
			d.write(t, id, "p", protocol.TaskFailed)
			time.Sleep(time.Hour)
			if n := d.gaveUp(); n != 1 {
				t.Errorf("%s: it gave up %d times after its end", c.name, n)
			}
		})
	}
}

// Who comes in time keeps the task, and who leaves takes the answer away.
func TestTheUserComesAndLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := hostDesk(t, func(cfg *Config) { cfg.Headless = true })
		id := d.runs(t, "t1", "p")
		d.asks(t, id, "Which?")
		time.Sleep(protocol.TaskNobodyWait - time.Second)
		ctx, leave := context.WithCancel(t.Context())
		go d.stream(ctx, t, shell(), id)
		time.Sleep(time.Minute)
		d.SetAttended(true)
		leave()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := d.gaveUp(); n != 0 {
			t.Errorf("it gave up %d times", n)
		}
		d.SetAttended(false)
		time.Sleep(protocol.TaskNobodyWait + time.Second)
		synctest.Wait()
		if n := d.gaveUp(); n != 1 {
			t.Errorf("alone, it gave up %d times", n)
		}
	})
}

// stream follows a task for a user who can answer, until ctx ends.
func (d *desk) stream(ctx context.Context, t *testing.T, grant auth.Grant, id protocol.TaskID) {
	t.Helper()
	find := func(protocol.SessionName) (*Tasks, error) { return d.Tasks, nil }
	for _, o := range Operations(find) {
		if o.Name != "FollowTask" {
			continue
		}
		events, err := o.Stream(ctx, op.Call{Grant: grant}, []byte(`{"task":"`+string(id)+`","answers":true}`))
		if err != nil {
			t.Error(err)
			return
		}
		for _, err := range events {
			if err != nil {
				return
			}
		}
	}
}
