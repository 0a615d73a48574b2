package recording

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

func webmFrames(all ...webmFrame) iter.Seq2[webmFrame, error] {
	return func(yield func(webmFrame, error) bool) {
		for _, f := range all {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// TestWebM reads the file's elements back: the index names the places of the clusters.
func TestWebM(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "a.webm"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := writeWebM(f, image.Pt(640, 480), 7*time.Second, webmFrames(webmFrame{0, []byte("one")}, webmFrame{time.Second, []byte("two")}, webmFrame{6 * time.Second, []byte("three")})); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	top := readWebM(t, data)
	if len(top) != 2 || top[0].id != idEBML || top[1].id != idSegment {
		t.Fatalf("the file has %d elements", len(top))
	}
	segment := readWebM(t, top[1].content)
	var ids []uint32
	for _, e := range segment {
		ids = append(ids, e.id)
	}
	if !slices.Equal(ids, []uint32{idSeekHead, idInfo, idTracks, idCluster, idCluster, idCues}) {
		t.Fatalf("the segment has %x", ids)
	}
	seek := readWebM(t, readWebM(t, segment[0].content)[0].content)
	if got := webmValue(seek[1].content); got != segment[5].at {
		t.Errorf("the index is said to be at %d, it is at %d", got, segment[5].at)
	}
	for i, cue := range readWebM(t, segment[5].content) {
		place := readWebM(t, readWebM(t, cue.content)[1].content)[1]
		if got := webmValue(place.content); got != segment[3+i].at {
			t.Errorf("cluster %d is said to be at %d, it is at %d", i, got, segment[3+i].at)
		}
	}
	blocks := readWebM(t, segment[3].content)
	if len(blocks) != 3 || string(blocks[2].content) != "\x81\x03\xe8\x80two" {
		t.Errorf("the first cluster has %+v", blocks)
	}
}

func TestWebMWithoutFrames(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "a.webm"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := writeWebM(f, image.Pt(1, 1), 0, webmFrames()); !errors.Is(err, errNoFrame) {
		t.Errorf("no frame: %v", err)
	}
	broken := errors.New("the page is gone")
	if err := writeWebM(f, image.Pt(1, 1), 0, func(yield func(webmFrame, error) bool) { yield(webmFrame{}, broken) }); !errors.Is(err, broken) {
		t.Errorf("a frame failed: %v", err)
	}
}

func TestVP8Frame(t *testing.T) {
	good := "RIFF\x00\x00\x00\x00WEBPVP8X\x01\x00\x00\x00a\x00VP8 \x03\x00\x00\x00abc\x00"
	if got, err := vp8Frame([]byte(good)); err != nil || string(got) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"", "RIFF\x00\x00\x00\x00WEBP", "RIFF\x00\x00\x00\x00WEBPVP8L\x01\x00\x00\x00a\x00", "RIFF\x00\x00\x00\x00WEBPVP8 \xff\xff\xff\xffa", "RIFF\x00\x00\x00\x00WAVEVP8 \x01\x00\x00\x00a"} {
		if _, err := vp8Frame([]byte(bad)); !errors.Is(err, errNoFrame) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

type webmPart struct {
	id      uint32
	at      int
	content []byte
}

// readWebM returns the elements of some content.
func readWebM(t *testing.T, data []byte) []webmPart {
	t.Helper()
	var out []webmPart
	for at := 0; at < len(data); {
		length := 1
		for mask := byte(0x80); data[at]&mask == 0; mask >>= 1 {
			length++
		}
		id := uint32(webmValue(data[at : at+length]))
		size := webmValue(data[at+length:at+length+8]) & (1<<56 - 1)
		begin := at + length + 8
		if begin+size > len(data) {
			t.Fatalf("element %x is cut off", id)
		}
		out = append(out, webmPart{id, at, data[begin : begin+size]})
		at = begin + size
	}
	return out
}

func webmValue(b []byte) int {
	n := 0
	for _, c := range b {
		n = n<<8 | int(c)
	}
	return n
}
