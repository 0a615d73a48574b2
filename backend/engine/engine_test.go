package engine_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"pilotfish/backend/engine"
)

// An address has a scheme that is known, and is encrypted unless it is this machine's. What
// is printed has no credential.
func TestParse(t *testing.T) {
	for address, want := range map[string]string{
		"ws://example.com/": "not be encrypted", "grid+http://10.0.0.1:4444/": "not be encrypted", "ws://127.0.0.1.example.com/": "not be encrypted",
		"http://example.com/": "\"http\"", "grid+ftp://example.com/": "\"ftp\"", "wss://": "not the address", "wss://a b/": "not the address", "wss://h/#x": "not the address",
	} {
		if _, err := engine.Parse(address, "", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", address, err)
		}
	}
	for address, origin := range map[string]string{
		"plain+ws://example.com:3000/": "http://example.com:3000", "plain+grid+http://10.0.0.1:4444/": "http://10.0.0.1:4444",
		"grid+https://example.com/": "https://example.com", "ws://localhost:1/": "http://localhost:1", "wss://[::1]/": "https://[::1]",
	} {
		if e, err := engine.Parse(address, "", ""); err != nil || engine.Origin(address) != origin || !strings.Contains(origin, e.Name()) {
			t.Errorf("%s: %v, %v, %q", address, e, err, engine.Origin(address))
		}
	}
	for _, header := range []string{"Authorization", ": x", "A: ", "A: b\r\nC: d"} {
		if _, err := engine.Parse("wss://example.com/", header, ""); err == nil || strings.Contains(err.Error(), "C: d") {
			t.Errorf("%q: %v", header, err)
		}
	}
	e, err := engine.Parse("wss://me:pa55@example.com/?token={secret}", "X-Key: {secret}", "s3cret")
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "engine", e)
	for _, shown := range []string{fmt.Sprint(e), fmt.Sprintf("%v %+v %#v %s", e, e, e, e), log.String()} {
		if strings.Contains(shown, "pa55") || strings.Contains(shown, "s3cret") || !strings.Contains(shown, "example.com") {
			t.Error(shown)
		}
	}
}
