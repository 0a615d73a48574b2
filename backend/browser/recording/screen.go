package recording

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
)

//go:embed film.js
var filmScript string

const (
	// filmWorld is the world of the page in which frames are drawn. The page cannot see it.
	filmWorld = "pilotfish-film"
	// titleTime is how long the title of a step is shown, and pressTime how long a press
	// of the pointer.
	titleTime = 2500 * time.Millisecond
	pressTime = 400 * time.Millisecond
	// frameWait limits the drawing of one frame: a page that hangs must not hold us.
	frameWait = 20 * time.Second
)

// scene is what one frame of a film shows.
type scene struct {
	at    time.Duration // from the start of the film
	shot  int           // index of the screenshot
	X     float64       `json:"x"` // of the pointer, as a share of the width; negative before it is known
	Y     float64       `json:"y"`
	Down  bool          `json:"down"`
	Title string        `json:"title"`
}

// scenes returns what changes in the film, and when: a screenshot, the pointer, or a
// title. There are at most recordFrames.
func (f *film) scenes(total time.Duration) []scene {
	begun := f.shots[0].at
	slot := max(time.Second/recordRate, (total-begun)/recordFrames)
	var out []scene
	now := scene{X: -1}
	shot, next := 0, 0
	pressed, titled := -time.Hour, -time.Hour
	for at := begun; at <= total && len(out) < recordFrames; at += slot {
		for shot+1 < len(f.shots) && f.shots[shot+1].at <= at {
			shot++
		}
		for ; next < len(f.marks) && f.marks[next].at <= at; next++ {
			m := f.marks[next]
			if m.title != "" {
				now.Title, titled = m.title, m.at
				continue
			}
			now.X, now.Y = m.x, m.y
			if m.down {
				pressed = m.at
			}
		}
		if at-titled > titleTime {
			now.Title = ""
		}
		now.shot, now.Down, now.at = shot, at-pressed <= pressTime, at-begun
		if n := len(out); n == 0 || out[n-1].shot != now.shot || out[n-1].X != now.X || out[n-1].Y != now.Y || out[n-1].Down != now.Down || out[n-1].Title != now.Title {
			out = append(out, now)
		}
	}
	return out
}

// writeWebM writes the film with pointer and titles. The tab's browser draws and encodes
// each frame, in a canvas that the page does not see.
func (f *film) writeWebM(ctx context.Context, s *devtools.Session, w io.WriteSeeker, total time.Duration) error {
	if s == nil {
		return errors.New("the tab is gone")
	}
	world, err := cdp.Call(ctx, s, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: cdp.FrameID(s.Target), WorldName: filmWorld})
	if err != nil {
		return err
	}
	if _, err := devtools.Evaluate[any](ctx, s, fmt.Sprintf("(%s)(%d, %d)", filmScript, f.size.X, f.size.Y), world.ExecutionContextID); err != nil {
		return err
	}
	return writeWebM(w, f.size, total-f.shots[0].at, f.drawn(ctx, s, world.ExecutionContextID, f.scenes(total)))
}

// drawn draws the frames of a film, one after the other.
func (f *film) drawn(ctx context.Context, s *devtools.Session, world runtime.ExecutionContextID, scenes []scene) iter.Seq2[webmFrame, error] {
	return func(yield func(webmFrame, error) bool) {
		last := -1
		for _, one := range scenes {
			data, err := f.draw(ctx, s, world, one, one.shot != last)
			if err != nil {
				yield(webmFrame{}, err)
				return
			}
			if last = one.shot; !yield(webmFrame{At: one.at, Data: data}, nil) {
				return
			}
		}
	}
}

// draw returns one frame. The screenshot is sent only when it is another one.
func (f *film) draw(ctx context.Context, s *devtools.Session, world runtime.ExecutionContextID, one scene, fresh bool) ([]byte, error) {
	picture := ""
	if fresh {
		data, err := f.read(f.shots[one.shot])
		if err != nil {
			return nil, err
		}
		picture = base64.StdEncoding.EncodeToString(data)
	}
	with, err := json.Marshal(one)
	if err != nil {
		return nil, err
	}
	inner, cancel := context.WithTimeout(ctx, frameWait)
	defer cancel()
	text, err := devtools.Evaluate[string](inner, s, fmt.Sprintf("pilotfishDraw(%q, %s)", picture, with), world)
	if err != nil {
		return nil, fmt.Errorf("drawing a frame: %w", err)
	}
	image, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("drawing a frame: %w", err)
	}
	return vp8Frame(image)
}
