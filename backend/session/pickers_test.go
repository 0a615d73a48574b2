package session

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"pilotfish/backend/browser/pick"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

// page is a fake browser whose user picks when the test says so.
type page struct {
	ready bool // a picker can start
	picks chan *protocol.PickedElement

	mu    sync.Mutex
	marks []string
	off   int // pickers that have ended
}

func (p *page) mark(ref string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.marks = append(p.marks, ref)
}

func (p *page) ended() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.off++
}

func (p *page) Pick(ctx context.Context, _ protocol.TabID, c pick.Request) (*protocol.PickedElement, error) {
	defer p.ended()
	if !p.ready {
		return nil, protocol.NewError(protocol.CodeUnknownTab, "there is no such tab", "")
	}
	c.Ready(nil)
	for {
		select {
		case element := <-p.picks:
			return element, nil
		case ref := <-c.Marks:
			p.mark(ref)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (p *page) Highlight(_ context.Context, tab protocol.TabID, ref string, scroll bool) error {
	p.mark(fmt.Sprintf("%s %s %t", tab, ref, scroll))
	return nil
}

func (p *page) Badges(_ context.Context, tab protocol.TabID, on bool) error {
	p.mark(fmt.Sprintf("%s badges %t", tab, on))
	return nil
}

func (p *page) Show(ctx context.Context, tab protocol.TabID, marks <-chan string) error {
	defer p.ended()
	for {
		select {
		case ref := <-marks:
			p.mark(string(tab) + " " + ref)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// panels records the events for the panels.
type panels struct {
	*pickers
	mu       sync.Mutex
	reported []protocol.PickedEvent
	all      sync.WaitGroup
}

func newPanels() *panels {
	p, events := &panels{}, hub.New[any](1)
	events.Observe(func(event any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reported = append(p.reported, event.(protocol.PickedEvent))
	})
	p.pickers = newPickers(events, &p.all, slog.New(slog.DiscardHandler))
	return p
}

func (p *panels) do(t *testing.T, b pickerBrowser, action protocol.PickAction, panel, ref string) protocol.Code {
	t.Helper()
	reply, err := p.Do(t.Context(), b, protocol.PickRequest{Action: action, Panel: panel, Tab: "t1", Ref: ref})
	synctest.Wait()
	if err != nil {
		return protocol.AsError(err).Code
	}
	if reply.Elements == nil {
		t.Errorf("%s: the elements are null", action)
	}
	return ""
}

// The user of a panel picks one element, and the panel gets it. A second picker
// replaces the first, without an event; and the picker of a panel that
// disconnects ends.
func TestPick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, b := newPanels(), &page{picks: make(chan *protocol.PickedElement)}
		if got := p.do(t, b, protocol.PickStart, "", ""); got != protocol.CodeBadArgument {
			t.Errorf("without a panel: %s", got)
		}
		if got := p.do(t, b, protocol.PickStart, "a", ""); got != protocol.CodeUnknownTab {
			t.Errorf("on a tab that is gone: %s", got)
		}
		if got := p.do(t, b, protocol.PickMark, "a", "e1"); got != protocol.CodeGone {
			t.Errorf("of a picker that is off: %s", got)
		}
		if got := p.do(t, b, "else", "a", ""); got != protocol.CodeBadArgument {
			t.Errorf("another action: %s", got)
		}
		b.ready = true
		for _, panel := range []string{"a", "b", "a"} {
			if got := p.do(t, b, protocol.PickStart, panel, ""); got != "" {
				t.Fatalf("%s: %s", panel, got)
			}
		}
		if b.off != 2 || len(p.reported) != 0 {
			t.Errorf("%d pickers ended, the panel got %+v", b.off, p.reported)
		}
		p.do(t, b, protocol.PickMark, "a", "e1")
		if p.do(t, b, protocol.PickHighlight, "a", "e7"); !slices.Contains(b.marks, "t1 e7 false") {
			t.Errorf("highlight: %q", b.marks)
		}
		if p.do(t, b, protocol.PickScroll, "a", "e8"); !slices.Contains(b.marks, "t1 e8 true") {
			t.Errorf("scroll: %q", b.marks)
		}
		if p.do(t, b, protocol.PickBadges, "a", ""); !slices.Contains(b.marks, "t1 badges false") {
			t.Errorf("badges: %q", b.marks)
		}
		b.marks = slices.DeleteFunc(b.marks, func(m string) bool { return strings.HasPrefix(m, "t1") })
		p.PanelGone("b")
		b.picks <- &protocol.PickedElement{Ref: "e2"}
		synctest.Wait()
		if len(p.reported) != 1 || p.reported[0].Panel != "a" || p.reported[0].Element.Ref != "e2" || p.reported[0].Error != nil || !slices.Equal(b.marks, []string{"e1"}) {
			t.Errorf("told %+v, marked %q", p.reported, b.marks)
		}
		p.do(t, b, protocol.PickStart, "a", "")
		p.do(t, b, protocol.PickStop, "a", "")
		if b.off != 5 || len(p.reported) != 1 || len(p.on) != 0 {
			t.Errorf("%d pickers ended, %d are on, the panel got %+v", b.off, len(p.on), p.reported)
		}
		p.all.Wait()
	})
}

// A picker that is not used ends by itself, and its panel gets the event that
// nothing was picked.
func TestNobodyPicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, b := newPanels(), &page{ready: true}
		p.do(t, b, protocol.PickStart, "a", "")
		p.all.Wait()
		if len(p.reported) != 1 || p.reported[0].Element != nil || p.reported[0].Error != nil {
			t.Errorf("told %+v", p.reported)
		}
	})
}

// An element that the user points at is highlighted until the user points at
// nothing or at another tab, or the panel disconnects.
func TestShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, b := newPanels(), &page{}
		if got := p.do(t, b, protocol.PickShow, "", "e1"); got != protocol.CodeBadArgument {
			t.Errorf("without a panel: %s", got)
		}
		p.do(t, b, protocol.PickShow, "a", "e1")
		p.do(t, b, protocol.PickShow, "a", "e2")
		if _, err := p.Do(t.Context(), b, protocol.PickRequest{Action: protocol.PickShow, Panel: "a", Tab: "t2", Ref: "e3"}); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if b.off != 1 || !slices.Equal(b.marks, []string{"t1 e1", "t1 e2", "t2 e3"}) {
			t.Errorf("%d ended, marked %q", b.off, b.marks)
		}
		p.do(t, b, protocol.PickShow, "a", "")
		p.do(t, b, protocol.PickShow, "a", "e4")
		p.PanelGone("a")
		p.all.Wait()
		if b.off != 3 || len(p.on) != 0 || len(p.reported) != 0 {
			t.Errorf("%d ended, %d are on, told %+v", b.off, len(p.on), p.reported)
		}
	})
}
