// Package attention shows a desktop notification when a terminal wants its user:
// its program has rung the bell, or its agent needs the user, and nobody looks at
// the terminal. There is at most one notification of each terminal, however often
// the program rings. It is withdrawn when the user looks at the terminal, or when
// the terminal no longer wants anything.
//
// What an agent asks as an approval has a notification of its own
// (backend/approval), so the terminal of that agent gets none meanwhile.
package attention

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"pilotfish/backend/config"
	"pilotfish/backend/desktop"
	"pilotfish/backend/hub"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/protocol"
)

// Desktop shows notifications. desktop.Notifier is one.
type Desktop interface {
	Notify(ctx context.Context, what desktop.Notification) (uint32, error)
	Withdraw(ctx context.Context, id uint32) error
	Close()
}

// Config is what a Manager needs. All fields are required unless they say
// otherwise. Its functions may be called from the Manager's goroutine at any time.
type Config struct {
	// Desktop shows the notifications; Run closes it. nil: there are no
	// notifications, because nobody sees this desktop.
	Desktop Desktop
	// Settings say whether the user wants these notifications.
	Settings *config.Store
	// Asks says whether the agent of a terminal waits for an approval.
	Asks func(terminal protocol.TerminalID) bool
	// Tabs are the open tabs.
	Tabs *opentabs.List
	// Events receives Clicked.
	Events *hub.Hub[any]
	Logger *slog.Logger
}

// Clicked is the event that the user wants to see a terminal: its tab, and the panel beside it.
type Clicked struct {
	Tab      protocol.TabID
	Terminal protocol.TerminalID
}

// Manager knows which terminals want the user. Its methods are safe for concurrent
// use, and do not block.
type Manager struct {
	cfg  Config
	log  *slog.Logger
	wake chan struct{} // notifies Run that terminals have changed

	mu        sync.Mutex
	terminals map[protocol.TerminalID]*terminal
}

// terminal is what the Manager knows of one terminal. mu guards info and gone; the
// rest belongs to Run.
type terminal struct {
	info protocol.TerminalInfo
	gone bool

	epoch int  // of bells
	bells int  // how many bells the user knows of
	knows bool // the user knows that the agent needs them

	shown note      // what the notification says; its zero value for no notification
	id    uint32    // the notification's id; 0 when the desktop shows none
	last  time.Time // when the last notification was shown
	due   time.Time // when the next one is shown; zero for none
}

// New returns a Manager that knows no terminal.
func New(cfg Config) *Manager {
	return &Manager{
		cfg: cfg, log: cfg.Logger.With("component", "attention"),
		wake: make(chan struct{}, 1), terminals: map[protocol.TerminalID]*terminal{},
	}
}

// Changed reports the newest state of a terminal.
func (m *Manager) Changed(info protocol.TerminalInfo) {
	if m.cfg.Desktop == nil {
		return
	}
	m.mu.Lock()
	t := m.terminals[info.ID]
	if t == nil {
		t = &terminal{}
		m.terminals[info.ID] = t
	}
	t.info = info
	m.mu.Unlock()
	m.Again()
}

// Gone reports that a terminal no longer exists.
func (m *Manager) Gone(id protocol.TerminalID) {
	m.mu.Lock()
	if t := m.terminals[id]; t != nil {
		t.gone = true
	}
	m.mu.Unlock()
	m.Again()
}

// Again says that the approvals that wait, or the settings, have changed.
func (m *Manager) Again() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// Run shows and withdraws notifications until ctx ends. Then it withdraws all.
func (m *Manager) Run(ctx context.Context) {
	if m.cfg.Desktop == nil {
		return
	}
	defer m.cfg.Desktop.Close()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			m.end(context.WithoutCancel(ctx))
			return
		case <-m.wake:
		case <-timer.C:
		}
		next := m.look(ctx)
		if next.IsZero() {
			timer.Stop()
		} else {
			timer.Reset(time.Until(next))
		}
	}
}

// look brings every terminal's notification up to date. It returns when the next one
// is due; zero for none.
func (m *Manager) look(ctx context.Context) (next time.Time) {
	enabled := m.cfg.Settings.Get().TerminalNotices
	for _, t := range m.all() {
		m.mu.Lock()
		info, gone := t.info, t.gone
		m.mu.Unlock()
		var want note
		if gone {
			m.mu.Lock()
			delete(m.terminals, info.ID)
			m.mu.Unlock()
		} else {
			want = t.wants(info, enabled, m.cfg.Asks)
		}
		now := time.Now()
		switch {
		case want == t.shown:
			t.due = time.Time{}
		case want == note{}:
			m.withdraw(ctx, t)
		case t.due.IsZero():
			t.due = later(now.Add(settle), t.last.Add(gap))
		case !now.Before(t.due):
			m.notify(ctx, t, info, want)
		}
		if !t.due.IsZero() && (next.IsZero() || t.due.Before(next)) {
			next = t.due
		}
	}
	return next
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (m *Manager) all() []*terminal {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]*terminal, 0, len(m.terminals))
	for _, t := range m.terminals {
		all = append(all, t)
	}
	return all
}

// wants returns what to report to the user about a terminal now; the zero value for
// nothing.
func (t *terminal) wants(info protocol.TerminalInfo, enabled bool, asks func(protocol.TerminalID) bool) note {
	if info.Epoch != t.epoch {
		t.epoch, t.bells, t.knows = info.Epoch, 0, false
	}
	needs := needsUser(info)
	switch {
	case info.Seen || !enabled:
		// What the user has seen, or does not want, is not reported later either.
		t.bells, t.knows = info.Bells, needs
	case asks(info.ID):
		t.bells = info.Bells // the bell was about the approval
		return note{}
	case !needs:
		t.knows = false
	}
	switch {
	case needs && !t.knows:
		return note{kind: needsYou, message: info.Message}
	case info.Bells > t.bells:
		return note{kind: rang}
	}
	return note{}
}

// notify shows the notification of a terminal, in the place of its last one.
func (m *Manager) notify(ctx context.Context, t *terminal, info protocol.TerminalInfo, what note) {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	shown := desktop.Notification{
		Title: title(info, m.cfg.Tabs.Title(info.Tab)), Body: what.body(info), Replaces: t.id,
		Clicked: func() { m.show(info.ID) },
	}
	t.shown, t.last, t.due = what, time.Now(), time.Time{}
	if what.kind == needsYou {
		t.bells = info.Bells // the bell was about the same
	}
	id, err := m.cfg.Desktop.Notify(ctx, shown)
	if err != nil {
		// Panel, window and tray show it too. It is not tried again for the same reason.
		m.log.Debug("notification of a terminal could not be shown", "terminal", info.ID, "error", err)
		return
	}
	t.id = id
}

// withdraw removes the notification of a terminal, if it has one.
func (m *Manager) withdraw(ctx context.Context, t *terminal) {
	id := t.id
	t.shown, t.id, t.due = note{}, 0, time.Time{}
	if id == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	if err := m.cfg.Desktop.Withdraw(ctx, id); err != nil {
		m.log.Debug("notification of a terminal could not be withdrawn", "error", err)
	}
}

// end withdraws everything: a click on it would show nothing.
func (m *Manager) end(ctx context.Context) {
	for _, t := range m.all() {
		m.withdraw(ctx, t)
	}
}

// show asks for a terminal to be brought to the front, beside the tab that it has now.
func (m *Manager) show(id protocol.TerminalID) {
	m.mu.Lock()
	t := m.terminals[id]
	if t == nil {
		m.mu.Unlock()
		return // it was closed in the meantime
	}
	tab := t.info.Tab
	m.mu.Unlock()
	m.cfg.Events.Report(Clicked{tab, id})
}

// kind says why a terminal wants the user.
type kind int

const (
	nothing kind = iota
	rang
	needsYou
)

// note is the content of a notification. Equal notes are one.
type note struct {
	kind    kind
	message string // of needsYou: the agent's own text
}

// title names a terminal and its tab. Both may be foreign text.
func title(info protocol.TerminalInfo, tab string) string {
	if tab = line(tab, maxTab); tab == "" {
		return name(info)
	}
	return name(info) + " beside “" + tab + "”"
}

// body says what a terminal wants.
func (n note) body(info protocol.TerminalInfo) string {
	if n.kind == needsYou {
		return cmp.Or(line(n.message, protocol.MaxTitle), "It needs you.")
	}
	if named := line(info.Title, maxTab); named != "" {
		return "It rang the bell: “" + named + "”."
	}
	return "It rang the bell."
}

// line makes one line of foreign text, of at most limit characters: without control
// characters, without those that change the direction of a text, and without the
// quotation marks that are put around it.
func line(s string, limit int) string {
	text := []rune(strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r), r == utf8.RuneError:
			return -1
		case r == '“' || r == '”':
			return '"'
		}
		return r
	}, s)), " "))
	if len(text) > limit {
		return strings.TrimSpace(string(text[:limit-1])) + "…"
	}
	return string(text)
}
