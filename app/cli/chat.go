package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// chat lists and shows conversations, and sends messages.
func (p *program) chat(ctx context.Context, in syntax.Invocation) error {
	c, err := client.Find(p.getenv)
	if err != nil {
		return err
	}
	query := url.Values{}
	if in.Session != "" {
		query.Set("session", string(in.Session))
	}
	id := protocol.ConversationID(in.Values["conversation"])
	switch in.Values["action"] {
	case "list", "":
		return p.chatList(ctx, c, in, query)
	case "show":
		query.Set("conversation", string(id))
		query.Set("format", "markdown")
		if in.JSON {
			query.Set("format", "json")
		}
		var out protocol.ChatExportReply
		if err := c.Fetch(ctx, "/chat/export?"+query.Encode(), &out); err != nil {
			return err
		}
		return p.print(out.Text)
	case "send":
		if strings.TrimSpace(in.Values["text"]) == "" {
			return protocol.NewError(protocol.CodeBadArgument, "there is nothing to say", `pilotfish chat send new "what does this page say?"`)
		}
		return p.chatSend(ctx, c, in, query, id)
	case "past":
		return p.chatPast(ctx, c, in, query)
	case "continue":
		return p.chatContinue(ctx, c, in, query)
	}
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("chat does not know %.40q", in.Values["action"]), "use list, show, send, past or continue")
}

func (p *program) chatList(ctx context.Context, c *client.Client, in syntax.Invocation, query url.Values) error {
	var list protocol.ChatListReply
	if err := c.Fetch(ctx, "/chat/list?"+query.Encode(), &list); err != nil {
		return err
	}
	if in.JSON {
		return p.printJSON(list)
	}
	var out strings.Builder
	for _, head := range list.Conversations {
		out.WriteString(chatLine(head))
	}
	return p.print(out.String())
}

// chatLine is the line of a conversation in a list.
func chatLine(head protocol.Conversation) string {
	return fmt.Sprintf("%s  %s, %s, %s  %s\n", head.ID, head.AgentName, cmp.Or(string(head.Tab), "no tab"), head.State, head.Title)
}

// chatSend sends a message and prints the answer as it arrives, until the turn
// ends.
func (p *program) chatSend(ctx context.Context, c *client.Client, in syntax.Invocation, query url.Values, id protocol.ConversationID) error {
	message := protocol.MessageID(rand.Text())
	var head protocol.Conversation
	if id == "new" {
		id = protocol.ConversationID(rand.Text())
		if err := c.Post(ctx, "/chat/start?"+query.Encode(), protocol.ChatStartRequest{Conversation: id, Tab: in.Tab, Agent: protocol.AgentKind(in.Values["agent"])}, &head); err != nil {
			return err
		}
	}
	stream := url.Values{"conversation": {string(id)}}
	for name, values := range query {
		stream[name] = values
	}
	events, err := c.Get(ctx, "/chat/stream?"+stream.Encode(), "text/event-stream")
	if err != nil {
		return err
	}
	defer events.Close()
	if err := c.Post(ctx, "/chat/send?"+query.Encode(), protocol.ChatSendRequest{Conversation: id, Message: message, Text: in.Values["text"]}, &head); err != nil {
		return err
	}
	ctx, cancel := client.Deadline(ctx, in.Timeout)
	defer cancel()
	stop := context.AfterFunc(ctx, events.Close)
	defer stop()
	reader := answerReader{
		write:   func(text string) error { return say.Part(p.stdout, text) },
		message: message, shown: map[string]int{},
		elsewhere: "`pilotfish chat show " + string(id) + "` shows it",
	}
	lines := bufio.NewReader(events)
	for !reader.ended {
		line, err := lines.ReadString('\n')
		if err != nil {
			if ctx.Err() != nil {
				return protocol.NewError(protocol.CodeTimeout, "there was no complete answer in time", "the agent is still working; "+reader.elsewhere)
			}
			return protocol.NewError(protocol.CodeNotRunning, "the app ended", "start it again: the conversation is kept")
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var ev protocol.ChatEventsEvent
		if err := json.Unmarshal([]byte(data), &ev); err != nil {
			return fmt.Errorf("reading what is said: %w", err)
		}
		if err := reader.take(ev); err != nil {
			return err
		}
	}
	return reader.failed
}

// answerReader prints the agent's answer in one turn.
type answerReader struct {
	write   func(string) error
	message protocol.MessageID
	shown   map[string]int // how many bytes of each text were printed
	ended   bool
	failed  error
	last    string // the text that was printed last
	// elsewhere says where the user can see the rest of the answer.
	elsewhere string
}

func (r *answerReader) take(ev protocol.ChatEventsEvent) error {
	if ev.Page != nil {
		r.head(&ev.Page.Head)
		for _, e := range ev.Page.Entries {
			if err := r.entry(e); err != nil {
				return err
			}
		}
	}
	for _, e := range ev.Events {
		var err error
		switch {
		case e.Op == protocol.ChatHead && e.Head != nil:
			r.head(e.Head)
		case e.Op == protocol.ChatPut && e.Entry != nil:
			err = r.entry(*e.Entry)
		case e.Op == protocol.ChatAppend && r.shown[e.ID] > 0:
			err = r.write(e.Text)
			r.shown[e.ID] += len(e.Text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// head ends the wait when the agent needs the user to sign in first: no answer
// arrives until a user has done that.
func (r *answerReader) head(h *protocol.Conversation) {
	if h.Message != r.message || h.State != protocol.ConversationSignIn || r.ended {
		return
	}
	e := protocol.NewError(protocol.CodeUnauthorized, h.AgentName+" needs you to sign in", "")
	if h.Error != nil {
		e.Message, e.Hint = h.Error.Message, h.Error.Hint
	}
	if e.Hint != "" {
		e.Hint += "; then send the message again, or sign in where Chat asks for it: the message waits there"
	}
	r.ended, r.failed = true, e
}

func (r *answerReader) entry(e protocol.ChatEntry) error {
	if e.Message != r.message || r.ended {
		return nil
	}
	text := ""
	switch {
	case e.Kind == protocol.EntryText && r.shown[e.ID] < len(e.Text):
		text = e.Text[r.shown[e.ID]:]
		if r.last != "" && r.last != e.ID {
			text = "\n\n" + text
		}
		if which := e.Which; which != nil {
			for _, one := range which.Elements {
				text += "\n- @" + one.Ref + " " + strings.TrimSpace(one.Name+" "+one.Kind)
				if one.Where != "" {
					text += ", " + one.Where
				}
			}
		}
		r.shown[e.ID], r.last = len(e.Text), e.ID
	case e.Kind == protocol.EntryNotice:
		text = "(" + e.Text + ")\n"
	case e.Permission != nil && e.Open && r.shown[e.ID] == 0:
		text = "(needs your approval: " + e.Permission.Subject.Title + "; answer in Pilotfish)\n"
		r.shown[e.ID] = 1
	case e.End != nil:
		r.ended, text = true, "\n"
		if e.End.Reason != protocol.EndDone {
			r.failed = protocol.NewError(protocol.CodeRefused, "there was no complete answer: "+endWords(e.End.Reason), "")
			if e.End.Error != nil {
				r.failed = e.End.Error
			}
		}
	}
	return r.write(text)
}

// endWords describes the end of a turn that has no answer.
func endWords(reason protocol.EndReason) string {
	switch reason {
	case protocol.EndCancelled:
		return "it was stopped"
	case protocol.EndRefused:
		return "the agent declined"
	case protocol.EndMaxTokens:
		return "it reached the model's length limit"
	case protocol.EndMaxTurns:
		return "it reached the agent's step limit"
	case protocol.EndRestarted:
		return "Pilotfish was closed"
	case protocol.EndFailed, protocol.EndCrashed, protocol.EndDone:
	}
	return "the agent failed"
}
