package page

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
)

// census finds out whether all nodes of a session's documents are known. The
// browser counts all existing nodes, and each of our worlds counts the nodes that
// it can reach: when the sums are equal, there is no unknown closed shadow root.
// This costs a small part of what a description of the document costs, but it
// still grows with the page. So for a large page only the renderer's own counters
// are read first: while they equal those of the last count, no shadow root was
// added.
type census struct {
	p      *Page
	f      *Frame
	s      *devtools.Session
	q      *Calls // the counters, then the browser's count, then one count per world
	frames []*Frame
	worlds []string
	known  Counted // the last count in which all nodes were known
}

// Counted is the state of the renderer's counters and worlds when all nodes were
// known.
type Counted struct {
	memory.GetDOMCountersResult

	worlds string
}

const (
	// maxCensus is the largest number of frames in which nodes are counted. With
	// more frames, a description of the document is as cheap.
	maxCensus = 16
	// CountedAgain is the number of nodes up to which they are always counted,
	// because that is faster than reading the counters first (measured: 2,000
	// nodes take 0.4 ms).
	CountedAgain = 4000
)

// takeCensus sends the requests for a count. It returns nil where a count is not
// possible: it covers a whole session, so it is only of use for the session's
// outermost frame.
func takeCensus(ctx context.Context, p *Page, f *Frame, s *devtools.Session) (*census, error) {
	c := &census{p: p, f: f, s: s, q: &Calls{s: s}}
	p.Frames.mu.Lock()
	for _, g := range p.Frames.byID {
		// A frame that exists but has no world yet makes the sums differ.
		if g.s == s && g.context != "" {
			c.frames = append(c.frames, g)
		}
	}
	slices.SortFunc(c.frames, func(a, b *Frame) int { return strings.Compare(a.context, b.context) })
	for _, g := range c.frames {
		c.worlds = append(c.worlds, g.context)
	}
	c.known = f.Counted
	parent := p.Frames.byID[f.parent]
	p.Frames.mu.Unlock()
	if parent != nil && parent.s == s || len(c.frames) > maxCensus {
		return nil, nil
	}
	if err := c.q.Send(ctx, memory.GetDOMCounters.Method, cdp.Empty{}); err != nil {
		return nil, err
	}
	if c.known.Nodes > CountedAgain && c.known.worlds == strings.Join(c.worlds, " ") {
		return c, nil
	}
	err := c.count(ctx)
	return c, err
}

// count sends the requests to the browser and to the worlds.
func (c *census) count(ctx context.Context) error {
	err := errors.Join(
		devtools.Post(ctx, c.s, dom.Enable, dom.EnableParams{}),
		c.q.Send(ctx, dom.PerformSearch.Method, dom.PerformSearchParams{}), // the empty search text matches every node
		devtools.Post(ctx, c.s, dom.Disable, cdp.Empty{}),                  // which also discards the search results
	)
	for i, g := range c.frames {
		expression, sayErr := c.p.Expression(g, "count", nil)
		err = errors.Join(err, sayErr, c.q.Send(ctx, runtime.Evaluate.Method, EvaluateParams(expression, c.worlds[i])))
	}
	return err
}

// complete reports whether all nodes are known; false when in doubt.
func (c *census) complete(ctx context.Context) bool {
	if c == nil {
		return false
	}
	now := Counted{worlds: strings.Join(c.worlds, " ")}
	if c.q.Await(ctx, 0, &now.GetDOMCountersResult) != nil {
		return false
	}
	if len(c.q.pending) == 1 { // not counted yet
		if now == c.known {
			return true
		}
		if c.count(ctx) != nil {
			return false
		}
	}
	var all dom.PerformSearchResult
	if c.q.Await(ctx, 1, &all) != nil {
		return false
	}
	known := int64(0)
	for i := range c.worlds {
		var res runtime.EvaluateResult
		var text string
		var a struct {
			Value int64 `json:"value"`
		}
		if c.q.Await(ctx, 2+i, &res) != nil || res.Result == nil || jsonv2.Unmarshal(res.Result.Value, &text) != nil || json.Unmarshal([]byte(text), &a) != nil {
			return false
		}
		known += a.Value
	}
	if known != all.ResultCount {
		return false
	}
	c.p.Frames.mu.Lock()
	c.f.Counted = now
	c.p.Frames.mu.Unlock()
	return true
}
