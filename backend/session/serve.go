package session

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
)

// These methods are what backend/server asks of the wiring. Each takes the grant
// of the caller's token: a caller reaches the session of its token and no other.

// PtySession starts a terminal, or finds the one that the request names.
func (m *Manager) PtySession(ctx context.Context, grant auth.Grant, req protocol.PtySessionRequest) (protocol.TerminalInfo, error) {
	s, r, err := m.terminals(grant)
	if err != nil {
		return protocol.TerminalInfo{}, err
	}
	if req.Terminal != "" {
		return r.terminals.Get(req.Terminal)
	}
	if !s.hasTab(req.Tab) {
		return protocol.TerminalInfo{}, unknownTab(req.Tab)
	}
	return r.terminals.Start(ctx, req)
}

// PtyRestart ends a terminal's process and starts the next in one transaction.
func (m *Manager) PtyRestart(ctx context.Context, grant auth.Grant, req protocol.PtyRestartRequest) (protocol.TerminalInfo, error) {
	_, r, err := m.terminals(grant)
	if err != nil {
		return protocol.TerminalInfo{}, err
	}
	return r.terminals.Restart(ctx, req)
}

// PtyClose ends a terminal's process group and forgets the terminal.
func (m *Manager) PtyClose(ctx context.Context, grant auth.Grant, req protocol.PtyCloseRequest) error {
	_, r, err := m.terminals(grant)
	if err != nil {
		return err
	}
	return r.terminals.Close(ctx, req.Terminal)
}

// FirstScreen is what a terminal's process has written since its start, where it
// is short and text, and the picture that a panel told of it.
func (m *Manager) FirstScreen(grant auth.Grant, id protocol.TerminalID) (written, picture string) {
	_, r, err := m.terminals(grant)
	if err != nil {
		return "", ""
	}
	return r.terminals.Beginning(id, protocol.MaxFirstScreen)
}

// ServeTerminal serves one viewer of the terminal that its attach token names.
func (m *Manager) ServeTerminal(ctx context.Context, grant auth.Grant, ws *websocket.Conn) error {
	_, r, err := m.terminals(grant)
	if err != nil {
		return err
	}
	return r.terminals.Serve(ctx, ws, grant.Terminal)
}

func (m *Manager) terminals(grant auth.Grant) (*Session, *run, error) {
	s, err := m.Session(grant.Session)
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		return nil, nil, protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("session %s is not running", s.name), "start it in the Pilotfish window")
	}
	return s, s.run, nil
}

// Hello is the whole state of a session as its panel needs it.
func (m *Manager) Hello(_ context.Context, grant auth.Grant) (protocol.HelloEvent, error) {
	s, err := m.Session(grant.Session)
	if err != nil {
		return protocol.HelloEvent{}, err
	}
	// The panel has subscribed: what it missed comes behind its hello.
	s.tasks.OrderAgain()
	s.showAgain()
	return protocol.HelloEvent{
		Type: protocol.PanelHello, Version: protocol.Version, Session: s.Info(), Agents: m.agentsFile(),
		Settings: m.panelView(m.cfg.Settings.Get()), Tasks: s.tasks.Shown(), Conversations: s.conversationHeads(),
	}, nil
}

// Subscribe returns what is pushed to the panels of the token's session.
func (m *Manager) Subscribe(grant auth.Grant) server.Subscription {
	s, err := m.Session(grant.Session)
	if err != nil {
		// The session was deleted a moment ago; its tokens end just now.
		gone := hub.New[any](1).Subscribe()
		gone.Close()
		return gone
	}
	return s.events.Subscribe()
}

// PanelConnected counts a panel in, and out when the returned function is called.
// What a panel that is gone ran is interrupted.
func (m *Manager) PanelConnected(grant auth.Grant) (string, func()) {
	panel := strings.ToLower(rand.Text()[:10])
	s, err := m.Session(grant.Session)
	if err != nil {
		return panel, func() {}
	}
	s.countPanel(1)
	return panel, func() {
		s.endPick(shownBy(panel))
		s.endPick(panel) // before anybody is told that the panel is gone
		s.countPanel(-1)
		s.tasks.PanelGone(panel)
	}
}

func (s *Session) countPanel(by int) {
	s.mu.Lock()
	before := s.panels
	s.panels += by
	changed := (before == 0) != (s.panels == 0)
	s.mu.Unlock()
	s.m.firstPanel.open()
	if changed {
		s.publishInfo()
	}
}

// PanelMessage takes in what a panel says beside what the server answers itself.
func (m *Manager) PanelMessage(grant auth.Grant, message protocol.PanelMessage) {
	s, err := m.Session(grant.Session)
	if err != nil {
		return
	}
	switch message.Type {
	case protocol.PanelViewing:
		s.shownTo(message.Tab)
		s.viewing(message.Tab)
	case protocol.PanelAnswer:
		// One that came too late is seen in the panel: the question is gone.
		_ = s.approvals.Answer(message.Approval, message.Answer, "panel")
	case protocol.PanelTheme:
		settings := m.Settings()
		settings.Theme = message.Theme
		if _, err := m.SaveSettings(context.Background(), settings); err != nil {
			m.log.Warn("theme not saved", "error", err)
		}
	case protocol.PanelAuth, protocol.PanelPing, protocol.PanelWatch, protocol.PanelUnwatch:
	}
}

// Command carries out one command for whoever the token speaks for. waiting is
// told when it waits for the person; nil for nobody.
func (m *Manager) Command(ctx context.Context, grant auth.Grant, req protocol.CommandRequest, waiting func(protocol.Waiting)) protocol.CommandReply {
	name := grant.Session
	if name == "" {
		name = req.Session
	}
	s, err := m.pick(name)
	if err != nil {
		return protocol.CommandReply{Error: protocol.AsError(err)}
	}
	defer m.use.begin()()
	// The app listens before its first session has begun to start, and whoever
	// finds it then is not told that there is no session.
	m.mu.Lock()
	runs := m.ctx != nil
	m.mu.Unlock()
	if runs {
		m.first.wait(ctx)
	}
	return s.recorded(ctx, grant.Actor, req, waiting, func(ctx context.Context, note func(command.Note)) protocol.CommandReply {
		r, err := s.current()
		if err == nil {
			err = s.ready(ctx, r, req.TimeoutMS)
		}
		if err != nil {
			return protocol.CommandReply{Error: protocol.AsError(err)}
		}
		return r.commands.Execute(ctx, command.Call{Actor: grant.Actor, Scopes: grant.Scopes, Tab: s.callerTab(grant), Request: req, Note: note})
	})
}

// callerTab is the tab that a call means when it names none: the agent's own, or
// for a person at a shell the one they look at.
func (s *Session) callerTab(grant auth.Grant) protocol.TabID {
	if grant.Tab != "" || grant.Kind == auth.KindAgent {
		return grant.Tab
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, tab := range s.tabs {
		if tab.Focused {
			return tab.ID
		}
	}
	return ""
}

// Tabs lists the tabs of the token's session.
func (m *Manager) Tabs(_ context.Context, grant auth.Grant) ([]protocol.Tab, error) {
	s, err := m.pick(grant.Session)
	if err != nil {
		return nil, err
	}
	if _, err := s.current(); err != nil {
		return nil, err
	}
	return s.Info().Tabs, nil
}

// Agents says which agents there are; with probe it looks again.
func (m *Manager) Agents(ctx context.Context, _ auth.Grant, probe bool) (protocol.AgentsFile, error) {
	if probe {
		m.ProbeAgents(ctx)
	}
	return m.agentsFile(), nil
}

// AgentStatus records what an agent's hook says.
func (m *Manager) AgentStatus(_ context.Context, grant auth.Grant, req protocol.AgentStatusRequest) error {
	_, r, err := m.terminals(grant)
	if err != nil {
		return err
	}
	return r.terminals.SetStatus(grant.Terminal, req.Status, req.Message)
}

// App does what the command line asks of the app itself.
func (m *Manager) App(ctx context.Context, _ auth.Grant, req protocol.AppRequest) (protocol.AppReply, error) {
	name := req.Session
	if name == "" {
		name = protocol.DefaultSession
	}
	var err error
	switch req.Action {
	case protocol.AppStatus:
	case protocol.AppShow:
		m.onShow(m.wanted())
	case protocol.AppStart:
		err = m.Start(ctx, name)
	case protocol.AppStop:
		err = m.Stop(ctx, name)
	case protocol.AppRestart:
		err = m.Restart(ctx, name)
	case protocol.AppCreate:
		err = m.Create(ctx, req.Session)
	case protocol.AppDelete:
		err = m.Delete(ctx, req.Session)
	case protocol.AppRotateTokens:
		m.RotateTokens()
	case protocol.AppRestartServer:
		// When the request is over: its answer goes through the server that ends.
		context.AfterFunc(ctx, m.RestartServer)
	case protocol.AppQuit:
		m.announceEnd() // before the answer: the next command starts the next one
		m.onQuit()
	default:
		err = protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the app knows no action %q", req.Action), "use show, status, start, stop, restart, create, delete, rotate-tokens, restart-server or quit")
	}
	return protocol.AppReply{Sessions: withoutNonces(m.Window().Sessions)}, err
}

func unknownTab(tab protocol.TabID) error {
	return protocol.NewError(protocol.CodeUnknownTab, fmt.Sprintf("there is no tab %q", tab), "", protocol.Try("lists them", "tabs"))
}

// hasTab says whether a tab is open.
func (s *Session) hasTab(id protocol.TabID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, tab := range s.tabs {
		if tab.ID == id {
			return true
		}
	}
	return false
}

// viewing notes that a panel shows a tab; with EveryTab its agent starts then.
func (s *Session) viewing(tab protocol.TabID) {
	if !s.m.cfg.Settings.Get().EveryTab {
		return
	}
	s.mu.Lock()
	r := s.run
	s.mu.Unlock()
	if r == nil || !s.hasTab(tab) {
		return
	}
	s.startFirstTerminal(s.m.ctx, r, tab)
}
