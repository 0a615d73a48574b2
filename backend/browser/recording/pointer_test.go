package recording

import (
	"image"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

// TestScenes: a scene begins when a screenshot, the pointer or a title changes; a press
// and a title are shown for a while.
func TestScenes(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	f := &film{size: image.Pt(100, 50), shots: []still{{at: ms(200)}, {at: ms(1000)}}, marks: []mark{
		{at: ms(350), x: 0.5, y: 0.5}, {at: ms(500), x: 0.5, y: 0.5, down: true}, {at: ms(510), x: -1, title: "Click “Go”"},
	}}
	all := f.scenes(ms(4000))
	want := []scene{
		{at: 0, X: -1},
		{at: ms(200), X: 0.5, Y: 0.5},
		{at: ms(300), X: 0.5, Y: 0.5, Down: true},
		{at: ms(400), X: 0.5, Y: 0.5, Down: true, Title: "Click “Go”"},
		{at: ms(800), shot: 1, X: 0.5, Y: 0.5, Title: "Click “Go”"},
		{at: ms(2900), shot: 1, X: 0.5, Y: 0.5},
	}
	if len(all) != len(want) {
		t.Fatalf("%+v", all)
	}
	for i := range want {
		if all[i] != want[i] {
			t.Errorf("scene %d is %+v, want %+v", i, all[i], want[i])
		}
	}
	f.marks = nil
	for i := range 5000 {
		f.marks = append(f.marks, mark{at: time.Duration(i) * 100 * time.Millisecond, x: float64(i%100) / 100})
	}
	if n := len(f.scenes(500 * time.Second)); n > recordFrames || n < recordFrames/2 {
		t.Errorf("a long film has %d scenes", n)
	}
}

// TestPoint: a frame's pointer is placed by the screen; before the page has reported,
// and outside of it, there is none.
func TestPoint(t *testing.T) {
	f := &film{began: time.Now()}
	f.point(report{X: 5, Y: 5, SX: 105, SY: 205})
	f.point(report{Top: true, X: 10, Y: 20, SX: 110, SY: 220, W: 200, H: 100})
	f.point(report{X: 5, Y: 5, SX: 200, SY: 250, Down: true})
	f.point(report{X: 5, Y: 5, SX: 20, SY: 250})
	if len(f.marks) != 2 || f.marks[0].x != 0.05 || f.marks[1].x != 0.5 || f.marks[1].y != 0.5 || !f.marks[1].down {
		t.Errorf("%+v", f.marks)
	}
}

func TestTitles(t *testing.T) {
	for _, c := range []struct {
		step protocol.RecordedStep
		want string
	}{
		{protocol.RecordedStep{Do: "goto", URL: "https://shop.example/cart/?q=1"}, "Open shop.example/cart"},
		{protocol.RecordedStep{Do: "goto", URL: "about:blank"}, "Open a page"},
		{protocol.RecordedStep{Do: "click", Role: "button", Name: "Pay\n now"}, "Click “Pay now”"},
		{protocol.RecordedStep{Do: "click", Role: "link"}, "Click link"},
		{protocol.RecordedStep{Do: "dblclick"}, "Double-click"},
		{protocol.RecordedStep{Do: "rightclick", Name: "a"}, "Right-click “a”"},
		{protocol.RecordedStep{Do: "fill", Name: "Name", Value: "Ann"}, "Type “Ann” into “Name”"},
		{protocol.RecordedStep{Do: "fill", Name: "PIN", Secret: true}, "Type a secret into “PIN”"},
		{protocol.RecordedStep{Do: "select", Value: "Blue"}, "Choose “Blue”"},
		{protocol.RecordedStep{Do: "check", Name: "a"}, "Check “a”"},
		{protocol.RecordedStep{Do: "uncheck", Name: "a"}, "Uncheck “a”"},
		{protocol.RecordedStep{Do: "press", Value: "Enter"}, "Press Enter"},
		{protocol.RecordedStep{Do: "upload", Value: "a.txt"}, "Upload “a.txt”"},
		{protocol.RecordedStep{Do: "other"}, ""},
	} {
		if got := titleOf(c.step); got != c.want {
			t.Errorf("%+v is %q", c.step, got)
		}
	}
	if got := clip(strings.Repeat("ä", 100)); len([]rune(got)) != titleLength {
		t.Errorf("it has %d characters", len([]rune(got)))
	}
}
