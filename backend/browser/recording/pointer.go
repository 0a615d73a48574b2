package recording

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"pilotfish/backend/protocol"
)

// The limits of what a film shows besides the page.
const (
	// filmMarks limits how many positions and titles are kept.
	filmMarks = 20_000
	// titleLength is how much of a text a title shows, in characters.
	titleLength = 60
)

// report is what the page's script reports: a step, or where the pointer is.
type report struct {
	protocol.RecordedStep
	// X and Y are in the frame, SX and SY on the screen, W and H the size of the frame's
	// viewport, all in CSS pixels. Top: the frame is the page itself.
	X, Y, SX, SY, W, H float64
	Top, Down          bool
}

// mark is where the pointer was, or what was done, at a time of a film.
type mark struct {
	at time.Duration // since the start
	// x and y are shares of the page's width and height.
	x, y  float64
	down  bool
	title string
}

// parse reads a report of the page's script.
func parse(payload string) (report, bool) {
	var r report
	err := json.Unmarshal([]byte(payload), &r)
	return r, err == nil && r.Do != ""
}

// point keeps where the pointer is. A frame knows its own coordinates and those of the
// screen; where the page is on the screen, only the page itself reports.
func (f *film) point(r report) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x, y := r.X, r.Y
	if r.Top {
		f.left, f.top, f.width, f.height = r.SX-r.X, r.SY-r.Y, r.W, r.H
	} else {
		x, y = r.SX-f.left, r.SY-f.top
	}
	if f.width <= 0 || f.height <= 0 || x < 0 || y < 0 || x > f.width || y > f.height || len(f.marks) >= filmMarks {
		return
	}
	f.marks = append(f.marks, mark{at: time.Since(f.began), x: x / f.width, y: y / f.height, down: r.Down})
}

// caption keeps the title of a step.
func (f *film) caption(step protocol.RecordedStep) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if title := titleOf(step); title != "" && len(f.marks) < filmMarks {
		f.marks = append(f.marks, mark{at: time.Since(f.began), x: -1, title: title})
	}
}

// titleOf says what a step does, for the viewer of a film. It never has a secret.
func titleOf(s protocol.RecordedStep) string {
	name := clip(s.Name)
	if name == "" {
		name = clip(s.Role)
	} else {
		name = "“" + name + "”"
	}
	value := "“" + clip(s.Value) + "”"
	if s.Secret {
		value = "a secret"
	}
	switch s.Do {
	case "goto":
		if u, err := url.Parse(s.URL); err == nil && u.Host != "" {
			return "Open " + clip(u.Host+strings.TrimSuffix(u.Path, "/"))
		}
		return "Open a page"
	case "click":
		return strings.TrimSpace("Click " + name)
	case "dblclick":
		return strings.TrimSpace("Double-click " + name)
	case "rightclick":
		return strings.TrimSpace("Right-click " + name)
	case "fill":
		return strings.TrimSuffix("Type "+value+" into "+name, " into ")
	case "select":
		return "Choose " + value
	case "check":
		return "Check " + name
	case "uncheck":
		return "Uncheck " + name
	case "press":
		return "Press " + clip(s.Value)
	case "upload":
		return "Upload " + value
	}
	return ""
}

// clip shortens a text of a page to one short line.
func clip(v string) string {
	line := strings.Join(strings.Fields(v), " ")
	if runes := []rune(line); len(runes) > titleLength {
		return string(runes[:titleLength-1]) + "…"
	}
	return line
}
