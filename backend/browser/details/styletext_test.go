package details

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/css"
)

func TestWholeDeclaration(t *testing.T) {
	for value, want := range map[string]bool{
		"red": true, "1px solid rgb(1, 2, 3)": true, `url("data:image/png;base64,AA==")`: true, `url(data:a;b)`: true, `"a;b"`: true, `"\""`: true,
		"red;": false, "red } a {": false, "rgb(1": false, "1)": false, `"a`: false, "a */ b": false, "/* a": false, "\"a\nb\"": false, `a\`: false, "(]": false,
	} {
		if wholeDeclaration(value) != want {
			t.Errorf("%q is whole: %v", value, !want)
		}
	}
}

func TestStyleText(t *testing.T) {
	at := func(line, from, to int64) *css.Property {
		return &css.Property{Range: &css.SourceRange{StartLine: line, StartColumn: from, EndLine: line, EndColumn: to}}
	}
	// "a {" is before it, on line 4; 😀 has two units in UTF-16.
	several := readStyle(&css.Style{CSSText: "\n  content: '😀'; color: red;\n  margin: 0\n", Range: &css.SourceRange{StartLine: 4, StartColumn: 3}})
	one := readStyle(&css.Style{CSSText: "color:red", Range: &css.SourceRange{StartLine: 0, StartColumn: 2}})
	for _, c := range []struct{ got, want string }{
		{several.replaced(at(5, 17, 28), "color: blue;"), "\n  content: '😀'; color: blue;\n  margin: 0\n"},
		{several.replaced(at(5, 17, 28), ""), "\n  content: '😀';\n  margin: 0\n"},
		{several.replaced(at(6, 2, 11), "margin: 1px;"), "\n  content: '😀'; color: red;\n  margin: 1px;\n"},
		{several.added("top: 0;"), "\n  content: '😀'; color: red;\n  margin: 0;\n  top: 0;\n"},
		{one.replaced(at(0, 2, 11), "color: blue;"), "color: blue;"},
		{one.added("top: 0;"), "color:red; top: 0;"},
		{readStyle(&css.Style{Range: &css.SourceRange{}}).added("top: 0;"), "top: 0;"},
	} {
		if c.got != c.want {
			t.Errorf("%q, not %q", c.got, c.want)
		}
	}
	if got := slice("a {\n😀x }", &css.SourceRange{StartLine: 1, StartColumn: 2, EndLine: 1, EndColumn: 3}); got != "x" {
		t.Errorf("the slice is %q", got)
	}
}

func TestDiff(t *testing.T) {
	got := strings.Join(diffText([]string{"a", "b", "c"}, []string{"a", "x", "c", "d"}), ",")
	if got != " a,-b,+x, c,+d" {
		t.Errorf("%s", got)
	}
}
