package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"pilotfish/backend/config"
	"pilotfish/backend/desktop"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
)

// approvals are what a session asks its person, and the rules that say when. It
// outlives the session's runs.
type approvals struct {
	s      *Session
	broker *policy.Broker

	wake chan struct{} // to run: something waits, or waits no more

	mu    sync.Mutex
	rules *policy.Rules // nil until they are needed
}

func newApprovals(s *Session) *approvals {
	a := &approvals{s: s, wake: make(chan struct{}, 1)}
	a.broker = policy.NewBroker(s.name, a.changed)
	a.broker.Watch(func(question protocol.Approval, over *policy.Over) {
		s.chatQuestion(question, over)
		s.pages.question(question, over)
	})
	return a
}

// siteRules reads the rules when they are first needed.
func (a *approvals) siteRules() (*policy.Rules, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.rules != nil {
		return a.rules, nil
	}
	dirs, err := a.s.m.cfg.Dirs.Session(a.s.name)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dirs.Root, config.RulesFile)
	a.rules = policy.NewRules(readRules(path, a.s.log), func(rules []protocol.SiteRule) error {
		return writeJSON(path, protocol.SiteRulesFile{Version: rulesVersion, Rules: rules})
	})
	return a.rules, nil
}

// readRules reads rules.json. One that cannot be read is put aside, and the
// careful defaults hold.
func readRules(path string, log *slog.Logger) []protocol.SiteRule {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var file protocol.SiteRulesFile
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil || file.Version != rulesVersion {
		log.Warn("the site rules could not be read and are put aside", "error", err, "version", file.Version)
		if err := os.Rename(path, path+".bad"); err != nil {
			log.Warn("the site rules could not be put aside", "error", err)
		}
		return nil
	}
	return file.Rules
}

// changed is called when something waits or waits no more.
func (a *approvals) changed() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
	a.s.publishInfo()
}

// run lets the terminals of waiting agents say so and shows notifications,
// until ctx ends; then nothing waits any more.
func (a *approvals) run(ctx context.Context, r *run) {
	defer a.broker.Close()
	w := waiting{terminals: r.terminals, log: a.s.log, marked: map[protocol.TerminalID]protocol.AgentStatus{}, told: map[string]bool{}}
	if !a.s.m.cfg.Headless {
		var notifier desktop.Notifier
		defer notifier.Close()
		w.notify, w.withdraw = notifier.Notify, notifier.Withdraw
		w.answer = func(id string, answer protocol.ApprovalAnswer) {
			// One that came too late is no fault: the question is gone.
			_ = a.s.answer(id, answer, "notification")
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
			showing.Go(func() { a.show(ctx, tab) })
		case <-a.wake:
			now := a.broker.Pending()
			w.mark(now)
			w.tell(ctx, now)
		}
	}
}

// show brings the tab that a question is about forward, with the panel that has
// the question; a question without a tab is in the window.
func (a *approvals) show(ctx context.Context, tab protocol.TabID) {
	if tab == "" {
		a.s.m.onShow(approvalsPage)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.PanelOpenTimeout)
	defer cancel()
	if err := a.s.showTab(ctx, tab); err != nil {
		a.s.log.Warn("the tab of a question could not be shown", "tab", tab, "error", err)
		a.s.m.onShow(approvalsPage)
	}
}

// ShowApproval brings a question forward: the tab that it is about, with the panel
// that has it, or the window's page of approvals. One that is over meanwhile shows
// that page, too.
func (m *Manager) ShowApproval(ctx context.Context, name protocol.SessionName, id string) {
	s, err := m.session(name)
	if err != nil {
		m.onShow(approvalsPage)
		return
	}
	for _, p := range s.approvals.broker.Pending() {
		if p.ID == id && p.Tab != "" {
			s.approvals.show(ctx, p.Tab)
			return
		}
	}
	m.onShow(approvalsPage)
}

// wanted is the page of the window that the user wants who opens it: that of the
// approvals while one waits, else the one that was open.
func (m *Manager) wanted() string {
	for _, s := range m.Window().Sessions {
		if len(s.Approvals) > 0 {
			return approvalsPage
		}
	}
	return ""
}

// approvalsPage is the window's page that has what waits.
const approvalsPage = "approvals"

// statusKeeper is what is needed of the terminals.
type statusKeeper interface {
	Get(id protocol.TerminalID) (protocol.TerminalInfo, error)
	SetStatus(id protocol.TerminalID, status protocol.AgentStatus, message string) error
}

// waiting is what a person sees outside of the panel of what waits. One
// goroutine owns it.
type waiting struct {
	terminals statusKeeper
	notify    func(context.Context, desktop.Notification) (uint32, error) // nil for none
	withdraw  func(context.Context, uint32) error
	show      func(protocol.TabID) // brings a tab and its panel forward
	answer    func(id string, answer protocol.ApprovalAnswer)
	log       *slog.Logger
	// marked are the terminals that say that they wait, with what they said
	// before.
	marked map[protocol.TerminalID]protocol.AgentStatus
	told   map[string]bool
	last   uint32 // the notification that is shown; 0 for none
	about  string // the question that it is about
}

// mark lets the terminals of waiting agents say that they need the person, and
// what they said before once they do not wait any more.
func (w *waiting) mark(pending []protocol.Approval) {
	now := map[protocol.TerminalID]string{}
	for _, p := range pending {
		if p.Actor.Kind == protocol.ActorTerminal {
			now[protocol.TerminalID(p.Actor.ID)] = "Needs your approval: " + question.What(p)
		}
	}
	for id, message := range now {
		if _, is := w.marked[id]; is {
			continue
		}
		info, err := w.terminals.Get(id)
		if err != nil || w.terminals.SetStatus(id, protocol.AgentNeedsYou, message) != nil {
			continue // it ended meanwhile
		}
		w.marked[id] = info.Status
	}
	for id, before := range w.marked {
		if _, still := now[id]; still {
			continue
		}
		delete(w.marked, id)
		info, err := w.terminals.Get(id)
		if err != nil || info.Status != protocol.AgentNeedsYou {
			continue // it has said something newer itself
		}
		if before != protocol.AgentIdle {
			before = protocol.AgentWorking // it asked, so it works
		}
		_ = w.terminals.SetStatus(id, before, "") // it may have ended meanwhile
	}
}

// tell shows a notification for the newest of what was not told yet. When what
// is shown was answered, elsewhere perhaps, it goes, or another takes its place.
func (w *waiting) tell(ctx context.Context, pending []protocol.Approval) {
	fresh, known := -1, map[string]bool{}
	for i, p := range pending {
		known[p.ID] = true
		if !w.told[p.ID] {
			fresh = i
		}
	}
	w.told = known
	if w.notify == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	if fresh < 0 && w.last != 0 && !known[w.about] {
		fresh = len(pending) - 1
		if fresh < 0 {
			if err := w.withdraw(ctx, w.last); err != nil {
				w.log.Debug("notification could not be withdrawn", "error", err)
			}
			w.last, w.about = 0, ""
		}
	}
	if fresh < 0 {
		return
	}
	note := w.note(pending[fresh])
	note.Replaces = w.last
	id, err := w.notify(ctx, note)
	if err != nil {
		// Panel, window and tray show it, too.
		w.log.Debug("notification could not be shown", "error", err)
		return
	}
	w.last, w.about = id, pending[fresh].ID
}

// note is the notification of a question. It can be allowed there only when all
// of it stands there, and not by a press that was meant for what was on the
// screen before.
func (w *waiting) note(p protocol.Approval) desktop.Notification {
	asks := question.Request(p) + "."
	if effect := question.Effect(p.Kind); effect != "" {
		asks += " " + effect
	}
	body := asks
	for _, detail := range question.Details(p) {
		body += fmt.Sprintf("\n%s: %s", detail.Name, detail.Value)
	}
	show := func() { w.show(p.Tab) }
	n := desktop.Notification{Title: question.Who(p.Actor) + " needs your approval", Body: body, Urgent: true, Clicked: show}
	deny := desktop.Action{Label: "Deny", Do: func() { w.answer(p.ID, protocol.AnswerDeny) }}
	if !desktop.Fits(body) {
		n.Body = asks + " The details are too long for this notification: open them in Pilotfish."
		n.Actions = []desktop.Action{deny}
		return n
	}
	shown := time.Now()
	allow := desktop.Action{Label: "Allow once", Do: func() {
		if time.Since(shown) < notifySettle {
			show()
			return
		}
		w.answer(p.ID, protocol.AnswerOnce)
	}}
	n.Actions = []desktop.Action{allow, deny}
	return n
}

// AnswerApproval gives a person's word about what waits. It is for the panel's
// socket, the window and the tray: no route and no command leads here.
// place is where it was given, for a person: "tray", "window".
func (m *Manager) AnswerApproval(name protocol.SessionName, id string, answer protocol.ApprovalAnswer, place string) error {
	s, err := m.session(name)
	if err != nil {
		return err
	}
	return s.answer(id, answer, place)
}

func (s *Session) answer(id string, answer protocol.ApprovalAnswer, place string) error {
	err := s.approvals.broker.AnswerOption(id, answer, "", place)
	if err != nil {
		s.log.Info("an answer came too late", "answer", answer, "error", err)
		return err
	}
	s.log.Info("a person answered", "answer", answer)
	return nil
}

// actorGone ends what a terminal's agent asked: its process is over.
func (s *Session) actorGone(id protocol.TerminalID) {
	s.approvals.broker.Gone(protocol.Actor{Kind: protocol.ActorTerminal, ID: string(id)})
}

// withoutNonces is what a command line is told of sessions: what waits, and not
// by which word it is answered.
func withoutNonces(sessions []protocol.SessionInfo) []protocol.SessionInfo {
	for i := range sessions {
		for j := range sessions[i].Approvals {
			sessions[i].Approvals[j].ID = ""
		}
	}
	return sessions
}

// SiteRules returns the rules of a session, the defaults last.
func (m *Manager) SiteRules(name protocol.SessionName) ([]protocol.SiteRule, error) {
	rules, err := m.rulesOf(name)
	if err != nil {
		return nil, err
	}
	return rules.List(), nil
}

// SetSiteRule makes or replaces a rule and returns all of them.
func (m *Manager) SetSiteRule(name protocol.SessionName, rule protocol.SiteRule) ([]protocol.SiteRule, error) {
	rules, err := m.rulesOf(name)
	if err != nil {
		return nil, err
	}
	if err := rules.Set(rule); err != nil {
		return nil, err
	}
	return rules.List(), nil
}

// RemoveSiteRule removes a rule and returns those that are left.
func (m *Manager) RemoveSiteRule(name protocol.SessionName, site string, kind protocol.ActionKind) ([]protocol.SiteRule, error) {
	rules, err := m.rulesOf(name)
	if err != nil {
		return nil, err
	}
	if err := rules.Remove(site, kind); err != nil {
		return nil, err
	}
	return rules.List(), nil
}

func (m *Manager) rulesOf(name protocol.SessionName) (*policy.Rules, error) {
	s, err := m.session(name)
	if err != nil {
		return nil, err
	}
	return s.approvals.siteRules()
}
