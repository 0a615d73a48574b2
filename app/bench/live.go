package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/product"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// The limits of the live view are 1.5 times the worst ratios that ADR 274 records. The
// floor needs one browser, and the live view two.
const (
	liveClickLimit = 5
	liveRateLimit  = 0.2
)

// livePage changes its colour when the left button is pressed, and moves with the middle one.
const livePage = `<!doctype html><title>Live</title><style>
body { margin: 0; height: 100vh; background: red }
p { position: fixed; left: 0; top: 0; margin: 0 }
.on p { animation: move 1s linear infinite }
@keyframes move { to { left: 50vw } }
</style><p>moves</p><script>
onmousedown = (e) => {
  if (e.button === 1) document.body.classList.toggle('on')
  else document.body.style.background = document.body.style.background === 'lime' ? 'red' : 'lime'
}
</script>`

// liveBenches measure the live view of the control page.
func liveBenches() []bench {
	return []bench{{rows: []string{"live.click", "live.rate"}, run: live}}
}

// live clicks in a live view, in a browser of the user. It measures from the press there
// until the changed picture is drawn there (live.click), and how many pictures a second are
// drawn of a page that moves (live.rate). The floor is a program that speaks the bare
// protocol with the same tab: from the press to the next picture that the browser sends.
func live(ctx context.Context, o options) (rows []row, err error) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(livePage)) // the browser may be gone
	}))
	defer site.Close()
	clicks, rates := peers.Samples{}, peers.Samples{}
	err = product.OnDesktop(ctx, func(s *product.Desktop) error {
		return s.Prompted(ctx, func(p *product.App) error {
			_, page, err := watched(ctx, p, site.URL)
			if err != nil {
				return err
			}
			user, err := s.StartBare(ctx, false)
			if err != nil {
				return err
			}
			defer func() { _ = user.Close() }() // what was measured counts
			ours, err := openView(ctx, s, p, user)
			if err != nil {
				return fmt.Errorf("opening the control page: %w", err)
			}
			floor := cast(ctx, page)
			for range o.runs(5, 2) {
				for _, v := range []*viewer{floor, ours} {
					if err := v.measure(ctx, clicks, rates); err != nil {
						return fmt.Errorf("%s: %w", v.name, err)
					}
				}
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	rate := row{Name: "live.rate", Unit: "1/s", Value: percentile(rates[peers.Ours], 0.5)}.beside(peers.BareName, percentile(rates[peers.BareName], 0.5))
	rate.Rule, rate.Limit = ratioAtLeast, liveRateLimit
	return []row{
		compared("live.click", clicks).atMost(liveClickLimit),
		rate,
	}, nil
}

// viewer sees a tab, and presses in it.
type viewer struct {
	name string
	page *tap.Page // takes the presses
	x, y float64
	// begin and end begin and end to show the tab; nil if it is shown always.
	begin, end func() error
	pictures   chan time.Time // when each was seen
}

// see notes that a picture is there now.
func (v *viewer) see() {
	select {
	case v.pictures <- time.Now():
	default: // nobody counts
	}
}

// measure presses a few times, and counts the pictures of two seconds.
func (v *viewer) measure(ctx context.Context, clicks, rates peers.Samples) error {
	if v.begin != nil {
		if err := v.begin(); err != nil {
			return err
		}
		defer func() { _ = v.end() }()
	}
	for range 6 {
		v.quiet()
		began := time.Now()
		if err := v.press(ctx, "left"); err != nil {
			return err
		}
		select {
		case at := <-v.pictures:
			clicks.Add(v.name, float64(at.Sub(began).Microseconds())/1000)
		case <-time.After(10 * time.Second):
			return errors.New("a click shows nothing")
		}
	}
	if err := v.press(ctx, "middle"); err != nil {
		return err
	}
	v.count(300 * time.Millisecond) // until it moves
	const during = 2 * time.Second
	rates.Add(v.name, float64(v.count(during))/during.Seconds())
	return v.press(ctx, "middle")
}

// quiet waits until no picture has come for 200 ms.
func (v *viewer) quiet() {
	for v.count(200*time.Millisecond) > 0 {
		continue
	}
}

// count counts the pictures until a time has passed.
func (v *viewer) count(during time.Duration) (n int) {
	for end := time.After(during); ; n++ {
		select {
		case <-v.pictures:
		case <-end:
			return n
		}
	}
}

func (v *viewer) press(ctx context.Context, button string) error {
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		err := v.page.Call(ctx, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": v.x, "y": v.y, "button": button, "clickCount": 1}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// cast is the bare protocol: a program that gets the pictures of a tab, as the live view
// has them, and acknowledges each at once.
func cast(ctx context.Context, page *tap.Page) *viewer {
	v := &viewer{name: peers.BareName, page: page, x: 300, y: 300, pictures: make(chan time.Time, 1000)}
	seen := make(chan int, 1000)
	page.Hear("Page.screencastFrame", func(params json.RawMessage) {
		var frame struct {
			SessionID int `json:"sessionId"`
		}
		if json.Unmarshal(params, &frame) == nil {
			v.see()
			seen <- frame.SessionID
		}
	})
	go func() {
		for {
			select {
			case id := <-seen:
				_ = page.Call(ctx, "Page.screencastFrameAck", map[string]any{"sessionId": id}, nil)
			case <-ctx.Done():
				return
			}
		}
	}()
	v.begin = func() error {
		err := page.Call(ctx, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
		if err != nil {
			return err
		}
		return page.Call(ctx, "Page.startScreencast", map[string]any{"format": "jpeg", "quality": 65, "maxWidth": 1600, "maxHeight": 1200}, nil)
	}
	v.end = func() error { return page.Call(ctx, "Page.stopScreencast", nil, nil) }
	return v
}

// viewTab is a script of the control page that opens the live view of the page, calls seen
// when a picture is drawn, and returns the middle of the view.
const viewTab = `(async () => {
	const find = async (what) => {
		for (;;) {
			const found = what()
			if (found) return found
			await new Promise(requestAnimationFrame)
		}
	}
	const tab = await find(() => [...document.querySelectorAll('[title^="View t"]')].find((one) => one.textContent.includes('Live')))
	tab.click()
	const canvas = await find(() => document.querySelector('canvas:not(.off)'))
	const draw = CanvasRenderingContext2D.prototype.drawImage
	CanvasRenderingContext2D.prototype.drawImage = function (...args) {
		draw.apply(this, args)
		seen('')
	}
	const {x, y, width, height} = canvas.getBoundingClientRect()
	return [x + width / 2, y + height / 2]
})()`

// openView opens the live view in the user's browser.
func openView(ctx context.Context, s *product.Desktop, p *product.App, user *product.Bare) (*viewer, error) {
	cmd := exec.CommandContext(ctx, filepath.Join("build", "bin", "pilotfish"), "control")
	cmd.Env = append(s.Screen.Env(), protocol.EnvHome+"="+p.Home)
	said, err := cmd.CombinedOutput()
	address := regexp.MustCompile(`http://\S+`).FindString(string(said))
	if err != nil || address == "" {
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	v := &viewer{name: peers.Ours, pictures: make(chan time.Time, 1000)}
	if v.page, err = user.Client.Await(ctx, "data:text/html"); err != nil {
		return nil, err
	}
	v.page.Hear("Runtime.bindingCalled", func(json.RawMessage) { v.see() })
	for _, call := range []struct {
		method string
		params map[string]any
	}{{"Runtime.enable", nil}, {"Runtime.addBinding", map[string]any{"name": "seen"}}, {"Page.navigate", map[string]any{"url": address}}} {
		if err := v.page.Call(ctx, call.method, call.params, nil); err != nil {
			return nil, err
		}
	}
	var middle [2]float64
	if err := v.page.Eval(ctx, viewTab, &middle); err != nil {
		return nil, err
	}
	v.x, v.y = middle[0], middle[1]
	return v, nil
}
