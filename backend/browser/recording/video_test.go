package recording

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"os"
	"testing"
	"time"
)

// TestAFilmIsAsLongAsItWas: a player of the video shows each image in its size and at
// the time when it was taken.
func TestAFilmIsAsLongAsItWas(t *testing.T) {
	const wide, high, total = 64, 48, 4 * time.Second
	file, err := os.CreateTemp(t.TempDir(), "film")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	f := &film{file: file, size: image.Pt(wide, high)}
	for i := range 9 {
		picture := image.NewGray(image.Rect(0, 0, wide, high))
		for n := range picture.Pix {
			picture.Pix[n] = uint8(20 + 25*i)
		}
		var data bytes.Buffer
		if err := jpeg.Encode(&data, picture, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteAt(data.Bytes(), f.written); err != nil {
			t.Fatal(err)
		}
		f.shots = append(f.shots, still{at: time.Duration(i) * 317 * time.Millisecond, from: f.written, len: data.Len()})
		f.written += int64(data.Len())
	}
	var out bytes.Buffer
	if err := f.writeGIF(&out, total); err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(&out)
	if err != nil {
		t.Fatal(err)
	}
	length := 0
	for i, frame := range g.Image {
		length += g.Delay[i]
		r, _, _, _ := frame.At(wide/2, high/2).RGBA()
		if want := 20 + 25*i; frame.Bounds() != image.Rect(0, 0, wide, high) || int(r>>8) < want-20 || int(r>>8) > want+20 {
			t.Errorf("picture %d is %v with %d, want %d", i, frame.Bounds(), r>>8, want)
		}
	}
	if len(g.Image) != len(f.shots) || time.Duration(length)*10*time.Millisecond != total {
		t.Errorf("a GIF of %d pictures plays %d hundredths", len(g.Image), length)
	}
	out.Reset()
	if err := f.writeAVI(&out, total); err != nil {
		t.Fatal(err)
	}
	// The images are in the list "movi", one per slot; an empty one repeats.
	_, list, _ := bytes.Cut(out.Bytes(), []byte("movi"))
	slots, seen := 0, 0
	for ; bytes.HasPrefix(list, []byte("00dc")); slots++ {
		size := int(binary.LittleEndian.Uint32(list[4:]))
		if size > 0 {
			c, err := jpeg.DecodeConfig(bytes.NewReader(list[8 : 8+size]))
			if err != nil || c.Width != wide || c.Height != high || slots != int(f.shots[seen].at*recordRate/time.Second) {
				t.Errorf("slot %d has picture %d, %+v, %v", slots, seen, c, err)
			}
			seen++
		}
		list = list[8+size+size%2:]
	}
	if seen != len(f.shots) || time.Duration(slots)*time.Second/recordRate != total {
		t.Errorf("an AVI of %d pictures has %d slots", seen, slots)
	}
}
