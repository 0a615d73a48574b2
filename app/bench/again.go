package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// The limits of actions that are repeated on one page, each against the best peer
// of the run on the same page: what Chromium itself takes for a large page is in
// both (docs/adr/080-cost-of-an-action.md).
//
// A fill pays for the proof of its effect: on a large page the browser draws the
// focus before the text comes, which a peer that does not look does not wait for.
const (
	clickAgainMost    = 1.3
	clickAgainMCPMost = 0.7
	fillLargeMost     = 2.5
)

// againBenches measure repeated actions on one page, which is what an agent's
// day is made of: no page is loaded in between.
func againBenches() []bench {
	return []bench{
		{rows: []string{"click.again", "click.1000", "click.5000", "fill.1000"}, run: againCLI},
		{rows: []string{"click.again.mcp"}, run: againMCP},
	}
}

// againPages are the page of every action with nothing, 1,000 and 5,000 more
// elements below it.
func againPages() []string { return []string{"/", "/act1000", "/act5000"} }

// againRuns is how often each action is repeated on each page.
func againRuns(o options) int {
	if o.quick {
		return 8
	}
	return 25
}

// againCLI measures whole processes, with the best peer of the run beside ours.
func againCLI(ctx context.Context, o options) (rows []row, err error) {
	c, clicks, fills, err := again(ctx, o, againPages(), ourProgram(), peerProgram())
	if err != nil {
		return nil, err
	}
	for i, name := range []string{"click.again", "click.1000", "click.5000"} {
		rows = append(rows, onPage(name, clicks[i], clicks[0]).atMost(clickAgainMost))
	}
	rows = append(rows, onPage("fill.1000", fills[1], fills[0]).atMost(fillLargeMost))
	return c.noted(rows), nil
}

// onPage is the row of an action on a page. Of a larger page it notes how much more
// the action takes there than on the small one: the report must cost what the
// action changed, and not what the page holds.
func onPage(name string, page, small samples) row {
	r := page.row(name, "ms")
	for who, values := range page {
		if before := small[who]; len(before) > 0 && !slices.Equal(values, before) {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %.2f of the small page", who, percentile(values, 0.5)/percentile(before, 0.5)))
		}
	}
	slices.Sort(r.Notes)
	return r
}

// againMCP measures the same over MCP, on the small page.
func againMCP(ctx context.Context, o options) ([]row, error) {
	c, clicks, _, err := again(ctx, o, againPages()[:1], peerClients()...)
	if err != nil {
		return nil, err
	}
	return c.noted([]row{clicks[0].row("click.again.mcp", "ms").atMost(clickAgainMCPMost)}), nil
}

// again has everybody click and fill on each of the pages, by turns after every
// single action, and compares what the pages saw with what was done.
func again(ctx context.Context, o options, paths []string, entrants ...entrant) (c *company, clicks, fills []samples, err error) {
	s := newSite()
	defer s.Close()
	if c, err = gather(ctx, s.URL+"/empty", entrants...); err != nil {
		return nil, nil, nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	for round, path := range paths {
		click, fill := samples{}, samples{}
		add, name := map[string]string{}, map[string]string{}
		err := c.turns(ctx, 1, func(ctx context.Context, d driver, _ int) error {
			if _, err := d.open(ctx, s.on(path, d.name(), round)); err != nil {
				return err
			}
			text, _, err := d.look(ctx)
			if err != nil {
				return err
			}
			add[d.name()], err = refIn(text, "Add")
			if err != nil {
				return err
			}
			name[d.name()], err = refIn(text, "Name")
			return err
		})
		if err != nil {
			return c, nil, nil, err
		}
		var clicked []string
		value := ""
		err = c.turns(ctx, againRuns(o)+actWarm, func(ctx context.Context, d driver, i int) error {
			took, err := d.click(ctx, add[d.name()])
			if err != nil {
				return err
			}
			value = fmt.Sprintf("Name %d", i)
			filled, err := d.fill(ctx, name[d.name()], value)
			if err != nil {
				return err
			}
			if i >= actWarm {
				click.add(d.name(), took)
				fill.add(d.name(), filled)
			}
			return nil
		})
		if err != nil {
			return c, nil, nil, err
		}
		for range againRuns(o) + actWarm {
			clicked = append(clicked, "b")
		}
		err = c.turns(ctx, 1, func(ctx context.Context, d driver, _ int) error {
			return leavePage(ctx, s, d, round, &record{Clicked: clicked, Value: value})
		})
		if err != nil {
			return c, nil, nil, err
		}
		clicks, fills = append(clicks, c.only(click)), append(fills, c.only(fill))
	}
	return c, clicks, fills, nil
}
