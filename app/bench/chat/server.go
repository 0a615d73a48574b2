package chat

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"pilotfish/app/bench/process"
	"pilotfish/backend/auth"
	"pilotfish/backend/chat"
	"pilotfish/backend/chat/acp"
	chatdriver "pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/past"
	"pilotfish/backend/hub"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
)

// Role is the role of the process that serves conversations, TalkerRole that of
// the agent that it starts.
const (
	Role       = "chat"
	TalkerRole = "talker"
)

// chatFixture is the part of a session that the routes of conversations need.
type chatFixture struct {
	server.Sessions
	events *hub.Hub[any]
	chat   *chat.Manager
}

func (h *chatFixture) Hello(context.Context, auth.Grant) (protocol.HelloEvent, error) {
	return protocol.HelloEvent{Conversations: h.chat.List()}, nil
}

func (h *chatFixture) Subscribe(auth.Grant) server.Subscription { return h.events.Subscribe() }

func (h *chatFixture) PanelConnected(auth.Grant) (string, func()) { return "bench", func() {} }

func (h *chatFixture) PanelMessage(auth.Grant, protocol.PanelMessage) {}

// Serve serves conversations with the talker until in ends. It uses the shipped
// server, conversations, driver and journals.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := process.UntilEnd(ctx, in)
	defer cancel()
	dir, err := os.MkdirTemp("", "pilotfish-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	log := slog.New(slog.DiscardHandler)
	h := &chatFixture{events: hub.New[any](protocol.SubscriberQueue)}
	talker := acp.New(acp.Config{Version: "bench", Logger: log})
	h.chat, err = chat.New(chat.Config{
		Session: protocol.DefaultSession, Dir: filepath.Join(dir, "chat"), Root: dir, Attachments: filepath.Join(dir, "attachments"), Broker: policy.NewBroker(protocol.DefaultSession, func() {}),
		Agent: func(context.Context, protocol.AgentKind, string) (chatdriver.Starter, error) {
			return chatdriver.Starter{Driver: talker, Launch: chatdriver.Launch{
				Kind: protocol.AgentCustom, Name: "Talker", Path: exe, Dir: dir, Env: append(os.Environ(), process.RoleEnv+"="+TalkerRole),
			}}, nil
		},
		Publish: func(event any) { h.events.Publish(event) }, Logger: log,
	})
	if err != nil {
		return err
	}
	authority := auth.New(auth.Config{})
	_, token := authority.Mint(auth.KindPanel, auth.Grant{Session: protocol.DefaultSession, Actor: protocol.Actor{Kind: protocol.ActorUser, Name: "you"}}, 0)
	srv, err := server.New(server.Config{
		Auth: authority, Sessions: h, Key: []byte("bench"), Logger: log,
		Chat:    func(auth.Grant) (server.Conversations, error) { return past.Conversations{Manager: h.chat}, nil },
		OnReady: func(port int) { fmt.Fprintf(out, "http://127.0.0.1:%d %s\n", port, token.Reveal()) },
	})
	if err != nil {
		return err
	}
	var parts sync.WaitGroup
	var chatErr error
	parts.Go(func() { chatErr = h.chat.Run(ctx) })
	err = srv.Run(ctx)
	cancel()
	parts.Wait()
	return errors.Join(err, chatErr)
}

// chatBackend is the process that serves conversations.
type chatBackend struct {
	*process.Process
	url, token string
}

func startChat(ctx context.Context) (*chatBackend, error) {
	p, line, err := process.Start(ctx, Role)
	if err != nil {
		return nil, err
	}
	url, token, ok := strings.Cut(line, " ")
	if !ok {
		return nil, errors.Join(fmt.Errorf("starting the backend: it said %q", line), p.Stop())
	}
	return &chatBackend{p, url, token}, nil
}

// Talker is an agent that speaks the Agent Client Protocol. It answers "stamp"
// with the time at which the prompt arrived; "rate N S" with N words a second for
// S seconds, each with a number and its time; "fill N" with N tool calls.
func Talker(ctx context.Context, in io.Reader, out io.Writer) error {
	t := &talking{out: bufio.NewWriter(out)}
	var all sync.WaitGroup
	defer all.Wait()
	lines := bufio.NewReaderSize(in, 64<<10)
	sessions := 0
	for {
		line, err := lines.ReadBytes('\n')
		arrived := time.Now()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		var req chatRequest
		if json.Unmarshal(line, &req) != nil || req.ID == nil || req.Method == "" {
			continue // a notification, or not a request
		}
		switch req.Method {
		case "initialize":
			t.write(req.reply(map[string]any{"protocolVersion": 1, "agentCapabilities": map[string]any{}}))
		case "session/new":
			sessions++
			t.write(req.reply(map[string]any{"sessionId": fmt.Sprint("s", sessions)}))
		case "session/prompt":
			all.Go(func() {
				t.talk(ctx, req, arrived)
				t.write(req.reply(map[string]any{"stopReason": "end_turn"}))
			})
		default:
			t.write(req.reply(map[string]any{}))
		}
	}
}

type chatRequest struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Session string `json:"sessionId"`
		Prompt  []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	} `json:"params"`
}

func (r chatRequest) reply(result any) any {
	return map[string]any{"jsonrpc": "2.0", "id": r.ID, "result": result}
}

type talking struct {
	mu  sync.Mutex
	out *bufio.Writer
}

// write writes a message at once. Errors are ignored: the backend is gone.
func (t *talking) write(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.out.Write(append(b, '\n'))
	_ = t.out.Flush()
}

func (t *talking) update(session string, update map[string]any) {
	t.write(map[string]any{"jsonrpc": "2.0", "method": "session/update", "params": map[string]any{"sessionId": session, "update": update}})
}

func (t *talking) say(session, text string) {
	t.update(session, map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]any{"type": "text", "text": text}})
}

func (t *talking) talk(ctx context.Context, req chatRequest, arrived time.Time) {
	for _, block := range req.Params.Prompt {
		word, rest, _ := strings.Cut(strings.TrimSpace(block.Text), " ")
		var n, seconds int
		_, _ = fmt.Sscan(rest, &n, &seconds) // missing numbers stay 0
		switch word {
		case "stamp":
			t.say(req.Params.Session, fmt.Sprintf("0@%d ", arrived.UnixNano()))
		case "rate":
			tick := time.NewTicker(time.Second / time.Duration(max(n, 1)))
			for i := range n * seconds {
				select {
				case <-tick.C:
				case <-ctx.Done():
					return
				}
				t.say(req.Params.Session, fmt.Sprintf("%d@%d ", i, time.Now().UnixNano()))
			}
			tick.Stop()
		case "fill":
			for i := range n {
				t.update(req.Params.Session, map[string]any{
					"sessionUpdate": "tool_call", "toolCallId": fmt.Sprint("c", i), "title": fmt.Sprintf("Step %d of the voyage", i), "kind": "read", "status": "completed",
				})
			}
		}
	}
}
