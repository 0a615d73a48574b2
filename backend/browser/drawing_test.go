package browser

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// drawnPage draws on a canvas in every frame, counts the frames, and has two
// buttons to point at.
const drawnPage = `<!doctype html><title>Drawn</title><button id=a>A</button><button id=b>B</button><canvas id=c width=900 height=600></canvas>
<script>frames_ = 0; const ctx = c.getContext('2d'); const go = (t) => { frames_++;
	for (let i = 0; i < 100; i++) { ctx.fillStyle = 'hsl(' + (i + t / 10) + ' 80% 50%)'; ctx.fillRect((i * 37 + t / 5) % 900, (i * 53) % 600, 30, 30) }
	requestAnimationFrame(go) }; requestAnimationFrame(go)</script>`

// An action in a background tab costs about as much as in front, although the
// page draws in every frame. When no command uses the tab any more, its frames
// are no longer consumed.
func TestBackgroundTabAtFullSpeed(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, drawnPage)
	}))
	f := windowed(t)
	id := f.first(t)
	if _, err := f.Navigate(deadline(t), nobody, id, s.URL, protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	// A mouse move is aligned with a frame, and then waits for two frames without
	// a change.
	const moves = 12
	// cost returns the median, because other programs may take the processor for a while.
	cost := func() time.Duration {
		t.Helper()
		took := make([]time.Duration, moves)
		for i := range took {
			began := time.Now()
			if _, err := f.Act(ctx, nobody, id, protocol.ActRequest{Kind: protocol.ActHover, Target: []string{"#a", "#b"}[i%2]}, nil); err != nil {
				t.Fatal(err)
			}
			took[i] = time.Since(began)
		}
		slices.Sort(took)
		return took[moves/2]
	}
	cost() // the first one opens the page
	front := cost()
	if _, err := f.NewTab(ctx, id, false); err != nil {
		t.Fatal(err)
	}
	back := cost()
	t.Logf("behind %.2f of in front (%s, %s)", back.Seconds()/front.Seconds(), back, front)
	if back > 3*front {
		t.Errorf("a move takes %s behind and %s in front", back, front)
	}
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	at, _ := f.Browser.tabs.Lookup(id)
	p, err := r.page(ctx, at.Target)
	if err != nil {
		t.Fatal(err)
	}
	drawn := p.DrawnBehind
	if on, users := drawn(); !on || users != 0 {
		t.Errorf("after a command: drawn for commands %t, by %d", on, users)
	}
	for on, _ := drawn(); on && ctx.Err() == nil; on, _ = drawn() {
		select {
		case <-ctx.Done():
		case <-time.After(page.DrawnFor / 10):
		}
	}
	if on, _ := drawn(); on {
		t.Error("a tab that nobody works on is drawn for commands")
	}
}
