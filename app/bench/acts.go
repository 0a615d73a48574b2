package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The limits of acting on pages, each as a ratio to the best peer of the same run.
// The bare protocol, which loads pages without watching them, is shown beside and is
// no limit (docs/adr/080-cost-of-an-action.md).
const (
	cliActMost = 1.3
	mcpActMost = 1
)

// actBenches measure actions by whole processes and over MCP.
func actBenches() []bench {
	return []bench{
		{rows: []string{"cli.click", "cli.fill", "cli.goto", "click.covered"}, run: cliActs},
		{rows: []string{"mcp.click", "mcp.fill"}, run: mcpActs},
	}
}

// actRuns is how many rounds are measured, after those that only warm the
// browsers.
func actRuns(o options) int {
	if o.quick {
		return 8
	}
	return 30
}

const actWarm = 2

// figures are the samples of one group by row.
type figures struct{ open, click, fill, covered samples }

// cliActs measures whole processes: load the page, look, click and fill by ref,
// as an agent does. What was done is read from the page's own record.
func cliActs(ctx context.Context, o options) (rows []row, err error) {
	f, c, err := acts(ctx, o, true, ourProgram(), peerProgram(), bareDriver())
	if err != nil {
		return nil, err
	}
	rows = []row{
		f.click.row("cli.click", "ms").atMost(cliActMost),
		f.fill.row("cli.fill", "ms").atMost(cliActMost),
		f.open.row("cli.goto", "ms").against(agentBrowser).atMost(cliActMost),
		f.covered.row("click.covered", "ms").atMost(1),
	}
	return c.noted(rows), nil
}

// mcpActs measures the same over MCP; ours with the report of what happened.
func mcpActs(ctx context.Context, o options) ([]row, error) {
	f, c, err := acts(ctx, o, false, peerClients()...)
	if err != nil {
		return nil, err
	}
	rows := []row{
		f.click.row("mcp.click", "ms").atMost(mcpActMost),
		f.fill.row("mcp.fill", "ms").atMost(mcpActMost),
	}
	return c.noted(rows), nil
}

func acts(ctx context.Context, o options, covered bool, entrants ...entrant) (f figures, c *company, err error) {
	s := newSite()
	defer s.Close()
	f = figures{samples{}, samples{}, samples{}, samples{}}
	if c, err = gather(ctx, s.URL+"/empty", entrants...); err != nil {
		return f, nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	err = c.turns(ctx, actRuns(o)+actWarm, func(ctx context.Context, d driver, i int) error {
		keep := func(s samples, took float64) {
			if i >= actWarm {
				s.add(d.name(), took)
			}
		}
		opened, err := d.open(ctx, s.act(d.name(), i))
		if err != nil {
			return err
		}
		keep(f.open, opened)
		if d.name() == bareName {
			return leavePage(ctx, s, d, i, nil)
		}
		text, _, err := d.look(ctx)
		if err != nil {
			return err
		}
		add, err := refIn(text, "Add")
		if err != nil {
			return err
		}
		name, err := refIn(text, "Name")
		if err != nil {
			return err
		}
		clicked, err := d.click(ctx, add)
		if err != nil {
			return err
		}
		value := fmt.Sprintf("Name %d", i)
		filled, err := d.fill(ctx, name, value)
		if err != nil {
			return err
		}
		keep(f.click, clicked)
		keep(f.fill, filled)
		if !covered {
			return leavePage(ctx, s, d, i, &record{Clicked: []string{"b"}, Value: value})
		}
		return clickCovered(ctx, s, d, i, text, value, func(took float64) { keep(f.covered, took) })
	})
	for _, s := range []samples{f.open, f.click, f.fill, f.covered} {
		c.only(s)
	}
	return f, c, err
}

// clickCovered clicks a button that lies under something. Only a refusal counts,
// and for us that it says by what; the page knows better than any reply whether
// something was clicked after all.
func clickCovered(ctx context.Context, s *site, d driver, i int, text, value string, keep func(float64)) error {
	under, err := refIn(text, "Covered")
	if err != nil {
		return err
	}
	took, refused := d.click(ctx, under)
	if refused != nil && (d.name() != ours || strings.Contains(refused.Error(), "Cookies")) {
		keep(took)
		return leavePage(ctx, s, d, i, &record{Clicked: []string{"b"}, Value: value})
	}
	if d.name() == ours {
		return fmt.Errorf("a covered button was not refused as such: %w", refused)
	}
	return leavePage(ctx, s, d, i, nil)
}

// leavePage leaves a page and compares its record with what was done; nil asks
// only that there is one.
func leavePage(ctx context.Context, s *site, d driver, i int, want *record) error {
	if _, err := d.open(ctx, s.URL+"/empty"); err != nil {
		return err
	}
	got, err := s.record(ctx, d.name(), i)
	if err != nil || want == nil {
		return err
	}
	if !slices.Equal(got.Clicked, want.Clicked) || got.Value != want.Value {
		return fmt.Errorf("the page saw clicks on %v and %q in the field, not %v and %q", got.Clicked, got.Value, want.Clicked, want.Value)
	}
	return nil
}
