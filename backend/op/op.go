// Package op declares operations: what a client may ask for by a name, with JSON for what
// it gives and for what it gets. Each part declares its own beside the code that does them.
// A Table finds them by their names.
package op

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"pilotfish/backend/protocol"
)

// Call is one call of an operation.
type Call struct {
	// Session is the session that it is about; empty where it is about none.
	Session protocol.SessionName
	// Place is where the user is: "window" or "tray".
	Place string
}

// None is what an operation takes or returns when that is nothing.
type None struct{}

// MarshalJSON returns null.
func (None) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// Operation is something that a client may ask for.
type Operation struct {
	name string
	run  func(ctx context.Context, call Call, in json.RawMessage) (any, error)
}

// New declares an operation that takes an In and returns an Out. In and Out are encoded as
// JSON; either may be None.
func New[In, Out any](name string, run func(ctx context.Context, call Call, in In) (Out, error)) Operation {
	return Operation{name: name, run: func(ctx context.Context, call Call, raw json.RawMessage) (any, error) {
		in, err := decode[In](name, raw)
		if err != nil {
			return nil, err
		}
		return run(ctx, call, in)
	}}
}

// Of declares an operation on a part of the call's session. find returns the part.
func Of[Part, In, Out any](find func(protocol.SessionName) (Part, error), name string, run func(ctx context.Context, part Part, call Call, in In) (Out, error)) Operation {
	return New(name, func(ctx context.Context, call Call, in In) (out Out, err error) {
		part, err := find(call.Session)
		if err != nil {
			return out, err
		}
		return run(ctx, part, call, in)
	})
}

// Do declares an operation that takes an In and returns nothing.
func Do[In any](name string, run func(ctx context.Context, call Call, in In) error) Operation {
	return New(name, func(ctx context.Context, call Call, in In) (None, error) { return None{}, run(ctx, call, in) })
}

func decode[In any](name string, raw json.RawMessage) (in In, err error) {
	if _, none := any(in).(None); none {
		return in, nil
	}
	if len(raw) == 0 || string(raw) == "null" {
		return in, protocol.NewError(protocol.CodeBadArgument, name+" needs an argument", "")
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return in, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the argument of %s cannot be read (%v)", name, err), "")
	}
	return in, nil
}

// Table are the operations that a client may ask for.
type Table struct {
	operations map[string]Operation
	missing    error
}

// NewTable returns a table of operations, whose names differ. missing is what a call of
// any other name returns; nil for an error that says that there is none.
func NewTable(missing error, operations ...Operation) Table {
	t := Table{operations: make(map[string]Operation, len(operations)), missing: missing}
	for _, o := range operations {
		if _, twice := t.operations[o.name]; twice {
			panic("two operations are called " + o.name)
		}
		t.operations[o.name] = o
	}
	return t
}

// Names returns the names of the operations, in order.
func (t Table) Names() []string {
	names := make([]string, 0, len(t.operations))
	for name := range t.operations {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Call carries out an operation by its name. in is the JSON of what it takes, empty or
// null for nothing. It returns the JSON of the result. CodeUnknownCommand means that there
// is no such operation, and CodeBadArgument that in cannot be read.
func (t Table) Call(ctx context.Context, name string, call Call, in json.RawMessage) (json.RawMessage, error) {
	o, ok := t.operations[name]
	switch {
	case !ok && t.missing != nil:
		return nil, t.missing
	case !ok:
		return nil, protocol.NewError(protocol.CodeUnknownCommand, fmt.Sprintf("the app has no operation %q", name), "start Pilotfish again")
	}
	out, err := o.run(ctx, call, in)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encoding what %s returned: %w", name, err)
	}
	return text, nil
}
