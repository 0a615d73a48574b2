package observe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/sourcemaps"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// tabMaps are the source maps of the tabs.
type tabMaps struct {
	mu  sync.Mutex
	tab map[protocol.TabID]*sourcemaps.Maps
}

func (m *tabMaps) of(id protocol.TabID) *sourcemaps.Maps {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := m.tab[id]
	if one == nil {
		one = &sourcemaps.Maps{}
		m.tab[id] = one
	}
	return one
}

// RunInPage runs a script in a tab's page as its developer tools would: in the page's
// own world, with await at the top level, beside the commands of others. It is for the
// user only: the site's rules are not asked. An exception is a result.
func (o *Observer) RunInPage(ctx context.Context, by protocol.Caller, id protocol.TabID, script string) (protocol.PageRun, error) {
	info, err := o.config.History.Page(ctx, by, id)
	if err != nil {
		return protocol.PageRun{}, err
	}
	k, err := o.tabs.Of(ctx, id)
	if err != nil {
		return protocol.PageRun{}, err
	}
	yes := true
	s := k.Session()
	var res runtime.EvaluateResult
	err = o.config.Pages.Beside(ctx, by, id, true, func(ctx context.Context, p *page.Page) error {
		return p.UntilDialog(ctx, id, func(ctx context.Context) (err error) {
			res, err = cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
				Expression: script, ReplMode: &yes, AwaitPromise: &yes, UserGesture: &yes, GeneratePreview: &yes,
				IncludeCommandLineAPI: &yes, ObjectGroup: valueGroup,
			})
			return err
		})
	})
	if err != nil {
		return protocol.PageRun{}, err
	}
	out := protocol.PageRun{URL: info.URL}
	if d := res.ExceptionDetails; d != nil {
		out.Threw, out.Stack = true, stackOf(d.StackTrace)
		out.Value = protocol.PageValue{Type: "error", Text: d.Text}
		if d.Exception != nil {
			out.Value = o.values.Of(id, s, d.Exception)
		}
		return out, nil
	}
	out.Value = o.values.Of(id, s, res.Result)
	return out, nil
}

// OpenValue returns parts of a value that a console entry or RunInPage named.
func (o *Observer) OpenValue(ctx context.Context, id protocol.TabID, handle string, from int) (protocol.PageParts, error) {
	return o.values.Open(ctx, id, handle, from)
}

// SourcesOf returns positions in the scripts of a tab with the sources that these were
// made from. Only positions in scripts that a stack of the tab names are looked up, so
// that the page is not made to load anything else.
func (o *Observer) SourcesOf(ctx context.Context, id protocol.TabID, places []protocol.CodePlace) ([]protocol.MappedPlace, error) {
	k, err := o.tabs.Of(ctx, id)
	if err != nil {
		return nil, err
	}
	known, page := map[string]bool{}, 0
	if c, ok := watch.Get[*consoleWatch](k, featureConsole); ok {
		page += c.scripts(known)
	}
	if n, ok := watch.Get[*networkWatch](k, featureNetwork); ok {
		page += n.scripts(known)
	}
	for _, place := range places {
		if !known[place.URL] {
			return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("no stack of %s names the script %.200q", id, place.URL), "take a position from the console or from a request", protocol.Try("prints the entries", "console"))
		}
	}
	s := k.Session()
	tree, err := cdp.Call(ctx, s, cdppage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return nil, o.tabs.Explain(ctx, id, err)
	}
	if tree.FrameTree == nil || tree.FrameTree.Frame == nil {
		return nil, errors.New("looking for sources: the page has no frame")
	}
	frame := tree.FrameTree.Frame.ID
	return o.maps.of(id).Resolve(ctx, page, func(ctx context.Context, address string) ([]byte, string, error) {
		return load(ctx, s, frame, address)
	}, places), nil
}

// scripts adds the addresses of the scripts that a stack names, and returns a number
// that only this document of the tab has.
func (c *consoleWatch) scripts(known map[string]bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.ring.Items {
		for _, place := range c.ring.Items[i].Stack {
			known[place.URL] = true
		}
		known[c.ring.Items[i].Entry.URL] = true
	}
	return int(c.begun) + c.page
}

func (n *networkWatch) scripts(known map[string]bool) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, t := range n.ring.Items {
		for _, place := range t.stack {
			known[place.URL] = true
		}
	}
	return int(n.begun) + n.page
}

// load gets what is at an address in the name of a frame, without cookies.
func load(ctx context.Context, s cdp.Session, frame cdp.FrameID, address string) (data []byte, mapAddress string, err error) {
	res, err := cdp.Call(ctx, s, network.LoadNetworkResource, network.LoadNetworkResourceParams{
		FrameID: frame, URL: address, Options: &network.LoadNetworkResourceOptions{},
	})
	if err != nil {
		return nil, "", err
	}
	r := res.Resource
	if r == nil || !r.Success || r.Stream == "" {
		why := "no answer"
		if r != nil && r.NetErrorName != "" {
			why = strings.TrimPrefix(r.NetErrorName, "net::")
		}
		if r != nil && r.HTTPStatusCode >= 400 {
			why = fmt.Sprintf("status %d", int(r.HTTPStatusCode))
		}
		return nil, "", errors.New(why)
	}
	defer func() {
		_, _ = cdp.Call(context.WithoutCancel(ctx), s, cdpio.Close, cdpio.CloseParams{Handle: r.Stream})
	}()
	for {
		part, err := cdp.Call(ctx, s, cdpio.Read, cdpio.ReadParams{Handle: r.Stream, Size: 1 << 20})
		if err != nil {
			return nil, "", err
		}
		data = append(data, part.Data...)
		if len(data) > sourcemaps.MaxBytes {
			return nil, "", fmt.Errorf("it is larger than %d MB", sourcemaps.MaxBytes>>20)
		}
		if part.EOF {
			break
		}
	}
	headers := map[string]string{}
	merge(headers, r.Headers)
	if at := headers["sourcemap"]; at != "" {
		return data, at, nil
	}
	return data, headers["x-sourcemap"], nil
}
