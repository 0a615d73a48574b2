package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSplitTextIsWhatJSONSays(t *testing.T) {
	for _, raw := range []string{`""`, `"plain"`, `"a\"b\\c\/d\b\f\n\r\t"`, `"\u00fc\u20ac"`, `"\ud83d\udc1f!"`, `"\ud83d"`, `"\udc1f x"`, `"\ud83dx"`, `"ü€🐟"`, `"\ud83d\ud83d\udc1f"`} {
		var want string
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatal(err)
		}
		var got splitText
		if err := json.Unmarshal([]byte(raw), &got); err != nil || whole(got) != want {
			t.Errorf("%s: %q, %v; want %q", raw, whole(got), err, want)
		}
	}
}

func FuzzSplitText(f *testing.F) {
	f.Add("Grüße 🐟.", 3, 9)
	f.Add("a\\n\"\u2028", 0, 1)
	f.Fuzz(func(t *testing.T, text string, first, second int) {
		if !utf8.ValidString(text) {
			t.Skip()
		}
		cut := func(at int) int { return min(max(at, 0), len(text)) }
		a, b := cut(min(first, second)), cut(max(first, second))
		var j Joiner
		var out strings.Builder
		for _, piece := range []string{text[:a], text[a:b], text[b:]} {
			out.WriteString(j.Join([]byte(piece)))
		}
		out.WriteString(j.Flush())
		if out.String() != text {
			t.Errorf("%q cut at %d and %d became %q", text, a, b, out.String())
		}
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var decoded splitText
		if err := json.Unmarshal(raw, &decoded); err != nil || whole(decoded) != text {
			t.Errorf("%s became %q, %v", raw, whole(decoded), err)
		}
	})
}
