package observe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/protocol"
)

// What a value says is bounded, and only what has parts has a handle.
func TestValues(t *testing.T) {
	v := newValues()
	for _, one := range []struct {
		o    *runtime.RemoteObject
		want protocol.PageValue
	}{
		{nil, protocol.PageValue{Type: "undefined", Text: "undefined"}},
		{&runtime.RemoteObject{Type: "string", Value: []byte(`"a\nb"`)}, protocol.PageValue{Type: "string", Text: "a\nb"}},
		{&runtime.RemoteObject{Type: "number", UnserializableValue: "-0"}, protocol.PageValue{Type: "number", Text: "-0"}},
		{&runtime.RemoteObject{Type: "object", Subtype: "null", Value: []byte("null")}, protocol.PageValue{Type: "null", Text: "null"}},
		{&runtime.RemoteObject{Type: "symbol", Description: "Symbol(a)", ObjectID: "1"}, protocol.PageValue{Type: "symbol", Text: "Symbol(a)"}},
		{&runtime.RemoteObject{Type: "object", Description: "Cart", ObjectID: "2", Preview: &runtime.ObjectPreview{
			Description: "Cart", Overflow: true, Properties: []*runtime.PropertyPreview{{Name: "a", Type: "string", Value: "x"}},
		}}, protocol.PageValue{Type: "object", Text: `Cart {a: "x", …}`, Handle: "v1"}},
		{&runtime.RemoteObject{Type: "object", Subtype: "set", ObjectID: "3", Preview: &runtime.ObjectPreview{
			Subtype: "set", Description: "Set(1)", Entries: []*runtime.EntryPreview{{Value: &runtime.ObjectPreview{Type: "number", Description: "7"}}},
		}}, protocol.PageValue{Type: "set", Text: "Set(1) {7}", Handle: "v2"}},
		{&runtime.RemoteObject{Type: "function", Description: strings.Repeat("é", wordsKept+1), ObjectID: "4"}, protocol.PageValue{Type: "function", Text: strings.Repeat("é", wordsKept) + "…", Handle: "v3"}},
	} {
		if got := v.Of("t1", nil, one.o); got != one.want {
			t.Errorf("%+v, want %+v", got, one.want)
		}
	}
}

// The oldest handles go first, and their values are gone then.
func TestHandlesAreBounded(t *testing.T) {
	v := newValues()
	for n := range handlesKept + 1 {
		v.keep(heldValue{tab: "t1", id: runtime.RemoteObjectID(fmt.Sprint(n))})
	}
	if len(v.kept) > handlesKept || len(v.kept) != len(v.order) {
		t.Errorf("%d and %d are kept", len(v.kept), len(v.order))
	}
	if _, err := v.Open(t.Context(), "t1", "v1", 0); protocol.AsError(err).Code != protocol.CodeGone {
		t.Errorf("the oldest: %v", err)
	}
}
