package actions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/report"
	"pilotfish/app/bench/site"
)

// The limits of actions repeated on one page, each as a ratio to the best peer of
// the run on the same page. The time that Chromium itself takes for a large page
// is in both figures (docs/adr/080-cost-of-an-action.md).
const (
	clickAgainMost    = 1.3
	clickAgainMCPMost = 0.7
)

// Again measure repeated actions on one page, without loading a page in between.
// That is most of what an agent does.
func Again() []report.Bench {
	return []report.Bench{
		{Rows: []string{"click.again", "click.1000", "click.5000", "fill.1000"}, Run: againCLI},
		{Rows: []string{"click.again.mcp"}, Run: againMCP},
	}
}

// againPages are the pages for the actions, with 0, 1,000 and 5,000 more elements
// below the controls.
func againPages() []string { return []string{"/", "/act1000", "/act5000"} }

// againRuns is how often each action is repeated on each page.
func againRuns(o report.Options) int {
	if o.Quick {
		return 8
	}
	return 25
}

// againCLI measures whole processes, ours and the best peer of the run.
func againCLI(ctx context.Context, o report.Options) (rows []report.Row, err error) {
	c, clicks, fills, err := again(ctx, o, againPages(), peers.OurProgram(), peers.PeerProgram())
	if err != nil {
		return nil, err
	}
	for i, name := range []string{"click.again", "click.1000", "click.5000"} {
		rows = append(rows, onPage(name, clicks[i], clicks[0]).AtMost(clickAgainMost))
	}
	rows = append(rows, onPage("fill.1000", fills[1], fills[0]).AtMost(clickAgainMost))
	return c.Noted(rows), nil
}

// onPage is the row of an action on a page. For a larger page it notes the ratio
// to the small page: a report must cost what the action changed, not what the
// page contains.
func onPage(name string, page, small report.Samples) report.Row {
	r := page.Row(name, "ms")
	for who, values := range page {
		if before := small[who]; len(before) > 0 && !slices.Equal(values, before) {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %.2f of the small page", who, report.Percentile(values, 0.5)/report.Percentile(before, 0.5)))
		}
	}
	slices.Sort(r.Notes)
	return r
}

// againMCP measures the same over MCP, on the small page.
func againMCP(ctx context.Context, o report.Options) ([]report.Row, error) {
	c, clicks, _, err := again(ctx, o, againPages()[:1], peers.PeerClients()...)
	if err != nil {
		return nil, err
	}
	return c.Noted([]report.Row{clicks[0].Row("click.again.mcp", "ms").AtMost(clickAgainMCPMost)}), nil
}

// again makes every driver click and fill on each of the pages, taking turns
// after every single action, and compares what the pages recorded with what was
// done.
func again(ctx context.Context, o report.Options, paths []string, entrants ...peers.Entrant) (c *peers.Group, clicks, fills []report.Samples, err error) {
	s := site.New()
	defer s.Close()
	if c, err = peers.Gather(ctx, s.URL+"/empty", entrants...); err != nil {
		return nil, nil, nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for round, path := range paths {
		click, fill := report.Samples{}, report.Samples{}
		add, name := map[string]string{}, map[string]string{}
		err := c.Turns(ctx, 1, func(ctx context.Context, d peers.Driver, _ int) error {
			if _, err := d.Open(ctx, s.On(path, d.Name(), round)); err != nil {
				return err
			}
			text, _, err := d.Snapshot(ctx)
			if err != nil {
				return err
			}
			add[d.Name()], err = peers.RefIn(text, "Add")
			if err != nil {
				return err
			}
			name[d.Name()], err = peers.RefIn(text, "Name")
			return err
		})
		if err != nil {
			return c, nil, nil, err
		}
		var clicked []string
		value := ""
		err = c.Turns(ctx, againRuns(o)+actWarm, func(ctx context.Context, d peers.Driver, i int) error {
			took, err := d.Click(ctx, add[d.Name()])
			if err != nil {
				return err
			}
			value = fmt.Sprintf("Name %d", i)
			filled, err := d.Fill(ctx, name[d.Name()], value)
			if err != nil {
				return err
			}
			if i >= actWarm {
				click.Add(d.Name(), took)
				fill.Add(d.Name(), filled)
			}
			return nil
		})
		if err != nil {
			return c, nil, nil, err
		}
		for range againRuns(o) + actWarm {
			clicked = append(clicked, "b")
		}
		err = c.Turns(ctx, 1, func(ctx context.Context, d peers.Driver, _ int) error {
			return leavePage(ctx, s, d, round, &site.Record{Clicked: clicked, Value: value})
		})
		if err != nil {
			return c, nil, nil, err
		}
		clicks, fills = append(clicks, c.Only(click)), append(fills, c.Only(fill))
	}
	return c, clicks, fills, nil
}
