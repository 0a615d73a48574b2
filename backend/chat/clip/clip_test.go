package clip_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pilotfish/backend/chat/clip"
)

func TestClip(t *testing.T) {
	for name, test := range map[string]struct{ got, want string }{
		"short":            {clip.Cut("Größe", 5), "Größe"},
		"cut":              {clip.Cut("Größen", 5), "Größ…"},
		"one line":         {clip.Line(" a\n\tb  c ", 10), "a b c"},
		"a line cut":       {clip.Line("a b c d e f", 4), "a b…"},
		"a tool's text":    {clip.Tool("a\nb"), "a\nb"},
		"nothing of a lot": {clip.Line(strings.Repeat(" ", 1000), 4), ""},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", name, test.got, test.want)
		}
	}
	for _, long := range []string{clip.Tool(strings.Repeat("é", clip.MaxTool)), clip.Line(strings.Repeat("é", 1000), 9)} {
		if !utf8.ValidString(long) || len(long) > clip.MaxTool+20 {
			t.Errorf("%d bytes are left, valid: %v", len(long), utf8.ValidString(long))
		}
	}
}

func TestMatch(t *testing.T) {
	long := strings.Repeat("ä", 100)
	for _, test := range []struct{ text, words, before, match, after string }{
		{"Where is the ÜBER one?", "über", "Where is the ", "ÜBER", " one?"},
		{long + "x" + long, "X", strings.Repeat("ä", 60), "x", strings.Repeat("ä", 60)},
		{"", "a", "", "", ""},
		{"b", "a", "", "", ""},
	} {
		before, match, after, ok := clip.Match(test.text, test.words)
		if ok != (test.match != "") || before != test.before || match != test.match || after != test.after {
			t.Errorf("%q in %.20q: %q, %q, %q, %v", test.words, test.text, before, match, after, ok)
		}
	}
}
