package policy

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/protocol"
)

func request(a protocol.Actor) Request {
	return Request{Actor: a, Kind: protocol.ActionEval, Tab: "t1", Page: "https://example.com/a?b", Command: "eval", Args: []protocol.ApprovalArg{{Name: "code", Value: "1"}}}
}

// ask starts a request and returns when its question waits.
func ask(ctx context.Context, p *Policy, q Request) <-chan error {
	done := make(chan error, 1)
	go func() { done <- p.Authorize(ctx, q) }()
	synctest.Wait()
	return done
}

func newAsking() (*Policy, *Broker) {
	b := NewBroker("default", func() {})
	return New(Config{Broker: b}), b
}

func TestAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, b := newAsking()
		for _, c := range []struct {
			answer protocol.ApprovalAnswer
			want   protocol.Code
		}{{protocol.AnswerDeny, protocol.CodeDenied}, {protocol.AnswerOnce, ""}, {protocol.AnswerAlways, ""}} {
			done := ask(t.Context(), p, request(agent))
			waiting := b.Pending()
			if len(waiting) != 1 || waiting[0].Origin != "https://example.com" || waiting[0].Site != "example.com" || len(waiting[0].ID) < 20 {
				t.Fatalf("%s: what waits is %+v", c.answer, waiting)
			}
			if code(b.Answer("guess", c.answer)) != protocol.CodeBadArgument || code(b.Answer(waiting[0].ID, "yes")) != protocol.CodeBadArgument {
				t.Error("a wrong answer was taken")
			}
			if err := b.Answer(waiting[0].ID, c.answer); err != nil {
				t.Fatal(err)
			}
			if got := code(<-done); got != c.want {
				t.Errorf("%s: %q and not %q", c.answer, got, c.want)
			}
			if b.Answer(waiting[0].ID, protocol.AnswerOnce) == nil {
				t.Error("a question was answered twice")
			}
		}
		// "Always" was for this site and this kind only.
		if err := p.Authorize(t.Context(), request(other)); err != nil {
			t.Errorf("after always: %v", err)
		}
		q := request(agent)
		q.Page = "https://other.example.com/"
		done := ask(t.Context(), p, q)
		b.Close()
		if code(<-done) != protocol.CodeRefused {
			t.Error("always was for more than its site")
		}
		if p.Authorize(t.Context(), request(user)) != nil {
			t.Error("a person was asked")
		}
	})
}

// The user is shown what was asked, whatever becomes of the caller's data.
func TestWordsAreOfWhatWasAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, b := newAsking()
		q := request(agent)
		q.Command, q.Args, q.Target = "fill", []protocol.ApprovalArg{{Name: "value", Value: "5"}, {Name: "note", Value: "tip"}}, &protocol.TargetFacts{Role: "textbox", Name: "Amount"}
		done := ask(t.Context(), p, q)
		q.Args[0].Value, q.Args[1].Value, q.Target.Name = "5000", "", "Code"
		waiting := b.Pending()[0]
		w := waiting.Words
		if w.What != "type “5” into “Amount”" || len(w.Details) != 1 || w.Details[0].Value != "tip" || waiting.Waiting().Sentence != w.Sentence {
			t.Errorf("what is shown is %+v", w)
		}
		b.Close()
		if code(<-done) != protocol.CodeRefused {
			t.Error("a question without an answer allowed something")
		}
	})
}

// Of many answers and the caller's end, exactly one takes effect.
func TestRacesOfAnswers(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			p, b := newAsking()
			ctx, cancel := context.WithCancel(t.Context())
			done := ask(ctx, p, request(agent))
			id := b.Pending()[0].ID
			var mu sync.Mutex
			var all sync.WaitGroup
			var won []protocol.ApprovalAnswer
			for range 4 {
				for _, a := range []protocol.ApprovalAnswer{protocol.AnswerOnce, protocol.AnswerDeny} {
					all.Go(func() {
						if b.Answer(id, a) == nil {
							mu.Lock()
							won = append(won, a)
							mu.Unlock()
						}
					})
				}
			}
			all.Go(cancel)
			all.Go(func() { b.Gone(agent) })
			err := <-done
			all.Wait()
			if len(won) > 1 || (len(won) == 1 && (won[0] == protocol.AnswerOnce) != (err == nil)) || (len(won) == 0 && err == nil) {
				t.Errorf("answers %v, and the caller got %v", won, err)
			}
			if len(b.Pending()) != 0 {
				t.Error("something still waits")
			}
		})
	}
}

func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, b := newAsking()
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
		defer cancel()
		began := time.Now()
		short, long := ask(ctx, p, request(agent)), ask(t.Context(), p, request(other))
		if got := b.Pending()[0].Expires.Sub(began); got != 40*time.Second {
			t.Errorf("the first expires after %s", got)
		}
		if code(<-short) != protocol.CodeTimeout || time.Since(began) != 40*time.Second {
			t.Errorf("the caller's deadline: after %s", time.Since(began))
		}
		if code(<-long) != protocol.CodeTimeout || time.Since(began) != protocol.ApprovalTimeout {
			t.Errorf("our own deadline: after %s", time.Since(began))
		}
	})
}

func TestActorGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, b := newAsking()
		one, two := ask(t.Context(), p, request(agent)), ask(t.Context(), p, request(other))
		b.Gone(agent)
		if code(<-one) != protocol.CodeRefused || len(b.Pending()) != 1 {
			t.Error("a question outlives its asker")
		}
		b.Close()
		if code(<-two) != protocol.CodeRefused {
			t.Error("a question outlives its session")
		}
	})
}

func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, b := newAsking()
		q := request(agent)
		q.Page = "data:text/html,x"
		var waiting []<-chan error
		for range protocol.MaxApprovals {
			waiting = append(waiting, ask(t.Context(), p, q))
		}
		if code(p.Authorize(t.Context(), q)) != protocol.CodeBusy {
			t.Error("there is no limit")
		}
		if code(b.Answer(b.Pending()[0].ID, protocol.AnswerAlways)) != protocol.CodeBadArgument {
			t.Error("always, for a page without a site")
		}
		b.Close()
		for _, done := range waiting {
			if <-done == nil {
				t.Error("a closed broker said yes")
			}
		}
		if code(New(Config{}).Authorize(t.Context(), q)) != protocol.CodeRefused {
			t.Error("without a broker nobody can say yes")
		}
	})
}
