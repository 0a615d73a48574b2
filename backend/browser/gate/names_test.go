package gate

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"testing/synctest"
)

// TestNameOf: only what a look-up decides is looked up.
func TestNameOf(t *testing.T) {
	for raw, want := range map[string]string{
		"https://Example.com./a": "example.com", "http://lan.test:8080/": "lan.test",
		"http://localhost:3000/": "", "http://app.localhost/": "", "http://127.0.0.1/": "", "http://[fd00::1]/": "",
		"data:text/html,x": "", "ws://lan.test/": "", "://": "",
	} {
		if got := nameOf(raw); got != want {
			t.Errorf("%s: %q", raw, got)
		}
	}
}

// TestNames: one look-up answers everybody for a while, a failed one nobody after.
func TestNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, fails := 0, false
		begin := make(chan struct{})
		n := &names{known: make(map[string]*answer), lookup: func(context.Context, string) ([]netip.Addr, error) {
			asked++
			<-begin
			if fails {
				return nil, errors.New("no such name")
			}
			return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
		}}
		got := make(chan []netip.Addr)
		for range 3 {
			go func() { got <- n.of(t.Context(), "a.test") }()
		}
		synctest.Wait()
		close(begin)
		for range 3 {
			if addrs := <-got; len(addrs) != 1 {
				t.Errorf("a request was told %v", addrs)
			}
		}
		if n.of(t.Context(), "a.test"); asked != 1 {
			t.Errorf("%d look-ups", asked)
		}
		fails = true
		for range 2 {
			if addrs := n.of(t.Context(), "b.test"); addrs != nil {
				t.Errorf("an unknown name is at %v", addrs)
			}
		}
		if asked != 3 {
			t.Errorf("%d look-ups: a failure was kept", asked)
		}
	})
}
