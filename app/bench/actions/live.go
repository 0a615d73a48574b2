package actions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"

	"pilotfish/app/bench/report"
	"pilotfish/backend/browser"
	"pilotfish/backend/browser/elementlist"
	"pilotfish/backend/protocol"
)

// liveMost is the largest allowed ratio of the time that a page needs for its changes
// while a panel follows its elements, to that of the page alone.
const liveMost = 1.2

// Live measures what it costs a page that its elements are followed.
func Live() []report.Bench {
	return []report.Bench{{Rows: []string{"elements.live"}, Run: benchLive}}
}

// livePage changes in each frame, 60 times per second: 200 buttons, of which one gets a
// new name, one is added and one is removed. run resolves to the time from the first of
// 240 changes to the last, in ms.
const livePage = `<!doctype html><title>Live</title><link rel=icon href="data:,"><main></main><script>
	const main = document.querySelector('main')
	const add = (n) => main.append(Object.assign(document.createElement('button'), { textContent: 'Button ' + n }))
	for (let n = 0; n < 200; n++) add(n)
	let n = 200
	const change = () => {
		main.firstElementChild.remove()
		add(n++)
		main.children[n % 100].textContent = 'Changed ' + n
	}
	const run = () => new Promise((done) => {
		const began = performance.now()
		let left = 240
		const next = () => {
			change()
			if (--left > 0) requestAnimationFrame(next)
			else done(performance.now() - began)
		}
		requestAnimationFrame(next)
	})
</script>`

// benchLive measures the page alone and with its elements followed, in turns.
func benchLive(ctx context.Context, o report.Options) (rows []report.Row, err error) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, livePage)
	}))
	defer s.Close()
	dir, err := os.MkdirTemp("", "pilotfish-live-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the profile: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b, stop, err := headless(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	tab := b.Tabs()[0].ID
	if _, err := b.Navigate(ctx, protocol.Caller{}, tab, s.URL, protocol.WaitLoad, nil); err != nil {
		return nil, fmt.Errorf("loading the page: %w", err)
	}
	rounds := 5
	if o.Quick {
		rounds = 3
	}
	var ours, alone []float64
	items := 0
	for range rounds {
		took, err := liveRun(ctx, b, tab)
		if err != nil {
			return nil, err
		}
		alone = append(alone, took)
		n := 0
		took, n, err = followedRun(ctx, b, tab)
		if err != nil {
			return nil, err
		}
		ours = append(ours, took)
		items += n
	}
	r := report.Row{Name: "elements.live", Unit: "ms", Value: report.Median(ours), Limit: liveMost, Rule: report.RatioAtMost, Than: "page alone"}
	r.Notes = append(r.Notes, fmt.Sprintf("%d changes of the list were pushed in %d runs of 240 frames", items, rounds))
	return []report.Row{r.Beside(report.Median(alone))}, nil
}

// liveRun runs the page's changes, and returns how long they took in ms.
func liveRun(ctx context.Context, b *browser.Browser, tab protocol.TabID) (float64, error) {
	v, err := b.Evaluate(ctx, protocol.Caller{}, tab, "run()")
	if err != nil {
		return 0, fmt.Errorf("changing the page: %w", err)
	}
	took, err := strconv.ParseFloat(string(v.Value), 64)
	if err != nil {
		return 0, fmt.Errorf("reading how long the changes took: %w", err)
	}
	return took, nil
}

// followedRun is liveRun while the elements are followed. It also returns how many
// changes of the list came.
func followedRun(ctx context.Context, b *browser.Browser, tab protocol.TabID) (took float64, items int, err error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	begun, done := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(done)
		for batch, err := range elementlist.Follow(inner, b, tab) {
			if items == 0 || err != nil {
				select {
				case begun <- err:
				default:
				}
			}
			items += len(batch)
		}
	}()
	if err := <-begun; err != nil {
		return 0, 0, fmt.Errorf("following the elements: %w", err)
	}
	took, err = liveRun(ctx, b, tab)
	cancel()
	<-done
	return took, items, err
}
