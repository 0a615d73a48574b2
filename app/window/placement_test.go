package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"pilotfish/backend/protocol"
)

func TestPlace(t *testing.T) {
	large := area{0, 0, 1920, 1050}
	right := area{1920, 30, 1280, 990}
	for _, c := range []struct {
		name  string
		was   *protocol.WindowPlacement
		areas []area
		want  area
	}{
		{"first, at the lower left", nil, []area{large}, area{0, 1050 - titleHeight - windowHeight, windowWidth, windowHeight}},
		{"first, on a small screen", nil, []area{{0, 30, 800, 560}}, area{0, 30, 800, 560 - titleHeight}},
		{"where it was", &protocol.WindowPlacement{X: 300, Y: 200, Width: 700, Height: 500}, []area{large}, area{300, 200, 700, 500}},
		{"where it was, on the second screen", &protocol.WindowPlacement{X: 2000, Y: 100, Width: 700, Height: 500}, []area{large, right}, area{2000, 100, 700, 500}},
		{"the second screen is gone", &protocol.WindowPlacement{X: 2000, Y: 100, Width: 700, Height: 500}, []area{large}, area{1220, 100, 700, 500}},
		{"it was larger than the screen", &protocol.WindowPlacement{X: -50, Y: -20, Width: 2500, Height: 1400}, []area{large}, area{0, 0, 1920, 1050 - titleHeight}},
		{"never smaller than it can be", &protocol.WindowPlacement{X: 5, Y: 5, Width: 0, Height: -3}, []area{large}, area{5, 5, windowMinWidth, windowMinHeight}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := place(c.was, c.areas); !ok || got != c.want {
				t.Errorf("placed at %v (%t), want %v", got, ok, c.want)
			}
		})
	}
	if got, ok := place(nil, nil); ok || got.width != windowWidth || got.height != windowHeight {
		t.Errorf("without a screen: %v, %t", got, ok)
	}
}

func TestMoved(t *testing.T) {
	var out bytes.Buffer
	w := &window{app: newPipe(&out), logger: slog.New(slog.DiscardHandler)}
	reported := func() *protocol.WindowPlacement {
		t.Helper()
		defer out.Reset()
		if out.Len() == 0 {
			return nil
		}
		var r protocol.WindowReport
		if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Report != protocol.ReportPlaced {
			t.Fatalf("reported %q: %v", out.String(), err)
		}
		return r.Placement
	}
	normal := area{10, 20, 700, 500}
	w.moved(normal, false)
	if got := reported(); got == nil || *got != (protocol.WindowPlacement{X: 10, Y: 20, Width: 700, Height: 500}) {
		t.Errorf("moved: %v", got)
	}
	w.moved(normal, false)
	if got := reported(); got != nil {
		t.Errorf("not moved, and reported %v", got)
	}
	w.moved(area{0, 0, 1920, 1050}, true)
	if got := reported(); got == nil || *got != (protocol.WindowPlacement{X: 10, Y: 20, Width: 700, Height: 500, Maximised: true}) {
		t.Errorf("maximised: %v", got)
	}
	w.moved(normal, false)
	if got := reported(); got == nil || got.Maximised {
		t.Errorf("no longer maximised: %v", got)
	}
}
