// Package pick has a person pick an element of a page.
package pick

import (
	"context"
	_ "embed"
	"errors"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/overlay"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/focus"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

//go:embed pick.js
var pickScript string

const (
	// pickEndTimeout is how long a page may take to switch its picker off.
	pickEndTimeout = time.Second
	// pickElements is how many elements are listed beside the picker.
	pickElements = 500
)

// Tabs are the tabs of a browser.
type Tabs interface {
	page.Tabs
	// Explain turns an error of a tab into what its caller is told; nil stays nil.
	Explain(ctx context.Context, id protocol.TabID, err error) error
}

// Config is what picking needs of the browser.
type Config struct {
	// Look lists what is on a tab's page.
	Look func(ctx context.Context, id protocol.TabID, q protocol.LookRequest) (protocol.Look, error)
	// Panel is the panel that the user types in; nil for none.
	Panel func() *focus.Panel
}

// Picks has elements picked in a browser's tabs.
type Picks struct {
	tabs   Tabs
	config Config
}

// New returns what has elements picked in a browser's tabs.
func New(tabs Tabs, c Config) *Picks { return &Picks{tabs: tabs, config: c} }

// pickCaller is in whose name the list of what can be picked is made.
const pickCaller = "picker"

// Request is how a person picks an element.
type Request struct {
	// Ready is told once the picker is on, with what can be picked: at most
	// pickElements, in the order of the page.
	Ready func([]protocol.PickedElement)
	// Marks are refs to show on the page, for a person who has no pointer; an empty
	// one shows none.
	Marks <-chan string
}

// Pick has a person pick an element of a tab with the browser's own picker: what
// is under the pointer is marked, and a click takes it and does nothing else. It
// waits for that; nil is a person who gave up in the page. The picker is off when
// it returns, which it does at the latest with ctx. It keeps nobody else from
// the tab.
func (ps *Picks) Pick(ctx context.Context, id protocol.TabID, c Request) (*protocol.PickedElement, error) {
	look, err := ps.config.Look(ctx, id, protocol.LookRequest{Caller: pickCaller, Compact: true, Interactive: true, JSON: true})
	if err != nil {
		return nil, err
	}
	panel := ps.config.Panel() // that the user picks for
	k := &picker{tabs: ps.tabs, id: id, found: make(chan choice), off: make(chan struct{})}
	defer k.close()
	if err := ps.tabs.OnPage(ctx, id, k.on); err != nil {
		return nil, err
	}
	elements := pickable(nil, look.Items)
	c.Ready(elements[:min(len(elements), pickElements)])
	for {
		select {
		case <-ctx.Done():
			return nil, ps.tabs.Explain(ctx, id, ctx.Err())
		case <-k.p.Done:
			return nil, ps.tabs.Explain(ctx, id, devtools.ErrSessionEnded)
		case ref := <-c.Marks:
			// What is not there any more is not marked; a person sees that.
			if err := k.mark(ctx, ref); err != nil && ctx.Err() == nil {
				k.unmark()
			}
		case at := <-k.found:
			if panel != nil {
				panel.TakeBack(ctx) // the user clicked in the page, and writes on in the panel
			}
			if at.node == 0 {
				return nil, nil //nolint:nilnil // documented: a person gave up
			}
			var out *protocol.PickedElement
			err := ps.tabs.OnPage(ctx, id, func(ctx context.Context, p *page.Page) (err error) {
				out, err = picked(ctx, p, at)
				return err
			})
			return out, err
		}
	}
}

// Show marks elements of a tab's page one after another, as a person points at them
// in a list; an empty ref takes the mark away. It returns with ctx or with the tab.
func (ps *Picks) Show(ctx context.Context, id protocol.TabID, marks <-chan string) error {
	k := &picker{tabs: ps.tabs, id: id}
	defer k.unmark()
	for {
		select {
		case <-ctx.Done():
			return nil
		case ref := <-marks:
			if err := k.mark(ctx, ref); err != nil {
				k.unmark()
				if _, ok := errors.AsType[*protocol.Error](err); !ok && ctx.Err() == nil {
					return err
				}
			}
		}
	}
}

// pickable are the things of a look that have a ref.
func pickable(list []protocol.PickedElement, items []*protocol.LookItem) []protocol.PickedElement {
	for _, i := range items {
		if i.Ref != "" {
			list = append(list, protocol.PickedElement{Ref: i.Ref, Role: i.Role, Name: page.Plain(i.Name)})
		}
		list = pickable(list, i.Children)
	}
	return list
}

// picker is the picker of one tab while it is on. Pick owns it.
type picker struct {
	tabs Tabs
	p    *page.Page

	id    protocol.TabID
	found chan choice
	off   chan struct{} // closed when nobody takes from found any more
	parts sync.WaitGroup
	ends  []func() // of the sessions that it has for itself
	shown func()   // takes the mark away; nil without one
}

// choice is what a person chose: a node of a session, 0 for nothing.
type choice struct {
	from *devtools.Session // whose frames have it
	node cdp.BackendNodeID
}

// on switches the picker on in every process that draws a part of the page.
func (k *picker) on(ctx context.Context, p *page.Page) error {
	k.p = p
	on := make(map[*devtools.Session]bool)
	for _, f := range p.Frames.All() {
		shared, _ := p.Frames.State(f)
		if on[shared] || shared.Ended() {
			continue
		}
		on[shared] = true
		if err := k.arm(ctx, shared); err != nil && shared == p.Session {
			return err
		}
	}
	return nil
}

// arm switches the picker on for the frames of a session.
func (k *picker) arm(ctx context.Context, shared *devtools.Session) error {
	own, release, err := k.p.Beside(ctx, shared.Target)
	if err != nil {
		return err
	}
	events := own.Events(overlay.InspectNodeRequested.Method, overlay.InspectModeCanceled.Method)
	k.ends = append(k.ends, func() {
		// A page that hangs does not answer, and has no picker to show either.
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), pickEndTimeout)
		defer cancel()
		_, _ = cdp.Call(late, own, overlay.Disable, cdp.Empty{})
		events.Cancel()
		release()
	})
	k.parts.Go(func() {
		for e := range events.C {
			at := choice{from: shared}
			if v, ok := devtools.Decode(e, overlay.InspectNodeRequested); ok {
				at.node = v.BackendNodeID
			}
			select {
			case k.found <- at:
			case <-k.off:
				return
			}
		}
	})
	if err := overlayOn(ctx, own); err != nil {
		return err
	}
	_, err = cdp.Call(ctx, own, overlay.SetInspectMode, overlay.SetInspectModeParams{Mode: overlay.InspectModeSearchForNode, HighlightConfig: marked()})
	return err
}

func overlayOn(ctx context.Context, s *devtools.Session) error {
	return errors.Join(
		devtools.Post(ctx, s, dom.Enable, dom.EnableParams{}),
		devtools.Post(ctx, s, overlay.Enable, cdp.Empty{}),
	)
}

// marked is what a marked element looks like.
func marked() *overlay.HighlightConfig {
	fill, line := 0.28, 0.9
	return &overlay.HighlightConfig{
		ShowInfo: true, ShowAccessibilityInfo: true,
		ContentColor: &cdp.RGBA{R: 15, G: 118, B: 110, A: fill},
		PaddingColor: &cdp.RGBA{R: 15, G: 118, B: 110, A: fill},
		BorderColor:  &cdp.RGBA{R: 15, G: 118, B: 110, A: line},
	}
}

// mark shows an element on the page, scrolled into view.
func (k *picker) mark(ctx context.Context, ref string) error {
	k.unmark()
	if ref == "" {
		return nil
	}
	return k.tabs.OnPage(ctx, k.id, func(ctx context.Context, p *page.Page) error {
		e, release, err := elements.Find(ctx, p, ref)
		if err != nil {
			return err
		}
		k.shown = release
		if err := overlayOn(ctx, e.Session); err != nil {
			return err
		}
		if _, err := cdp.Call(ctx, e.Session, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{ObjectID: e.Object}); err != nil {
			return err
		}
		_, err = cdp.Call(ctx, e.Session, overlay.HighlightNode, overlay.HighlightNodeParams{ObjectID: e.Object, HighlightConfig: marked()})
		return err
	})
}

// unmark takes the mark away: it ends with the session that shows it.
func (k *picker) unmark() {
	if k.shown != nil {
		k.shown()
		k.shown = nil
	}
}

// close switches everything off; with the sessions goes what they show.
func (k *picker) close() {
	close(k.off)
	k.unmark()
	for _, end := range k.ends {
		end()
	}
	k.parts.Wait()
}

// picked says what a node is to an agent, and gives it a ref.
func picked(ctx context.Context, p *page.Page, at choice) (*protocol.PickedElement, error) {
	for _, f := range p.Frames.All() {
		s, _, err := p.Ready(ctx, f)
		if err != nil || s != at.from {
			continue
		}
		world := p.Frames.ContextOf(f)
		// A node of another document is none of this world's.
		node, err := cdp.Call(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: at.node, ExecutionContextID: world})
		if err != nil || node.Object == nil {
			continue
		}
		out, err := elements.CallOn[*struct {
			protocol.PickedElement
			Next int `json:"next"`
		}](ctx, s, node.Object.ObjectID, pickScript, f.Prefix(), p.Frames.Base(f))
		if err != nil || out == nil {
			continue
		}
		p.Frames.Numbered(f, out.Next)
		out.Name = page.Plain(out.Name)
		return &out.PickedElement, nil
	}
	return nil, protocol.NewError(protocol.CodeGone, "what was picked is not on the page any more", "pick again")
}
