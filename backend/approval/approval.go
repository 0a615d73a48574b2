// Package approval is what a session asks its user, and the rules that say when. It
// owns the broker of the questions and the site rules on disk, and makes what waits
// visible outside of the panel: the terminal of an agent that waits says so, and the
// desktop shows a notification, which can be answered there when all of the question
// fits.
//
// A Manager outlives the runs of its session: the window shows and changes the rules
// of a session that is stopped. docs/adr/070 says how an approval travels.
package approval

import (
	"context"
	"log/slog"
	"sync"

	"pilotfish/backend/desktop"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Page is the window's page of what waits.
const Page = "approvals"

// Config is what a Manager needs. All fields are required unless they say
// otherwise.
type Config struct {
	Session protocol.SessionName
	// RulesFile is where the site rules are kept.
	RulesFile func() (string, error)
	// Quiet shows no notifications.
	Quiet bool
	// Changed is called after every change of what waits, on the goroutine that made
	// it; it must not block.
	Changed func()
	// Watch hears of every question: when it waits, and with over when it has ended.
	Watch func(question protocol.Approval, over *policy.Over)
	// ShowTab brings a tab and the panel beside it forward, ShowPage a page of the
	// window.
	ShowTab  func(ctx context.Context, tab protocol.TabID) error
	ShowPage func(page string)
	Logger   *slog.Logger
}

// Manager owns the questions of one session and the rules that say when one is
// asked. Its methods are safe for concurrent use.
type Manager struct {
	cfg    Config
	log    *slog.Logger
	broker *policy.Broker
	wake   chan struct{} // to Run: something waits, or waits no more

	mu    sync.Mutex
	rules *policy.Rules // nil until they are needed
}

// New returns a Manager that asks nothing yet.
func New(cfg Config) *Manager {
	m := &Manager{cfg: cfg, log: cfg.Logger.With("component", "approval"), wake: make(chan struct{}, 1)}
	m.broker = policy.NewBroker(cfg.Session, m.changed)
	m.broker.Watch(cfg.Watch)
	return m
}

// Broker asks the questions.
func (m *Manager) Broker() *policy.Broker { return m.broker }

// Pending returns what waits, oldest first.
func (m *Manager) Pending() []protocol.Approval { return m.broker.Pending() }

// Gone ends what an actor asked: it has ended.
func (m *Manager) Gone(actor protocol.Actor) { m.broker.Gone(actor) }

// changed is called when something waits or waits no more.
func (m *Manager) changed() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
	m.cfg.Changed()
}

// Answer takes the user's answer to what waits. It is for the panel's socket, the
// window, the tray and notifications: no route and no command leads here. place is
// where it was given, for a person: "tray", "window".
func (m *Manager) Answer(id string, answer protocol.ApprovalAnswer, place string) error {
	if err := m.broker.AnswerOption(id, answer, "", place); err != nil {
		m.log.Info("an answer came too late", "answer", answer, "error", err)
		return err
	}
	m.log.Info("a person answered", "answer", answer)
	return nil
}

// Run lets the terminals of waiting agents say so and shows notifications, until
// ctx ends; then nothing waits any more.
func (m *Manager) Run(ctx context.Context, terminals Terminals) {
	defer m.broker.Close()
	w := waiting{terminals: terminals, log: m.log, marked: map[protocol.TerminalID]protocol.AgentStatus{}, told: map[string]bool{}}
	if !m.cfg.Quiet {
		var notifier desktop.Notifier
		defer notifier.Close()
		w.notify, w.withdraw = notifier.Notify, notifier.Withdraw
		w.answer = func(id string, answer protocol.ApprovalAnswer) {
			// One that came too late is no fault: the question is gone.
			_ = m.Answer(id, answer, "notification")
		}
	}
	var showing sync.WaitGroup
	defer showing.Wait()
	// Several clicks at once are the same wish.
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

// Show brings a question forward: the tab that it is about, with the panel that has
// it, or the window's page of approvals. One that is over meanwhile shows that page,
// too.
func (m *Manager) Show(ctx context.Context, id string) {
	for _, p := range m.broker.Pending() {
		if p.ID == id {
			m.show(ctx, p.Tab)
			return
		}
	}
	m.cfg.ShowPage(Page)
}

// show brings the tab that a question is about forward; a question without a tab is
// in the window.
func (m *Manager) show(ctx context.Context, tab protocol.TabID) {
	if tab == "" {
		m.cfg.ShowPage(Page)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.PanelOpenTimeout)
	defer cancel()
	if err := m.cfg.ShowTab(ctx, tab); err != nil {
		m.log.Warn("the tab of a question could not be shown", "tab", tab, "error", err)
		m.cfg.ShowPage(Page)
	}
}
