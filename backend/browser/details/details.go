// Package details reads everything that the Inspector shows of one element, changes it,
// and reports when what was read is stale. Reading leaves nothing behind. Edits, forced
// states and reports need a session that stays: it is kept while there are some.
package details

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

//go:embed details.js
var detailsScript string

// objects is the group of the page's objects that one read holds.
const objects = "pilotfish-details"

// Reader reads and edits elements of a browser's tabs. Its methods are safe for
// concurrent use.
type Reader struct {
	tabs   page.Tabs
	script string
	// initial are the initial values of the properties.
	initial map[string]string

	mu   sync.Mutex
	open map[protocol.TabID]*desk
}

// New returns the Reader of a browser's tabs.
func New(tabs page.Tabs) *Reader {
	return &Reader{
		tabs: tabs, script: strings.Replace(detailsScript, "/* secretFunction */", elements.SecretFunction, 1),
		initial: initialValues(), open: make(map[protocol.TabID]*desk),
	}
}

// found is an element that a target means.
type found struct {
	*sight
	frame  *page.Frame
	ref    string
	object runtime.RemoteObjectID
	node   cdp.NodeID
}

// find finds an element and makes it known to a session. keep: the session stays open
// after this call. The returned function lets go of both.
func (r *Reader) find(ctx context.Context, p *page.Page, id protocol.TabID, target string, keep bool) (*found, func(), error) {
	f, ref, err := elements.WhereIs(ctx, p, target)
	if err != nil {
		return nil, nil, err
	}
	return r.take(ctx, p, id, f, ref, keep)
}

// take is find for an element whose frame and ref are known.
func (r *Reader) take(ctx context.Context, p *page.Page, id protocol.TabID, f *page.Frame, ref string, keep bool) (*found, func(), error) {
	shared, world, err := p.Ready(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	s, release, err := r.sight(ctx, p, id, shared.Target, keep)
	if err != nil {
		return nil, nil, err
	}
	done := func() {
		_ = runtimeRelease(ctx, s)
		release()
	}
	group := objects
	res, err := cdp.Call(ctx, s.Session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: fmt.Sprintf("pilotfishPage.element(%q)", ref), UniqueContextID: world, ObjectGroup: group,
	})
	if err == nil && (res.Result == nil || res.Result.ObjectID == "") {
		err = elements.NoElement(ref, "it is gone from the page")
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	node, err := cdp.Call(ctx, s.Session, dom.RequestNode, dom.RequestNodeParams{ObjectID: res.Result.ObjectID})
	if err != nil {
		done()
		return nil, nil, err
	}
	return &found{sight: s, frame: f, ref: ref, object: res.Result.ObjectID, node: node.NodeID}, done, nil
}

// ReadDetails describes an element. step, one of parent, child, next and previous, means the
// element beside it instead; empty means the element itself.
func (r *Reader) ReadDetails(ctx context.Context, by protocol.Caller, id protocol.TabID, element, step string) (protocol.Details, error) {
	var out protocol.Details
	err := r.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		f, ref, err := elements.WhereIs(ctx, p, element)
		if err != nil {
			return err
		}
		if err := page.OpenRoots(ctx, p, f); err != nil {
			return err
		}
		if step != "" {
			if f, ref, err = beside(ctx, p, f, ref, step); err != nil {
				return err
			}
		}
		out, err = r.describe(ctx, p, id, f, ref)
		return err
	})
	return out, err
}

func (r *Reader) describe(ctx context.Context, p *page.Page, id protocol.TabID, f *page.Frame, ref string) (protocol.Details, error) {
	var out *protocol.Details
	e, release, err := r.take(ctx, p, id, f, ref, false)
	if err != nil {
		return protocol.Details{}, err
	}
	defer release()
	e.watch(e.node, f.ID)
	if err := elements.InFrame(ctx, p, f, r.script, map[string]string{"ref": ref}, &out); err != nil {
		return protocol.Details{}, err
	}
	if out == nil {
		return protocol.Details{}, elements.NoElement(ref, "it is gone from the page")
	}
	if f.Number != 0 {
		out.Frame = f.Name()
		if !slices.Contains(out.Near, "parent") {
			out.Near = append(out.Near, "parent") // the frame's element
		}
	}
	out.States = r.forced(id, ref)
	if err := e.facts(ctx, r.initial, out); err != nil {
		return protocol.Details{}, err
	}
	return *out, nil
}

// besideScript returns the ref of an element's neighbour; frame says that the step goes
// through the border of a frame.
const besideScript = `(page, { ref, step }) => {
	const el = page.element(ref);
	if (!el) return { gone: true };
	const to = {
		parent: () => el.parentElement ?? el.getRootNode().host,
		child: () => page.rootOf(el)?.firstElementChild ?? el.firstElementChild,
		next: () => el.nextElementSibling,
		previous: () => el.previousElementSibling,
	}[step]();
	if (to) return { ref: page.refOf(to) };
	return { frame: step === 'parent' && el === document.documentElement || step === 'child' && /^i?frame$/.test(el.localName) };
}`

// beside returns the element beside another one.
func beside(ctx context.Context, p *page.Page, f *page.Frame, ref, step string) (*page.Frame, string, error) {
	var to struct {
		Ref         string
		Gone, Frame bool
	}
	if err := elements.InFrame(ctx, p, f, besideScript, map[string]string{"ref": ref, "step": step}, &to); err != nil {
		return nil, "", err
	}
	if to.Gone {
		return nil, "", elements.NoElement(ref, "it is gone from the page")
	}
	if to.Ref != "" {
		return f, to.Ref, nil
	}
	if to.Frame && step == "parent" && f.Number != 0 {
		owner, err := page.OwnerOf(ctx, p, f)
		if parent := p.Frames.ParentOf(f); err == nil && parent != nil {
			return parent, owner, nil
		}
	}
	if to.Frame && step == "child" {
		for _, child := range p.Frames.Children(f) {
			if owner, err := page.OwnerOf(ctx, p, child); err != nil || owner != ref {
				continue
			}
			var root string
			err := elements.InFrame(ctx, p, child, `(page) => page.refOf(document.documentElement)`, nil, &root)
			return child, root, err
		}
	}
	return nil, "", protocol.NewError(protocol.CodeNoElement, fmt.Sprintf("%.40s has no %s", ref, step), "step in another direction")
}
