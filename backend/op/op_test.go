package op_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

type pair struct{ A, B string }

func table(missing error) op.Table {
	find := func(name protocol.SessionName) (*pair, error) {
		if name != "work" {
			return nil, protocol.NewError(protocol.CodeUnknownSession, "there is no such session", "")
		}
		return &pair{A: "kept"}, nil
	}
	return op.NewTable(missing,
		op.New("Join", func(_ context.Context, call op.Call, in pair) (string, error) { return call.Place + in.A + in.B, nil }),
		op.New("Nothing", func(context.Context, op.Call, op.None) (op.None, error) { return op.None{}, nil }),
		op.Do("Fail", func(context.Context, op.Call, string) error { return errors.New("it fails") }),
		op.Of(find, "Kept", func(_ context.Context, p *pair, _ op.Call, _ op.None) (string, error) { return p.A, nil }),
		op.New("Broken", func(context.Context, op.Call, op.None) (func(), error) { return func() {}, nil }),
	)
}

func TestCalls(t *testing.T) {
	all := table(nil)
	if got, want := all.Names(), []string{"Broken", "Fail", "Join", "Kept", "Nothing"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, c := range []struct {
		name    string
		session protocol.SessionName
		in      string
		want    string
		code    protocol.Code
	}{
		{name: "Join", in: `{"a":"x","b":"y"}`, want: `"trayxy"`},
		{name: "Join", code: protocol.CodeBadArgument},
		{name: "Join", in: "null", code: protocol.CodeBadArgument},
		{name: "Join", in: "7", code: protocol.CodeBadArgument},
		{name: "Nothing", want: "null"},
		{name: "Nothing", in: `"ignored"`, want: "null"},
		{name: "Fail", in: `""`, code: protocol.CodeInternal},
		{name: "Kept", session: "work", want: `"kept"`},
		{name: "Kept", session: "play", code: protocol.CodeUnknownSession},
		{name: "Broken", code: protocol.CodeInternal},
		{name: "join", code: protocol.CodeUnknownCommand},
	} {
		got, err := all.Call(t.Context(), c.name, op.Call{Session: c.session, Place: "tray"}, json.RawMessage(c.in))
		if c.code == "" && (err != nil || string(got) != c.want) || c.code != "" && protocol.AsError(err).Code != c.code {
			t.Errorf("%s %s: %s, %v", c.name, c.in, got, err)
		}
	}
}

// Without a backend, every operation but the app's own says why there is none.
func TestWhatIsMissingSaysWhy(t *testing.T) {
	why := protocol.NewError(protocol.CodeNotWritable, "the folder cannot be written", "")
	if _, err := table(why).Call(t.Context(), "Other", op.Call{}, nil); !errors.Is(err, why) {
		t.Error(err)
	}
}

func TestTwoOfOneName(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two operations have one name")
		}
	}()
	one := op.Do("One", func(context.Context, op.Call, op.None) error { return nil })
	op.NewTable(nil, one, one)
}
