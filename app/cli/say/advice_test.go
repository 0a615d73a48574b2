package say

import (
	"bytes"
	"testing"

	"pilotfish/backend/protocol"
)

func TestFailureNamesCommandsAsLinesToType(t *testing.T) {
	var out bytes.Buffer
	Failure(&out, protocol.NewError(protocol.CodeTimeout, "t1 did not answer", "the page may hang",
		protocol.Try("loads it again", "reload"), protocol.With("waits longer", "--timeout", "1m"), protocol.Example("wait", "text", "All saved")))
	const want = "pilotfish: t1 did not answer\n  the page may hang; `pilotfish reload` loads it again; `--timeout 1m` waits longer; for example: pilotfish wait text 'All saved'\n"
	if out.String() != want {
		t.Errorf("%s\nwant %s", out.String(), want)
	}
}
