package input

import (
	"encoding/json"
	"testing"

	"pilotfish/backend/browser/effects"
)

// TestDoneToNothing: a press is done again only when it was done to nothing.
func TestDoneToNothing(t *testing.T) {
	for _, test := range []struct {
		what    string
		settled string
		pressed bool
		frames  int
		again   bool
	}{
		{"it met the target", `{"guard":{"ok":true}}`, true, 1, false},
		{"it met something else and was held back", `{"guard":{"ok":false,"met":"a banner"}}`, true, 3, true},
		{"nobody saw it", `{"guard":{}}`, true, 1, true},
		{"a frame may have got it", `{"guard":{}}`, true, 2, false},
		{"there was no press", `{"guard":{}}`, false, 1, false},
		{"the document is gone", `{}`, true, 1, false},
	} {
		var told effects.Settled
		if err := json.Unmarshal([]byte(test.settled), &told); err != nil {
			t.Fatal(err)
		}
		if doneToNothing(told, test.pressed, func() int { return test.frames }) != test.again {
			t.Errorf("%s: done again: %v", test.what, !test.again)
		}
	}
}
