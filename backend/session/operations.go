package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"pilotfish/backend/activity/viewer"
	"pilotfish/backend/approval"
	"pilotfish/backend/auth"
	"pilotfish/backend/chat"
	"pilotfish/backend/chat/agents"
	"pilotfish/backend/chat/past"
	"pilotfish/backend/identity"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
	"pilotfish/backend/sharing"
	"pilotfish/backend/task/control"
	"pilotfish/backend/terminal"
)

// Operations are what a client may ask of the backend: the window and the tray by name, the
// panel and programs over HTTP.
func (m *Manager) Operations() []op.Operation {
	g := gateway{m}
	tasks := partOf(m, func(s *Session) *control.Tasks { return s.tasks })
	all := slices.Concat(
		m.ofSessions(), g.ofApp(), g.ofPanel(), g.ofControl(), m.secrets.Operations(),
		confirmed(g, "app", describeClients, m.clients.Operations()...), confirmed(g, "app", describeStored, m.storedData.Operations()...),
		confirmed(g, "share", describeShare, sharing.Operations(g.sharing)...),
		approval.Operations(partOf(m, func(s *Session) *approval.Manager { return s.approvals })),
		identity.Operations(partOf(m, func(s *Session) *identity.Session { return s.identity })),
		control.Operations(tasks), confirmed(g, "task", describeAnswer, control.AnswerOperation(tasks)),
		viewer.Operations(partOf(m, func(s *Session) *viewer.Viewer { return viewer.New(s.recorder, s.shots) })),
		terminal.Operations(ofRun(m, func(r *run) *terminal.Manager { return r.terminals })),
		chat.Operations(ofRun(m, func(r *run) *chat.Manager { return r.chat.Manager })),
		past.Operations(ofRun(m, func(r *run) past.Conversations { return r.chat })),
	)
	if m.cfg.Models != nil {
		all = append(all, m.cfg.Models.Operations()...)
	}
	// A schedule acts later with the user's rights, so no agent may make one.
	return append(all, confirmed(g, "schedule", describeSchedules, op.New("Schedules", func(_ context.Context, _ op.Call, req protocol.ScheduleRequest) (protocol.ScheduleReply, error) {
		return m.schedules.Do(req)
	}).At(op.Route{
		Path: "/schedules", Capability: auth.CapabilityApp, Window: true,
		About: "Schedules: list, add, change, run, pause, resume or remove one. The reply has all of them.",
	}))...)
}

// partOf returns a function that finds a part of a session by the session's name.
func partOf[Part any](m *Manager, part func(*Session) *Part) func(protocol.SessionName) (*Part, error) {
	return func(name protocol.SessionName) (*Part, error) {
		s, err := m.pick(name)
		if err != nil {
			return nil, err
		}
		return part(s), nil
	}
}

// ofRun returns a function that finds a part of a running session by the session's name.
func ofRun[Part any](m *Manager, part func(*run) Part) func(protocol.SessionName) (Part, error) {
	return func(name protocol.SessionName) (none Part, err error) {
		_, r, err := gateway{m}.current(name)
		if err != nil {
			return none, err
		}
		return part(r), nil
	}
}

// ofSessions are the operations about whole sessions, and about what was done in one.
func (m *Manager) ofSessions() []op.Operation {
	return []op.Operation{
		op.Do("StartSession", func(ctx context.Context, call op.Call, _ op.None) error { return m.Start(ctx, call.Session) }),
		op.Do("StopSession", func(ctx context.Context, call op.Call, _ op.None) error { return m.Stop(ctx, call.Session) }),
		op.Do("RestartSession", func(ctx context.Context, call op.Call, _ op.None) error { return m.Restart(ctx, call.Session) }),
		// NewSession makes a stopped session, and returns its name.
		op.New("NewSession", func(ctx context.Context, _ op.Call, req protocol.NewSession) (protocol.SessionName, error) {
			return keeping(m, req.Identity, func() (protocol.SessionName, error) { return m.CreateTitled(ctx, req.Title) })
		}),
		op.Do("DeleteSession", func(ctx context.Context, call op.Call, _ op.None) error { return m.Delete(ctx, call.Session) }),
		op.Do("ShowTab", func(ctx context.Context, call op.Call, tab protocol.TabID) error {
			return m.ShowTab(ctx, call.Session, tab)
		}).OnDesktop(),
		op.Do("ShowSignIns", func(ctx context.Context, call op.Call, _ op.None) error { return m.showSignIns(ctx, call.Session) }).OnDesktop(),
		op.Do("PairPanel", func(_ context.Context, call op.Call, code string) error { return m.Pair(call.Session, code) }),
		// OpenLink opens a page that a conversation links to.
		op.Do("OpenLink", func(ctx context.Context, call op.Call, link string) error { return m.OpenLink(ctx, call, link) }),
		op.New("SessionWork", func(_ context.Context, call op.Call, _ op.None) (protocol.SessionWork, error) {
			return m.Work(call.Session)
		}),
		op.Do("ShowConversation", func(ctx context.Context, call op.Call, req protocol.ChatRequest) error {
			return m.showConversation(ctx, call.Session, req.Conversation)
		}).OnDesktop(),
	}
}

// ofApp are the operations about the app itself and its agents.
func (g gateway) ofApp() []op.Operation {
	app := op.New("App", func(ctx context.Context, _ op.Call, req protocol.AppRequest) (protocol.AppReply, error) {
		return g.app(ctx, req)
	}).At(op.Route{Path: "/app", Capability: auth.CapabilityApp, About: "The app itself: start and stop its sessions, or quit."})
	return append(confirmed(g, "app", describeApp, app),
		op.New("Tabs", func(_ context.Context, call op.Call, _ op.None) (protocol.TabsFile, error) {
			s, r, err := g.current(call.Session)
			if err != nil {
				return protocol.TabsFile{}, err
			}
			tabs := r.policy.Sees(call.Grant.Actor, r.callerTab(s, call.Grant, ""), s.Info().Tabs)
			return protocol.TabsFile{Version: protocol.StateVersion, Updated: time.Now(), Tabs: tabs}, nil
		}).At(op.Route{Path: "/tabs", Capability: auth.CapabilityTabs, Get: true, About: "List the tabs."}),
		op.New("Agents", func(context.Context, op.Call, op.None) (protocol.AgentsFile, error) {
			return g.m.agents.List(), nil
		}).At(op.Route{Path: "/agents", Capability: auth.CapabilityAgents, Get: true, About: "Which agents are installed."}),
		op.New("ProbeAgents", func(ctx context.Context, _ op.Call, _ op.None) (protocol.AgentsFile, error) {
			g.m.ProbeAgents(ctx)
			return g.m.agents.List(), nil
		}).At(op.Route{Path: "/agents/probe", Capability: auth.CapabilityProbe, Window: true, About: "Look again which agents are installed."}),
		op.New("AskTool", func(ctx context.Context, call op.Call, req protocol.ToolPermissionRequest) (protocol.ToolPermissionReply, error) {
			return g.askTool(ctx, call.Grant, req)
		}).At(op.Route{
			Path: "/agent-permission", Capability: auth.CapabilityAgentStatus,
			About: "The agent of a terminal asks the user whether it may use a tool of its own. `undecided` means that its own prompt decides.",
		}),
	)
}

// ofPanel are the operations of the panel that belong to no part of a session.
func (g gateway) ofPanel() []op.Operation {
	at := func(path, about string) op.Route {
		return op.Route{Path: path, Capability: auth.CapabilityPanel, Panel: true, About: about}
	}
	file := at("/chat/file", "An image or file of a conversation or of a step in the browser, as data.")
	file.Window = true // a page of the extension cannot load a file from a URL that needs a token
	return []op.Operation{
		op.Do("PanelTabs", func(_ context.Context, call op.Call, req protocol.PanelTabsRequest) error {
			_, r, err := g.current(call.Session)
			if err != nil {
				return err
			}
			r.browser.Reported(req.Panel, req.Report)
			return nil
		}).At(at("/panel/tabs", "Report the tabs of a browser in which the extension was installed by hand.")),
		op.New("MayCarry", func(ctx context.Context, call op.Call, req protocol.CarryAllowRequest) (protocol.CommandReply, error) {
			_, r, err := g.current(call.Session)
			if err != nil {
				return protocol.CommandReply{}, err
			}
			return r.browser.MayCarry(ctx, req), nil
		}).At(at("/panel/allow", "Whether the panel may carry a command out that it was given.")),
		op.Do("Carried", func(_ context.Context, call op.Call, req protocol.CarryDoneRequest) error {
			_, r, err := g.current(call.Session)
			if err != nil {
				return err
			}
			r.browser.Carried(req)
			return nil
		}).At(at("/panel/done", "What the panel has carried out.")),
		op.New("PickElement", func(ctx context.Context, call op.Call, req protocol.PickRequest) (protocol.PickReply, error) {
			s, r, err := g.current(call.Session)
			if err != nil {
				return protocol.PickReply{}, err
			}
			return s.pickers.Do(ctx, r.browser, req)
		}).At(at("/inspector/pick", "Let the user of a panel pick an element of a tab's page, with the browser's own picker. The panel's socket delivers the picked element.")),
		op.New("ConversationFile", func(_ context.Context, call op.Call, req protocol.FileRequest) (protocol.ChatAttachment, error) {
			return g.file(call, req.Path)
		}).At(file),
		op.New("TakeScreenshot", func(ctx context.Context, call op.Call, req protocol.ChatScreenshotRequest) (protocol.ChatAttachment, error) {
			return g.screenshot(ctx, call, req.Tab)
		}).At(at("/chat/screenshot", "A screenshot of a tab, to attach to a message.")),
		// A shell may not change Settings: an agent may be running in it, and would choose
		// its own model.
		op.Do("SetRouteRule", func(ctx context.Context, _ op.Call, req protocol.ChatRouteRuleRequest) error {
			settings, err := agents.RouteRule(g.m.Settings(), req)
			if err == nil {
				_, err = g.m.SaveSettings(ctx, settings)
			}
			return err
		}).At(at("/chat/route-rule", "From now on, send messages with a word to the model for hard questions, or no longer. It changes Settings.")),
	}
}

// file returns a file of a session as an attachment, if the caller may read it.
func (g gateway) file(call op.Call, path string) (protocol.ChatAttachment, error) {
	s, err := g.m.pick(call.Session)
	if err != nil {
		return protocol.ChatAttachment{}, err
	}
	return s.saved.Attachment(call.Grant.Actor, path)
}

// screenshot takes a screenshot of a tab, as an attachment for a message.
func (g gateway) screenshot(ctx context.Context, call op.Call, tab protocol.TabID) (protocol.ChatAttachment, error) {
	ctx, cancel := context.WithTimeout(ctx, protocol.MaxCommandTimeout)
	defer cancel()
	call.Grant.Scopes = auth.Scopes{protocol.ScopeRead}
	done := g.Command(ctx, call.Grant, protocol.CommandRequest{Command: "screenshot", Tab: tab}, nil)
	if done.Error != nil {
		return protocol.ChatAttachment{}, done.Error
	}
	var made protocol.FileRequest // only the path, which the screenshot's data has too
	if err := json.Unmarshal(done.Data, &made); err != nil {
		return protocol.ChatAttachment{}, fmt.Errorf("reading what screenshot made: %w", err)
	}
	out, err := g.file(call, made.Path)
	out.Name = "The page"
	return out, err
}
