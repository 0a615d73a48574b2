package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/product"
)

// actionBenches measure the actions of agents on pages. Their limits are ratios to
// the best peer of the run on the same page. The time that Chromium itself takes
// for a large page is in both figures. The bare protocol, which loads pages without
// watching them, is shown beside them for information only
// (docs/adr/080-cost-of-an-action.md).
func actionBenches() []bench {
	return []bench{
		{rows: []string{"cli.click", "cli.fill", "cli.goto", "click.covered"}, run: cliActs},
		{rows: []string{"mcp.click", "mcp.fill"}, run: mcpActs},
		{rows: []string{"click.again", "click.1000", "click.5000", "fill.1000"}, run: againCLI},
		{rows: []string{"click.again.mcp"}, run: againMCP},
	}
}

// The limits on larger pages are 1.5 times the worst ratio that ADR 080 records:
// whether the frame that Chromium paints after an input comes before our report
// depends on the machine.
const (
	click1000Limit = 2.6 // 0.7 to 1.7
	click5000Limit = 2.3 // 0.8 to 1.5
	fill1000Limit  = 3   // 1.1 to 2.0
)

// warmRounds only warm up the browsers.
const warmRounds = 2

// figures are the samples of one group, by row.
type figures struct{ open, click, fill, covered peers.Samples }

// cliActs measures whole processes: load the page, take a snapshot, click and
// fill by ref, as an agent does. The page's own record says what was really done.
func cliActs(ctx context.Context, o options) ([]row, error) {
	return onSite(ctx, "/empty", func(s *product.Site, c *peers.Group) ([]row, error) {
		f, err := acts(ctx, s, c, o, true)
		if err != nil {
			return nil, err
		}
		return []row{
			compared("cli.click", f.click).atMost(1.3),
			compared("cli.fill", f.fill).atMost(1.3),
			compared("cli.goto", f.open).against(peers.AgentBrowser).atMost(1.3),
			compared("click.covered", f.covered).atMost(1.3),
		}, nil
	}, peers.OurProgram(), peers.PeerProgram(), peers.BareDriver())
}

// mcpActs measures the same over MCP. Our replies include the report of the
// effect.
func mcpActs(ctx context.Context, o options) ([]row, error) {
	return onSite(ctx, "/empty", func(s *product.Site, c *peers.Group) ([]row, error) {
		f, err := acts(ctx, s, c, o, false)
		if err != nil {
			return nil, err
		}
		return []row{compared("mcp.click", f.click).atMost(1), compared("mcp.fill", f.fill).atMost(1)}, nil
	}, peers.PeerClients()...)
}

// onSite serves the pages and starts the drivers on one of them. It notes the peers
// that were left out.
func onSite(ctx context.Context, path string, do func(*product.Site, *peers.Group) ([]row, error), entrants ...peers.Entrant) (rows []row, err error) {
	s := product.NewSite()
	defer s.Close()
	c, err := peers.Gather(ctx, s.URL+path, entrants...)
	if err != nil {
		return nil, err
	}
	rows, err = do(s, c)
	for i := range rows {
		rows[i].Notes = append(rows[i].Notes, c.Missing...)
	}
	return rows, errors.Join(err, c.Close())
}

func acts(ctx context.Context, s *product.Site, c *peers.Group, o options, covered bool) (figures, error) {
	f := figures{peers.Samples{}, peers.Samples{}, peers.Samples{}, peers.Samples{}}
	err := c.Turns(ctx, o.runs(30, 8)+warmRounds, func(ctx context.Context, d peers.Driver, i int) error {
		keep := func(s peers.Samples, took float64) {
			if i >= warmRounds {
				s.Add(d.Name(), took)
			}
		}
		opened, err := d.Open(ctx, s.Actions(d.Name(), i))
		if err != nil {
			return err
		}
		keep(f.open, opened)
		if d.Name() == peers.BareName {
			return leavePage(ctx, s, d, i, nil)
		}
		text, refs, err := refsOf(ctx, d)
		if err != nil {
			return err
		}
		want := &product.Record{Clicked: []string{"b"}, Value: fmt.Sprintf("Name %d", i)}
		clicked, filled, err := refs.act(ctx, d, want.Value)
		if err != nil {
			return err
		}
		keep(f.click, clicked)
		keep(f.fill, filled)
		if covered {
			took, refused, err := clickCovered(ctx, d, text)
			switch {
			case err != nil:
				return err
			case !refused:
				return leavePage(ctx, s, d, i, nil)
			}
			keep(f.covered, took)
		}
		return leavePage(ctx, s, d, i, want)
	})
	for _, s := range []peers.Samples{f.open, f.click, f.fill, f.covered} {
		c.Only(s)
	}
	return f, err
}

// refs are the refs of the page's controls.
type refs struct{ add, name string }

// refsOf takes a snapshot of a page.
func refsOf(ctx context.Context, d peers.Driver) (text string, r refs, err error) {
	if text, _, err = d.Snapshot(ctx); err == nil {
		r, err = refsIn(text)
	}
	return text, r, err
}

// refsIn reads them in a snapshot.
func refsIn(text string) (r refs, err error) {
	if r.add, err = peers.RefIn(text, "Add"); err == nil {
		r.name, err = peers.RefIn(text, "Name")
	}
	return r, err
}

// act clicks the button and fills the field.
func (r refs) act(ctx context.Context, d peers.Driver, value string) (clicked, filled float64, err error) {
	if clicked, err = d.Click(ctx, r.add); err == nil {
		filled, err = d.Fill(ctx, r.name, value)
	}
	return clicked, filled, err
}

// clickCovered clicks a covered button. Only a refusal is correct, and our refusal
// must also name the covering element. A peer that clicks anyway is not compared.
func clickCovered(ctx context.Context, d peers.Driver, text string) (took float64, refused bool, err error) {
	under, err := peers.RefIn(text, "Covered")
	if err != nil {
		return 0, false, err
	}
	took, refusal := d.Click(ctx, under)
	if d.Name() == peers.Ours && (refusal == nil || !strings.Contains(refusal.Error(), "Cookies")) {
		return 0, false, fmt.Errorf("a covered button was not refused as such: %w", refusal)
	}
	return took, refusal != nil, nil
}

// leavePage leaves a page and compares its record with want; with nil it only
// checks that there is a record.
func leavePage(ctx context.Context, s *product.Site, d peers.Driver, i int, want *product.Record) error {
	if _, err := d.Open(ctx, s.URL+"/empty"); err != nil {
		return err
	}
	got, err := s.Record(ctx, d.Name(), i)
	if err != nil || want == nil {
		return err
	}
	if !slices.Equal(got.Clicked, want.Clicked) || got.Value != want.Value {
		return fmt.Errorf("the page saw clicks on %v and %q in the field, not %v and %q", got.Clicked, got.Value, want.Clicked, want.Value)
	}
	return nil
}

// againCLI measures repeated actions on one page, without loading a page in
// between. That is most of what an agent does. The larger pages have 1,000 and
// 5,000 more elements below the controls.
func againCLI(ctx context.Context, o options) ([]row, error) {
	return onSite(ctx, "/empty", func(s *product.Site, c *peers.Group) ([]row, error) {
		var clicks, fills []peers.Samples
		for round, path := range []string{"/", "/act1000", "/act5000"} {
			click, fill, err := again(ctx, s, c, o, path, round)
			if err != nil {
				return nil, err
			}
			clicks, fills = append(clicks, click), append(fills, fill)
		}
		return []row{
			compared("click.again", clicks[0]).atMost(1.3),
			onLarge("click.1000", clicks[1], clicks[0]).atMost(click1000Limit),
			onLarge("click.5000", clicks[2], clicks[0]).atMost(click5000Limit),
			onLarge("fill.1000", fills[1], fills[0]).atMost(fill1000Limit),
		}, nil
	}, peers.OurProgram(), peers.PeerProgram())
}

// onLarge is the row of an action on a larger page. It notes the ratio to the small
// page: a report must cost what the action changed, not what the page contains.
func onLarge(name string, large, small peers.Samples) row {
	r := compared(name, large)
	for who, values := range large {
		if before := small[who]; len(before) > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %.2f of the small page", who, percentile(values, 0.5)/percentile(before, 0.5)))
		}
	}
	slices.Sort(r.Notes)
	return r
}

// againMCP measures the same over MCP, on the small page.
func againMCP(ctx context.Context, o options) ([]row, error) {
	return onSite(ctx, "/empty", func(s *product.Site, c *peers.Group) ([]row, error) {
		click, _, err := again(ctx, s, c, o, "/", 0)
		if err != nil {
			return nil, err
		}
		return []row{compared("click.again.mcp", click).atMost(0.7)}, nil
	}, peers.PeerClients()...)
}

// again makes every driver click and fill on a page, taking turns after every
// single action, and compares what the page recorded with what was done.
func again(ctx context.Context, s *product.Site, c *peers.Group, o options, path string, round int) (click, fill peers.Samples, err error) {
	click, fill = peers.Samples{}, peers.Samples{}
	on := map[string]refs{}
	err = c.Turns(ctx, 1, func(ctx context.Context, d peers.Driver, _ int) error {
		_, err := d.Open(ctx, s.On(path, d.Name(), round))
		if err == nil {
			_, on[d.Name()], err = refsOf(ctx, d)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	var want product.Record
	err = c.Turns(ctx, o.runs(25, 8)+warmRounds, func(ctx context.Context, d peers.Driver, i int) error {
		want.Value = fmt.Sprintf("Name %d", i)
		clicked, filled, err := on[d.Name()].act(ctx, d, want.Value)
		if err != nil {
			return err
		}
		if d.Name() == peers.Ours {
			want.Clicked = append(want.Clicked, "b")
		}
		if i >= warmRounds {
			click.Add(d.Name(), clicked)
			fill.Add(d.Name(), filled)
		}
		return nil
	})
	if err == nil {
		err = c.Turns(ctx, 1, func(ctx context.Context, d peers.Driver, _ int) error {
			return leavePage(ctx, s, d, round, &want)
		})
	}
	return c.Only(click), c.Only(fill), err
}
