//go:build unix

package acp_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

func TestATurnIsStreamedAndEnds(t *testing.T) {
	session, sink := open(t, start(t))
	end, err := session.Prompt(within(t), driver.Prompt{Text: "think let me see; say Hello, ; say world; usage; title A greeting; commands"})
	if err != nil || end.Reason != protocol.EndDone {
		t.Fatalf("%v, %v", end, err)
	}
	if end.Usage == nil || end.Usage.Input != 100 || end.Usage.Output != 20 {
		t.Errorf("usage %+v", end.Usage)
	}
	want := []string{"thought let me see", "text Hello,", "text world", "usage 12000/200000 0.25 USD", "title A greeting", "commands /web /test"}
	if got := sink.history(); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestWhatComesBeforeTheSessionsIDIsDelivered(t *testing.T) {
	a := start(t, "-early")
	session, sink := open(t, a)
	sink.wait(t, "ask An early question")
	prompt(t, session, "say now")
	want := []string{"text early ", "text bird", "commands /early", "ask An early question", "text now"}
	if got := sink.history(); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestEveryChunkOfAFloodArrivesInOrder(t *testing.T) {
	session, sink := open(t, start(t))
	prompt(t, session, "flood 3000")
	var want strings.Builder
	for i := range 3000 {
		want.WriteString(strconv.Itoa(i) + " ")
	}
	if sink.text() != want.String() {
		t.Error("chunks are lost or out of order")
	}
}

// A conversation that is blocked does not delay the others.
func TestSessionsDoNotWaitForEachOther(t *testing.T) {
	a := start(t)
	slow, slowSink := open(t, a)
	held := make(chan struct{})
	entered := make(chan struct{})
	slowSink.answer = func(_ driver.Ask, _ context.Context, answer func(string)) {
		close(entered)
		<-held
		answer("yes")
	}
	ended := make(chan error, 1)
	go func() {
		_, err := slow.Prompt(within(t), driver.Prompt{Text: "ask-then behind; flood 100"})
		ended <- err
	}()
	<-entered
	quick, quickSink := open(t, a)
	prompt(t, quick, "say quick")
	if quickSink.text() != "quick" {
		t.Errorf("%q", quickSink.text())
	}
	close(held)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(slowSink.text(), "behind answer yes0 1 2 ") {
		t.Errorf("%.60q", slowSink.text())
	}
}

func TestPermissions(t *testing.T) {
	for _, test := range []struct{ name, words, answer, text string }{
		{"allowed once", "ask", "yes", "answer yes"},
		{"always", "ask", "always", "answer always"},
		{"denied", "ask", "no", "answer no"},
		{"no answer", "ask", "", "answer cancelled"},
		{"an answer that was not offered", "ask", "format the disk", "answer cancelled"},
		{"a call that was never announced", "ask-new", "yes", "answer yes"},
		{"two at once", "ask-two", "yes", "first yes second yes"},
		{"the id of a request of ours", "same-id", "yes", "answer yes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			session, sink := open(t, start(t))
			sink.answer = func(_ driver.Ask, _ context.Context, answer func(string)) { answer(test.answer) }
			prompt(t, session, test.words)
			if sink.text() != test.text {
				t.Errorf("%q, want %q", sink.text(), test.text)
			}
			ask := sink.asks[0]
			if len(ask.Options) != 3 || ask.Options[0].Kind != protocol.AnswerOnce || ask.Options[1].Kind != protocol.AnswerAlways || ask.Options[1].Scope != "Always allow rm" || ask.Options[2].Kind != protocol.AnswerDeny {
				t.Errorf("options %+v", ask.Options)
			}
			if string(ask.Tool.Input) != `{"command":"rm -r build"}` || ask.Tool.Content[0].Text != "rm -r build" {
				t.Errorf("what is asked is not in full: %+v", ask.Tool)
			}
		})
	}
}

// A question keeps its place in the order of the updates, whenever it is
// answered.
func TestAPermissionOvertakesNothingAndIsNotOvertaken(t *testing.T) {
	session, sink := open(t, start(t))
	sink.answer = func(_ driver.Ask, _ context.Context, answer func(string)) {
		go func() {
			sink.wait(t, "text behind")
			answer("yes")
		}()
	}
	prompt(t, session, "flood 2000; ask-then behind")
	got := sink.history()
	at := slices.Index(got, "ask Asked before")
	if at != 2000 || got[at-1] != "text 1999 " || got[at+1] != "text behind" {
		t.Errorf("the question is number %d, between %q", at, got[max(0, at-1):min(len(got), at+2)])
	}
}

func TestAQuestionOfATurnThatEndedIsOver(t *testing.T) {
	session, sink := open(t, start(t))
	over := make(chan struct{})
	sink.answer = func(_ driver.Ask, ctx context.Context, answer func(string)) {
		go func() {
			<-ctx.Done()
			answer("yes") // too late: it is ignored
			close(over)
		}()
	}
	prompt(t, session, "ask-late")
	<-over
	prompt(t, session, "say next")
	if sink.text() != "next" {
		t.Errorf("%q", sink.text())
	}
}

func TestCancel(t *testing.T) {
	for _, words := range []string{"say begun; silent", "say begun; slow 1000000 1000", "say begun; abort", "say begun; ask", "say begun; ask-two"} {
		t.Run(words, func(t *testing.T) {
			session, sink := open(t, start(t))
			sink.answer = func(driver.Ask, context.Context, func(string)) {}
			ended := make(chan protocol.EndReason, 1)
			go func() {
				end, err := session.Prompt(within(t), driver.Prompt{Text: words})
				if err != nil {
					t.Error(err)
				}
				ended <- end.Reason
			}()
			if strings.Contains(words, "ask") {
				sink.wait(t, "\nask ")
			} else {
				sink.wait(t, "text begun")
			}
			if err := session.Cancel(t.Context()); err != nil {
				t.Fatal(err)
			}
			if reason := <-ended; reason != protocol.EndCancelled {
				t.Errorf("ended with %s", reason)
			}
			prompt(t, session, "say next")
		})
	}
}

func TestCancelWithoutATurnIsNothing(t *testing.T) {
	session, _ := open(t, start(t))
	if err := session.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
	prompt(t, session, "say next")
}

// A turn that does not end is abandoned, and the next one never gets its
// updates.
func TestATurnThatIsGivenUp(t *testing.T) {
	a := start(t)
	session, sink := open(t, a)
	ctx, giveUp := context.WithCancel(t.Context())
	ended := make(chan driver.TurnEnd, 1)
	go func() {
		end, _ := session.Prompt(ctx, driver.Prompt{Text: "ignore-cancel begun"})
		ended <- end
	}()
	sink.wait(t, "text begun")
	if err := session.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	giveUp()
	if end := <-ended; end.Reason != protocol.EndCancelled {
		t.Errorf("ended with %s", end.Reason)
	}
	if _, err := session.Prompt(within(t), driver.Prompt{Text: "say next"}); !errors.Is(err, driver.ErrStuck) {
		t.Errorf("%v, want ErrStuck", err)
	}
	other, otherSink := open(t, a)
	prompt(t, other, "say other")
	if otherSink.text() != "other" || sink.text() != "begun" {
		t.Errorf("%q and %q", otherSink.text(), sink.text())
	}
}

func TestTheEndsOfATurn(t *testing.T) {
	session, _ := open(t, start(t))
	for words, reason := range map[string]protocol.EndReason{
		"refuse": protocol.EndRefused, "max-tokens": protocol.EndMaxTokens, "max-turns": protocol.EndMaxTurns, "say x": protocol.EndDone,
	} {
		if end, err := session.Prompt(within(t), driver.Prompt{Text: words}); err != nil || end.Reason != reason {
			t.Errorf("%s: %v, %v", words, end.Reason, err)
		}
	}
	end, err := session.Prompt(within(t), driver.Prompt{Text: "error the model is overloaded"})
	if end.Reason != protocol.EndFailed || err == nil || !strings.Contains(err.Error(), "the model is overloaded") {
		t.Errorf("%v, %v", end.Reason, err)
	}
	prompt(t, session, "say goes on")
}
