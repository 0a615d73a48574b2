package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"pilotfish/backend/activity/viewer"
	"pilotfish/backend/auth"
	"pilotfish/backend/chat/agents"
	"pilotfish/backend/command"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
)

// gateway implements what the server and MCP need of the sessions. Each method
// takes the grant of the caller's token: a caller reaches the session of its
// token and no other.
type gateway struct{ m *Manager }

// PtySession starts a terminal, or returns the one that the request names.
func (g gateway) PtySession(ctx context.Context, grant auth.Grant, req protocol.PtySessionRequest) (protocol.TerminalInfo, error) {
	s, r, err := g.terminals(grant)
	if err != nil {
		return protocol.TerminalInfo{}, err
	}
	if req.Terminal != "" {
		return r.terminals.Get(req.Terminal)
	}
	if !s.tabs.Has(req.Tab) {
		return protocol.TerminalInfo{}, unknownTab(req.Tab)
	}
	return r.terminals.Start(ctx, req)
}

// Terminals returns the terminals of a running session.
func (g gateway) Terminals(grant auth.Grant) (server.Terminals, error) {
	_, r, err := g.terminals(grant)
	if err != nil {
		return nil, err
	}
	return r.terminals, nil
}

func (g gateway) terminals(grant auth.Grant) (*Session, *run, error) {
	s, err := g.m.Session(grant.Session)
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

// Hello returns the whole state of a session, as its panel needs it.
func (g gateway) Hello(_ context.Context, grant auth.Grant) (protocol.HelloEvent, error) {
	s, err := g.m.Session(grant.Session)
	if err != nil {
		return protocol.HelloEvent{}, err
	}
	// The panel has subscribed already: events that it missed follow its hello.
	s.tasks.OrderAgain()
	if event, is := s.panels.Pending(); is {
		s.events.Publish(event)
	}
	return protocol.HelloEvent{
		Type: protocol.PanelHello, Version: protocol.Version, Session: s.Info(), Agents: g.m.agents.List(),
		Settings: g.m.panelView(g.m.cfg.Settings.Get()), Tasks: s.tasks.Shown(), Conversations: conversations{s}.heads(),
	}, nil
}

// Subscribe returns a subscription to the events for the panels of the token's
// session.
func (g gateway) Subscribe(grant auth.Grant) server.Subscription {
	s, err := g.m.Session(grant.Session)
	if err != nil {
		// The session has just been deleted; its tokens are about to end.
		gone := hub.New[any](1).Subscribe()
		gone.Close()
		return gone
	}
	return s.events.Subscribe()
}

// PanelConnected counts a panel as connected and returns its id. The returned
// function counts it as disconnected; the tasks that the panel ran are then
// interrupted.
func (g gateway) PanelConnected(grant auth.Grant) (string, func()) {
	panel := strings.ToLower(rand.Text()[:10])
	s, err := g.m.Session(grant.Session)
	if err != nil {
		return panel, func() {}
	}
	changed := s.panels.Add(1)
	g.m.firstPanel.Open()
	if changed {
		s.publishInfo()
	}
	return panel, func() {
		s.pickers.PanelGone(panel) // before anything reports that the panel is gone
		if s.panels.Add(-1) {
			s.publishInfo()
		}
		s.tasks.PanelGone(panel)
	}
}

// PanelMessage handles the messages of a panel that the server does not handle
// itself.
func (g gateway) PanelMessage(grant auth.Grant, message protocol.PanelMessage) {
	s, err := g.m.Session(grant.Session)
	if err != nil {
		return
	}
	switch message.Type {
	case protocol.PanelViewing:
		s.panels.Viewed(message.Tab)
		g.viewing(s, message.Tab)
	case protocol.PanelAnswer:
		// The panel shows an answer that came too late: the question is gone.
		if message.Login != nil {
			_ = s.approvals.AnswerLogin(message.Approval, *message.Login, "panel")
			return
		}
		_ = s.approvals.Answer(message.Approval, message.Answer, "panel")
	case protocol.PanelTheme:
		settings := g.m.Settings()
		settings.Theme = message.Theme
		if _, err := g.m.SaveSettings(context.Background(), settings); err != nil {
			g.m.log.Warn("theme not saved", "error", err)
		}
	case protocol.PanelWindow:
		var show protocol.WindowShow
		if message.Window != nil {
			show = *message.Window
		}
		show.Session = grant.Session
		g.m.onShow(show)
	case protocol.PanelAuth, protocol.PanelPing, protocol.PanelWatch, protocol.PanelUnwatch, protocol.PanelFollow, protocol.PanelUnfollow:
	}
}

// Command carries out one command for the holder of the token. waiting is
// called when the command waits for the user; nil for no callback.
func (g gateway) Command(ctx context.Context, grant auth.Grant, req protocol.CommandRequest, waiting func(protocol.Waiting)) protocol.CommandReply {
	name := grant.Session
	if name == "" {
		name = req.Session
	}
	s, err := g.m.pick(name)
	if err == nil {
		grant, err = g.m.callers.Conversation(grant, req.Tab)
	}
	if err != nil {
		return protocol.CommandReply{Error: protocol.AsError(err)}
	}
	defer g.m.use.Begin()()
	defer s.signs.Began(grant.Actor, cmp.Or(req.Tab, s.tabs.OfCaller(grant)))()
	// The app listens before its first session has begun to start. A request that
	// comes in between waits, instead of getting the error that no session runs.
	g.m.mu.Lock()
	runs := g.m.ctx != nil
	g.m.mu.Unlock()
	if runs {
		g.m.first.Wait(ctx)
	}
	return s.recorder.Do(grant.Actor, req, waiting, func(watch command.Watch) protocol.CommandReply {
		r, err := s.current()
		if err == nil {
			err = r.ready(ctx, s, req.TimeoutMS)
		}
		if err != nil {
			return protocol.CommandReply{Error: protocol.AsError(err)}
		}
		return r.commands.Execute(ctx, g.call(s, r, grant, req, watch))
	})
}

// Tabs lists the tabs of the token's session.
func (g gateway) Tabs(_ context.Context, grant auth.Grant) ([]protocol.Tab, error) {
	s, err := g.m.pick(grant.Session)
	if err != nil {
		return nil, err
	}
	if _, err := s.current(); err != nil {
		return nil, err
	}
	return s.Info().Tabs, nil
}

// Agents returns the list of agents; with probe it searches for them again
// first.
func (g gateway) Agents(ctx context.Context, _ auth.Grant, probe bool) (protocol.AgentsFile, error) {
	if probe {
		g.m.ProbeAgents(ctx)
	}
	return g.m.agents.List(), nil
}

// Pick lets the user at a panel pick an element of a tab's page. It returns
// once the picker is on, with the elements that can be picked; the user's
// choice comes as an event.
func (g gateway) Pick(ctx context.Context, grant auth.Grant, req protocol.PickRequest) (protocol.PickReply, error) {
	s, err := g.m.Session(grant.Session)
	if err != nil {
		return protocol.PickReply{Elements: []protocol.PickedElement{}}, err
	}
	r, err := s.current()
	if err != nil {
		return protocol.PickReply{Elements: []protocol.PickedElement{}}, err
	}
	return s.pickers.Do(ctx, r.browser, req)
}

// Activity returns the activity of a session.
func (g gateway) Activity(grant auth.Grant) (server.Activity, error) {
	s, err := g.m.pick(grant.Session)
	if err != nil {
		return nil, err
	}
	return viewer.New(s.recorder, s.shots), nil
}

// Files returns the files that commands of a session saved.
func (g gateway) Files(grant auth.Grant) (server.Files, error) {
	s, err := g.m.pick(grant.Session)
	if err != nil {
		return nil, err
	}
	return s.saved, nil
}

// RouteRule changes the table of routes by one word, permanently and for all
// sessions, as the user chose at a message.
func (g gateway) RouteRule(ctx context.Context, req protocol.ChatRouteRuleRequest) error {
	settings, err := agents.RouteRule(g.m.Settings(), req)
	if err == nil {
		_, err = g.m.SaveSettings(ctx, settings)
	}
	return err
}

// App carries out what the command line asks of the app itself.
func (g gateway) App(ctx context.Context, grant auth.Grant, req protocol.AppRequest) (protocol.AppReply, error) {
	name := req.Session
	if name == "" {
		name = protocol.DefaultSession
	}
	if err := g.confirmApp(ctx, grant, name, req); err != nil {
		return protocol.AppReply{}, err
	}
	var err error
	var started protocol.SessionName
	switch req.Action {
	case protocol.AppStatus:
	case protocol.AppShow:
		g.m.onShow(protocol.WindowShow{Page: g.wanted()})
	case protocol.AppStart:
		started, err = startAs(ctx, g.m, name, req)
	case protocol.AppTestProxy:
		var test *protocol.ProxyTest
		test, err = testProxy(ctx, g.m, name, req.Identity)
		return protocol.AppReply{Sessions: []protocol.SessionInfo{}, Test: test}, err
	case protocol.AppClients:
		return g.clients(req)
	case protocol.AppStored:
		return g.stored(ctx, req)
	case protocol.AppStop:
		err = g.m.Stop(ctx, name)
	case protocol.AppRestart:
		err = g.m.Restart(ctx, name)
	case protocol.AppCreate:
		err = g.m.Create(ctx, req.Session)
	case protocol.AppDelete:
		err = g.m.Delete(ctx, req.Session)
	case protocol.AppRotateTokens:
		g.m.RotateTokens()
	case protocol.AppRestartServer:
		// Only when the request is over: its response goes through the server that
		// ends.
		context.AfterFunc(ctx, g.m.endpoint.Restart)
	case protocol.AppQuit:
		g.m.endpoint.End() // before the response: the next command line starts a new app
		g.m.onQuit()
	default:
		err = protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the app knows no action %q", req.Action), "use show, status, start, stop, restart, create, delete, rotate-tokens, restart-server, clients, stored or quit")
	}
	window := g.m.Window()
	return protocol.AppReply{Sessions: withoutNonces(window.Sessions), Settings: window.SettingsProblem, Confinement: &window.Confinement, Started: started}, err
}

func unknownTab(tab protocol.TabID) error {
	return protocol.NewError(protocol.CodeUnknownTab, fmt.Sprintf("there is no tab %q", tab), "", protocol.Try("lists them", "tabs"))
}

// viewing handles that a panel shows a tab. With EveryTab, the tab's agent
// starts then.
func (g gateway) viewing(s *Session, tab protocol.TabID) {
	if !g.m.cfg.Settings.Get().EveryTab {
		return
	}
	r := s.running()
	if r == nil || !s.tabs.Has(tab) {
		return
	}
	s.firstTerminal(s.m.ctx, r, tab)
}
