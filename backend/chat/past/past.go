// Package past lists the sessions that agents keep themselves, wherever they were begun, and
// continues them in Chat: from their files (see backend/agent/history), and from agents that
// list them over ACP.
package past

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"pilotfish/backend/agent/history"
	"pilotfish/backend/auth"
	"pilotfish/backend/chat"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/recall"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

const (
	// askWait is how long an agent may take to start and list its sessions.
	askWait = 20 * time.Second
	// maxTitle is the longest title that is returned, in runes.
	maxTitle = 160
	// maxSessions is how many sessions are returned.
	maxSessions = 300
)

// Config is what Sessions needs.
type Config struct {
	Files  *history.Store
	Agents chat.Agents
	// Dir is a folder of ours: an agent that only lists its sessions starts in it, so that
	// it reads nobody's settings.
	Dir string
	// Found returns the agents that were found, to say which can continue a session in Chat.
	Found func() protocol.AgentsFile
}

// Sessions are the sessions of all agents. Its methods are safe for concurrent use.
type Sessions struct{ cfg Config }

// New returns a Sessions.
func New(cfg Config) *Sessions { return &Sessions{cfg: cfg} }

// Conversations are a session's conversations, with the agents' own sessions.
type Conversations struct {
	*chat.Manager
	Sessions *Sessions
}

// Operations are what may be asked of the agents' own sessions; find returns those of one
// of our sessions.
func Operations(find func(protocol.SessionName) (Conversations, error)) []op.Operation {
	return []op.Operation{
		op.Of(find, "PastSessions", func(ctx context.Context, c Conversations, _ op.Call, req protocol.PastSessionsRequest) (protocol.PastSessionsReply, error) {
			return c.Sessions.List(ctx, req, c.List()), nil
		}).At(op.Route{
			Path: "/chat/past", Capability: auth.CapabilityChat,
			About: "The sessions that agents keep themselves, begun here or elsewhere, the one used last first. With an agent, it is asked, too.",
		}),
	}
}

// List returns the sessions of agents, the one used last first. heads says which of them
// are in Chat already.
func (s *Sessions) List(ctx context.Context, req protocol.PastSessionsRequest, heads []protocol.Conversation) protocol.PastSessionsReply {
	var reply protocol.PastSessionsReply
	chats := map[protocol.AgentKind]bool{}
	for _, a := range s.cfg.Found().Agents {
		chats[a.Kind] = a.Chat != ""
	}
	type key struct {
		agent protocol.AgentKind
		id    string
	}
	known := map[key]bool{}
	add := func(one protocol.PastSession) {
		of := key{one.Agent, one.ID}
		one.Title = history.OneLine(one.Title, maxTitle)
		if known[of] || one.Title == "" || !filepath.IsAbs(one.Folder) {
			return
		}
		known[of] = true
		for _, head := range heads {
			if head.Agent == one.Agent && head.AgentSession == one.ID {
				one.Conversation = head.ID
			}
		}
		reply.Sessions = append(reply.Sessions, one)
	}
	for _, one := range s.cfg.Files.List() {
		one.Chat = chats[one.Agent]
		add(one.PastSession)
	}
	if req.Agent != "" {
		asked, err := s.ask(ctx, req.Agent)
		reply.Problem = protocol.AsError(err)
		for _, one := range asked {
			add(one)
		}
	}
	slices.SortStableFunc(reply.Sessions, func(a, b protocol.PastSession) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
	reply.Sessions = append([]protocol.PastSession{}, reply.Sessions[:min(len(reply.Sessions), maxSessions)]...)
	return reply
}

// ask starts an agent for the question which sessions it keeps, and ends it again.
func (s *Sessions) ask(ctx context.Context, kind protocol.AgentKind) (list []protocol.PastSession, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, askWait, protocol.NewError(protocol.CodeTimeout, "the agent did not list its sessions in time", "try again"))
	defer cancel()
	starter, err := s.cfg.Agents.Starter(ctx, kind, "")
	if err != nil {
		return nil, err
	}
	if starter.FromJournal || starter.Launch.Path == "" {
		return nil, nil // it keeps none
	}
	starter.Launch = starter.Launch.In(s.cfg.Dir)
	agent, err := starter.Driver.Start(ctx, starter.Launch)
	if err != nil {
		return nil, fmt.Errorf("starting %s for its sessions: %w", starter.Launch.Name, err)
	}
	defer func() {
		closing, done := context.WithTimeout(context.WithoutCancel(ctx), askWait)
		defer done()
		err = cmp.Or(err, agent.Close(closing))
	}()
	return agent.Past(ctx)
}

// Find implements chat.Config.Past.
func (s *Sessions) Find(agent protocol.AgentKind, req protocol.ChatStartRequest) (recall.Past, error) {
	if req.Resume == "" {
		return recall.Past{}, nil
	}
	one, err := s.cfg.Files.Find(agent, req.Resume)
	if err != nil {
		if req.Folder == "" {
			return recall.Past{}, err
		}
		// Only the agent knows it; whether it does shows when it is opened.
		if !filepath.IsAbs(req.Folder) {
			return recall.Past{}, protocol.NewError(protocol.CodeBadArgument, "the folder of a session is an absolute path", "")
		}
		return recall.Past{Session: req.Resume, Folder: filepath.Clean(req.Folder), Title: history.OneLine(req.Title, maxTitle)}, nil
	}
	turns, err := s.cfg.Files.Turns(one)
	if err != nil {
		return recall.Past{}, err
	}
	past := recall.Past{Session: one.ID, Folder: one.Folder, Title: one.Title}
	for _, t := range turns {
		turn := recall.Turn{Prompt: t.Prompt}
		for _, text := range t.Replies {
			// Each is a message of its own.
			turn.Rest = append(turn.Rest, driver.Update{Text: &driver.Chunk{Text: text, ID: fmt.Sprint(len(turn.Rest))}})
		}
		past.Turns = append(past.Turns, turn)
	}
	return past, nil
}
