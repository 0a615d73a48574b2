package pngrows

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"sync"
)

// reader reads a PNG row by row, so that the first rows can be drawn on and
// compressed while the last ones are still read. It supports only the kind that
// Chromium writes for a screenshot: 8 bits each of red, green and blue.
type reader struct {
	size  image.Point
	z     io.ReadCloser
	row   []byte // filter and pixels
	above []byte // the previous row
}

// open returns errors.ErrUnsupported for a PNG of another kind.
func open(data []byte) (*reader, error) {
	rest, ok := bytes.CutPrefix(data, []byte(pngSignature))
	if !ok {
		return nil, errors.ErrUnsupported
	}
	p := &reader{}
	var parts []io.Reader
	for len(rest) >= 12 {
		n := int(binary.BigEndian.Uint32(rest))
		if n < 0 || n > len(rest)-12 {
			return nil, io.ErrUnexpectedEOF
		}
		kind, body := string(rest[4:8]), rest[8:8+n]
		rest = rest[12+n:]
		switch {
		case kind == "IHDR" && n == 13:
			if !bytes.Equal(body[8:], pngRGB()) {
				return nil, errors.ErrUnsupported
			}
			p.size = image.Pt(int(binary.BigEndian.Uint32(body)), int(binary.BigEndian.Uint32(body[4:])))
		case kind == "IDAT":
			parts = append(parts, bytes.NewReader(body))
		}
	}
	if p.size.X < 1 || p.size.Y < 1 || p.size.X > 1<<16 || p.size.Y > 1<<16 {
		return nil, errors.ErrUnsupported
	}
	var err error
	if p.z, err = zlib.NewReader(io.MultiReader(parts...)); err != nil {
		return nil, fmt.Errorf("reading the picture: %w", err)
	}
	p.row, p.above = make([]byte, 1+3*p.size.X), make([]byte, 1+3*p.size.X)
	return p, nil
}

// next reads a row into pixels of four bytes.
func (p *reader) next(into []byte) error {
	p.row, p.above = p.above, p.row
	if _, err := io.ReadFull(p.z, p.row); err != nil {
		return fmt.Errorf("reading the picture: %w", err)
	}
	if err := unfilter(p.row[0], p.row[1:], p.above[1:]); err != nil {
		return err
	}
	for from, to := 1, 0; from < len(p.row); from, to = from+3, to+4 {
		into[to], into[to+1], into[to+2], into[to+3] = p.row[from], p.row[from+1], p.row[from+2], 0xff
	}
	return nil
}

// unfilter converts the differences of a row to pixels of three bytes.
func unfilter(kind byte, row, above []byte) error {
	const left = 3
	switch kind {
	case 0:
	case 1:
		for i := left; i < len(row); i++ {
			row[i] += row[i-left]
		}
	case 2:
		for i := range row {
			row[i] += above[i]
		}
	case 3:
		for i := range row {
			sum := int(above[i])
			if i >= left {
				sum += int(row[i-left])
			}
			row[i] += byte(sum / 2)
		}
	case 4:
		for i := range row {
			var a, c int
			if i >= left {
				a, c = int(row[i-left]), int(above[i-left])
			}
			row[i] += paeth(a, int(above[i]), c)
		}
	default:
		return fmt.Errorf("reading the picture: there is no filter %d", kind)
	}
	return nil
}

// paeth returns which of left, above and above left is nearest to their gradient.
func paeth(a, b, c int) byte {
	pa, pb, pc := distance(b, c), distance(a, c), distance(a+b, 2*c)
	switch {
	case pa <= pb && pa <= pc:
		return byte(a)
	case pb <= pc:
		return byte(b)
	}
	return byte(c)
}

func distance(a, b int) int { return max(a-b, b-a) }

// Redraw returns a PNG with what draw adds to it. It works in bands, most at most:
// while one band is read, earlier ones are compressed. draw is called for each band,
// from the top, with the band and the bounds of the whole image. It returns
// errors.ErrUnsupported for a PNG that is not of Chromium's kind, 8 bits each of red,
// green and blue.
func Redraw(data []byte, most int, draw func(part *image.RGBA, whole image.Rectangle)) ([]byte, error) {
	rows, err := open(data)
	if err != nil {
		return nil, err
	}
	defer rows.z.Close()
	img := image.NewRGBA(image.Rectangle{Max: rows.size})
	bands := bandsOf(rows.size.Y, most)
	var wg sync.WaitGroup
	defer wg.Wait()
	for i := range bands {
		from, to := rowsOf(i, len(bands), rows.size.Y)
		for y := from; y < to; y++ {
			if err := rows.next(img.Pix[y*img.Stride:]); err != nil {
				return nil, err
			}
		}
		part, _ := img.SubImage(image.Rect(0, from, rows.size.X, to)).(*image.RGBA)
		draw(part, img.Bounds())
		wg.Go(func() { bands[i].fill(img, from, to, i == len(bands)-1) })
	}
	wg.Wait()
	var out bytes.Buffer
	err = joinBands(&out, rows.size, bands)
	return out.Bytes(), err
}
