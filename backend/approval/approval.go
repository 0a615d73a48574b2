// Package approval holds the questions that a session asks its user, and the
// rules that say when it asks. It owns the broker of the questions and the site
// rules on disk. It also shows waiting questions outside the panel: in the
// status of the waiting agent's terminal, and in a desktop notification. The
// user can allow the action in the notification only if the whole question fits
// in it, and if no agent can press its button over the message bus.
//
// A Manager outlives the runs of its session: the window shows and changes the
// rules of a stopped session too. docs/adr/070 and 071 describe the
// path of an approval.
package approval

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"pilotfish/backend/desktop"
	"pilotfish/backend/hub"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Config is what a Manager needs. All fields are required unless they say
// otherwise.
type Config struct {
	Session protocol.SessionName
	// RulesFile has the site rules.
	RulesFile string
	// Quiet turns notifications off.
	Quiet bool
	// Unattended is the first value of SetUnattended.
	Unattended bool
	// Events receives Changed and Question, on the goroutine that made the change, and
	// a protocol.WindowShow for a page of the window that is brought to the front.
	Events *hub.Hub[any]
	// AllowsByBus says whether a question of an actor may be allowed in a notification.
	AllowsByBus func(protocol.Actor) bool
	// ShowTab brings a tab and the panel beside it to the front.
	ShowTab func(ctx context.Context, tab protocol.TabID) error
	Logger  *slog.Logger
}

type (
	// Changed is the event that the set of waiting questions has changed.
	Changed struct{}
	// Question is the event that a question waits, with Over nil, or has ended.
	Question struct {
		protocol.Approval
		Over *policy.Over
	}
)

// Manager owns the questions of one session and the rules that say when one is
// asked. Its methods are safe for concurrent use.
type Manager struct {
	cfg    Config
	log    *slog.Logger
	broker *policy.Broker
	wake   chan struct{} // notifies Run that the waiting questions have changed

	mu    sync.Mutex
	rules *policy.Rules // nil until first needed
}

// New returns a Manager without questions.
func New(cfg Config) *Manager {
	m := &Manager{cfg: cfg, log: cfg.Logger.With("component", "approval"), wake: make(chan struct{}, 1)}
	m.broker = policy.NewBroker(cfg.Session, m.changed)
	m.broker.Watch(func(question protocol.Approval, over *policy.Over) { cfg.Events.Report(Question{question, over}) })
	m.broker.SetUnattended(cfg.Unattended)
	return m
}

// Broker returns the broker of the questions.
func (m *Manager) Broker() *policy.Broker { return m.broker }

// SetUnattended says whether nobody can answer: then every question is refused at once.
func (m *Manager) SetUnattended(is bool) { m.broker.SetUnattended(is) }

// Pending returns the questions that wait, oldest first.
func (m *Manager) Pending() []protocol.Approval { return m.broker.Pending() }

// Asks reports whether the agent of a terminal waits for an answer.
func (m *Manager) Asks(terminal protocol.TerminalID) bool {
	return slices.ContainsFunc(m.broker.Pending(), func(p protocol.Approval) bool {
		return p.Actor.Kind == protocol.ActorTerminal && p.Actor.ID == string(terminal)
	})
}

// Gone ends the questions of an actor that has ended.
func (m *Manager) Gone(actor protocol.Actor) { m.broker.Gone(actor) }

// changed is called when the set of waiting questions changes.
func (m *Manager) changed() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
	m.cfg.Events.Report(Changed{})
}

// Answer gives the user's answer to a question. Only the panel's socket, the
// window, control pages, the tray and notifications call it: no command does.
// place is where the user answered: "panel", "tray", "window", "notification", or
// "control page" and its name.
func (m *Manager) Answer(id string, answer protocol.ApprovalAnswer, place string) error {
	if err := m.broker.AnswerOption(id, answer, "", place); err != nil {
		m.log.Info("an answer came too late", "answer", answer, "error", err)
		return err
	}
	m.log.Info("the user answered", "answer", answer)
	return nil
}

// AnswerLogin gives the login that the user typed in the panel to a question that asks
// for one. It is in no log.
func (m *Manager) AnswerLogin(id string, login protocol.LoginAnswer, place string) error {
	if err := m.broker.AnswerLogin(id, login, place); err != nil {
		m.log.Info("a login came too late", "error", err)
		return err
	}
	m.log.Info("the user answered", "answer", "login")
	return nil
}

// Run shows the need for approval in the status of waiting agents' terminals
// and shows notifications, until ctx ends. Then it ends all questions.
func (m *Manager) Run(ctx context.Context, terminals Terminals) {
	defer m.broker.Close()
	w := waiting{terminals: terminals, allows: m.cfg.AllowsByBus, log: m.log, marked: map[protocol.TerminalID]protocol.AgentStatus{}, notified: map[string]bool{}}
	if !m.cfg.Quiet {
		var notifier desktop.Notifier
		defer notifier.Close()
		w.notify, w.withdraw = notifier.Notify, notifier.Withdraw
		w.answer = func(id string, answer protocol.ApprovalAnswer) {
			// An answer that came too late is not an error: the question is gone.
			_ = m.Answer(id, answer, "notification")
		}
	}
	var showing sync.WaitGroup
	defer showing.Wait()
	// Several clicks in a row count as one.
	clicked := make(chan protocol.TabID, 1)
	w.show = func(tab protocol.TabID) {
		select {
		case clicked <- tab:
		default:
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case tab := <-clicked:
			showing.Go(func() { m.show(ctx, tab) })
		case <-m.wake:
			now := m.broker.Pending()
			w.mark(now)
			w.tell(ctx, now)
		}
	}
}

// Show brings a question to the front: the tab that it is about, with the panel
// that shows it, or the window's page of approvals. If the question has ended
// in the meantime, it shows that page too.
func (m *Manager) Show(ctx context.Context, id string) {
	for _, p := range m.broker.Pending() {
		if p.ID == id {
			m.show(ctx, p.Tab)
			return
		}
	}
	m.cfg.Events.Report(protocol.WindowShow{Page: protocol.WindowApprovals})
}

// show brings the tab of a question to the front. A question without a tab is
// in the window.
func (m *Manager) show(ctx context.Context, tab protocol.TabID) {
	if tab == "" {
		m.cfg.Events.Report(protocol.WindowShow{Page: protocol.WindowApprovals})
		return
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.PanelOpenTimeout)
	defer cancel()
	if err := m.cfg.ShowTab(ctx, tab); err != nil {
		m.log.Warn("the tab of a question could not be shown", "tab", tab, "error", err)
		m.cfg.Events.Report(protocol.WindowShow{Page: protocol.WindowApprovals})
	}
}
