package command

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// onTab is a browser with one tab.
type onTab struct{ Browser }

func (onTab) WasOpen(protocol.TabID) bool { return false }
func (onTab) ByHand() bool                { return false }
func (onTab) Carry(context.Context, protocol.TabID, string, string, map[string]any, func(context.Context, protocol.ByPage) protocol.CommandReply) protocol.CommandReply {
	return protocol.CommandReply{}
}

func (onTab) Gate(context.Context, protocol.TabID, []string, func(string, bool) error, func(string, netip.Addr) error, protocol.Saver) error {
	return nil
}

func (onTab) Tabs() []protocol.Tab { return []protocol.Tab{{ID: "t1", URL: "https://example.com/"}} }

// A call waits for the decision about a file that came up while it ran, and its time
// does not pass meanwhile. A permission of its own is for one file.
func TestACallWaitsForItsFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broker := policy.NewBroker("default", func() {})
		agent := protocol.Actor{Kind: protocol.ActorTerminal, ID: "x"}
		in := &Invocation{Actor: agent, registry: New(onTab{}, policy.New(policy.Config{Broker: broker}), nil, nil)}
		s := saver{in, "t1"}
		if s.Asks("http://localhost:3000/a") || !s.Asks("https://example.com/a") || !s.Asks("blob:https://example.com/a") || s.Asks("blob:http://localhost:3000/a") {
			t.Error("what is asked about is wrong")
		}
		answer := func(given protocol.ApprovalAnswer) {
			synctest.Wait()
			q := broker.Pending()
			if len(q) != 1 || q[0].Kind != protocol.ActionDownload || q[0].Site != "example.com" {
				t.Errorf("the questions are %+v", q)
				broker.Close()
				return
			}
			time.Sleep(time.Minute)
			if err := broker.Answer(q[0].ID, given); err != nil {
				t.Error(err)
			}
		}
		run := func(stopped bool, given protocol.ApprovalAnswer) (text string, err error) {
			in.saving = saving{}
			command := &Command{Run: func(ctx context.Context, _ *Invocation) (Result, error) {
				if decide := s.Save("https://example.com/a", "a.txt", stopped); decide != nil {
					go func() { _ = decide(t.Context(), func() {}) }() //nolint:contextcheck // the browser asks beside the call
				}
				if given != "" {
					go answer(given)
					time.Sleep(30 * time.Second)
				}
				return Result{Text: "done"}, ctx.Err()
			}}
			if given == "" {
				in.saving.grant()
			}
			res, err := in.run(t.Context(), command, 10*time.Second)
			return res.Text, err
		}
		if text, err := run(false, ""); text != "done" || err != nil || len(broker.Pending()) > 0 {
			t.Errorf("granted: %q, %v", text, err)
		}
		if text, err := run(false, protocol.AnswerOnce); text != "done\nthe user allowed a download; `downloads wait` prints its path" || err != nil {
			t.Errorf("allowed: %q, %v", text, err)
		}
		if text, err := run(false, protocol.AnswerDeny); text != "" || protocol.AsError(err).Code != protocol.CodeDenied {
			t.Errorf("denied: %q, %v", text, err)
		}
		if text, err := run(true, protocol.AnswerOnce); text != "" || protocol.AsError(err).Code != protocol.CodeNavigation {
			t.Errorf("allowed after it was stopped: %q, %v", text, err)
		}
		// Afterwards, the file is asked about without the call.
		in.saving.grant()
		in.saving.over()
		decide := s.Save("https://example.com/a", "a.txt", false)
		go answer(protocol.AnswerDeny)
		if decide == nil || protocol.AsError(decide(t.Context(), func() {})).Code != protocol.CodeDenied || in.saving.waiting != 0 {
			t.Error("a call that is over decides")
		}
	})
}
