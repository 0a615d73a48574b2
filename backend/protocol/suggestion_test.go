package protocol_test

import (
	"testing"

	"pilotfish/backend/protocol"
)

func TestAdviceNamesCommandsAsTheClientDoes(t *testing.T) {
	e := protocol.NewError(protocol.CodeTimeout, "it did not answer", "the page may hang",
		protocol.Try("loads it again", "reload"), protocol.With("waits longer", "--timeout", "1m"), protocol.Example("wait", "text", "it's saved"))
	line := func(s protocol.Suggestion) string { return "<" + s.Line() + ">" }
	if got, want := e.Advice(line), `the page may hang; <reload> loads it again; <--timeout 1m> waits longer; for example: <wait text 'it'\''s saved'>`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := e.Advice(func(protocol.Suggestion) string { return "" }); got != "the page may hang" {
		t.Errorf("without names: %s", got)
	}
	if said := e.Saying("tab t1: " + e.Message); said.Hint != e.Hint || len(said.Next) != 3 || e.Message != "it did not answer" {
		t.Errorf("%+v of %+v", said, e)
	}
}
