package op_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
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

// The window cannot call what is for HTTP alone.
func TestRoutes(t *testing.T) {
	do := func(name string) op.Operation {
		return op.Do(name, func(context.Context, op.Call, op.None) error { return nil })
	}
	all := op.NewTable(nil, do("Own"), do("Both").At(op.Route{Path: "/both", Window: true}), do("HTTP").At(op.Route{Path: "/http"}))
	if got, want := all.Names(), []string{"Both", "Own"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestStreamed(t *testing.T) {
	broken := errors.New("broken")
	o := op.Streamed("Count", func(_ context.Context, _ op.Call, in pair) (iter.Seq2[int, error], error) {
		if in.A == "" {
			return nil, broken
		}
		return func(yield func(int, error) bool) {
			_ = yield(1, nil) && yield(2, nil) && yield(0, broken) && yield(3, nil)
		}, nil
	}, func(n int) op.Event { return op.Event{ID: uint64(n), Name: "n", Data: n} })
	if _, err := o.Stream(t.Context(), op.Call{}, json.RawMessage(`{}`)); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := o.Stream(t.Context(), op.Call{}, json.RawMessage(`7`)); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Error(err)
	}
	events, err := o.Stream(t.Context(), op.Call{}, json.RawMessage(`{"a":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for e, err := range events {
		if err != nil {
			if !errors.Is(err, broken) {
				t.Error(err)
			}
			continue
		}
		got = append(got, e.ID)
	}
	if !slices.Equal(got, []uint64{1, 2}) {
		t.Errorf("%v", got)
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
