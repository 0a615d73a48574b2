package main

import (
	"context"
	"errors"
	"fmt"
)

// The limits of actions that are repeated on one page. Those on larger pages are
// ratios to our own click on the small page: the report of an action must cost
// what the action changed, and not what the page holds.
const (
	clickAgainMost    = 1.3
	clickAgainMCPMost = 0.7
	click1000Most     = 1.3
	click5000Most     = 1.6
	fill1000Most      = 1.3
)

// clickAgain is the row that the rows of larger pages are compared with.
const clickAgain = "click.again"

// againBenches measure repeated actions on one page, which is what an agent's
// day is made of: no page is loaded in between.
func againBenches() []bench {
	return []bench{
		{rows: []string{clickAgain, "click.1000", "click.5000", "fill.1000"}, run: againCLI},
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
	small := clicks[0].row(clickAgain, "ms")
	rows = append(rows, small.atMost(clickAgainMost))
	for i, r := range []struct {
		name string
		most float64
	}{{"click.1000", click1000Most}, {"click.5000", click5000Most}} {
		larger := clicks[i+1].row(r.name, "ms")
		larger.Than = clickAgain
		rows = append(rows, larger.beside(small.Value).atMost(r.most))
	}
	rows = append(rows, fills[1].row("fill.1000", "ms").beside(fills[0].row("", "ms").Value).atMost(fill1000Most))
	rows[len(rows)-1].Than = "the same on the small page"
	return c.noted(rows), nil
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
