package e2e

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"

	"pilotfish/app/e2e/tap"
)

// importsSignIns goes through the steps of the first run in the window by the keyboard, and
// presses "Import sign-ins…": the browser comes to the front, and the panel beside it shows
// the picker.
func (p *product) importsSignIns(panel *tap.Page) {
	t := p.t
	t.Helper()
	window, err := p.desk.WaitWindow(p.ctx, "^Pilotfish$")
	if err != nil {
		t.Fatal(err)
	}
	do := func(args ...string) {
		t.Helper()
		if _, err := p.desk.Command(p.ctx, "xdotool", args...); err != nil {
			t.Fatal(err)
		}
	}
	picture := filepath.Join(p.home, "window.png")
	look := func() *image.NRGBA {
		t.Helper()
		if err := p.desk.ScreenshotOf(p.ctx, window, picture); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(picture)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		pixels := image.NewNRGBA(decoded.Bounds())
		draw.Draw(pixels, pixels.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
		return pixels
	}
	do("windowactivate", "--sync", window)
	p.eventually("the window shows the first step, with its main button", func() bool { return greenPixels(look()) > 500 })
	// Each key moves the focus or shows another step, so the picture changes.
	for _, key := range []string{
		"Tab", "shift+Tab", "shift+Tab", "Return", // from the first link back around to Next
		"shift+Tab", "shift+Tab", "Return", // from the heading back to the third step
		"Tab", "Tab", // past New model
	} {
		before := look()
		do("key", key)
		p.eventually("the window has answered "+key, func() bool { return !bytes.Equal(look().Pix, before.Pix) })
	}
	if err := p.desk.Screenshot(p.ctx, artifact(t, "signins-window.png")); err != nil {
		t.Error(err)
	}
	do("key", "Return")
	p.until(panel, "the panel shows the picker", `document.querySelector('dialog[open]')?.textContent.includes('Bring sign-ins of chosen sites')`)
	if err := p.desk.Screenshot(p.ctx, artifact(t, "signins-panel.png")); err != nil {
		t.Error(err)
	}
}

// greenPixels counts the pixels that have the colour of a main button.
func greenPixels(picture *image.NRGBA) int {
	count := 0
	for i := 0; i < len(picture.Pix); i += 4 {
		if r, g, b := picture.Pix[i], picture.Pix[i+1], picture.Pix[i+2]; r < 40 && g > 90 && g < 150 && b > 80 && b < 140 {
			count++
		}
	}
	return count
}
