package screen

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestWhatIsSeen(t *testing.T) {
	for name, c := range map[string]struct {
		out  string
		want []string
	}{
		"lines":                     {"one\r\ntwo\r\n", []string{"one", "two"}},
		"colours":                   {"\x1b[1;31mred\x1b[0m text", []string{"red text"}},
		"a carriage return":         {"10%\r20%", []string{"20%"}},
		"erased to the end":         {"loading\rdone\x1b[K", []string{"done"}},
		"erased to the beginning":   {"abcdef\x1b[3D\x1b[1K", []string{"    ef"}},
		"a wrapped line is whole":   {"abcdefghijklmnop", []string{"abcdefghijklmnop"}},
		"the last column waits":     {"abcdefghij\r\nk", []string{"abcdefghij", "k"}},
		"backspace":                 {"abc\b\bX", []string{"aXc"}},
		"tabs":                      {"a\tb", []string{"a       b"}},
		"a title":                   {"\x1b]0;the title\x07text", []string{"text"}},
		"a title with ST":           {"\x1b]0;the title\x1b\\text", []string{"text"}},
		"a device control string":   {"\x1bPq#0;2\x1b\\text", []string{"text"}},
		"a cursor that moves":       {"\x1b[3;3Hx\x1b[1;1Hy", []string{"y", "", "  x"}},
		"up and overwritten":        {"a\r\nb\x1b[A\rA", []string{"A", "b"}},
		"inserted and deleted":      {"abcd\x1b[4D\x1b[2@\x1b[4C\x1b[P", []string{"  abd"}},
		"inserted rows":             {"a\r\nb\x1b[1;1H\x1b[L", []string{"", "a", "b"}},
		"deleted rows":              {"a\r\nb\x1b[1;1H\x1b[M", []string{"b"}},
		"a cleared screen":          {"old\x1b[2J\x1b[Hnew", []string{"new"}},
		"a scroll region":           {"top\r\n\x1b[2;3ra\x1b[2;1Ha\r\nb\r\nc\r\nd", []string{"aop", "c", "d"}},
		"the alternate screen":      {"shell\x1b[?1049h\x1b[Hvim", []string{"vim"}},
		"back from it":              {"shell\x1b[?1049h\x1b[Hvim\x1b[?1049l!", []string{"shell!"}},
		"wide characters":           {"日本\x1b[1;3HX", []string{"日X"}},
		"wide to the edge":          {"日本語日本", []string{"日本語日本"}},
		"wide and wrapped":          {"日本語日本語文", []string{"日本語日本語文"}},
		"wide and no room for it":   {"a日本語日本語日本", []string{"a日本語日本語日本"}},
		"no room, and no margins":   {"\x1b[?7la日本語日本", []string{"a日本語 本"}},
		"the first half replaced":   {"日本\x1b[1;1HX", []string{"X 本"}},
		"the second half replaced":  {"日本\x1b[1;2HX", []string{" X本"}},
		"halves of two replaced":    {"日本\x1b[1;2H語", []string{" 語"}},
		"a combining accent":        {"cafe\u0301!", []string{"cafe\u0301!"}},
		"an accent at the edge":     {"012345678e\u0301x", []string{"012345678e\u0301x"}},
		"an accent on nothing":      {"\u0301x", []string{"x"}},
		"an accent on a wide one":   {"か\u3099x", []string{"か\u3099x"}},
		"a keycap":                  {"1\ufe0f\u20e3 x", []string{"1\ufe0f\u20e3 x"}},
		"a family":                  {"👨\u200d👩\u200d👧!", []string{"👨\u200d👩\u200d👧!"}},
		"a profession":              {"👩🏽\u200d⚕\ufe0f!", []string{"👩🏽\u200d⚕\ufe0f!"}},
		"Persian":                   {"می\u200cشود\x1b[1;5H!", []string{"می\u200cشو!"}},
		"Arabic with vowels":        {"مُحَمَّد\x1b[1;5H!", []string{"مُحَمَّد!"}},
		"Hindi":                     {"हिन्दी", []string{"हिन्दी"}},
		"replaced with its accent":  {"e\u0301\rx", []string{"x"}},
		"too many accents":          {"e" + strings.Repeat("\u0301", 1000), []string{"e" + strings.Repeat("\u0301", maxJoined/2)}},
		"a repeated character":      {"a\x1b[3b", []string{"aaaa"}},
		"character sets":            {"\x1b(Ba", []string{"a"}},
		"saved and restored":        {"a\x1b7bc\x1b8X", []string{"aXc"}},
		"reverse index at the top":  {"a\x1b[1;1H\x1bMb", []string{"b", "a"}},
		"a reset":                   {"a\x1bcb", []string{"b"}},
		"an unknown control":        {"\x1b[>4;2m\x1b[?2026h\x1b[6nx", []string{"x"}},
		"a huge parameter":          {"\x1b[99999999999999999999Cx", []string{"         x"}},
		"nothing":                   {"", nil},
		"without automatic margins": {"\x1b[?7labcdefghijklm", []string{"abcdefghim"}},
	} {
		for _, step := range []int{1, 3, 1000} { // in whatever pieces it comes
			s := New(10, 4)
			for part := range slices.Chunk([]byte(c.out), step) {
				_, _ = s.Write(part)
			}
			if got := s.Lines(100); !slices.Equal(got, c.want) {
				t.Errorf("%s, %d bytes at a time: %q, not %q", name, step, got, c.want)
			}
		}
	}
}

func TestLinesAboveTheScreen(t *testing.T) {
	s := New(20, 3)
	for i := range kept + 3*kept/10 {
		_, _ = fmt.Fprintf(s, "line %d\r\n", i)
	}
	got := s.Lines(5)
	if len(got) != 5 || got[4] != fmt.Sprintf("line %d", kept+3*kept/10-1) || len(s.above) > kept+kept/10 {
		t.Errorf("%q, %d are kept", got, len(s.above))
	}
	if got := s.Visible(); len(got) != 3 || got[2] != "" {
		t.Errorf("on the screen: %q", got)
	}
}

func TestResize(t *testing.T) {
	s := New(10, 4)
	_, _ = s.Write([]byte("a\r\nb\r\nc\r\nd"))
	s.Resize(5, 2)
	if got := s.Lines(10); !slices.Equal(got, []string{"a", "b", "c", "d"}) || len(s.Visible()) != 2 {
		t.Errorf("smaller: %q", got)
	}
	s.Resize(30, 6)
	_, _ = s.Write([]byte(strings.Repeat("x", 25)))
	if got := s.Lines(10); got[len(got)-1] != "d"+strings.Repeat("x", 25) {
		t.Errorf("wider: %q", got)
	}
	s.Resize(0, 0)
	_, _ = s.Write([]byte("\x1b[5;5Hok\x1b[?1h"))
	if !s.AppCursor() {
		t.Error("the arrow keys are not those of applications")
	}
}

// Whatever a program sends, the emulator neither panics nor hangs.
func FuzzScreen(f *testing.F) {
	for _, seed := range []string{"\x1b[2;1r\x1b[99S\x1b[L", "\x1b[?1049h\x1b[5;5H日\x1b[X\x1b[@", "\x1b[3J\x1b[1;1H\x1bM", "\xff\xfe\x1b]"} {
		f.Add([]byte(seed), uint8(3), uint8(2))
	}
	f.Fuzz(func(t *testing.T, out []byte, cols, rows uint8) {
		s := New(10, 4)
		_, _ = s.Write(out)
		s.Resize(int(cols), int(rows))
		_, _ = s.Write(out)
		if n := len(s.Lines(7)); n > 7 {
			t.Errorf("%d lines", n)
		}
	})
}
