package session

import (
	"net/http/httptest"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// The first page of a new browser says what an agent can do where it is not confined,
// and says nothing of that where it is.
func TestTheFirstPageSaysWhatRemainsPossible(t *testing.T) {
	page := func(unconfined *protocol.Error) string {
		w := httptest.NewRecorder()
		welcome(w, "", "", unconfined)
		return w.Body.String()
	}
	why := protocol.NewError(protocol.CodeNotConfined, "bubblewrap is not installed", "install the package bubblewrap")
	for _, want := range []string{`<p class="note">Agents are not confined on this computer: bubblewrap is not installed.`, "can do all that you can", "install the package bubblewrap", "SECURITY.md"} {
		if !strings.Contains(page(why), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page(nil), "not confined") {
		t.Error("the page speaks of agents that are not confined")
	}
}
