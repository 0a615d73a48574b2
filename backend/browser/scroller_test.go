package browser

import (
	"fmt"
	"image"
	"image/color"
	"testing"

	"pilotfish/backend/browser/capture"
	"pilotfish/backend/protocol"
)

// The screenshot of a whole page that scrolls inside an element has all of it, or
// says what is missing.
func TestFullScreenshotOfAScroller(t *testing.T) {
	const ends = `<div style="height:2400px;background:linear-gradient(red,blue)"></div><div style="height:200px;background:green"></div>`
	labelled := func(img image.Image, y int) bool {
		for x := range 140 {
			for dy := range 100 {
				if r, g, b, _ := img.At(x, y-50+dy).RGBA(); (r>>8 < 200 || g>>8 < 200 || b>>8 < 200) && (r>>8 > 20 || g>>8 < 100 || b>>8 > 20) {
					return true
				}
			}
		}
		return false
	}
	const whole = `<style>html,body{height:100%;margin:0;overflow:hidden}</style>`
	for name, c := range map[string]struct {
		body   string
		hidden bool // it does not grow with the viewport
	}{
		"main":                {body: whole + `<main id=in style="height:100%;overflow:auto;position:relative">` + ends + `<button aria-label=End style="position:absolute;top:2450px;left:20px;width:100px;height:100px;border:0;background:white"></button></main>`},
		"a body":              {body: `<style>html{height:100%;overflow:hidden}body{height:100%;margin:0;overflow:auto}</style><b id=in></b>` + ends},
		"a part of a grid":    {body: whole + `<div style="display:grid;height:100vh;grid-template:50px 1fr/200px 1fr"><header>h</header><b></b><nav>n</nav><div id=in style="overflow-y:scroll">` + ends + `</div></div>`},
		"a shadow root":       {body: whole + `<x-app style="display:block;height:100%"></x-app><script>document.querySelector('x-app').attachShadow({mode:'open'}).innerHTML=` + "`<div style=\"height:100%;overflow:auto\">" + ends + "</div>`" + `</script>`},
		"a frame":             {body: whole + `<iframe style="width:100%;height:100%;border:0" srcdoc='<body style="margin:0">` + "<div style=&quot;height:2400px;background:linear-gradient(red,blue)&quot;></div><div style=&quot;height:200px;background:green&quot;></div>" + `'></iframe>`},
		"one of fixed height": {body: whole + `<main id=in style="height:500px;overflow:auto">` + ends + `</main>`, hidden: true},
	} {
		for _, front := range []bool{false, true} {
			if front && name != "main" {
				continue
			}
			t.Run(fmt.Sprintf("%s, in front %t", name, front), func(t *testing.T) {
				f := windowed(t)
				url := pages(t, map[string]string{"/": c.body})
				id, err := f.NewTab(deadline(t), "", !front)
				if err != nil {
					t.Fatal(err)
				}
				f.open(t, id, url+"/")
				f.script(t, id, "(document.getElementById('in')?.scrollTo(0, 300), '')")
				size := f.script(t, id, "innerHeight")
				shot, err := f.Screenshot(deadline(t), nobody, id, protocol.ScreenshotRequest{Format: "png", Full: true})
				if err != nil {
					t.Fatal(err)
				}
				img := picture(t, shot.Path)
				end := img.Bounds().Dy() - 20
				if c.hidden {
					if shot.Hidden < 2000 || shot.Scroller != "main" {
						t.Errorf("nothing is said to be missing: %+v", shot)
					}
				} else if shot.Hidden != 0 || shot.Height < 2600 || img.Bounds().Dy() != shot.Height || !near(img, img.Bounds().Dx()-60, end, color.RGBA{G: 128}) {
					t.Errorf("it ends with %v: %+v, %v", img.At(img.Bounds().Dx()-60, end), shot, img.Bounds())
				}
				if is := f.script(t, id, "innerHeight"); is != size {
					t.Errorf("the page is %s high, was %s", is, size)
				}
				if top := f.script(t, id, "document.getElementById('in')?.scrollTop ?? 300"); top != "300" && name != "a body" {
					t.Errorf("it is scrolled to %s", top)
				}
				if name != "main" {
					return
				}
				if shot, err = f.Screenshot(deadline(t), nobody, id, protocol.ScreenshotRequest{Format: "jpeg", Slices: true}); err != nil {
					t.Fatal(err)
				}
				if last := picture(t, shot.Slices[len(shot.Slices)-1]); len(shot.Slices) != 2 || picture(t, shot.Path).Bounds().Dy() != capture.SliceHeight || !near(last, 60, last.Bounds().Dy()-10, color.RGBA{G: 128}) {
					t.Errorf("slices: %+v", shot)
				}
				if shot, err = f.Screenshot(deadline(t), nobody, id, protocol.ScreenshotRequest{Format: "png", Full: true, Annotated: true}); err != nil {
					t.Fatal(err)
				}
				// The label of the button at the end has another colour than the button.
				if img = picture(t, shot.Path); shot.Hidden != 0 || shot.Labels != 1 || img.Bounds().Dy() != shot.Height || !labelled(img, img.Bounds().Dy()-100) {
					t.Errorf("with labels: %+v, %v", shot, img.Bounds())
				}
			})
		}
	}
}
