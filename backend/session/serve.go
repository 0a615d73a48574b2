package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"net/http"
	"os"
	"strings"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
	"pilotfish/backend/saved"
	"pilotfish/backend/sharing"
)

// gateway implements what the server and MCP need of the sessions. Each method
// takes the grant of the caller's token: a caller reaches the session of its
// token and no other.
type gateway struct{ m *Manager }

// Caller returns the grant on whose behalf a request is made.
func (g gateway) Caller(r auth.Request) (auth.Grant, error) { return g.m.callers.Resolve(r) }

// PtySession starts a terminal, or returns the one that the request names.
func (g gateway) PtySession(ctx context.Context, grant auth.Grant, req protocol.PtySessionRequest) (protocol.TerminalInfo, error) {
	s, r, err := g.current(grant.Session)
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

// ServeTerminal serves one viewer of a terminal until its socket, the terminal or ctx ends.
func (g gateway) ServeTerminal(ctx context.Context, grant auth.Grant, conn *websocket.Conn) error {
	_, r, err := g.current(grant.Session)
	if err != nil {
		return err
	}
	return r.terminals.Serve(ctx, conn, grant.Terminal)
}

// sharing returns what addresses for other programs need of a session.
func (g gateway) sharing(name protocol.SessionName) (sharing.Session, error) {
	s, r, err := g.current(name)
	if err != nil {
		return sharing.Session{}, err
	}
	return sharing.Session{Name: s.name, Auth: g.m.auth, Endpoint: g.m.endpoint, Policy: r.policy, Browser: r.browser, Recorder: s.recorder, Secrets: g.m.secrets}, nil
}

// ServeShare serves a program that speaks the DevTools protocol.
func (g gateway) ServeShare(ctx context.Context, grant auth.Grant, conn *websocket.Conn) error {
	s, err := g.sharing(grant.Session)
	if err != nil {
		return err
	}
	defer g.m.use.Begin()()
	return s.Serve(ctx, grant, texts{conn})
}

// texts are the messages of a socket.
type texts struct{ conn *websocket.Conn }

func (t texts) Read(ctx context.Context) ([]byte, error) {
	_, text, err := t.conn.Read(ctx)
	return text, err
}

func (t texts) Write(ctx context.Context, text []byte) error {
	return t.conn.Write(ctx, websocket.MessageText, text)
}

// current returns a session, as pick does, and its run.
func (g gateway) current(name protocol.SessionName) (*Session, *run, error) {
	s, err := g.m.pick(name)
	if err != nil {
		return nil, nil, err
	}
	r, err := s.current()
	return s, r, err
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
func (g gateway) Subscribe(grant auth.Grant) *hub.Subscription[any] {
	s, err := g.m.Session(grant.Session)
	if err != nil {
		// The session has just been deleted; its tokens are about to end.
		gone := hub.New[any](1).Subscribe()
		gone.Close()
		return gone
	}
	return s.events.Subscribe()
}

// PanelConnected counts a panel as connected and returns its id. The task page is not counted,
// because no user sees it. The returned function counts the panel as disconnected; the tasks that
// it ran are then interrupted.
func (g gateway) PanelConnected(grant auth.Grant, tasks bool) (string, func()) {
	panel := strings.ToLower(rand.Text()[:10])
	s, err := g.m.Session(grant.Session)
	if err != nil {
		return panel, func() {}
	}
	if tasks {
		return panel, func() { s.tasks.PanelGone(panel) }
	}
	changed := s.panels.Add(1)
	g.m.firstPanel.Open()
	gone := func() {}
	if r := s.running(); r != nil {
		gone = r.browser.PanelHere(panel)
	}
	if changed {
		s.publishInfo()
	}
	return panel, func() {
		gone()
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

// OpenFile opens a file that a command of the session saved, if the caller may read it. It
// returns the file's media type, too.
func (g gateway) OpenFile(grant auth.Grant, path string) (*os.File, string, error) {
	s, err := g.m.pick(grant.Session)
	if err != nil {
		return nil, "", err
	}
	f, err := s.saved.Open(grant.Actor, path)
	return f, saved.MediaType(path), err
}

// WatchConversation returns the events of a conversation after an index and all new ones.
func (g gateway) WatchConversation(ctx context.Context, grant auth.Grant, id protocol.ConversationID, after uint64) (iter.Seq2[protocol.ChatEventsEvent, error], error) {
	_, r, err := g.current(grant.Session)
	if err != nil {
		return nil, err
	}
	return r.chat.Watch(ctx, id, after)
}

// Prompt forwards a prompt to a model and streams its answer.
func (g gateway) Prompt(ctx context.Context, w http.ResponseWriter, profile string, body []byte) error {
	if g.m.cfg.Models == nil {
		return protocol.NewError(protocol.CodeNotRunning, "this Pilotfish has no models", "start the app")
	}
	return g.m.cfg.Models.Call(ctx, w, profile, body)
}

// app carries out what the command line asks of the app itself.
func (g gateway) app(ctx context.Context, req protocol.AppRequest) (protocol.AppReply, error) {
	name := req.Session
	if name == "" {
		name = protocol.DefaultSession
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
	case protocol.AppStop:
		err = g.m.Stop(ctx, name)
	case protocol.AppRestart:
		err = g.m.Restart(ctx, name)
	case protocol.AppHold:
		err = g.m.hold(ctx, name)
	case protocol.AppCreate:
		_, err = keeping(g.m, req.Identity, func() (protocol.SessionName, error) { return name, g.m.Create(ctx, req.Session) })
	case protocol.AppDelete:
		err = g.m.Delete(ctx, req.Session)
	case protocol.AppPair:
		err = g.m.Pair(req.Session, req.Code)
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
		err = protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the app knows no action %q", req.Action), "use show, status, start, stop, restart, hold, create, delete, test-proxy, pair, rotate-tokens, restart-server or quit")
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
