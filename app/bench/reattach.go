package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/product"
)

// reattachLimit is 1.5 times the worst ratio that docs/adr/130-a-start.md records
// (1.5 to 2.5, the more the busier the machine is).
const reattachLimit = 3.75

// reattach closes the panel and opens it again. It measures from the click that
// opens it until its screen is painted (terminal.reattach), and until its terminal
// has shown the answer to a key pressed then (terminal.live). Apart from that
// answer, the screen must be the same as before. The floor is the panel of an
// extension that does nothing, in a bare browser: from the click that opens it
// again to the first frame of its empty page. Half of the floor is measured before
// the product and half after it, because of two browsers on one screen, the covered
// one draws nothing.
func reattach(ctx context.Context, o options) ([]row, error) {
	runs := o.runs(15, 3) // as many as for a start
	took := peers.Samples{}
	err := product.OnDesktop(ctx, func(s *product.Desktop) error {
		for _, part := range []func() error{
			func() error { return reattachFloor(ctx, s, (runs+1)/2, took) },
			func() error {
				return s.Prompted(ctx, func(p *product.App) error { return reattachOurs(ctx, p, runs, took) })
			},
			func() error { return reattachFloor(ctx, s, (runs+1)/2, took) },
		} {
			if err := part(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	const panel = "an empty panel"
	floor := percentile(took["empty"], 0.5)
	return []row{
		timed("terminal.reattach", took["seen"]).beside(panel, floor).atMost(reattachLimit),
		timed("terminal.live", took["live"]).beside(panel, floor),
	}, nil
}

// reattachFloor opens the panel of a bare browser repeatedly.
func reattachFloor(ctx context.Context, s *product.Desktop, runs int, took peers.Samples) (err error) {
	bare, err := s.StartBare(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.Close()) }()
	for range runs {
		began, err := product.Reopen(ctx, bare.Client, bare.ClickAction)
		if err != nil {
			return err
		}
		drawn, err := bare.Frame(ctx, "panel.html")
		if err != nil {
			return err
		}
		took.Add("empty", drawn-product.Millis(began))
	}
	return nil
}

// reattachOurs fills a terminal and opens its panel repeatedly.
func reattachOurs(ctx context.Context, p *product.App, runs int, took peers.Samples) error {
	fill := `for i in $(seq 1 4000); do printf '\e[3%dmline %d of the log\e[0m\n' $((i % 7)) $i; done; echo o''ver` + "\n"
	if err := errors.Join(p.Panel.Eval(ctx, `document.querySelector('.xterm-helper-textarea').focus()`, nil), p.Panel.Type(ctx, fill)); err != nil {
		return err
	}
	shows := "overready> " // the last lines on the screen, without line ends
	if _, err := p.Painted(ctx, shows); err != nil {
		return err
	}
	screen, err := letters(ctx, p)
	if err != nil {
		return err
	}
	screen += " " // after the prompt
	for range runs {
		var began time.Time
		if began, err = product.Reopen(ctx, p.Client, p.ClickAction); err != nil {
			return err
		}
		if err := p.AttachPanel(ctx); err != nil {
			return err
		}
		seen, live, err := p.Answered(ctx, shows, "x", shows+"x")
		if err != nil {
			return err
		}
		shows, screen = shows+"x", screen+"x"
		now, err := letters(ctx, p)
		if err != nil {
			return err
		}
		if now != screen {
			return fmt.Errorf("the screen is not the same: before\n%s\nafter\n%s", screen, now)
		}
		took.Add("seen", seen-product.Millis(began))
		took.Add("live", live-product.Millis(began))
	}
	return nil
}

// letters returns the text of the visible terminal, row by row.
func letters(ctx context.Context, p *product.App) (text string, err error) {
	err = p.Panel.Eval(ctx, `[...document.querySelector('.xterm-rows').children].map((r) => r.textContent.trimEnd()).join('\n').trim()`, &text)
	return text, err
}
