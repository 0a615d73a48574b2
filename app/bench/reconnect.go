package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pilotfish/backend/protocol"
)

// reconnectBenches measure the way back.
func reconnectBenches() []bench {
	return []bench{{rows: []string{"panel.reconnect"}, run: benchReconnect}}
}

// benchReconnect restarts the backend's server, which ends every connection and
// listens anew with another key, and measures from the request to the moment in
// which the panel's terminal is live again, by itself. Each time the panel must
// have said meanwhile that it reconnects, and a line that is typed after it must be
// answered by the same shell.
func benchReconnect(ctx context.Context, o options) ([]row, error) {
	runs := 21
	if o.quick {
		runs = 5
	}
	var took []float64
	err := prompted(ctx, func(p *play) error {
		if err := p.look(ctx, wordsScript, nil); err != nil {
			return err
		}
		for i := range runs {
			ms, err := p.reconnect(ctx, i)
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
	r := row{Name: "panel.reconnect", Unit: "ms", Value: percentile(took, 0.5), Rule: informs}
	return []row{r.with99(percentile(took, 0.99))}, nil
}

// wordsScript follows what the toolbar says of the terminal. back gives the time
// at which it is live after it was not, by the page's own clock.
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

func (p *play) reconnect(ctx context.Context, i int) (float64, error) {
	type answer struct {
		at  float64
		err error
	}
	back := make(chan answer, 1)
	if err := p.look(ctx, `globalThis.benchNext = benchBack(), 0`, nil); err != nil {
		return 0, err
	}
	go func() {
		var a answer
		a.err = p.look(ctx, `benchNext`, &a.at)
		back <- a
	}()
	began := time.Now()
	if err := p.chat(ctx, "/app", protocol.AppRequest{Action: protocol.AppRestartServer}, nil); err != nil {
		return 0, err
	}
	a := <-back
	if a.err != nil {
		return 0, fmt.Errorf("waiting for the panel: %w", a.err)
	}
	if err := errors.Join(p.panel.Eval(ctx, `document.querySelector('.xterm-helper-textarea').focus()`, nil), p.panel.Type(ctx, fmt.Sprintf("echo again $((%d+4000))\n", i))); err != nil {
		return 0, err
	}
	if _, err := p.painted(ctx, fmt.Sprint("again ", 4000+i)); err != nil {
		return 0, err
	}
	return a.at - millis(began), nil
}
