package details

import (
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/css"
)

func TestInitialValues(t *testing.T) {
	initial := initialValues()
	if len(initial) < 400 || initial["opacity"] != "1" || initial["display"] != "inline" {
		t.Errorf("%d initial values", len(initial))
	}
}

func TestWhole(t *testing.T) {
	for value, want := range map[string]bool{
		"red": true, "1px solid rgb(1, 2, 3)": true, `url("data:image/png;base64,AA==")`: true, `url(data:a;b)`: true, `"a;b"`: true, `"\""`: true,
		"red;": false, "red } a {": false, "rgb(1": false, "1)": false, `"a`: false, "a */ b": false, "/* a": false, "\"a\nb\"": false, `a\`: false, "(]": false,
	} {
		if whole(value) != want {
			t.Errorf("%q is whole: %v", value, !want)
		}
	}
}

func TestStyleText(t *testing.T) {
	at := func(line, from, to int64) *css.Property {
		return &css.Property{Range: &css.SourceRange{StartLine: line, StartColumn: from, EndLine: line, EndColumn: to}}
	}
	// "a {" is before it, on line 4; 😀 has two units in UTF-16.
	several := textOf(&css.Style{CSSText: "\n  content: '😀'; color: red;\n  margin: 0\n", Range: &css.SourceRange{StartLine: 4, StartColumn: 3}})
	one := textOf(&css.Style{CSSText: "color:red", Range: &css.SourceRange{StartLine: 0, StartColumn: 2}})
	for _, c := range []struct{ got, want string }{
		{several.replaced(at(5, 17, 28), "color: blue;"), "\n  content: '😀'; color: blue;\n  margin: 0\n"},
		{several.replaced(at(5, 17, 28), ""), "\n  content: '😀';\n  margin: 0\n"},
		{several.replaced(at(6, 2, 11), "margin: 1px;"), "\n  content: '😀'; color: red;\n  margin: 1px;\n"},
		{several.added("top: 0;"), "\n  content: '😀'; color: red;\n  margin: 0;\n  top: 0;\n"},
		{one.replaced(at(0, 2, 11), "color: blue;"), "color: blue;"},
		{one.added("top: 0;"), "color:red; top: 0;"},
		{textOf(&css.Style{Range: &css.SourceRange{}}).added("top: 0;"), "top: 0;"},
	} {
		if c.got != c.want {
			t.Errorf("%q, not %q", c.got, c.want)
		}
	}
	if got := sliceOf("a {\n😀x }", &css.SourceRange{StartLine: 1, StartColumn: 2, EndLine: 1, EndColumn: 3}); got != "x" {
		t.Errorf("the slice is %q", got)
	}
}

func TestDiffLines(t *testing.T) {
	got := strings.Join(diffLines([]string{"a", "b", "c"}, []string{"a", "x", "c", "d"}), ",")
	if got != " a,-b,+x, c,+d" {
		t.Errorf("%s", got)
	}
}

func TestContrast(t *testing.T) {
	for text, want := range map[string]float64{
		"rgb(0, 0, 0)": 21, "rgb(255, 255, 255)": 1, "rgba(0, 0, 0, 0)": 1, "rgb(118, 118, 118)": 4.54, "rgba(0 0 0 / 50%)": 3.95,
	} {
		c := colors([]*css.ComputedStyleProperty{{Name: "color", Value: text}}, &css.GetBackgroundColorsResult{BackgroundColors: []string{"rgb(255, 255, 255)"}, ComputedFontSize: "16px"})
		if math.Abs(c.Contrast-want) > 0.05 {
			t.Errorf("%s on white: %v, not %v", text, c.Contrast, want)
		}
	}
	if c := colors(nil, &css.GetBackgroundColorsResult{BackgroundColors: []string{"oklch(1 0 0)"}}); c.Contrast != 0 {
		t.Errorf("of colours that are not known: %v", c.Contrast)
	}
	if c := colors(nil, &css.GetBackgroundColorsResult{BackgroundColors: []string{}, ComputedFontSize: "19px", ComputedFontWeight: "bold"}); c.Needed != 3 {
		t.Errorf("large text needs %v", c.Needed)
	}
	if colors(nil, &css.GetBackgroundColorsResult{}) != nil {
		t.Error("colours without text")
	}
}
