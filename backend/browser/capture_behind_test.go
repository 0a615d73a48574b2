package browser

import (
	"bytes"
	"image/color"
	"os"
	"testing"

	"pilotfish/backend/protocol"
)

// banded is a tall page of coloured bands with a bar that stays at the top.
const banded = `<style>body{margin:0}#bar{position:fixed;top:0;left:0;width:100%;height:20px;background:rgb(0,0,255)}.band{height:300px}</style><div id=bar></div>
<script>for (let i = 0; i < 10; i++) document.body.append(Object.assign(document.createElement('div'), { className: 'band', style: 'background: rgb(' + i * 20 + ',200,0)' }))</script>`

// Screenshots of a background tab, of every kind and at other widths, are
// complete and leave the page as it was, even where its size is emulated.
func TestScreenshotsOfWhatIsEmulated(t *testing.T) {
	s := stageOf(t, "")
	id, err := s.NewTab(deadline(t), "", true)
	if err != nil {
		t.Fatal(err)
	}
	s.tab, s.url = id, pages(t, map[string]string{"/": banded})
	s.open(t, "/")
	size := func() string {
		v, err := s.Evaluate(deadline(t), nobody, id, "[innerWidth, innerHeight, scrollY].join(' ')")
		if err != nil {
			t.Fatal(err)
		}
		return string(v.Value)
	}
	for _, emulated := range []*protocol.EmulatedViewport{nil, {Width: 390, Height: 700, Scale: 2}} {
		if _, err := s.Emulate(deadline(t), nobody, id, func(e *protocol.Emulation) { e.Viewport = emulated }); err != nil {
			t.Fatal(err)
		}
		before := size()
		for _, q := range []protocol.ScreenshotRequest{
			{Format: "png", Full: true}, {Format: "webp", Clip: &protocol.Clip{Y: 2690, Width: 50, Height: 20}, Annotated: true},
		} {
			shot, err := s.Screenshot(deadline(t), nobody, id, q)
			if err != nil {
				t.Fatalf("%+v: %v", q, err)
			}
			if q.Format == "webp" {
				if data, err := os.ReadFile(shot.Path); err != nil || !bytes.HasPrefix(data, []byte("RIFF")) {
					t.Errorf("%+v: %.8q, %v", q, data, err)
				}
				continue
			}
			img := picture(t, shot.Path)
			if img.Bounds().Dx() != shot.Width || img.Bounds().Dy() != 3000 {
				t.Errorf("%+v: %v for %+v", q, img.Bounds(), shot)
			}
			for y := 30; y < 3000; y += 295 {
				if !near(img, 3, y, color.RGBA{R: uint8(y / 300 * 20), G: 200}) {
					t.Errorf("%v %+v: at %d it is %v", emulated, q, y, img.At(3, y))
				}
			}
			if now := size(); now != before {
				t.Errorf("%v %+v: the page is %s, and was %s", emulated, q, now, before)
			}
		}
		if _, err := s.Responsive(deadline(t), nobody, id, []int{500}, protocol.ScreenshotRequest{Format: "png"}); err != nil {
			t.Fatal(err)
		}
		if now := size(); now != before {
			t.Errorf("%v: after a picture at another width the page is %s, and was %s", emulated, now, before)
		}
	}
}
