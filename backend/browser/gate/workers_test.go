package gate

import (
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// The patterns of workers are those of pages, without the addresses that are
// allowed.
func TestSpelledOut(t *testing.T) {
	allow := func(url string, _ bool) error {
		if strings.Contains(url, "//172.15.") || strings.Contains(url, "//172.1.") {
			return nil
		}
		return protocol.NewError(protocol.CodeRefused, "no", "")
	}
	for pattern, want := range map[string]string{
		"*://10.*": "*://10.*:*/*", "*://*:4711/*": "*://*:4711/*", "*://[*": "*://[*]:*/*", "file:*": "",
		"*://metadata*": "*://metadata*:*/*", "*://172.15.*": "", "*://172.1?.*": "*://172.10.*:*/*",
	} {
		got := spelledOut(pattern, allow)
		if want == "" && len(got) > 0 || want != "" && (len(got) == 0 || got[0] != want) {
			t.Errorf("%s is %q", pattern, got)
		}
	}
	if got := spelledOut("*://172.1?.*", allow); len(got) != 9 {
		t.Errorf("%q", got)
	}
}
