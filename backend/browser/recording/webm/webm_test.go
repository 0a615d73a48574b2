package webm

import (
	"errors"
	"image"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func frames(all ...Frame) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		for _, f := range all {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// TestWrite reads the file's elements back: the index names the places of the clusters.
func TestWrite(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "a.webm"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Write(f, image.Pt(640, 480), 7*time.Second, frames(Frame{0, []byte("one")}, Frame{time.Second, []byte("two")}, Frame{6 * time.Second, []byte("three")})); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	top := read(t, data)
	if len(top) != 2 || top[0].id != idEBML || top[1].id != idSegment {
		t.Fatalf("the file has %d elements", len(top))
	}
	segment := read(t, top[1].content)
	var ids []uint32
	for _, e := range segment {
		ids = append(ids, e.id)
	}
	if !slices.Equal(ids, []uint32{idSeekHead, idInfo, idTracks, idCluster, idCluster, idCues}) {
		t.Fatalf("the segment has %x", ids)
	}
	seek := read(t, read(t, segment[0].content)[0].content)
	if got := value(seek[1].content); got != segment[5].at {
		t.Errorf("the index is said to be at %d, it is at %d", got, segment[5].at)
	}
	for i, cue := range read(t, segment[5].content) {
		place := read(t, read(t, cue.content)[1].content)[1]
		if got := value(place.content); got != segment[3+i].at {
			t.Errorf("cluster %d is said to be at %d, it is at %d", i, got, segment[3+i].at)
		}
	}
	blocks := read(t, segment[3].content)
	if len(blocks) != 3 || string(blocks[2].content) != "\x81\x03\xe8\x80two" {
		t.Errorf("the first cluster has %+v", blocks)
	}
}

func TestWithoutFrames(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "a.webm"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Write(f, image.Pt(1, 1), 0, frames()); !errors.Is(err, ErrNoFrame) {
		t.Errorf("no frame: %v", err)
	}
	broken := errors.New("the page is gone")
	if err := Write(f, image.Pt(1, 1), 0, func(yield func(Frame, error) bool) { yield(Frame{}, broken) }); !errors.Is(err, broken) {
		t.Errorf("a frame failed: %v", err)
	}
}

func TestBitstream(t *testing.T) {
	good := "RIFF\x00\x00\x00\x00WEBPVP8X\x01\x00\x00\x00a\x00VP8 \x03\x00\x00\x00abc\x00"
	if got, err := Bitstream([]byte(good)); err != nil || string(got) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"", "RIFF\x00\x00\x00\x00WEBP", "RIFF\x00\x00\x00\x00WEBPVP8L\x01\x00\x00\x00a\x00", "RIFF\x00\x00\x00\x00WEBPVP8 \xff\xff\xff\xffa", "RIFF\x00\x00\x00\x00WAVEVP8 \x01\x00\x00\x00a"} {
		if _, err := Bitstream([]byte(bad)); !errors.Is(err, ErrNoFrame) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

type part struct {
	id      uint32
	at      int
	content []byte
}

// read returns the elements of some content.
func read(t *testing.T, data []byte) []part {
	t.Helper()
	var out []part
	for at := 0; at < len(data); {
		length := 1
		for mask := byte(0x80); data[at]&mask == 0; mask >>= 1 {
			length++
		}
		id := uint32(value(data[at : at+length]))
		size := value(data[at+length:at+length+8]) & (1<<56 - 1)
		begin := at + length + 8
		if begin+size > len(data) {
			t.Fatalf("element %x is cut off", id)
		}
		out = append(out, part{id, at, data[begin : begin+size]})
		at = begin + size
	}
	return out
}

func value(b []byte) int {
	n := 0
	for _, c := range b {
		n = n<<8 | int(c)
	}
	return n
}
