package protocol_test

import (
	"errors"
	"fmt"
	"testing"

	"pilotfish/backend/protocol"
)

func TestParseTabID(t *testing.T) {
	for in, want := range map[string]protocol.TabID{"t1": "t1", "7": "t7", "t4294967295": "t4294967295", "t007": "t7"} {
		if got, err := protocol.ParseTabID(in); err != nil || got != want {
			t.Errorf("ParseTabID(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "t", "t0", "0", "-1", "t-1", "tab1", "t1 ", "4294967296", "t1e3"} {
		if got, err := protocol.ParseTabID(in); err == nil {
			t.Errorf("ParseTabID(%q) = %q, want an error", in, got)
		}
	}
}

func TestParseSessionName(t *testing.T) {
	for _, in := range []string{"default", "a", "work-2", "0_x"} {
		if _, err := protocol.ParseSessionName(in); err != nil {
			t.Errorf("ParseSessionName(%q): %v", in, err)
		}
	}
	for _, in := range []string{"", "..", "a/b", "A", "-x", "a b", "x\x00", "ä", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} {
		if _, err := protocol.ParseSessionName(in); err == nil {
			t.Errorf("ParseSessionName(%q) was accepted", in)
		}
	}
}

func TestAsErrorKeepsTheCode(t *testing.T) {
	inner := protocol.NewError(protocol.CodeUnknownTab, "there is no tab t9", "look at `pilotfish tabs`")
	if got := protocol.AsError(fmt.Errorf("going back: %w", inner)); got != inner {
		t.Errorf("AsError lost the code: %v", got)
	}
	if got := protocol.AsError(errors.New("boom")); got.Code != protocol.CodeInternal || got.Message != "boom" {
		t.Errorf("AsError(plain) = %+v", got)
	}
	if protocol.AsError(nil) != nil {
		t.Error("AsError(nil) is not nil")
	}
}
