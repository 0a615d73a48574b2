package inspect

import (
	"context"
	"errors"

	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// Frames lists the frames of a tab's page, the page first, each before its children,
// including frames of other sites.
func (in *Inspector) Frames(ctx context.Context, by protocol.Caller, id protocol.TabID) ([]protocol.Frame, error) {
	var out []protocol.Frame
	err := in.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		var list func(f *page.Frame, depth int) error
		list = func(f *page.Frame, depth int) error {
			var at struct{ URL, Name string }
			if err := elements.InFrame(ctx, p, f, `() => ({ url: location.href, name: window.name })`, nil, &at); err != nil {
				if f.Number != 0 && errors.Is(err, page.ErrReplaced) {
					return nil
				}
				return err
			}
			s, _ := p.Frames.State(f)
			out = append(out, protocol.Frame{ID: f.Name(), Depth: depth, Name: at.Name, URL: at.URL, Apart: s != p.Session})
			for _, child := range p.Frames.Children(f) {
				if err := list(child, depth+1); err != nil {
					return err
				}
			}
			return nil
		}
		return list(p.Frames.Main(), 0)
	})
	return out, err
}
