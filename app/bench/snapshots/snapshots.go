// Package snapshots measures what a model receives: the list of tools, snapshots
// and screenshots.
package snapshots

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/report"
	"pilotfish/app/bench/site"
)

// snapshotCharsPart is the largest allowed ratio of our text's length to
// Playwright MCP's.
const snapshotCharsPart = 0.6

// MCP measures snapshots over MCP.
func MCP() []report.Bench {
	return []report.Bench{{
		Rows: []string{"snapshot.form", "snapshot.1000", "snapshot.1000.chars", "snapshot.5000", "snapshot.20000"},
		Run:  looks,
	}}
}

// snapshotPage is a page to measure.
type snapshotPage struct {
	row, path string
	// shown are texts that our snapshot must contain: the last item of each kind.
	shown []string
	// than is the peer to compare with; empty for the best of the run.
	than string
	runs int
}

func looks(ctx context.Context, o report.Options) (rows []report.Row, err error) {
	runs, few := 30, 10
	if o.Quick {
		runs, few = 8, 8 // a median of fewer is noise
	}
	s := site.New()
	defer s.Close()
	c, err := peers.Gather(ctx, s.URL+"/empty", peers.PeerClients()...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for _, p := range []snapshotPage{
		{"snapshot.form", "/form", []string{"Field 14", "Yes", "Clear"}, "", runs},
		{"snapshot.1000", "/mixed", []string{"Button 799", "Button 899", "Button 999"}, "", runs},
		{"snapshot.1000.chars", "/1000", []string{"Button 0", "Button 999"}, "", 1},
		{"snapshot.5000", "/5000", []string{"Button 4999"}, "", few},
		{"snapshot.20000", "/20000", []string{"Button 39"}, peers.Devtools, few},
	} {
		took, texts, err := snapshotAll(ctx, c, s.URL+p.path, p)
		if err != nil {
			return c.Noted(rows), fmt.Errorf("%s: %w", p.row, err)
		}
		if p.row == "snapshot.1000.chars" {
			rows = append(rows, textRow(p.row, texts))
			continue
		}
		rows = append(rows, took.Row(p.row, "ms").Against(p.than).AtMost(1))
	}
	return c.Noted(rows), nil
}

// snapshotAll makes every driver load a page and take snapshots of it, in turns.
func snapshotAll(ctx context.Context, c *peers.Group, url string, p snapshotPage) (report.Samples, map[string]string, error) {
	took, texts := report.Samples{}, make(map[string]string)
	err := c.Turns(ctx, 1, func(ctx context.Context, d peers.Driver, _ int) error {
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
			if d.Name() == report.Ours && !strings.Contains(text, name) {
				return fmt.Errorf("%s is not in %.300q", name, text)
			}
		}
		texts[d.Name()] = text
		if i > 0 { // the first one meets a new page
			took.Add(d.Name(), ms)
		}
		return nil
	})
	return c.Only(took), texts, err
}

// textRow compares the sizes of the texts for the same page. It contains every
// peer's size. The reference is Playwright MCP's, for which the limit was chosen.
func textRow(name string, texts map[string]string) report.Row {
	r := report.Row{Name: name, Unit: "chars", Value: float64(utf8.RuneCountInString(texts[report.Ours])), Limit: snapshotCharsPart, Rule: report.RatioAtMost}
	for peer, text := range texts {
		if peer != report.Ours {
			r = r.Peer(peer, float64(utf8.RuneCountInString(text)))
		}
	}
	return r.Against(peers.Playwright)
}
