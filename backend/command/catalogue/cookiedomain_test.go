package catalogue

import "testing"

// A host belongs to its own domain and to those above it, an IP address only to
// itself.
func TestInDomain(t *testing.T) {
	for _, c := range []struct {
		host, domain string
		want         bool
	}{
		{"a.shop.example", "a.shop.example", true},
		{"a.shop.example", "shop.example", true},
		{"shop.example", "a.shop.example", false},
		{"b.shop.example", "a.shop.example", false},
		{"myshop.example", "shop.example", false},
		{"10.0.0.1", "0.0.1", false},
		{"10.0.0.1", "10.0.0.1", true},
		{"::1", "::1", true},
		{"", "shop.example", false},
	} {
		if got := inDomain(c.host, c.domain); got != c.want {
			t.Errorf("%s in %s: %t", c.host, c.domain, got)
		}
	}
}
