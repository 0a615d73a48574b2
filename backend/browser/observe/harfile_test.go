package observe

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/har"

	"pilotfish/backend/protocol"
)

// Credentials are masked unless secrets are requested.
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

// Credentials in addresses and in other headers are masked, too.
func TestAddressesOfAHAR(t *testing.T) {
	one := harRequest{NetworkEntry: protocol.NetworkEntry{
		URL: "https://a.example/?token=hush&q=cat", RequestHeaders: map[string]string{"referer": "https://a.example/?api_key=hush", "authorization": "Bearer hush"},
		PostData: "pw=hush",
	}, Redirect: "https://a.example/#access_token=hush"}
	for _, secrets := range []bool{false, true} {
		data, err := json.Marshal(one.entry("t1", secrets))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(data), "hush"); (got == 0) == secrets {
			t.Errorf("with secrets %v there are %d in %s", secrets, got, data)
		}
		if !strings.Contains(string(data), "q=cat") {
			t.Errorf("with secrets %v: %s", secrets, data)
		}
	}
}

// A request takes the sum of its phases; an unknown phase does not count.
func TestTotalOfAHAR(t *testing.T) {
	blocked, dns, connect := -1.0, 2.0, 3.0
	if got := totalTime(&har.Timings{Blocked: &blocked, DNS: &dns, Connect: &connect, Send: 1, Wait: 4, Receive: 5}); got != 15 {
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
