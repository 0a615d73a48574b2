package bridge

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pilotfish/app/cli/client"
	pilot "pilotfish/backend/agent/builtin"
	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/protocol"
)

// Pilot serves Pilot over the Agent Client Protocol, for any program that is a
// client for agents.
func (s Streams) Pilot(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	a := &acpAgent{
		bridge: &bridge{find: func(context.Context) (*client.Client, error) { return client.Find(s.Getenv) }}, version: s.Version,
		tab: s.Tab, session: s.Session, grammar: grammar.New(nil), out: &messageWriter{out: s.Out}, sessions: map[string]*acpTurn{},
	}
	defer a.turns.Wait()
	defer cancel()
	return readMessages(s.In, func(m rpcMessage) error { return a.take(ctx, m) }, func(err error) error {
		return a.out.reply(json.RawMessage("null"), nil, err)
	})
}

// acpAgent is Pilot as an agent for other programs.
type acpAgent struct {
	bridge  *bridge
	version string // of this program
	tab     protocol.TabID
	session protocol.SessionName
	grammar *grammar.Grammar
	out     *messageWriter
	turns   sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*acpTurn
}

// acpTurn is the state of a session.
type acpTurn struct {
	cancel context.CancelFunc // nil while no turn runs
	calls  int
}

// take handles one message. Quick messages are handled here, so that they keep
// their order; a turn runs in its own goroutine.
func (a *acpAgent) take(ctx context.Context, m rpcMessage) error {
	switch m.Method {
	case "":
		return nil // an answer; we send no requests
	case "session/prompt":
		if err := a.prompt(ctx, m); err != nil {
			return a.out.reply(m.ID, nil, err)
		}
		return nil
	case "session/cancel":
		a.cancel(m.Params)
		return nil
	case "initialize":
		return a.out.reply(m.ID, acpInitialized{
			ProtocolVersion: acpVersion, Info: acpInfo{Name: "pilot", Title: "Pilot", Version: a.version}, AuthMethods: []struct{}{},
		}, nil)
	case "authenticate":
		return a.out.reply(m.ID, nil, refuse(rpcInvalid, "Pilot needs no sign-in"))
	case "session/new":
		return a.open(m)
	case "session/load", "session/resume":
		return a.out.reply(m.ID, nil, refuse(rpcMethod, "Pilot keeps no history; begin a new session"))
	}
	return a.out.reply(m.ID, nil, refuse(rpcMethod, "there is no method %.80q", m.Method))
}

// open creates a session.
func (a *acpAgent) open(m rpcMessage) error {
	id := "pilot-" + rand.Text()
	a.mu.Lock()
	a.sessions[id] = &acpTurn{}
	a.mu.Unlock()
	if err := a.out.reply(m.ID, acpSession{id}, nil); err != nil {
		return err
	}
	var commands []acpCommand
	for _, c := range pilot.Commands() {
		command := acpCommand{Name: c.Name, Description: c.About}
		if c.Hint != "" {
			command.Input = &acpInput{c.Hint}
		}
		commands = append(commands, command)
	}
	return a.update(id, acpUpdate{Kind: "available_commands_update", Commands: commands})
}

// cancel cancels the turn of a session.
func (a *acpAgent) cancel(params json.RawMessage) {
	var named acpSession
	if json.Unmarshal(params, &named) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if turn := a.sessions[named.SessionID]; turn != nil && turn.cancel != nil {
		turn.cancel()
	}
}

// prompt starts a turn. The answer is sent when the turn ends.
func (a *acpAgent) prompt(ctx context.Context, m rpcMessage) error {
	var asked acpPrompt
	if err := json.Unmarshal(m.Params, &asked); err != nil {
		return refuse(rpcParams, "the prompt cannot be read: %v", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	turn := a.sessions[asked.SessionID]
	switch {
	case turn == nil:
		return refuse(rpcNotFound, "there is no session %.80q", asked.SessionID)
	case turn.cancel != nil:
		return refuse(rpcInvalid, "a turn of this session runs already")
	}
	ctx, turn.cancel = context.WithCancel(ctx)
	a.turns.Go(func() {
		stop := a.run(ctx, asked, turn)
		a.mu.Lock()
		turn.cancel()
		turn.cancel = nil
		a.mu.Unlock()
		// An error means that the client has gone; then the input ends, too.
		_ = a.out.reply(m.ID, acpStop{stop}, nil)
	})
	return nil
}

// run handles a message and returns how the turn ended.
func (a *acpAgent) run(ctx context.Context, asked acpPrompt, turn *acpTurn) string {
	var said []string
	attached := false
	for _, block := range asked.Prompt {
		switch {
		case block.Type != "text":
			attached = true
		case strings.HasPrefix(block.Text, "<pilotfish>\n") && strings.HasSuffix(block.Text, "</pilotfish>"):
			// The context that Pilotfish gives every agent. Pilot does not need
			// it.
		default:
			said = append(said, block.Text)
		}
	}
	plan, unknown := a.grammar.Parse(strings.Join(said, "\n"))
	if attached {
		unknown = &grammar.Unknown{Said: "what is attached"}
	}
	if unknown != nil {
		a.say(asked.SessionID, pilot.Explain(unknown, a.others(ctx)))
		return "end_turn"
	}
	out := pilot.NewEngine(pilot.CommanderFunc(a.command), a.tab).Run(ctx, plan, func(e pilot.Event) {
		a.step(ctx, asked.SessionID, turn.calls+e.Step, e)
	})
	turn.calls += len(plan.Steps)
	a.say(asked.SessionID, out.Text)
	if out.Status == protocol.ToolCancelled {
		return "cancelled"
	}
	return "end_turn"
}

// command runs one command of the registry. The app may have been started or
// restarted since the last one.
func (a *acpAgent) command(ctx context.Context, req protocol.CommandRequest) protocol.CommandReply {
	req.Session = a.session
	return a.bridge.execute(ctx, req, nil)
}

// others returns the names of the installed agents that understand more.
func (a *acpAgent) others(ctx context.Context) []string {
	c, err := a.bridge.connected(ctx)
	if err != nil {
		return nil
	}
	ctx, cancel := client.Deadline(ctx, 0)
	defer cancel()
	var file protocol.AgentsFile
	if c.Fetch(ctx, "/agents", &file) != nil {
		return nil
	}
	return pilot.Others(file.Agents)
}

// step reports the progress of a step to the client.
func (a *acpAgent) step(ctx context.Context, session string, call int, e pilot.Event) {
	update := acpUpdate{Kind: "tool_call", ToolCallID: "step-" + strconv.Itoa(call), Title: e.Title, ToolKind: acpKind(e.Verb), Status: "in_progress"}
	if e.Status == protocol.ToolRunning {
		update.RawInput = map[string]string{"instruction": e.Said}
		_ = a.update(session, update) // see prompt
		return
	}
	update.Kind, update.Status = "tool_call_update", "completed"
	if e.Status != protocol.ToolDone {
		update.Status = "failed" // the protocol has no status for cancelled
	}
	var contents []acpContent
	if e.Content != "" {
		contents = append(contents, acpContent{"content", acpBlock{Type: "text", Text: e.Content}})
	}
	if e.Path != "" {
		update.Locations = []acpLocation{{e.Path}}
	}
	if e.Picture {
		// Without the image the client still has its path.
		if data, mime, err := a.bridge.image(ctx, e.Path, a.session); err == nil {
			contents = append(contents, acpContent{"content", acpBlock{Type: "image", Data: base64.StdEncoding.EncodeToString(data), Mime: mime}})
		}
	}
	if contents != nil {
		update.Content = contents
	}
	_ = a.update(session, update)
}

// acpKind maps a verb to one of the protocol's kinds of tools.
func acpKind(v grammar.Verb) string {
	switch {
	case slices.Contains([]grammar.Verb{grammar.VerbGoto, grammar.VerbSearch, grammar.VerbBack, grammar.VerbForward, grammar.VerbReload, grammar.VerbNewTab}, v):
		return "fetch"
	case slices.Contains([]grammar.Verb{grammar.VerbRead, grammar.VerbList, grammar.VerbAsk, grammar.VerbScreenshot, grammar.VerbPDF, grammar.VerbHelp}, v):
		return "read"
	case v == grammar.VerbFind:
		return "search"
	}
	return "other"
}

func (a *acpAgent) say(session, text string) {
	_ = a.update(session, acpUpdate{Kind: "agent_message_chunk", Content: acpBlock{Type: "text", Text: text}}) // see prompt
}

func (a *acpAgent) update(session string, u acpUpdate) error {
	return a.out.notify("session/update", acpNotice{session, u})
}
