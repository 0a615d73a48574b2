package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// handGone is how long no panel of a browser without a pipe may be connected before the
// browser counts as gone: a panel that is loaded again comes back sooner.
const handGone = 3 * time.Second

// hand is a browser in which the user installed the extension, without remote debugging. Its
// panels are the only way into it.
type hand struct {
	mu       sync.Mutex
	panels   []string       // that are connected, the newest last
	reports  map[string]int // the number of the last report of each of them
	reported bool           // one of them has reported the tabs
	seq      int            // of the last report
	paired   bool           // a panel was paired in this run
	opened   map[protocol.TabID]bool
	news     chan struct{}
	carried  map[int]*carried
	last     int // the last number of something that is carried out
}

// carried is something that a panel carries out.
type carried struct {
	ctx   context.Context //nolint:containedctx // of the call, for the panel's question whether it may
	panel string
	done  chan protocol.CarryDoneRequest
	allow func(context.Context, protocol.ByPage) protocol.CommandReply
}

func newHand() *hand {
	return &hand{reports: map[string]int{}, opened: map[protocol.TabID]bool{}, news: make(chan struct{}), carried: map[int]*carried{}}
}

// change changes what is known of the panels, and wakes who waits for that.
func (h *hand) change(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
	h.reported = h.reported && len(h.panels) > 0
	close(h.news)
	h.news = make(chan struct{})
}

// state returns whether a panel reports the tabs, whether one was paired, and a channel that
// is closed at the next change.
func (h *hand) state() (there, paired bool, news <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.reported, h.paired, h.news
}

// errByHand is the error of everything that needs the protocol of the browser.
func errByHand() error {
	return protocol.NewError(protocol.CodeNoInput, "this needs remote debugging, which the browser of this session does not have",
		"use a session that is attached to your browser: `pilotfish sessions new NAME --browser my-chrome`")
}

func errNoPanel() error {
	return protocol.NewError(protocol.CodeNotRunning, "no panel of Pilotfish is open in the browser of this session", "open the panel there: it carries commands out")
}

// runByHand is Run for a browser whose user installed the extension. It returns ErrClosed
// when the last panel has gone.
func (b *Browser) runByHand(ctx context.Context) error {
	if !b.awaitPanel(ctx) {
		return nil
	}
	info := protocol.BrowserInfo{Name: b.config.Attach.Name, Sandbox: true, Attached: true, Cannot: b.config.cannot()}
	b.mu.Lock()
	b.info = info
	b.mu.Unlock()
	b.config.Events.Report(info)
	var tabs []protocol.Tab
	var gone <-chan time.Time
	for {
		changed := b.tabs.Changes() // taken before the list is read, so that no change is missed
		if now := b.tabs.All(); !slices.Equal(now, tabs) {
			tabs = now
			b.config.Events.Report(slices.Clone(now))
		}
		there, _, news := b.hand.state()
		if there {
			gone = nil
		} else if gone == nil {
			gone = time.After(handGone)
		}
		select {
		case <-ctx.Done():
			b.leaveByHand(context.WithoutCancel(ctx))
			return nil
		case <-changed:
		case <-news:
		case <-gone:
			return ErrClosed
		}
	}
}

// awaitPanel says what the user has to do, and waits until a panel has reported. It returns
// false when ctx ends.
func (b *Browser) awaitPanel(ctx context.Context) bool {
	for said := protocol.AttachStep(""); ; {
		there, paired, news := b.hand.state()
		if there {
			return true
		}
		step := protocol.AttachInstall
		if paired {
			step = protocol.AttachPanel
		}
		if step != said {
			said = step
			b.config.Events.Report(protocol.Attaching{Browser: b.config.Attach.Name, Step: step})
		}
		select {
		case <-news:
		case <-ctx.Done():
			return false
		}
	}
}

// Paired records that the user has paired a panel: the browser is another one, or was started
// again, so that its tabs are others.
func (b *Browser) Paired() {
	b.tabs.Reset(nil, false)
	b.hand.change(func() { b.hand.panels, b.hand.paired = nil, true })
}

// PanelHere records that a panel of the session is connected, until gone is called.
func (b *Browser) PanelHere(panel string) (gone func()) {
	b.hand.change(func() { b.hand.panels = append(b.hand.panels, panel) })
	return func() {
		b.hand.change(func() {
			b.hand.panels = slices.DeleteFunc(b.hand.panels, func(p string) bool { return p == panel })
			delete(b.hand.reports, panel)
			for id, one := range b.hand.carried {
				if one.panel == panel {
					close(one.done)
					delete(b.hand.carried, id)
				}
			}
		})
	}
}

// Reported takes the tabs that a panel of a browser without a pipe reports. Each panel counts
// its reports from 1; the reports of all panels are complete, so that the last one counts.
func (b *Browser) Reported(panel string, report protocol.BridgeEvent) {
	b.hand.change(func() {
		if !slices.Contains(b.hand.panels, panel) || report.Seq <= b.hand.reports[panel] {
			return // it has gone meanwhile, or a later report was faster
		}
		b.hand.reports[panel] = report.Seq
		b.hand.seq++
		report.Seq = b.hand.seq
		b.tabs.Report(&report)
		b.hand.reported = true
	})
}

// ByHand reports whether there is no way into the browser but its panel.
func (b *Browser) ByHand() bool { return b.config.Attach.ByHand }

// Carry has the newest panel carry a command out on a tab, by the page's own events.
func (b *Browser) Carry(ctx context.Context, tab protocol.TabID, caller, name string, args map[string]any, allow func(context.Context, protocol.ByPage) protocol.CommandReply) protocol.CommandReply {
	defer b.tabs.Command(tab)()
	given := map[string]json.RawMessage{}
	for name, value := range args {
		raw, err := json.Marshal(value)
		if err != nil {
			raw = json.RawMessage("null") // cannot happen: it was read from JSON
		}
		given[name] = raw
	}
	done, err := b.carry(ctx, protocol.CarryEvent{Do: protocol.CarryCommand, Tab: tab, Command: name, Args: given, Caller: caller}, allow)
	if err != nil {
		e := protocol.AsError(err)
		return protocol.CommandReply{Tab: tab, Text: e.Error(), Error: e}
	}
	return done.Reply
}

// carry has the newest panel carry something out, and returns its reply. The error is that of
// a panel that cannot be asked; one that has failed says so in its reply.
func (b *Browser) carry(ctx context.Context, what protocol.CarryEvent, allow func(context.Context, protocol.ByPage) protocol.CommandReply) (protocol.CarryDoneRequest, error) {
	h := b.hand
	var none protocol.CarryDoneRequest
	if what.Tab != "" {
		t, ok := b.tabs.Lookup(what.Tab)
		if !ok {
			return none, protocol.NewError(protocol.CodeUnknownTab, "there is no tab "+string(what.Tab), "")
		}
		what.ChromeTabID = t.ChromeTabID
	}
	h.mu.Lock()
	if len(h.panels) == 0 {
		h.mu.Unlock()
		return none, errNoPanel()
	}
	h.last++
	what.Type, what.ID, what.Panel = protocol.PanelCarry, h.last, h.panels[len(h.panels)-1]
	one := &carried{ctx: ctx, panel: what.Panel, done: make(chan protocol.CarryDoneRequest, 1), allow: allow}
	h.carried[what.ID] = one
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.carried, what.ID)
	}()
	b.config.Events.Publish(what)
	select {
	case done, ok := <-one.done:
		if !ok {
			return none, errNoPanel()
		}
		return done, nil
	case <-ctx.Done():
		return none, protocol.NewError(protocol.CodeTimeout, "the panel has not carried it out in time", "")
	}
}

// MayCarry answers the panel's question whether a command may be carried out.
func (b *Browser) MayCarry(ctx context.Context, req protocol.CarryAllowRequest) protocol.CommandReply {
	b.hand.mu.Lock()
	one := b.hand.carried[req.ID]
	b.hand.mu.Unlock()
	if one == nil || one.allow == nil {
		e := protocol.NewError(protocol.CodeBadArgument, "nothing of this number is carried out", "")
		return protocol.CommandReply{Text: e.Error(), Error: e}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(one.ctx, cancel)() //nolint:contextcheck // the end of the call ends the question, too
	return one.allow(ctx, req.ByPage)
}

// Carried takes the panel's reply.
func (b *Browser) Carried(req protocol.CarryDoneRequest) {
	b.hand.mu.Lock()
	defer b.hand.mu.Unlock()
	if one := b.hand.carried[req.ID]; one != nil {
		one.done <- req
		delete(b.hand.carried, req.ID)
	}
}

// carryOut is carry for what needs no decision; it returns the panel's error, too.
func (b *Browser) carryOut(ctx context.Context, what protocol.CarryEvent) (protocol.CarryDoneRequest, error) {
	ctx, cancel := context.WithTimeout(ctx, protocol.CommandTimeout)
	defer cancel()
	done, err := b.carry(ctx, what, nil)
	if err == nil && done.Reply.Error != nil {
		err = done.Reply.Error
	}
	return done, err
}

func (b *Browser) newTabByHand(ctx context.Context, beside protocol.TabID, background bool) (id protocol.TabID, err error) {
	done, err := b.carryOut(ctx, protocol.CarryEvent{Do: protocol.CarryNewTab, Tab: beside, Front: !background})
	if err != nil {
		return "", err
	}
	err = b.tabs.Await(ctx, func() bool {
		t, ok := b.tabs.Find(func(t *tabs.Entry) bool { return t.ChromeTabID == done.ChromeTabID })
		id = t.ID
		return ok
	})
	if err != nil {
		return "", page.TabError(ctx, beside, "waiting for the new tab", nil, err)
	}
	b.hand.mu.Lock()
	defer b.hand.mu.Unlock()
	b.hand.opened[id] = true
	return id, nil
}

func (b *Browser) closeTabByHand(ctx context.Context, id protocol.TabID) error {
	if len(b.tabs.All()) == 1 { // with its last tab the browser would end
		if _, err := b.newTabByHand(ctx, "", false); err != nil {
			return err
		}
	}
	if _, err := b.carryOut(ctx, protocol.CarryEvent{Do: protocol.CarryCloseTab, Tab: id}); err != nil {
		return err
	}
	err := b.tabs.Await(ctx, func() bool { _, ok := b.tabs.Lookup(id); return !ok })
	if err != nil {
		return page.TabError(ctx, id, "waiting for it to close", nil, err)
	}
	return nil
}

// Navigate is history.History.Navigate. In a browser without a pipe the panel navigates: the
// addresses in between are not judged, as in a task there; what is read afterwards is.
func (b *Browser) Navigate(ctx context.Context, by protocol.Caller, id protocol.TabID, url string, wait protocol.WaitUntil, allow func(url string) error) (protocol.PageInfo, error) {
	if !b.ByHand() {
		return b.History.Navigate(ctx, by, id, url, wait, allow)
	}
	if _, err := b.carryOut(ctx, protocol.CarryEvent{Do: protocol.CarryGo, Tab: id, URL: url}); err != nil {
		return protocol.PageInfo{}, err
	}
	return b.Page(ctx, by, id)
}

// Page is history.History.Page. In a browser without a pipe it is what the panel reports.
func (b *Browser) Page(ctx context.Context, by protocol.Caller, id protocol.TabID) (protocol.PageInfo, error) {
	if !b.ByHand() {
		return b.History.Page(ctx, by, id)
	}
	t, ok := b.tabs.Lookup(id)
	if !ok {
		return protocol.PageInfo{}, page.UnknownTab(id)
	}
	return protocol.PageInfo{Tab: id, URL: t.URL, Title: t.Title}, nil
}

// Gate is gate.Rules.Gate. In a browser without a pipe nothing can be gated.
func (b *Browser) Gate(ctx context.Context, tab protocol.TabID, patterns []string, allow func(url string, document bool) error, address func(url string, ip netip.Addr) error, saver protocol.Saver) error {
	if b.ByHand() {
		return nil
	}
	return b.Rules.Gate(ctx, tab, patterns, allow, address, saver)
}

// leaveByHand closes the tabs that commands opened. The panel is still connected.
func (b *Browser) leaveByHand(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, browserStopTimeout)
	defer cancel()
	b.hand.mu.Lock()
	opened := b.hand.opened
	b.hand.opened = map[protocol.TabID]bool{}
	b.hand.mu.Unlock()
	open := b.tabs.All()
	for _, t := range open {
		if !openedBy(opened, open, t) {
			continue
		}
		if err := b.closeTabByHand(ctx, t.ID); err != nil {
			b.config.Events.Report(*protocol.NewError(protocol.CodeTimeout, fmt.Sprintf("tab %s stays open: %v", t.ID, err), "close it yourself"))
		}
	}
}
