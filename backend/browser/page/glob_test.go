package page

import "testing"

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"shop", "https://shop.example/", true},
		{"shop", "https://example.com/", false},
		{"*", "", true},
		{"https://*/cart", "https://shop.example/cart", true},
		{"https://*/cart", "https://shop.example/cart/2", false},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "acb", false},
		{"*.png", "x.png", true},
		{"a*a", "a", false}, // one letter cannot match both ends
	} {
		if got := Glob(c.pattern, c.text); got != c.want {
			t.Errorf("%q matches %q: %t", c.pattern, c.text, got)
		}
	}
}

func TestOriginOf(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.example:8443/x?y#z": "https://a.example:8443",
		"http://[::1]/":                "http://[::1]",
		"about:blank":                  "",
		"file:///etc/passwd":           "",
		"chrome://newtab/":             "",
		"https://":                     "",
		"::":                           "",
	} {
		if got := OriginOf(address); got != want {
			t.Errorf("the origin of %q is %q, want %q", address, got, want)
		}
	}
}
