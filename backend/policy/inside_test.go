package policy

import (
	"slices"
	"testing"
)

func TestStyleAddresses(t *testing.T) {
	const evil = "http://evil.test/?q=1"
	for _, test := range []struct {
		property, value string
		want            []string
	}{
		{"color", "tomato", nil},
		{"color", "rgb(1, 2, 3)", nil},
		{"content", `"http://evil.test/"`, nil},
		{"content", `counter(a, "/") "x"`, nil},
		{"clip-path", `path("M0 0L9 9")`, nil},
		{"filter", "url(#blur)", nil},
		{"background", "red url()", nil},
		{"background", "/* url(http://evil.test) */ red", nil},
		{"background", `u\72l\28 http://evil.test)`, nil},
		{"background", "url(" + evil + ")", []string{evil}},
		{"background", "red URL( '" + evil + "' )", []string{evil}},
		{"background", `\55 R\4c(` + evil + ")", []string{evil}},
		{"background", "u\\72\r\nl(" + evil + ")", []string{evil}},
		{"background", "url(\"http://\\\r\nevil.test/?q=1\")", []string{evil}},
		{"background", `url(http\3a //evil.test\/?q=1`, []string{evil}},
		{"background", "url(a) , url( b ), URL(\"c", []string{"a", "b", "c"}},
		{"background", `image-set("a" type("image/png") 1x, url(b) 2x)`, []string{"a", "b"}},
		{"background", `-x-image-set(var(--a, "a"), (env(b, 'b')))`, []string{"a", "b"}},
		{"background", `src("a") var(--x, "b")`, []string{"a"}},
		{"background", `"url(" url(a)`, []string{"a"}},
		{"background", "\"\nurl(a)", []string{"a"}},
		{"background", "5url(a)", nil},
		{"background", "5/**/url(a)", []string{"a"}},
		{"--x", `"Hello, world" 1px`, nil},
		{"--x", `"//evil.test/a"`, []string{"//evil.test/a"}},
		{" --x", `'\2f\2f evil.test'`, []string{"//evil.test"}},
		{"--x", `[ { url(a) } ]`, []string{"a"}},
	} {
		if got := StyleAddresses(test.property, test.value); !slices.Equal(got, test.want) {
			t.Errorf("%s: %s names %q, not %q", test.property, test.value, got, test.want)
		}
	}
}

func FuzzStyleAddresses(f *testing.F) {
	f.Add("--x", `url("a\`)
	f.Add("background", "\\\n\\(url(\xff")
	f.Fuzz(func(_ *testing.T, property, value string) { StyleAddresses(property, value) })
}

func TestTextAddresses(t *testing.T) {
	for text, want := range map[string][]string{
		`{"a": 1, "b": "// c"}`:                    nil,
		`{"a": "http://evil.test/?q=1", "b": 2}`:   {"http://evil.test/?q=1"},
		`{"a": "\u0068ttps:\/\/evil.test\/?q=1"}`:  {"https://evil.test/?q=1"},
		`<img src=&#47;&#47;evil.test/?q=1>`:       {"http://evil.test/?q=1"},
		`<a href='HTTPS:\\evil.test/,;?q=1'>`:      {"https://evil.test/,;?q=1"},
		`wss://evil.test/a ws:evil.test http:/b/c`: {"https://evil.test/a", "http://evil.test", "http://b/c"},
	} {
		if got := TextAddresses(text); !slices.Equal(got, want) {
			t.Errorf("%s has %q, not %q", text, got, want)
		}
	}
}
