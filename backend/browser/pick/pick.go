// Package pick lets a user pick an element of a page.
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
	"pilotfish/backend/browser/snapshot"
	"pilotfish/backend/protocol"
)

//go:embed pick.js
var pickScript string

const (
	// pickEndTimeout is how long a page may take to switch off its picker.
	pickEndTimeout = time.Second
	// pickElements is how many elements are listed for the picker.
	pickElements = 500
)

// Config holds the dependencies of Picks.
type Config struct {
	// Snapshots are those of the tabs' pages.
	Snapshots *snapshot.Snapshots
	// Panels are the open panels.
	Panels *focus.Panels
}

// Picks lets users pick elements in a browser's tabs.
type Picks struct {
	tabs   page.Tabs
	config Config
}

// New returns the Picks of a browser's tabs.
func New(tabs page.Tabs, c Config) *Picks { return &Picks{tabs: tabs, config: c} }

// Request describes how a user picks an element.
type Request struct {
	// Ready is called once the picker is on, with the elements that can be picked: at
	// most pickElements, in the order of the page.
	Ready func([]protocol.PickedElement)
	// Marks receives refs to highlight on the page, for a user without a pointer; an
	// empty ref removes the highlight.
	Marks <-chan string
	// Exact picks the very element under the pointer, and not the control that it is
	// a part of.
	Exact bool
}

// Pick lets a user pick an element of a tab with the browser's own picker: the
// element under the pointer is highlighted, and a click picks it and has no other
// effect. Pick waits for the click; it returns nil when the user cancelled in the
// page. When it returns, at the latest when ctx ends, the picker is off. Other
// callers can use the tab meanwhile.
func (ps *Picks) Pick(ctx context.Context, id protocol.TabID, c Request) (*protocol.PickedElement, error) {
	snap, err := ps.config.Snapshots.Snapshot(ctx, protocol.Caller{Name: "picker"}, id, protocol.SnapshotRequest{Compact: true, Interactive: true, JSON: true}, nil)
	if err != nil {
		return nil, err
	}
	panel := ps.config.Panels.At() // the panel for which the user picks
	k := &picker{tabs: ps.tabs, id: id, found: make(chan choice), off: make(chan struct{})}
	defer k.close()
	if err := ps.tabs.OnPage(ctx, protocol.Caller{}, id, k.on); err != nil {
		return nil, err
	}
	elements := pickable(nil, snap.Items)
	c.Ready(elements[:min(len(elements), pickElements)])
	for {
		select {
		case <-ctx.Done():
			return nil, ps.tabs.Explain(ctx, id, ctx.Err())
		case <-k.p.Done:
			return nil, ps.tabs.Explain(ctx, id, devtools.ErrSessionEnded)
		case ref := <-c.Marks:
			// Do not highlight an element that is gone; the user sees that.
			if err := k.mark(ctx, ref); err != nil && ctx.Err() == nil {
				k.unmark()
			}
		case at := <-k.found:
			if panel != nil {
				panel.TakeBack(ctx) // the user clicked in the page, and continues to type in the panel
			}
			if at.node == 0 {
				return nil, nil //nolint:nilnil // documented: a user gave up
			}
			var out *protocol.PickedElement
			err := ps.tabs.OnPage(ctx, protocol.Caller{}, id, func(ctx context.Context, p *page.Page) (err error) {
				out, err = picked(ctx, p, at, c.Exact)
				return err
			})
			return out, err
		}
	}
}

// PickElement is Pick for a caller that waits: it returns the very element that the user
// clicked, and nil when the user gave up.
func (ps *Picks) PickElement(ctx context.Context, id protocol.TabID) (*protocol.PickedElement, error) {
	return ps.Pick(ctx, id, Request{Ready: func([]protocol.PickedElement) {}, Exact: true})
}

// Show highlights elements of a tab's page one after another, as a user points at
// them in a list; an empty ref removes the highlight. It returns when ctx ends or the
// tab closes.
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

// pickable appends the items of a snapshot that have a ref.
func pickable(list []protocol.PickedElement, items []*protocol.SnapshotItem) []protocol.PickedElement {
	for _, i := range items {
		if i.Ref != "" {
			list = append(list, protocol.PickedElement{Ref: i.Ref, Role: i.Role, Name: page.Plain(i.Name)})
		}
		list = pickable(list, i.Children)
	}
	return list
}

// picker is the active picker of one tab. It belongs to one call of Pick.
type picker struct {
	tabs page.Tabs
	p    *page.Page

	id    protocol.TabID
	found chan choice
	off   chan struct{} // closed when nobody receives from found any more
	parts sync.WaitGroup
	ends  []func() // end the sessions that the picker opened
	shown func()   // removes the highlight; nil without one
}

// choice is what a user chose: a node of a session; node 0 means nothing.
type choice struct {
	from *devtools.Session // the session whose frames contain the node
	node cdp.BackendNodeID
}

// on switches the picker on in every process that renders a part of the page.
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
		// A page that hangs does not answer, and cannot show a picker either.
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

// marked returns the appearance of a highlighted element.
func marked() *overlay.HighlightConfig {
	fill, line := 0.28, 0.9
	return &overlay.HighlightConfig{
		ShowInfo: true, ShowAccessibilityInfo: true,
		ContentColor: &cdp.RGBA{R: 15, G: 118, B: 110, A: fill},
		PaddingColor: &cdp.RGBA{R: 15, G: 118, B: 110, A: fill},
		BorderColor:  &cdp.RGBA{R: 15, G: 118, B: 110, A: line},
	}
}

// mark scrolls an element into view and highlights it.
func (k *picker) mark(ctx context.Context, ref string) error {
	k.unmark()
	if ref == "" {
		return nil
	}
	return k.tabs.OnPage(ctx, protocol.Caller{}, k.id, func(ctx context.Context, p *page.Page) error {
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

// unmark removes the highlight by closing the session that shows it.
func (k *picker) unmark() {
	if k.shown != nil {
		k.shown()
		k.shown = nil
	}
}

// close switches off the picker and the highlight, by closing their sessions.
func (k *picker) close() {
	close(k.off)
	k.unmark()
	for _, end := range k.ends {
		end()
	}
	k.parts.Wait()
}

// picked describes a node for an agent, and gives it a ref.
func picked(ctx context.Context, p *page.Page, at choice, exact bool) (*protocol.PickedElement, error) {
	for _, f := range p.Frames.All() {
		s, _, err := p.Ready(ctx, f)
		if err != nil || s != at.from {
			continue
		}
		world := p.Frames.ContextOf(f)
		// A node of another document is not in this world.
		node, err := cdp.Call(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: at.node, ExecutionContextID: world})
		if err != nil || node.Object == nil {
			continue
		}
		out, err := elements.CallOn[*struct {
			protocol.PickedElement
			Next int `json:"next"`
		}](ctx, s, node.Object.ObjectID, pickScript, f.Prefix(), p.Frames.Base(f), exact)
		if err != nil || out == nil {
			continue
		}
		p.Frames.Numbered(f, out.Next)
		out.Name = page.Plain(out.Name)
		return &out.PickedElement, nil
	}
	return nil, protocol.NewError(protocol.CodeGone, "what was picked is not on the page any more", "pick again")
}
