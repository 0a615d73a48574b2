package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// block is a piece of a prompt.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     string `json:"data"`
	MimeType string `json:"mimeType"`
	URI      string `json:"uri"`
}

// turn is the work on one prompt.
type turn struct {
	session *session
	ctx     context.Context
	id      json.RawMessage
	prompt  []block

	calls    int
	stop     string   // the stop reason; "" for the usual one
	answered bool     // the prompt has its response
	late     []func() // to run after the response
}

// run carries out the steps of the prompt and answers it.
func (t *turn) run() {
	words := ""
	for _, b := range t.prompt {
		if b.Type == "text" && !strings.HasPrefix(b.Text, "<pilotfish>") {
			words += b.Text + "\n"
		}
		if b.Type == "text" && strings.HasPrefix(b.Text, "<pilotfish>") {
			t.session.system = b.Text
		}
	}
	words = strings.TrimSpace(words)
	t.session.keep(words)
	for _, step := range strings.FieldsFunc(words, func(r rune) bool { return r == ';' || r == '\n' }) {
		if t.ctx.Err() != nil {
			break
		}
		t.step(strings.TrimSpace(step), words)
		if t.answered {
			return
		}
	}
	switch {
	case t.ctx.Err() != nil:
		t.stop = "cancelled"
	case t.stop == "":
		t.stop = "end_turn"
	}
	t.answer(func() {
		t.session.agent.reply(t.id, object{"stopReason": t.stop, "usage": object{"inputTokens": 100, "outputTokens": 20, "totalTokens": 120}})
	})
}

// answer answers the prompt, once.
func (t *turn) answer(send func()) {
	t.answered = true
	send()
	for _, late := range t.late {
		late()
	}
}

func (t *turn) step(step, all string) {
	word, rest, _ := strings.Cut(step, " ")
	switch word {
	case "say":
		t.say(rest)
	case "think":
		t.update(chunk("agent_thought_chunk", rest))
	case "words", "slow":
		t.words(number(rest, 0, 10), time.Duration(number(rest, 1, 50))*time.Millisecond, word == "slow")
	case "flood":
		for i := range number(rest, 0, 5000) {
			t.say(strconv.Itoa(i) + " ")
		}
	case "big":
		t.say(strings.Repeat("x", number(rest, 0, 20)<<20))
	case "error":
		t.answer(func() { t.session.agent.refuse(t.id, -32603, rest) })
	case "abort":
		<-t.ctx.Done()
		t.answer(func() { t.session.agent.refuse(t.id, -32603, "The operation was aborted") })
	case "refuse":
		t.stop = "refusal"
	case "max-tokens":
		t.stop = "max_tokens"
	case "max-turns":
		t.stop = "max_turn_requests"
	case "silent":
		<-t.ctx.Done()
	case "ignore-cancel":
		t.say(rest) // part of the same step, so that no cancel comes in between
		select {}
	default:
		if !t.show(word, rest) && !t.act(word, rest) && !t.misbehave(word, rest) {
			t.say("You said: " + all)
			t.answer(func() { t.session.agent.reply(t.id, object{"stopReason": "end_turn"}) })
		}
	}
}

func (t *turn) update(u object) { t.session.agent.update(t.session.id, u) }

func (t *turn) say(text string) { t.update(chunk("agent_message_chunk", text)) }

// words sends words, with pauses that a cancel ends.
func (t *turn) words(n int, pause time.Duration, slow bool) {
	const text = "the quick brown fox jumps over the lazy dog and then it sleeps"
	list := strings.Fields(text)
	for i := range n {
		if slow && i > 0 {
			select {
			case <-t.ctx.Done():
				return
			case <-time.After(pause):
			}
		}
		t.say(list[i%len(list)] + " ")
	}
}

// number returns the nth number of rest.
func number(rest string, n, otherwise int) int {
	fields := strings.Fields(rest)
	if n >= len(fields) {
		return otherwise
	}
	value, err := strconv.Atoi(fields[n])
	if err != nil {
		return otherwise
	}
	return value
}

// call returns the id of a new tool call.
func (t *turn) call() string {
	t.calls++
	return fmt.Sprintf("call-%s-%d", strings.Trim(string(t.id), `"`), t.calls)
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// act carries out the steps that ask the client for something, or report on the
// session.
func (t *turn) act(word, rest string) bool {
	s := t.session
	switch word {
	case "ask":
		call := t.call()
		t.update(object{"sessionUpdate": "tool_call", "toolCallId": call, "title": or(rest, "Delete the folder build"), "kind": "execute", "status": "pending"})
		t.ask(call, or(rest, "Delete the folder build"))
	case "ask-new":
		t.ask(t.call(), or(rest, "Delete the folder build"))
	case "ask-two":
		first := s.agent.request(nil, "session/request_permission", s.question(t.call(), "The first"))
		second := s.agent.request(nil, "session/request_permission", s.question(t.call(), "The second"))
		t.say("first " + outcome(<-first) + " second " + outcome(<-second))
	case "ask-late":
		s.agent.request(nil, "session/request_permission", s.question(t.call(), "Nobody waits for this"))
	case "ask-then":
		answer := s.agent.request(nil, "session/request_permission", s.question(t.call(), "Asked before"))
		t.say(rest)
		t.say(" answer " + outcome(<-answer))
	case "same-id":
		answer := s.agent.request(t.id, "session/request_permission", s.question(t.call(), "An id that you use"))
		t.say("answer " + outcome(<-answer))
	case "model":
		t.say("model " + s.model + " mode " + s.mode)
	case "tools":
		t.say("tools " + strings.Join(s.tools, ", "))
	case "system":
		t.say("system " + s.system)
	case "cwd":
		t.say("cwd " + s.cwd)
	case "env":
		t.say(rest + "=" + os.Getenv(rest))
	default:
		return false
	}
	return true
}

// ask asks for a permission and says the answer.
func (t *turn) ask(call, title string) {
	answer := outcome(<-t.session.agent.request(nil, "session/request_permission", t.session.question(call, title)))
	status := "completed"
	if answer == "no" || answer == "cancelled" {
		status = "failed"
	}
	t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": call, "status": status})
	t.say("answer " + answer)
}

// outcome returns the answer to a permission request.
func outcome(result json.RawMessage) string {
	var r struct {
		Outcome struct {
			Outcome string `json:"outcome"`
			Option  string `json:"optionId"`
		} `json:"outcome"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return "unreadable: " + err.Error()
	}
	if r.Outcome.Outcome == "selected" {
		return r.Outcome.Option
	}
	return r.Outcome.Outcome
}
