package vt

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"pilotfish/backend/protocol"
)

func TestRingKeepsTheNewest(t *testing.T) {
	var r ring
	rng := rand.New(rand.NewPCG(5, 6))
	whole := make([]byte, 3_000_000)
	for i := range whole {
		whole[i] = byte(i * 7 >> 3)
	}
	const limit = 500_000
	for rest := whole; len(rest) > 0; {
		n := min(len(rest), rng.IntN(100_000))
		r.append(rest[:n], func(uint64) uint64 { return limit })
		rest = rest[n:]
		if kept := r.head - r.start; kept > limit+chunkSize || (r.start > 0 && kept < limit) {
			t.Fatalf("%d bytes are kept", kept)
		}
		if len(r.chunks)*chunkSize > limit+2*chunkSize {
			t.Fatalf("%d chunks are kept", len(r.chunks))
		}
	}
	for range 100 {
		at := r.start + rng.Uint64N(r.head-r.start+1)
		buf := make([]byte, rng.IntN(200_000))
		n := r.read(at, buf)
		if want := whole[at:]; !bytes.Equal(buf[:n], want[:min(len(want), len(buf))]) {
			t.Fatalf("%d bytes at %d are others", n, at)
		}
	}
	if r.has(r.start-1) || !r.has(r.start) || !r.has(r.head) || r.has(r.head+1) {
		t.Error("has is wrong at an edge")
	}
}

func TestStreamKeepsWhatACheckpointNeeds(t *testing.T) {
	var s Stream
	line := []byte(strings.Repeat("0123456789abcde\n", 4096))
	fill := func(n int) {
		for range n / len(line) {
			s.Append(line)
		}
	}
	fill(7 << 20)
	if b := s.BaseFor(false, 0); b.Offset != 0 || b.Redraw {
		t.Errorf("7 MiB: base %+v", b)
	}
	s.Keep(Checkpoint{Offset: 6 << 20, Data: "S"})
	fill(6 << 20)
	if b := s.BaseFor(false, 0); b.Offset != 6<<20 || b.Screen.Data != "S" {
		t.Errorf("with a checkpoint: base %+v", b)
	}
	fill(9 << 20)
	if kept := s.ring.head - s.ring.start; kept > ringSize+chunkSize {
		t.Errorf("%d bytes are kept without need", kept)
	}
	b := s.BaseFor(true, 10)
	if !b.Redraw || b.Offset < s.ring.start || b.Offset > s.ring.start+2*modeMarkEvery {
		t.Errorf("beyond: base %+v, ring from %d", b, s.ring.start)
	}
	if n := len(s.marks); n > ringSize/modeMarkEvery+2 {
		t.Errorf("%d marks are kept", n)
	}
}

func TestSizesAreForgottenWithTheOutput(t *testing.T) {
	s := NewStream(80, 24)
	page := bytes.Repeat([]byte("x"), chunkSize)
	for i := range 150 {
		s.Append(page)
		s.Resized(s.ring.head, 80+i%2, 24)
	}
	b := s.BaseFor(false, 0)
	if b.Offset == 0 || len(b.Sizes) == 0 || b.Sizes[0].Offset > b.Offset || len(s.sizes.list) > 75 {
		t.Errorf("from %d with %d sizes of %d, the first at %d", b.Offset, len(b.Sizes), len(s.sizes.list), b.Sizes[0].Offset)
	}
	for range maxResizes + 10 {
		s.Resized(s.ring.head, 80+s.sizes.count()%2, 24)
	}
	if len(s.sizes.list) > maxResizes {
		t.Errorf("%d sizes", len(s.sizes.list))
	}
}

func TestStreamOfOneEndlessString(t *testing.T) {
	var s Stream
	s.Append([]byte("\x1b[?2004h\x1bP"))
	for range 9 << 20 / chunkSize {
		s.Append(bytes.Repeat([]byte("q"), chunkSize))
	}
	b := s.BaseFor(false, 0)
	if b.Offset != s.ring.head || b.Screen.Data != "\x1b[?2004h\x1b_" {
		t.Errorf("base %d %q of %d", b.Offset, b.Screen.Data, s.ring.head)
	}
}

// scanned returns a scanner that has scanned text in pieces of n bytes.
func scanned(text string, n int) *scanner {
	s := new(scanner)
	for p := []byte(text); len(p) > 0; p = p[min(n, len(p)):] {
		s.scan(p[:min(n, len(p))])
	}
	return s
}

func TestScannerInPieces(t *testing.T) {
	for _, c := range []struct {
		text    string
		title   string
		bells   int
		prelude string
	}{
		{text: "\x07plain\x07", bells: 2},
		{text: "\x1b]0;one\x07", title: "one"},
		{text: "\x1b]2;two\x1b\\", title: "two"},
		{text: "\x1b]2;tw\x1b[?25lo", title: "tw", prelude: "\x1b[?25l"},
		{text: "\x1b]1;icon\x07\x1b]52;c;aGk=\x07\x1b]8;;http://x\x1b\\"},
		{text: "\x1b]0;cancelled\x18\x07", bells: 1},
		{text: "\x1bP\x07\x1b[?25l\x07\x1b\\\x07", bells: 2, prelude: "\x1b[?25l"},
		{text: "\x1b_apc \x07 \x1b\\\x1b^pm \x07\x1b\\\x1bXsos \x07\x1b\\"},
		{text: "\x1b[3\x074h", bells: 1},
		{text: "\x1b[?1;1000;1006h\x1b=\x1b(0\x1b)B\x0e", prelude: "\x1b[?1h\x1b[?1000h\x1b[?1006h\x1b=\x1b(0\x0e"},
		{text: "\x1b[?1049h\x1b[?1003h\x1b[?1003l\x1b[4h\x1b[5 q", prelude: "\x1b[?1049h\x1b[4h\x1b[5 q"},
		{text: "\x1b[?47h\x1b[?47l\x1b(0\x1b(B"},
		{text: "\x1b[?1h\x1b[?2004h\x1bc"},
		{text: "\x1b[?1h\x1b[?25l\x1b[?2004h\x1b[!p", prelude: "\x1b[?2004h"},
		{text: "\x1b[?5;6;7;66;1004h\x1b[?7l", prelude: "\x1b[?5h\x1b[?6h\x1b[?7l\x1b[?1004h\x1b="},
		{text: "\x1b[?99999999999999999999h\x1b[" + strings.Repeat("1;", 1000) + "h"},
	} {
		for n := 1; n <= len(c.text); n++ {
			s := scanned(c.text, n)
			if s.title != c.title || s.bells != c.bells || s.modes.prelude() != c.prelude {
				t.Errorf("%q in pieces of %d: title %q, %d bells, prelude %q", c.text, n, s.title, s.bells, s.modes.prelude())
			}
		}
	}
	// A prelude brings another emulator into the same modes.
	all := modes{
		alternate: true, mouse: 1003, encoding: 1006, bracketed: true, focus: true, hidden: true, appCursor: true,
		appKeypad: true, origin: true, noWrap: true, insert: true, reverse: true, g0: '0', g1: 'A', shifted: true, cursorStyle: "2",
	}
	if got := scanned(all.prelude(), 1).modes; got != all {
		t.Errorf("the prelude gives %+v", got)
	}
}

func TestTitlesAreBoundedAndHarmless(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	if got := scanned("\x1b]0;"+long+"\x07", 100).title; utf8.RuneCountInString(got) != protocol.MaxTitle {
		t.Errorf("a title of %d characters", utf8.RuneCountInString(got))
	}
	if got := CleanTitle("a\x00b\u009bc\u202ed\u2066e\xff\tf "); got != "abcdef" {
		t.Errorf("clean: %q", got)
	}
}

func TestBoundaryIsNeverWithinACharacterOrSequence(t *testing.T) {
	text := "aé€😀\x1b[1;31mb\x1b]0;t\x07\x1b(0\x1bP1\x1b\\é"
	inside := map[int]bool{}
	for i := range len(text) + 1 {
		inside[i] = !utf8.ValidString(text[:i])
	}
	for _, seq := range []string{"\x1b[1;31m", "\x1b]0;t\x07", "\x1b(0", "\x1bP1\x1b\\"} {
		at := strings.Index(text, seq)
		for i := at + 1; i < at+len(seq); i++ {
			inside[i] = true
		}
	}
	for n := 1; n <= 5; n++ {
		s := new(scanner)
		for i := 0; i < len(text); i += n {
			end := min(i+n, len(text))
			s.scan([]byte(text[i:end]))
			if s.boundary() == inside[end] {
				t.Errorf("pieces of %d: boundary after %q is %v", n, text[:end], s.boundary())
			}
		}
	}
}

func FuzzScannerDoesNotDependOnPieces(f *testing.F) {
	f.Add("\x1b]0;t\x07\x1b[?1049h\x1bP\x1b\\é", 3)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 1 || n > 1000 {
			return
		}
		a, b := scanned(text, len(text)+1), scanned(text, n)
		if a.title != b.title || a.bells != b.bells || a.titles != b.titles || a.modes != b.modes || a.state != b.state {
			t.Errorf("%q: whole %+v, in pieces of %d %+v", text, a, n, b)
		}
		if len(b.text) > maxCommand || len(b.param) > maxControl {
			t.Errorf("%d and %d bytes are kept", len(b.text), len(b.param))
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	text := []byte(strings.Repeat("\x1b[38;5;12m00000001\x1b[0m \x1b[1mlevel\x1b[22m=info \x1b[32mmsg\x1b[39m=\"request served\" path=/api/v1/items/12\r\n", 600))
	b.SetBytes(int64(len(text)))
	s := new(scanner)
	for b.Loop() {
		s.scan(text)
	}
}

func TestTitleAndBells(t *testing.T) {
	s := NewStream(80, 24)
	s.Append([]byte("\x1b]0;a title\x07text\x07"))
	if s.Title() != "a title" || s.Titles() != 1 || s.Bells() != 1 {
		t.Errorf("%q, %d titles, %d bells", s.Title(), s.Titles(), s.Bells())
	}
}

// An incomplete character at the end of the output may be held back.
func TestOpenCharacter(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 0, "é": 0, "a\xc3": 1, "€": 0, "\xe2\x82": 2, "\xe2": 1, "😀": 0, "\xf0\x9f\x98": 3, "\xff": 0, "\x80\x80\x80": 0,
	} {
		if got := OpenCharacter([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// A viewer that has all bytes continues where it was; a viewer that has none receives
// the whole stream, or the newest screen.
func TestBaseFor(t *testing.T) {
	s := NewStream(80, 24)
	s.Append([]byte("0123456789"))
	s.Resized(5, 100, 30)
	if b := s.BaseFor(true, 7); b.Offset != 7 || b.Screen != nil || b.Redraw || len(b.Sizes) != 1 || b.Sizes[0].Cols != 100 {
		t.Errorf("goes on: %+v", b)
	}
	if b := s.BaseFor(false, 7); b.Offset != 0 || b.Screen == nil || b.Screen.Data != "" || len(b.Sizes) != 2 {
		t.Errorf("has nothing: %+v", b)
	}
	if b := s.BaseFor(true, 11); b.Offset != 0 {
		t.Errorf("has what was not written: %+v", b)
	}
	s.Keep(Checkpoint{Offset: 9, Data: "S", Cols: 100, Rows: 30})
	s.Keep(Checkpoint{Offset: 4, Data: "older"})
	if b := s.BaseFor(false, 0); b.Offset != 9 || b.Screen.Data != "S" || b.Screen.Cols != 100 || len(b.Sizes) != 0 {
		t.Errorf("from a checkpoint: %+v", b)
	}
}
