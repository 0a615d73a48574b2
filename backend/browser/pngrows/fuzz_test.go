package pngrows

import (
	"bytes"
	"image"
	"image/png"
	"testing"
)

// A picture with any content is refused, or its rows are those that the standard
// library reads.
func FuzzRows(f *testing.F) {
	var small bytes.Buffer
	if err := Write(&small, image.NewRGBA(image.Rect(0, 0, 3, 2))); err != nil {
		f.Fatal(err)
	}
	f.Add(small.Bytes())
	f.Add(small.Bytes()[:40])
	f.Add([]byte(pngSignature + "\xff\xff\xff\xffIDAT00000000"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := open(data)
		if err != nil || p.size.X*p.size.Y > 1<<20 {
			return
		}
		want, wrong := png.Decode(bytes.NewReader(data))
		row := make([]byte, 4*p.size.X)
		for y := range p.size.Y {
			if err := p.next(row); err != nil {
				return
			}
			for x := 0; wrong == nil && x < p.size.X; x++ {
				r, g, b, _ := want.At(x, y).RGBA()
				if got := row[4*x : 4*x+3]; got[0] != byte(r>>8) || got[1] != byte(g>>8) || got[2] != byte(b>>8) {
					t.Fatalf("pixel %d,%d is %v", x, y, got)
				}
			}
		}
	})
}
