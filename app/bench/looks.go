package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The limits of looking at pages, in ms where nothing else is said.
const (
	snapshotFormMost = 14
	snapshot1000Most = 60
	// snapshotCharsPart is the part of Playwright MCP's text that ours may have.
	snapshotCharsPart = 0.6
)

// lookBenches measure snapshots over MCP.
func lookBenches() []bench {
	return []bench{{
		rows: []string{"snapshot.form", "snapshot.1000", "snapshot.1000.chars", "snapshot.5000", "snapshot.20000"},
		run:  looks,
	}}
}

// lookPage is a page that is looked at.
type lookPage struct {
	row, path string
	// shown are things that our text must have: the last of each kind.
	shown []string
	limit float64
	runs  int
}

func looks(ctx context.Context, o options) (rows []row, err error) {
	runs, few := 30, 10
	if o.quick {
		runs, few = 8, 3
	}
	s := newSite()
	defer s.Close()
	c, err := gather(ctx, s.URL+"/empty", peerClients()...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	for _, p := range []lookPage{
		{"snapshot.form", "/form", []string{"Field 14", "Yes", "Clear"}, snapshotFormMost, runs},
		{"snapshot.1000", "/mixed", []string{"Button 799", "Button 899", "Button 999"}, snapshot1000Most, runs},
		{"snapshot.1000.chars", "/1000", []string{"Button 0", "Button 999"}, 0, 1},
		{"snapshot.5000", "/5000", []string{"Button 4999"}, 0, few},
		{"snapshot.20000", "/20000", []string{"Button 39"}, 0, few},
	} {
		took, texts, err := c.look(ctx, s.URL+p.path, p)
		if err != nil {
			return c.noted(rows), fmt.Errorf("%s: %w", p.row, err)
		}
		switch {
		case p.row == "snapshot.1000.chars":
			rows = append(rows, textRow(p.row, texts))
		case p.limit == 0:
			r := took.row(p.row, "ms", 0)
			r.Rule = informs
			rows = append(rows, r)
		default:
			rows = append(rows, took.row(p.row, "ms", p.limit).noSlower())
		}
	}
	return c.noted(rows), nil
}

// look has everybody load a page and look at it, by turns.
func (c *company) look(ctx context.Context, url string, p lookPage) (samples, map[string]string, error) {
	took, texts := samples{}, make(map[string]string)
	err := c.turns(ctx, 1, func(ctx context.Context, d driver, _ int) error {
		_, err := d.open(ctx, url)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	err = c.turns(ctx, p.runs+1, func(ctx context.Context, d driver, i int) error {
		text, ms, err := d.look(ctx)
		if err != nil {
			return err
		}
		for _, name := range p.shown {
			if d.name() == ours && !strings.Contains(text, name) {
				return fmt.Errorf("%s is not in %.300q", name, text)
			}
		}
		texts[d.name()] = text
		if i > 0 { // the first one meets a page that is new
			took.add(d.name(), ms)
		}
		return nil
	})
	return c.only(took), texts, err
}

// textRow compares the sizes of texts of the same page. Each peer's is there;
// the reference is Playwright MCP's, which is the one that the limit was set by.
func textRow(name string, texts map[string]string) row {
	r := row{Name: name, Unit: "chars", Value: float64(utf8.RuneCountInString(texts[ours])), Limit: snapshotCharsPart, Rule: ratioAtMost}
	for peer, text := range texts {
		if peer != ours {
			r = r.peer(peer, float64(utf8.RuneCountInString(text)))
		}
	}
	return r.against(playwright)
}
