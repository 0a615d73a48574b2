package observe

import (
	"testing"
)

// TestHeadersOfAHAR: credentials are masked unless they are asked for.
func TestHeadersOfAHAR(t *testing.T) {
	h := map[string]string{"Cookie": "a=1", "Accept": "*/*", "X-API-Key": "k"}
	for _, secrets := range []bool{false, true} {
		got := map[string]string{}
		for _, p := range harHeaders(h, secrets) {
			got[p.Name] = p.Value
		}
		if got["Accept"] != "*/*" || (got["Cookie"] == "a=1") != secrets || (got["X-API-Key"] == "k") != secrets {
			t.Errorf("with secrets %v they are %v", secrets, got)
		}
	}
}

// TestTotal: a request takes the sum of its phases; one that is not known counts nothing.
func TestTotal(t *testing.T) {
	if got := (harTimings{Blocked: -1, DNS: 2, Connect: 3, Send: 1, Wait: 4, Receive: 5}).total(); got != 15 {
		t.Errorf("it took %g", got)
	}
}

func TestHTTPVersion(t *testing.T) {
	for p, want := range map[string]string{"h2": "HTTP/2", "h3": "HTTP/3", "http/1.1": "HTTP/1.1", "": "unknown"} {
		if got := httpVersion(p); got != want {
			t.Errorf("%q is %s", p, got)
		}
	}
}
