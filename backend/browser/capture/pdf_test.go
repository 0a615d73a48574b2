package capture

import (
	"testing"

	"pilotfish/backend/protocol"
)

// TestPaper: an unknown paper, and margins that leave no space, are refused before
// the browser receives a request.
func TestPaper(t *testing.T) {
	c := New(nil, Config{})
	for _, q := range []protocol.PDFRequest{{Paper: "a7"}, {Paper: "a5", Margin: 8}, {Margin: -1}} {
		if _, err := c.PDF(t.Context(), protocol.Caller{}, "t1", q); protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if w, h, ok := paper(""); !ok || w != 8.27 || h != 11.69 {
		t.Errorf("the usual paper is %g × %g", w, h)
	}
}

// TestCompareWithoutMark: there is no mark with which the tab could be compared.
func TestCompareWithoutMark(t *testing.T) {
	_, _, _, err := New(nil, Config{}).Compare(t.Context(), protocol.Caller{}, "t1", "", false, false)
	if e := protocol.AsError(err); e.Code != protocol.CodeBadArgument || len(e.Next) == 0 {
		t.Errorf("%+v", e)
	}
}
