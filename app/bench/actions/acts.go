// Package actions measures the actions of agents on pages.
package actions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/report"
	"pilotfish/app/bench/site"
)

// The limits of actions on pages, each as a ratio to the best peer of the same
// run. The bare protocol, which loads pages without watching them, is shown
// beside them for information only (docs/adr/080-cost-of-an-action.md).
const (
	cliActMost = 1.3
	mcpActMost = 1
)

// Benches measure actions with whole processes and over MCP.
func Benches() []report.Bench {
	return []report.Bench{
		{Rows: []string{"cli.click", "cli.fill", "cli.goto", "click.covered"}, Run: cliActs},
		{Rows: []string{"mcp.click", "mcp.fill"}, Run: mcpActs},
	}
}

// actRuns is how many rounds are measured, after rounds that only warm up the
// browsers.
func actRuns(o report.Options) int {
	if o.Quick {
		return 8
	}
	return 30
}

const actWarm = 2

// figures are the samples of one group, by row.
type figures struct{ open, click, fill, covered report.Samples }

// cliActs measures whole processes: load the page, take a snapshot, click and
// fill by ref, as an agent does. The page's own record says what was really done.
func cliActs(ctx context.Context, o report.Options) (rows []report.Row, err error) {
	f, c, err := acts(ctx, o, true, peers.OurProgram(), peers.PeerProgram(), peers.BareDriver())
	if err != nil {
		return nil, err
	}
	rows = []report.Row{
		f.click.Row("cli.click", "ms").AtMost(cliActMost),
		f.fill.Row("cli.fill", "ms").AtMost(cliActMost),
		f.open.Row("cli.goto", "ms").Against(peers.AgentBrowser).AtMost(cliActMost),
		f.covered.Row("click.covered", "ms").AtMost(1),
	}
	return c.Noted(rows), nil
}

// mcpActs measures the same over MCP. Our replies include the report of the
// effect.
func mcpActs(ctx context.Context, o report.Options) ([]report.Row, error) {
	f, c, err := acts(ctx, o, false, peers.PeerClients()...)
	if err != nil {
		return nil, err
	}
	rows := []report.Row{
		f.click.Row("mcp.click", "ms").AtMost(mcpActMost),
		f.fill.Row("mcp.fill", "ms").AtMost(mcpActMost),
	}
	return c.Noted(rows), nil
}

func acts(ctx context.Context, o report.Options, covered bool, entrants ...peers.Entrant) (f figures, c *peers.Group, err error) {
	s := site.New()
	defer s.Close()
	f = figures{report.Samples{}, report.Samples{}, report.Samples{}, report.Samples{}}
	if c, err = peers.Gather(ctx, s.URL+"/empty", entrants...); err != nil {
		return f, nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	err = c.Turns(ctx, actRuns(o)+actWarm, func(ctx context.Context, d peers.Driver, i int) error {
		keep := func(s report.Samples, took float64) {
			if i >= actWarm {
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
		text, _, err := d.Snapshot(ctx)
		if err != nil {
			return err
		}
		add, err := peers.RefIn(text, "Add")
		if err != nil {
			return err
		}
		name, err := peers.RefIn(text, "Name")
		if err != nil {
			return err
		}
		clicked, err := d.Click(ctx, add)
		if err != nil {
			return err
		}
		value := fmt.Sprintf("Name %d", i)
		filled, err := d.Fill(ctx, name, value)
		if err != nil {
			return err
		}
		keep(f.click, clicked)
		keep(f.fill, filled)
		if !covered {
			return leavePage(ctx, s, d, i, &site.Record{Clicked: []string{"b"}, Value: value})
		}
		return clickCovered(ctx, s, d, i, text, value, func(took float64) { keep(f.covered, took) })
	})
	for _, s := range []report.Samples{f.open, f.click, f.fill, f.covered} {
		c.Only(s)
	}
	return f, c, err
}

// clickCovered clicks a covered button. Only a refusal is correct, and our
// refusal must also name the covering element. The page's record says whether
// something was clicked anyway.
func clickCovered(ctx context.Context, s *site.Site, d peers.Driver, i int, text, value string, keep func(float64)) error {
	under, err := peers.RefIn(text, "Covered")
	if err != nil {
		return err
	}
	took, refused := d.Click(ctx, under)
	if refused != nil && (d.Name() != report.Ours || strings.Contains(refused.Error(), "Cookies")) {
		keep(took)
		return leavePage(ctx, s, d, i, &site.Record{Clicked: []string{"b"}, Value: value})
	}
	if d.Name() == report.Ours {
		return fmt.Errorf("a covered button was not refused as such: %w", refused)
	}
	return leavePage(ctx, s, d, i, nil)
}

// leavePage leaves a page and compares its record with want; with nil it only
// checks that there is a record.
func leavePage(ctx context.Context, s *site.Site, d peers.Driver, i int, want *site.Record) error {
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
