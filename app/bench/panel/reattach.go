package panel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pilotfish/app/bench/product"
	"pilotfish/app/bench/report"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// benchReattach closes the panel and opens it again. It measures from the click
// that opens it until its screen is painted (terminal.reattach), and until its
// terminal has shown the answer to a key pressed then (terminal.live). Apart from
// that answer, the screen must be the same as before. The floor is the panel of
// an extension that does nothing, in a bare browser: from the click that opens it
// again to the first frame of its empty page. Half of the floor is measured
// before the product and half after it, because of two browsers on one screen,
// the covered one draws nothing.
func benchReattach(ctx context.Context, o report.Options) ([]report.Row, error) {
	s, err := product.NewDesktop(ctx)
	if err != nil {
		return nil, err
	}
	took, err := reattachAll(ctx, s, o)
	if err := errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	floor := report.Median(took["empty"])
	seen := report.Row{Name: "terminal.reattach", Unit: "ms", Value: report.Median(took["seen"]), Limit: reattachLimit, Rule: report.RatioAtMost}
	live := report.Row{Name: "terminal.live", Unit: "ms", Value: report.Median(took["live"]), Rule: report.Informs}
	return []report.Row{
		seen.With99(slices.Max(took["seen"])).Beside(floor),
		live.With99(slices.Max(took["live"])).Beside(floor),
	}, nil
}

// reattachLimit is the largest allowed ratio of a panel with a terminal to the
// floor.
const reattachLimit = 2

func reattachAll(ctx context.Context, s *product.Desktop, o report.Options) (took report.Samples, err error) {
	runs := 15 // as many as for a start: medians of seven differ by a tenth
	if o.Quick {
		runs = 3
	}
	took = report.Samples{}
	for _, half := range []func() error{
		func() error { return reattachFloor(ctx, s, (runs+1)/2, took) },
		func() error { return reattachOurs(ctx, s, runs, took) },
		func() error { return reattachFloor(ctx, s, (runs+1)/2, took) },
	} {
		if err := half(); err != nil {
			return nil, err
		}
	}
	return took, nil
}

// reattachFloor opens the panel of a bare browser repeatedly.
func reattachFloor(ctx context.Context, s *product.Desktop, runs int, took report.Samples) (err error) {
	idle := filepath.Join(s.Dir, "idle")
	if _, err := os.Stat(idle); err != nil {
		if idle, err = idleExtension(s); err != nil {
			return err
		}
	}
	bare, err := startBareBrowser(ctx, s, idle)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.end()) }()
	if _, err := bareDrawn(ctx, bare.socket, true); err != nil {
		return err
	}
	empty, err := tap.Dial(ctx, bare.socket)
	if err != nil {
		return err
	}
	defer func() { _ = empty.Close() }() // the browser ends as well
	if err := empty.Discover(ctx); err != nil {
		return err
	}
	for range runs {
		began, err := reopen(ctx, empty, func() error { return empty.ClickActionAt(ctx, protocol.ExtensionID, "data:") })
		if err != nil {
			return err
		}
		page, err := empty.Await(ctx, "panel.html")
		if err != nil {
			return err
		}
		var drawn float64
		// Until only repeats this when the page's script has not run yet.
		if err := product.Until(ctx, func() error { return page.Eval(ctx, "drawn", &drawn) }); err != nil {
			return err
		}
		took.Add("empty", drawn-product.Millis(began))
	}
	return nil
}

// reattachOurs fills a terminal and opens its panel repeatedly.
func reattachOurs(ctx context.Context, s *product.Desktop, runs int, took report.Samples) (err error) {
	p, err := s.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if _, err := p.Painted(ctx, "ready>"); err != nil {
		return err
	}
	fill := `for i in $(seq 1 4000); do printf '\e[3%dmline %d of the log\e[0m\n' $((i % 7)) $i; done; echo o''ver` + "\n"
	if err := errors.Join(p.Panel.Eval(ctx, `document.querySelector('.xterm-helper-textarea').focus()`, nil), p.Panel.Type(ctx, fill)); err != nil {
		return err
	}
	r := reattach{App: p, shows: "overready> "}
	if _, err := p.Painted(ctx, r.shows); err != nil {
		return err
	}
	if r.screen, err = r.letters(ctx); err != nil {
		return err
	}
	r.screen += " " // after the prompt
	for range runs {
		if err := r.again(ctx, took); err != nil {
			return err
		}
	}
	return nil
}

// reattach is a running product with a full terminal.
type reattach struct {
	*product.App
	shows  string // the last lines on it, without line ends
	screen string
}

// letters returns the text of the visible terminal, row by row.
func (r *reattach) letters(ctx context.Context) (text string, err error) {
	err = r.Panel.Eval(ctx, `[...document.querySelector('.xterm-rows').children].map((r) => r.textContent.trimEnd()).join('\n').trim()`, &text)
	return text, err
}

// again closes the panel and opens it again.
func (r *reattach) again(ctx context.Context, took report.Samples) error {
	click := func() error { return r.Client.ClickAction(ctx, protocol.ExtensionID) }
	began, err := reopen(ctx, r.Client, click)
	if err != nil {
		return err
	}
	if err := r.AttachPanel(ctx); err != nil {
		return err
	}
	before, after := r.shows, r.shows+"x"
	seen, live, err := r.Answered(ctx, before, "x", after)
	if err != nil {
		return err
	}
	r.shows, r.screen = after, r.screen+"x"
	screen, err := r.letters(ctx)
	if err != nil {
		return err
	}
	if screen != r.screen {
		return fmt.Errorf("the screen is not the same: before\n%s\nafter\n%s", r.screen, screen)
	}
	took.Add("seen", seen-product.Millis(began))
	took.Add("live", live-product.Millis(began))
	return nil
}

// reopen closes a panel, waits until it is gone, and opens it again. It returns
// the time of the second click.
func reopen(ctx context.Context, client *tap.Client, click func() error) (time.Time, error) {
	if err := click(); err != nil {
		return time.Time{}, err
	}
	if err := product.Until(ctx, func() error {
		// Only list the targets: a page that is attached to while it closes never
		// answers.
		targets, err := client.Targets(ctx)
		if err == nil && slices.ContainsFunc(targets, func(t tap.Target) bool { return strings.Contains(t.URL, "panel.html") }) {
			return errors.New("the panel is still there")
		}
		return err
	}); err != nil {
		return time.Time{}, err
	}
	began := time.Now()
	return began, click()
}
