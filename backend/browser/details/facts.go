package details

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/css"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/network"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/sourcemaps"
	"pilotfish/backend/protocol"
)

const (
	// sourceMapWait bounds the time for which a read waits for source maps.
	sourceMapWait = 5 * time.Second
	// sourceMapSize bounds a source map, in bytes.
	sourceMapSize = 8 << 20
)

// facts reads what the browser knows of an element. The questions are sent together.
func (e *found) facts(ctx context.Context, initial map[string]string, out *protocol.Details) error {
	q, alone := page.NewCalls(e.Session), false
	err := errors.Join(
		q.Send(ctx, css.GetMatchedStylesForNode.Method, css.GetMatchedStylesForNodeParams{NodeID: e.node}),
		q.Send(ctx, css.GetComputedStyleForNode.Method, css.GetComputedStyleForNodeParams{NodeID: e.node}),
		q.Send(ctx, css.GetPlatformFontsForNode.Method, css.GetPlatformFontsForNodeParams{NodeID: e.node}),
		q.Send(ctx, css.GetBackgroundColors.Method, css.GetBackgroundColorsParams{NodeID: e.node}),
		q.Send(ctx, accessibility.GetPartialAXTree.Method, accessibility.GetPartialAXTreeParams{ObjectID: e.object, FetchRelatives: &alone}),
	)
	if err != nil {
		return err
	}
	var raw jsonv2.Value
	var matched css.GetMatchedStylesForNodeResult
	var computed css.GetComputedStyleForNodeResult
	var fonts css.GetPlatformFontsForNodeResult
	var behind css.GetBackgroundColorsResult
	var access accessibility.GetPartialAXTreeResult
	for i, into := range []any{&raw, &computed, &fonts, &behind, &access} {
		if err := e.answer(ctx, q, i, into); err != nil {
			return err
		}
	}
	if err := decodeMatched(raw, &matched); err != nil {
		return err
	}
	if out.Listeners, err = elements.Listeners(ctx, e.Session, e.object); err != nil {
		return err
	}
	if out.Listeners == nil {
		out.Listeners = []protocol.Listener{}
	}
	styles := e.cascade(&matched)
	e.loadMaps(ctx, styles)
	out.Rules = e.rules(styles, out)
	out.Computed = differing(computed.ComputedStyle, initial, &matched)
	out.Fonts = []protocol.UsedFont{}
	for _, f := range fonts.Fonts {
		out.Fonts = append(out.Fonts, protocol.UsedFont{Family: f.FamilyName, Name: f.PostScriptName, Loaded: f.IsCustomFont, Glyphs: int(f.GlyphCount)})
	}
	slices.SortFunc(out.Fonts, func(a, b protocol.UsedFont) int { return cmp.Compare(b.Glyphs, a.Glyphs) })
	out.Colors = colors(computed.ComputedStyle, &behind)
	accessible(access.Nodes, &out.Access)
	return nil
}

// answer waits for the answer to one of several questions.
func (e *found) answer(ctx context.Context, q *page.Calls, i int, into any) error {
	select {
	case reply := <-q.Reply(i):
		return q.Read(i, reply, into)
	case <-ctx.Done():
		q.Forget(i)
		return ctx.Err()
	}
}

// accessible describes an element as assistive programs see it. What is around it is
// known from the page: the browser would compute the tree of all its siblings for it.
func accessible(nodes []*accessibility.Node, out *protocol.DetailAccessibility) {
	if len(nodes) == 0 || nodes[0].Ignored {
		out.Role = "none"
		return
	}
	n := nodes[0]
	out.Role, out.Name, out.Description = elements.AXText(n.Role), elements.AXText(n.Name), elements.AXText(n.Description)
	out.Properties = make(map[string]string)
	for _, p := range n.Properties {
		if v := elements.AXText(p.Value); v != "" && v != "false" {
			out.Properties[string(p.Name)] = v
		}
	}
}

// loadMaps loads the source maps of the sheets that the styles come from. A map that
// cannot be had is left out.
func (e *found) loadMaps(ctx context.Context, styles []*matchedStyle) {
	ctx, cancel := context.WithTimeout(ctx, sourceMapWait)
	defer cancel()
	for _, m := range styles {
		e.mu.Lock()
		sheet := e.sheets[m.sheet]
		_, known := e.maps[m.sheet]
		e.mu.Unlock()
		if sheet == nil || known || sheet.SourceMapURL == "" {
			continue
		}
		read := e.loadMap(ctx, sheet)
		e.mu.Lock()
		e.maps[m.sheet] = read
		e.mu.Unlock()
	}
}

// loadMap loads a source map: from the sheet itself, or from the origin of the sheet. A
// page could name any address, and so make the browser ask there.
func (e *found) loadMap(ctx context.Context, sheet *css.StyleSheetHeader) *sourcemaps.Map {
	base, err := url.Parse(sheet.SourceURL)
	if err != nil {
		return nil
	}
	address, err := base.Parse(sheet.SourceMapURL)
	if err != nil {
		return nil
	}
	var data []byte
	switch {
	case address.Scheme == "data":
		data, err = inData(address.Opaque)
		address = base
	case (address.Scheme == "http" || address.Scheme == "https") && page.OriginOf(address.String()) == page.OriginOf(sheet.SourceURL):
		data, err = e.fetch(ctx, address.String())
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	read, err := sourcemaps.Parse(address.String(), data)
	if err != nil {
		return nil
	}
	return read
}

// inData returns what a data URL has.
func inData(opaque string) ([]byte, error) {
	kind, data, ok := strings.Cut(opaque, ",")
	if !ok || len(data) > sourceMapSize {
		return nil, errors.New("the data URL cannot be read")
	}
	plain, err := url.PathUnescape(data)
	if err != nil || !strings.HasSuffix(kind, ";base64") {
		return []byte(plain), err
	}
	return base64.StdEncoding.DecodeString(plain)
}

// fetch loads a file as the element's document would.
func (e *found) fetch(ctx context.Context, address string) ([]byte, error) {
	res, err := cdp.Call(ctx, e.Session, network.LoadNetworkResource, network.LoadNetworkResourceParams{
		FrameID: e.frame.ID, URL: address, Options: &network.LoadNetworkResourceOptions{IncludeCredentials: true},
	})
	if err != nil {
		return nil, err
	}
	if res.Resource == nil || !res.Resource.Success || res.Resource.Stream == "" {
		return nil, errors.New("the source map could not be loaded")
	}
	defer func() {
		_ = devtools.Post(ctx, e.Session, cdpio.Close, cdpio.CloseParams{Handle: res.Resource.Stream})
	}()
	var data []byte
	for len(data) <= sourceMapSize {
		part, err := cdp.Call(ctx, e.Session, cdpio.Read, cdpio.ReadParams{Handle: res.Resource.Stream})
		if err != nil {
			return nil, err
		}
		data = append(data, part.Data...)
		if part.EOF {
			return data, nil
		}
	}
	return nil, io.ErrShortBuffer
}
