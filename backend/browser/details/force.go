package details

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// States lists the states that an element can be forced into.
func States() []string {
	return []string{"hover", "focus", "active", "focus-within", "focus-visible", "visited", "target"}
}

// ForceStates shows an element as if it were in these states, until the next call or until
// the page loads again. Without states it is shown as it is.
func (r *Reader) ForceStates(ctx context.Context, by protocol.Caller, id protocol.TabID, element string, states []string) (protocol.Forced, error) {
	out := protocol.Forced{States: states}
	for _, s := range states {
		if !slices.Contains(States(), s) {
			return out, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a state", s), "use "+strings.Join(States(), ", ")+", or none")
		}
	}
	err := r.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		e, release, err := r.find(ctx, p, id, element, true)
		if err != nil {
			return err
		}
		defer release()
		if states == nil {
			states = []string{} // the browser wants a list
		}
		if _, err := cdp.Call(ctx, e.Session, css.ForcePseudoState, css.ForcePseudoStateParams{NodeID: e.node, ForcedPseudoClasses: states}); err != nil {
			return err
		}
		out.URL, out.Element, out.States = info.URL, e.words(ctx), states
		d := r.desk(id, true)
		d.mu.Lock()
		if delete(d.states, e.ref); len(states) > 0 {
			d.states[e.ref] = slices.Clone(states)
		}
		d.mu.Unlock()
		d.tell(protocol.InspectorForced, "")
		return nil
	})
	return out, err
}

// forced returns the states that an element is forced into.
func (r *Reader) forced(id protocol.TabID, ref string) []string {
	out := []string{}
	if d := r.desk(id, false); d != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		out = append(out, d.states[ref]...)
	}
	return out
}
