package panel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pilotfish/app/bench/product"
	"pilotfish/app/bench/report"
	"pilotfish/backend/protocol"
)

// Reconnect measure how the panel reconnects.
func Reconnect() []report.Bench {
	return []report.Bench{{Rows: []string{"panel.reconnect"}, Run: benchReconnect}}
}

// benchReconnect restarts the backend's server, which closes every connection and
// listens again with another key. It measures from the request until the panel's
// terminal is live again, without user action. Each time, the panel must have
// shown that it reconnects, and the same shell must answer a line that is typed
// afterwards.
func benchReconnect(ctx context.Context, o report.Options) ([]report.Row, error) {
	runs := 21
	if o.Quick {
		runs = 5
	}
	var took []float64
	err := product.Prompted(ctx, func(p *product.App) error {
		if err := p.Eval(ctx, wordsScript, nil); err != nil {
			return err
		}
		for i := range runs {
			ms, err := reconnect(ctx, p, i)
			if err != nil {
				return err
			}
			took = append(took, ms)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := report.Row{Name: "panel.reconnect", Unit: "ms", Value: report.Percentile(took, 0.5), Rule: report.Informs}
	return []report.Row{r.With99(report.Percentile(took, 0.99))}, nil
}

// wordsScript observes the terminal's state in the toolbar. benchBack returns the
// time, by the page's own clock, at which the terminal is live again after it was
// not.
const wordsScript = `(() => {
	const place = document.querySelector('header[data-toolbar]')
	let gone = false
	const waiting = []
	globalThis.benchBack = () => new Promise((resolve) => { waiting.push(resolve) })
	new MutationObserver(() => {
		const now = place.querySelector('.status').textContent
		if (now.includes('econnecting')) gone = true
		else if (gone && now.includes('Live')) {
			gone = false
			for (const resolve of waiting.splice(0)) resolve(performance.timeOrigin + performance.now())
		}
	}).observe(place, { subtree: true, childList: true, characterData: true })
})()`

func reconnect(ctx context.Context, p *product.App, i int) (float64, error) {
	type answer struct {
		at  float64
		err error
	}
	back := make(chan answer, 1)
	if err := p.Eval(ctx, `globalThis.benchNext = benchBack(), 0`, nil); err != nil {
		return 0, err
	}
	go func() {
		var a answer
		a.err = p.Eval(ctx, `benchNext`, &a.at)
		back <- a
	}()
	began := time.Now()
	if err := p.Post(ctx, "/app", protocol.AppRequest{Action: protocol.AppRestartServer}, nil); err != nil {
		return 0, err
	}
	a := <-back
	if a.err != nil {
		return 0, fmt.Errorf("waiting for the panel: %w", a.err)
	}
	if err := errors.Join(p.Panel.Eval(ctx, `document.querySelector('.xterm-helper-textarea').focus()`, nil), p.Panel.Type(ctx, fmt.Sprintf("echo again $((%d+4000))\n", i))); err != nil {
		return 0, err
	}
	if _, err := p.Painted(ctx, fmt.Sprint("again ", 4000+i)); err != nil {
		return 0, err
	}
	return a.at - product.Millis(began), nil
}
