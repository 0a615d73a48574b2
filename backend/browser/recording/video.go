package recording

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"io"
	"os"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/files"
	"pilotfish/backend/protocol"
)

// film stores the screenshots of a recording in a file, so that a long recording
// needs no more memory.
type film struct {
	mu      sync.Mutex
	file    *os.File
	shots   []still
	size    image.Point
	began   time.Time
	last    time.Time
	written int64
	total   time.Duration // its length, once the recording ended

	// What is shown on the screenshots, and where the page is on the screen; see point.
	marks                    []mark
	left, top, width, height float64
}

// still is one screenshot in the file.
type still struct {
	at   time.Duration // since the start
	from int64
	len  int
}

// The maximum size of a video in pixels, and its JPEG quality, 1 to 100.
const (
	filmWidth   = 1280
	filmHeight  = 960
	gifWidth    = 640
	filmQuality = 70
)

func (rs *Recordings) newFilm(id protocol.TabID) (*film, error) {
	f, err := rs.config.Folder.New("recordings", string(id), "frames")
	if err != nil {
		return nil, err
	}
	return &film{file: f, began: time.Now()}, nil
}

func (f *film) begin(ctx context.Context, s *devtools.Session) error {
	// A tab in the background draws only with focus emulation.
	if err := devtools.Post(ctx, s, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		return err
	}
	quality := int64(filmQuality)
	return devtools.Post(ctx, s, cdppage.StartScreencast, cdppage.StartScreencastParams{
		Format: cdppage.StartScreencastFormatJpeg, Quality: &quality, MaxWidth: filmWidth, MaxHeight: filmHeight,
	})
}

func (f *film) end(ctx context.Context, s *devtools.Session) {
	_ = devtools.Post(ctx, s, cdppage.StopScreencast, cdp.Empty{})
	_ = devtools.Post(ctx, s, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{})
}

// frame adds a screencast frame. It skips one that comes sooner than recordRate
// allows.
func (f *film) frame(ctx context.Context, s *devtools.Session, v *cdppage.EventScreencastFrame) {
	_ = devtools.Post(ctx, s, cdppage.ScreencastFrameAck, cdppage.ScreencastFrameAckParams{SessionID: v.SessionID})
	f.keep(v.Data)
}

// keep adds a JPEG image.
func (f *film) keep(data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if f.file == nil || len(f.shots) >= recordFrames || now.Sub(f.last) < time.Second/recordRate {
		return
	}
	if f.size == (image.Point{}) {
		c, err := jpeg.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			return
		}
		f.size = image.Pt(c.Width, c.Height)
	}
	if _, err := f.file.WriteAt(data, f.written); err != nil {
		return // a full disk ends the video, not the recording
	}
	f.shots = append(f.shots, still{at: now.Sub(f.began), from: f.written, len: len(data)})
	f.written += int64(len(data))
	f.last = now
}

// still takes one screenshot of a tab that has drawn nothing since its video began: a
// very short recording, or a page on which nothing moved.
func (rs *Recordings) still(ctx context.Context, by protocol.Caller, id protocol.TabID, f *film) error {
	data, err := rs.config.Capture.Still(ctx, by, id, filmQuality)
	if err == nil {
		f.keep(data)
	}
	return err
}

func (f *film) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.shots)
}

func (f *film) read(s still) ([]byte, error) {
	data := make([]byte, s.len)
	_, err := f.file.ReadAt(data, s.from)
	return data, err
}

func (f *film) discard() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file != nil {
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
		f.file = nil
	}
}

// Closed discards the video when the tab is closed.
func (r *recorder) Closed() {
	r.gone()
	if r.video != nil {
		r.video.discard()
	}
}

// save writes the video. It may be called again, for another format.
func (f *film) save(ctx context.Context, s *devtools.Session, folder files.Folder, id protocol.TabID, format string) (protocol.SavedFile, error) {
	f.close()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil || len(f.shots) == 0 {
		return protocol.SavedFile{}, protocol.NewError(protocol.CodeTimeout, "the tab showed nothing while it was recorded",
			"record for at least one second", protocol.Try("brings it to the front", "tab", string(id)))
	}
	out, err := folder.New("recordings", string(id), format)
	if err != nil {
		return protocol.SavedFile{}, err
	}
	switch format {
	case "gif":
		err = f.writeGIF(out, f.total)
	case "webm":
		err = f.writeWebM(ctx, s, out, f.total)
	default:
		err = f.writeAVI(out, f.total)
	}
	info, statErr := out.Stat()
	if err = errors.Join(err, statErr, out.Close()); err != nil {
		_ = os.Remove(out.Name())
		return protocol.SavedFile{}, fmt.Errorf("writing the video: %w", err)
	}
	return protocol.SavedFile{Path: out.Name(), Bytes: int(info.Size()), Entries: len(f.shots)}, nil
}

// until returns how long still i is shown.
func (f *film) until(i int, total time.Duration) time.Duration {
	if i+1 < len(f.shots) {
		return f.shots[i+1].at - f.shots[i].at
	}
	return max(time.Second/recordRate, total-f.shots[i].at)
}

// writeGIF writes an animated GIF with a fixed palette, at most gifWidth pixels wide.
func (f *film) writeGIF(w io.Writer, total time.Duration) error {
	var nearest [1 << 15]uint8 // the palette index for each colour with 5 bits per channel
	for i := range nearest {
		r, g, b := uint32(i>>10&31)*255/31, uint32(i>>5&31)*255/31, uint32(i&31)*255/31
		best := ^uint32(0)
		for j, c := range palette.Plan9 {
			pr, pg, pb, _ := c.RGBA()
			d := square(r, pr>>8) + square(g, pg>>8) + square(b, pb>>8)
			if d < best {
				best, nearest[i] = d, uint8(j)
			}
		}
	}
	step := max(1, (f.size.X+gifWidth-1)/gifWidth)
	size := image.Rect(0, 0, max(1, f.size.X/step), max(1, f.size.Y/step))
	movie := gif.GIF{Config: image.Config{ColorModel: nil, Width: size.Dx(), Height: size.Dy()}}
	const tick = 10 * time.Millisecond // the unit of time of a GIF
	begun, shown := f.shots[0].at, 0
	for i, s := range f.shots {
		data, err := f.read(s)
		if err != nil {
			return err
		}
		picture, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			return err
		}
		frame := image.NewPaletted(size, palette.Plan9)
		bounds := picture.Bounds()
		for y := range size.Dy() {
			for x := range size.Dx() {
				at := image.Pt(bounds.Min.X+x*step, bounds.Min.Y+y*step)
				if !at.In(bounds) {
					continue
				}
				r, g, b, _ := picture.At(at.X, at.Y).RGBA()
				frame.Pix[y*frame.Stride+x] = nearest[r>>11<<10|g>>11<<5|b>>11]
			}
		}
		movie.Image = append(movie.Image, frame)
		// Carry the rounding error of one image over to the next. Otherwise the video
		// would become shorter with each image.
		delay := max(2, int((s.at+f.until(i, total)-begun)/tick)-shown)
		shown += delay
		movie.Delay = append(movie.Delay, delay)
	}
	return gif.EncodeAll(w, &movie)
}

func square(a, b uint32) uint32 { return (a - b) * (a - b) }

// writeAVI writes an AVI of JPEG images (MJPEG) at a fixed rate. An empty chunk
// repeats the previous image.
func (f *film) writeAVI(w io.Writer, total time.Duration) error {
	slot := time.Second / recordRate
	var chunks []int // the still for each slot; -1 repeats the one before
	for i, s := range f.shots {
		for at := int(s.at / slot); len(chunks) < at; {
			chunks = append(chunks, -1)
		}
		if len(chunks) == 0 || len(chunks) <= int(s.at/slot) {
			chunks = append(chunks, i)
		}
	}
	for len(chunks) < int(total/slot) {
		chunks = append(chunks, -1)
	}
	for len(chunks) > 0 && chunks[0] == -1 { // nothing was drawn yet
		chunks = chunks[1:]
	}
	le := binary.LittleEndian
	u32 := func(b []byte, values ...uint32) []byte {
		for _, v := range values {
			b = le.AppendUint32(b, v)
		}
		return b
	}
	list := func(kind string, body []byte) []byte {
		return append(u32([]byte("LIST"), uint32(len(body)+4)), append([]byte(kind), body...)...)
	}
	chunk := func(kind string, body []byte) []byte { return append(u32([]byte(kind), uint32(len(body))), body...) }
	width, height, count := uint32(f.size.X), uint32(f.size.Y), uint32(len(chunks))
	micros := uint32(time.Second / recordRate / time.Microsecond)
	avih := u32(nil, micros, 0, 0, 0x10, count, 0, 1, 1<<20, width, height, 0, 0, 0, 0)
	strh := u32([]byte("vidsMJPG"), 0, 0, 0, 1, recordRate, 0, count, 1<<20, ^uint32(0), 0)
	strh = u32(strh, 0, height<<16|width)
	strf := u32(nil, 40, width, height)
	strf = append(le.AppendUint16(le.AppendUint16(strf, 1), 24), "MJPG"...)
	strf = u32(strf, width*height*3, 0, 0, 0, 0)
	header := list("hdrl", append(chunk("avih", avih), list("strl", append(chunk("strh", strh), chunk("strf", strf)...))...))
	movi, index := 4, []byte{}
	for _, c := range chunks {
		size, flags := 0, uint32(0)
		if c >= 0 {
			size, flags = f.shots[c].len, 0x10
		}
		index = u32(append(index, "00dc"...), flags, uint32(movi), uint32(size))
		movi += 8 + size + size%2
	}
	riff := 4 + len(header) + 8 + movi + 8 + len(index)
	if _, err := w.Write(append(u32([]byte("RIFF"), uint32(riff)), append([]byte("AVI "), header...)...)); err != nil {
		return err
	}
	if _, err := w.Write(append(u32([]byte("LIST"), uint32(movi)), "movi"...)); err != nil {
		return err
	}
	for _, c := range chunks {
		var data []byte
		if c >= 0 {
			var err error
			if data, err = f.read(f.shots[c]); err != nil {
				return err
			}
		}
		body := chunk("00dc", data)
		if len(data)%2 == 1 {
			body = append(body, 0)
		}
		if _, err := w.Write(body); err != nil {
			return err
		}
	}
	_, err := w.Write(chunk("idx1", index))
	return err
}
