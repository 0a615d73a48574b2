package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// snapshotCharsPart is the part of Playwright MCP's text that ours may have.
const snapshotCharsPart = 0.6

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
	// than is the peer that ours is judged by; empty is the best of the run.
	than string
	runs int
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
		{"snapshot.form", "/form", []string{"Field 14", "Yes", "Clear"}, "", runs},
		{"snapshot.1000", "/mixed", []string{"Button 799", "Button 899", "Button 999"}, "", runs},
		{"snapshot.1000.chars", "/1000", []string{"Button 0", "Button 999"}, "", 1},
		{"snapshot.5000", "/5000", []string{"Button 4999"}, "", few},
		{"snapshot.20000", "/20000", []string{"Button 39"}, devtools, few},
	} {
		took, texts, err := c.look(ctx, s.URL+p.path, p)
		if err != nil {
			return c.noted(rows), fmt.Errorf("%s: %w", p.row, err)
		}
		if p.row == "snapshot.1000.chars" {
			rows = append(rows, textRow(p.row, texts))
			continue
		}
		rows = append(rows, took.row(p.row, "ms").against(p.than).atMost(1))
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
