package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/product"
	"pilotfish/backend/protocol"
)

// snapshotBenches measure what a model receives: the list of tools, snapshots and
// screenshots.
func snapshotBenches() []bench {
	return []bench{
		{rows: []string{"mcp.schema.chars"}, run: schema},
		{rows: []string{"snapshot.form", "snapshot.1000", "snapshot.1000.chars", "snapshot.5000", "snapshot.20000"}, run: snapshots},
		{rows: []string{"screenshot.viewport"}, run: viewport},
		{rows: []string{"screenshot.annotated"}, run: annotated},
	}
}

// schema measures what a model must read before its first action: the size of
// tools/list as a client receives it.
func schema(ctx context.Context, _ options) ([]row, error) {
	return onSite(ctx, "/empty", func(_ *product.Site, c *peers.Group) ([]row, error) {
		size := map[string]float64{}
		err := c.Turns(ctx, 1, func(ctx context.Context, d peers.Driver, _ int) error {
			server, ok := d.(*peers.Client)
			if !ok {
				return errors.New("it has no tools")
			}
			list, err := server.Tools(ctx)
			if err != nil {
				return fmt.Errorf("listing the tools: %w", err)
			}
			text, err := json.Marshal(list)
			size[d.Name()] = float64(utf8.RuneCount(text))
			return err
		})
		r := sizes("mcp.schema.chars", size)
		r.Rule, r.Limit = valueAtMost, protocol.MCPSchemaChars
		return []row{r}, err
	}, peers.PeerClients()...)
}

// sizes is a row of numbers of characters, without a limit.
func sizes(name string, chars map[string]float64) row {
	r := row{Name: name, Unit: "chars", Value: chars[peers.Ours], Rule: noLimit}
	for peer, size := range chars {
		if peer != peers.Ours {
			r = r.peer(peer, size)
		}
	}
	return r
}

// largeLimit is 1.5 times the worst ratio that ADR 180 records for snapshot.20000
// (0.86 to 1.27, by the machine). It was 2.2 before the decisions of that record.
const largeLimit = 1.9

// snapshotPage is a page to measure.
type snapshotPage struct {
	row, path string
	// shown are texts that our snapshot must contain: the last item of each kind.
	shown []string
	runs  int
}

func snapshots(ctx context.Context, o options) ([]row, error) {
	runs, few := o.runs(30, 8), o.runs(10, 8) // a median of fewer is noise
	return onSite(ctx, "/empty", func(s *product.Site, c *peers.Group) (rows []row, err error) {
		for _, p := range []snapshotPage{
			{"snapshot.form", "/form", []string{"Field 14", "Yes", "Clear"}, runs},
			{"snapshot.1000", "/mixed", []string{"Button 799", "Button 899", "Button 999"}, runs},
			{"snapshot.1000.chars", "/1000", []string{"Button 0", "Button 999"}, 1},
			{"snapshot.5000", "/5000", []string{"Button 4999"}, few},
			{"snapshot.20000", "/20000", []string{"Button 39"}, few},
		} {
			took, chars, err := snapshotAll(ctx, c, s.URL+p.path, p)
			if err != nil {
				return rows, fmt.Errorf("%s: %w", p.row, err)
			}
			r := compared(p.row, took).atMost(1)
			switch p.row {
			case "snapshot.1000.chars": // the limit was chosen for Playwright MCP's text
				r = sizes(p.row, chars).against(peers.Playwright).atMost(0.6)
			case "snapshot.20000":
				r = compared(p.row, took).against(peers.Devtools).atMost(largeLimit)
			}
			rows = append(rows, r)
		}
		return rows, nil
	}, peers.PeerClients()...)
}

// snapshotAll makes every driver load a page and take snapshots of it, in turns. It
// returns the times, and the lengths of the texts.
func snapshotAll(ctx context.Context, c *peers.Group, url string, p snapshotPage) (took peers.Samples, chars map[string]float64, err error) {
	took, chars = peers.Samples{}, make(map[string]float64)
	err = c.Turns(ctx, 1, func(ctx context.Context, d peers.Driver, _ int) error {
		_, err := d.Open(ctx, url)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	err = c.Turns(ctx, p.runs+1, func(ctx context.Context, d peers.Driver, i int) error {
		text, ms, err := d.Snapshot(ctx)
		if err != nil {
			return err
		}
		for _, name := range p.shown {
			if d.Name() == peers.Ours && !strings.Contains(text, name) {
				return fmt.Errorf("%s is not in %.300q", name, text)
			}
		}
		chars[d.Name()] = float64(utf8.RuneCountInString(text))
		if i > 0 { // the first one meets a new page
			took.Add(d.Name(), ms)
		}
		return nil
	})
	return c.Only(took), chars, err
}

// viewport measures a screenshot of the viewport at 1280x720, over MCP, saved to a
// file.
func viewport(ctx context.Context, o options) ([]row, error) {
	return onSite(ctx, "/form", func(_ *product.Site, c *peers.Group) ([]row, error) {
		if d, ok := c.Drivers[0].(*peers.Client); ok { // the peers were started at this size
			if err := d.Run(ctx, "viewport 1280x720"); err != nil {
				return nil, err
			}
		}
		took := peers.Samples{}
		err := c.Turns(ctx, o.runs(30, 8)+1, func(ctx context.Context, d peers.Driver, i int) error {
			ms, err := d.Screenshot(ctx, false, false)
			if err == nil && i > 0 {
				took.Add(d.Name(), ms)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		return []row{compared("screenshot.viewport", c.Only(took)).atMost(1)}, nil
	}, peers.PeerClients()...)
}

// annotated measures a screenshot of a full page with 600 refs drawn on it against
// one of the same page without refs.
func annotated(ctx context.Context, o options) ([]row, error) {
	return onSite(ctx, "/labels", func(_ *product.Site, c *peers.Group) ([]row, error) {
		plain, drawn := peers.Samples{}, peers.Samples{}
		err := c.Turns(ctx, o.runs(25, 5)+1, func(ctx context.Context, d peers.Driver, i int) error {
			for _, labels := range []bool{false, true} {
				ms, err := d.Screenshot(ctx, true, labels)
				switch {
				case err != nil:
					return err
				case i == 0: // the first one meets a new page
				case labels:
					drawn.Add(d.Name(), ms)
				default:
					plain.Add(d.Name(), ms)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		r := compared("screenshot.annotated", c.Only(drawn))
		return []row{r.beside("plain", percentile(plain[peers.Ours], 0.5)).atMost(1.2)}, nil
	}, peers.OurProgram(), peers.PeerProgram())
}
