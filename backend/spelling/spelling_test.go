package spelling_test

import (
	"strings"
	"testing"

	"pilotfish/backend/spelling"
)

func TestNearest(t *testing.T) {
	known := []string{"goto", "back", "screenshot", "snapshot", "tab", "tabs", "straße"}
	for word, want := range map[string]string{
		"gto": "goto", "og": "", "gtoo": "goto", "screenshto": "screenshot", "screen": "screenshot", "tabss": "tabs",
		"snapshoot": "snapshot", "strasse": "straße", "xyzzy": "", "": "", strings.Repeat("tab", 50): "",
	} {
		if got := spelling.Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files"} {
		if got := spelling.Plural(n, "file"); got != want {
			t.Errorf("Plural(%d) = %q, want %q", n, got, want)
		}
	}
}
