package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/model/wire"
	"pilotfish/backend/protocol"
)

const (
	// maxRounds is how many rounds of tool calls a model may make in one turn.
	maxRounds = 60
	// patienceSaid is the shortest wait for a busy provider that the user is
	// informed of.
	patienceSaid = 3 * time.Second
)

// turn is one turn of a session.
type turn struct {
	s       *session
	profile protocol.LLMProfile
	tools   Toolbox
	system  string
	known   []Tool
	budget  budget
	// messages are the conversation so far; those from index now on belong to
	// this turn.
	messages []wire.Message
	now      int
	// calls counts the tool calls of the turn. It gives the calls their ids,
	// because some providers use the same id twice.
	calls int
	// saved is set once the user was informed that something was left out.
	saved bool
	usage *protocol.ChatUsage
}

// begin builds the messages of a turn.
func (s *session) begin(prompt driver.Prompt) (*turn, error) {
	models := s.agent.config.Models
	profile, err := models.Profile(s.agent.profile)
	if err != nil {
		return nil, err
	}
	past, err := s.cfg.History(historyBytes)
	if err != nil {
		return nil, err
	}
	t := &turn{s: s, profile: profile, tools: s.agent.config.Tools(s.cfg), system: s.agent.config.System(s.cfg), budget: newBudget(profile.Provider)}
	t.known = t.tools.Tools()
	t.messages = messages(past, t.known, profile.Vision)
	t.now = len(t.messages)
	t.messages = append(t.messages, userMessage(prompt, profile.Vision))
	return t, nil
}

// run asks the model, runs the tools that it calls, and repeats this until the
// model stops.
func (t *turn) run(ctx context.Context) (protocol.EndReason, error) {
	for round := 1; ; round++ {
		answer, err := t.ask(ctx, round)
		if err != nil {
			return "", err
		}
		switch answer.Stop {
		case wire.StopLength:
			return protocol.EndMaxTokens, nil
		case wire.StopRefused:
			return protocol.EndRefused, nil
		case wire.StopDone:
			if answer.Text == "" {
				t.notice(t.profile.Name + " ended without an answer.")
			}
			return protocol.EndDone, nil
		case wire.StopCalls:
		}
		if round > maxRounds {
			t.notice(fmt.Sprintf("%s used its tools %d times in this turn, which is the limit. Say “go on” to let it continue.", t.profile.Name, maxRounds))
			return protocol.EndMaxTurns, nil
		}
		results, err := t.call(ctx, answer.Calls)
		if err != nil {
			return "", err
		}
		t.messages = append(t.messages, answer.Message, wire.Message{Role: wire.Results, Results: results})
	}
}

// ask sends the messages and passes the answer to the sink as it arrives.
func (t *turn) ask(ctx context.Context, round int) (wire.Answer, error) {
	for {
		stream, err := t.send(ctx)
		switch e := protocol.AsError(err); {
		case err == nil:
		case ctx.Err() != nil:
			return wire.Answer{}, context.Cause(ctx)
		case (e.Code == protocol.CodeNoKey || e.Code == protocol.CodeBadKey) && round == 1:
			// Nothing was answered yet: the turn waits for the key, and starts
			// again with it.
			return wire.Answer{}, &driver.NeedsSignIn{Methods: []protocol.SignInMethod{{
				ID: string(e.Code), Name: "Try again", About: e.Message,
			}}}
		case e.Code == protocol.CodeTooLarge && t.budget.shrink():
			continue
		default:
			return wire.Answer{}, err
		}
		id := fmt.Sprintf("round-%d", round)
		answer, err := wire.Read(t.profile.Dialect, stream, func(p wire.Piece) {
			chunk := &driver.Chunk{Text: p.Text, ID: id}
			if p.Thought {
				t.s.sink.Update(driver.Update{Thought: chunk})
			} else {
				t.s.sink.Update(driver.Update{Text: chunk})
			}
		})
		_ = stream.Close() // the rest of it is not needed
		t.count(answer.Usage)
		if err != nil {
			return answer, t.broken(ctx, err)
		}
		return answer, nil
	}
}

// send shortens the messages to fit, and sends them.
func (t *turn) send(ctx context.Context) (io.ReadCloser, error) {
	request := wire.Request{
		Provider: t.profile.Provider, Model: t.profile.Model, System: t.system,
		Tools: make([]wire.Tool, len(t.known)),
	}
	for i, tool := range t.known {
		request.Tools[i] = wire.Tool{Name: tool.Name, About: tool.About, Schema: tool.Schema}
	}
	var left bool
	t.messages, t.now, left = t.budget.fit(t.messages, t.now, size(request))
	if left && !t.saved {
		t.saved = true
		t.notice("This conversation is long. To save space, " + t.profile.Name + " no longer sees some older results of its tools, or the beginning.")
	}
	request.Messages = t.messages
	body, err := wire.Encode(t.profile.Dialect, request)
	if err != nil {
		return nil, err
	}
	return t.s.agent.config.Models.Stream(ctx, t.profile.ID, body, func(wait time.Duration) {
		if wait >= patienceSaid {
			t.notice(fmt.Sprintf("%s is busy. The next attempt is in %d seconds.", t.profile.Name, int(wait.Round(time.Second).Seconds())))
		}
	})
}

// broken returns an error for the user that says why an answer is incomplete.
func (t *turn) broken(ctx context.Context, err error) error {
	name := t.profile.Name
	failure, failed := errors.AsType[*wire.Failure](err)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failed && failure.Busy:
		return protocol.NewError(protocol.CodeBusy, name+" is overloaded: "+failure.Message, "send it again in a moment")
	case failed:
		return protocol.NewError(protocol.CodeNavigation, name+" stopped with an error: "+failure.Message, "send it again, or choose another model")
	case errors.Is(err, wire.ErrForeign):
		return protocol.NewError(protocol.CodeModelSetup, name+" answered, but not like a model", "check its address: it usually ends with /v1")
	case errors.Is(err, wire.ErrBroken):
		return protocol.NewError(protocol.CodeNavigation, "the connection to "+name+" broke off", "what it said is kept; say “go on” to let it continue")
	}
	return protocol.NewError(protocol.CodeNavigation, "the connection to "+name+" broke off: "+err.Error(), "what it said is kept; say “go on” to let it continue")
}

// call runs the tool calls of one answer, one after the other.
func (t *turn) call(ctx context.Context, calls []wire.Call) ([]wire.Result, error) {
	results := make([]wire.Result, 0, len(calls))
	for _, c := range calls {
		t.calls++
		id := fmt.Sprintf("%d", t.calls)
		title, running := t.title(c.Name), protocol.ToolRunning
		t.s.sink.Update(driver.Update{Tool: &driver.ToolUpdate{Call: id, Name: c.Name, Title: &title, Status: &running, Input: c.Input}})
		result := t.one(ctx, c)
		if ctx.Err() != nil {
			stopped := protocol.ToolCancelled
			t.s.sink.Update(driver.Update{Tool: &driver.ToolUpdate{Call: id, Status: &stopped}})
			return nil, context.Cause(ctx)
		}
		status := protocol.ToolDone
		if result.Failed {
			status = protocol.ToolFailed
		}
		t.s.sink.Update(driver.Update{Tool: &driver.ToolUpdate{
			Call: id, Status: &status, Content: []protocol.ToolContent{{Kind: protocol.ContentText, Text: result.Text}},
		}})
		results = append(results, t.result(c, result))
	}
	return results, nil
}

// one runs one tool call.
func (t *turn) one(ctx context.Context, c wire.Call) Result {
	if c.Broken != "" {
		return Result{Failed: true, Text: "error bad_argument: the arguments are not a JSON object"}
	}
	return t.tools.Call(ctx, c.Name, c.Input)
}

// result returns a tool's result for the model. Its images are not recorded
// again: the journal has them with the step that took them.
func (t *turn) result(c wire.Call, r Result) wire.Result {
	out := wire.Result{ID: c.ID, Text: r.Text, Failed: r.Failed}
	if len(r.Images) > 0 && !t.profile.Vision {
		out.Text += "\n(The picture is not shown: this model's settings say that it does not accept images.)"
		return out
	}
	for _, image := range r.Images {
		out.Images = append(out.Images, wire.Image(image))
	}
	return out
}

// title is what the user is shown of a running tool, until it reports what it
// did.
func (t *turn) title(name string) string {
	for _, tool := range t.known {
		if tool.Name == name && tool.Title != "" {
			return tool.Title
		}
	}
	return name
}

func (t *turn) notice(text string) { t.s.sink.Update(driver.Update{Notice: &text}) }

// count adds the usage of one request.
func (t *turn) count(u *wire.Usage) {
	if u == nil {
		return
	}
	t.budget.learn(u.Input)
	if t.usage == nil {
		t.usage = &protocol.ChatUsage{}
	}
	t.usage.Input += u.Input
	t.usage.Output += u.Output
	t.usage.Context = u.Input + u.Output
	now := *t.usage
	t.s.sink.Update(driver.Update{Usage: &now})
}

// used returns the usage of the turn; nil if the provider does not report it.
func (t *turn) used() *protocol.ChatUsage { return t.usage }

// size returns the approximate size of a request without its messages, in
// bytes.
func size(r wire.Request) int {
	n := len(r.System)
	for _, tool := range r.Tools {
		n += len(tool.Name) + len(tool.About) + len(tool.Schema)
	}
	return n
}

// compact returns JSON without its spaces; an empty object if text is not a
// JSON object.
func compact(text string) json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &o) != nil || o == nil {
		return json.RawMessage("{}")
	}
	out, err := json.Marshal(o)
	if err != nil {
		return json.RawMessage("{}") // cannot happen: it was parsed a moment ago
	}
	return out
}
