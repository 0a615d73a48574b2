package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// chatPast lists the sessions that agents keep themselves, the one used last first.
func (p *program) chatPast(ctx context.Context, c *client.Client, in syntax.Invocation, query url.Values) error {
	list, err := pastSessions(ctx, c, in, query)
	if err != nil {
		return err
	}
	if in.JSON {
		return p.printJSON(list)
	}
	var out strings.Builder
	for _, one := range list.Sessions {
		known := ""
		switch {
		case one.Conversation != "":
			known = ", conversation " + string(one.Conversation)
		case !one.Chat:
			known = ", in a terminal only"
		}
		used := "no time"
		if !one.Updated.IsZero() {
			used = one.Updated.Local().Format("2006-01-02 15:04")
		}
		fmt.Fprintf(&out, "%s  %s, %s, %s%s  %s\n", inLine(one.ID), inLine(one.AgentName), used, inLine(one.Folder), known, say.OneLine(one.Title))
	}
	if len(list.Sessions) == 0 {
		out.WriteString("no sessions of agents were found")
		if in.Values["agent"] == "" {
			out.WriteString("; `pilotfish chat past --agent AGENT` asks an agent whose files are not read")
		}
		out.WriteString("\n")
	}
	if e := list.Problem; e != nil {
		fmt.Fprintf(&out, "the agent could not be asked: %s\n", e)
	}
	return p.print(out.String())
}

// inLine keeps a text of an agent on its line, so that it cannot look like another line.
func inLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// pastSessions returns the sessions of the agent and the folder that the options name, or
// of all. An agent whose files are not read, such as Goose, is asked when it is named.
func pastSessions(ctx context.Context, c *client.Client, in syntax.Invocation, query url.Values) (protocol.PastSessionsReply, error) {
	ctx, cancel := client.Deadline(ctx, client.Patience(in.Timeout))
	defer cancel()
	agent, folder := protocol.AgentKind(in.Values["agent"]), in.Values["folder"]
	if folder != "" {
		whole, err := filepath.Abs(folder)
		if err != nil {
			return protocol.PastSessionsReply{}, fmt.Errorf("reading the path of --folder: %w", err)
		}
		folder = whole
	}
	read := func(ask protocol.AgentKind) (list protocol.PastSessionsReply, err error) {
		if err := c.Post(ctx, "/chat/past?"+query.Encode(), protocol.PastSessionsRequest{Agent: ask}, &list); err != nil {
			return list, err
		}
		list.Sessions = slices.DeleteFunc(list.Sessions, func(one protocol.PastSession) bool {
			return agent != "" && one.Agent != agent || folder != "" && !below(folder, one.Folder)
		})
		return list, nil
	}
	list, err := read("")
	if err == nil && agent != "" && len(list.Sessions) == 0 {
		return read(agent)
	}
	return list, err
}

// below says whether path is folder or in it.
func below(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// chatContinue continues a session of an agent in a conversation, and says the text in it,
// if there is one.
func (p *program) chatContinue(ctx context.Context, c *client.Client, in syntax.Invocation, query url.Values) error {
	id := in.Values["conversation"]
	if id == "" {
		return protocol.NewError(protocol.CodeBadArgument, "which session?", "", protocol.Try("lists them", "chat", "past"))
	}
	list, err := pastSessions(ctx, c, in, query)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list.Sessions, func(one protocol.PastSession) bool { return one.ID == id })
	if at < 0 && list.Problem != nil {
		return list.Problem
	}
	if at < 0 {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no session %.60q of an agent", id),
			"add --agent for an agent that has to be asked", protocol.Try("lists them", "chat", "past"))
	}
	head, err := p.begun(ctx, c, in, query, list.Sessions[at])
	if err != nil {
		return err
	}
	if strings.TrimSpace(in.Values["text"]) != "" {
		return p.chatSend(ctx, c, in, query, head.ID)
	}
	if in.JSON {
		return p.printJSON(head)
	}
	return p.print(chatLine(head) + "`pilotfish chat send " + string(head.ID) + " TEXT` says something in it\n")
}

// begun returns the conversation that continues a session; it makes one if there is none.
func (p *program) begun(ctx context.Context, c *client.Client, in syntax.Invocation, query url.Values, one protocol.PastSession) (head protocol.Conversation, err error) {
	if one.Conversation != "" {
		var all protocol.ChatListReply
		err = c.Fetch(ctx, "/chat/list?"+query.Encode(), &all)
		if at := slices.IndexFunc(all.Conversations, func(c protocol.Conversation) bool { return c.ID == one.Conversation }); at >= 0 {
			return all.Conversations[at], err
		}
		return head, cmp.Or(err, error(protocol.NewError(protocol.CodeBadArgument, "the conversation of this session was deleted meanwhile", "try again")))
	}
	if !one.Chat {
		return head, protocol.NewError(protocol.CodeAgentMissing, one.AgentName+" cannot answer in Chat here", "continue the session in a terminal of the panel, or install what Chat needs: `pilotfish doctor` says what")
	}
	id := protocol.ConversationID(rand.Text())
	err = c.Post(ctx, "/chat/start?"+query.Encode(), protocol.ChatStartRequest{
		Conversation: id, Tab: in.Tab, Agent: one.Agent, Resume: one.ID, Folder: one.Folder, Title: one.Title,
	}, &head)
	if err == nil && head.Entries == 0 {
		// No file says what was said: the agent repeats it when it opens the session.
		err = c.Post(ctx, "/chat/restart?"+query.Encode(), protocol.ChatRequest{Conversation: id}, &head)
	}
	return head, err
}
