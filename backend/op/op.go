// Package op declares operations: what a client may ask for, with JSON for what it gives
// and for what it gets. Each part declares its own beside the code that does them. The window
// and the tray find an operation by its name (Table), HTTP by its route.
package op

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// Call is one call of an operation.
type Call struct {
	// Session is the session that it is about; empty where it is about none.
	Session protocol.SessionName
	// Place is where the user is: "window", "tray" or "panel"; empty for other callers.
	Place string
	// Grant says who calls.
	Grant auth.Grant
	// Away: the user is not at this computer's desktop.
	Away bool
}

// ByUser returns a call by the user, who is at the window or the tray.
func ByUser(session protocol.SessionName, place string) Call {
	return Call{Session: session, Place: place, Grant: auth.Grant{
		Kind: auth.KindPanel, Session: session, Actor: protocol.Actor{Kind: protocol.ActorUser, Name: "you"},
		Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct},
	}}
}

// Route is how an operation is reached over HTTP. The server checks all of it before the
// operation is called.
type Route struct {
	Path string
	// Capability is what the caller's token must allow.
	Capability auth.Capability
	// About says in the reference what the operation does.
	About string
	// Window lets the window and the tray call it, too.
	Window bool
	// Panel means that only our extension may call it.
	Panel bool
	// Get means that it is a GET, with what it takes in the query. GetToo allows both.
	Get, GetToo bool
	// Body is the limit of the body of a POST in bytes; 0 for protocol.MaxBody.
	Body int64
}

// None is what an operation takes or returns when that is nothing.
type None struct{}

// MarshalJSON returns null.
func (None) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// Operation is something that a client may ask for.
type Operation struct {
	// Name is the name of the operation; each has its own.
	Name string
	// In and Out are values of the types that it takes and returns, or that each event of
	// its stream has.
	In, Out any
	// Route is its route; nil if only the window and the tray may call it.
	Route *Route
	// Desktop: it is of use only at the desktop of this computer.
	Desktop bool
	// Run carries it out. in is the JSON of what it takes.
	Run func(ctx context.Context, call Call, in json.RawMessage) (any, error)
	// Stream returns its events, until ctx ends. An operation has either Run or Stream.
	Stream func(ctx context.Context, call Call, in json.RawMessage) (iter.Seq2[Event, error], error)
}

// Event is one event of a stream. ID is where a client continues that was cut off.
type Event struct {
	ID   uint64
	Name string
	Data any
}

// New declares an operation that takes an In and returns an Out. In and Out are encoded as
// JSON; either may be None.
func New[In, Out any](name string, run func(ctx context.Context, call Call, in In) (Out, error)) Operation {
	var in In
	var out Out
	return Operation{Name: name, In: in, Out: out, Run: func(ctx context.Context, call Call, raw json.RawMessage) (any, error) {
		in, err := decode[In](name, raw)
		if err != nil {
			return nil, err
		}
		return run(ctx, call, in)
	}}
}

// Streamed declares an operation that returns a stream of events, each made of an Item.
func Streamed[In, Item any](name string, open func(ctx context.Context, call Call, in In) (iter.Seq2[Item, error], error), event func(Item) Event) Operation {
	var in In
	var item Item
	return Operation{Name: name, In: in, Out: item, Stream: func(ctx context.Context, call Call, raw json.RawMessage) (iter.Seq2[Event, error], error) {
		in, err := decode[In](name, raw)
		if err != nil {
			return nil, err
		}
		items, err := open(ctx, call, in)
		if err != nil {
			return nil, err
		}
		return func(yield func(Event, error) bool) {
			for item, err := range items {
				if err != nil {
					yield(Event{}, err)
					return
				}
				if !yield(event(item), nil) {
					return
				}
			}
		}, nil
	}}
}

// At returns the operation with a route.
func (o Operation) At(route Route) Operation {
	o.Route = &route
	return o
}

// OnDesktop returns the operation for users at the desktop of this computer only.
func (o Operation) OnDesktop() Operation {
	o.Desktop = true
	return o
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

// On declares an operation that is a method of a part of the call's session.
func On[Part, In, Out any](find func(protocol.SessionName) (Part, error), name string, method func(Part, context.Context, In) (Out, error)) Operation {
	return Of(find, name, func(ctx context.Context, part Part, _ Call, in In) (Out, error) { return method(part, ctx, in) })
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

// Table are the operations that the window and the tray may ask for.
type Table struct {
	operations map[string]Operation
	missing    error
}

// NewTable returns a table of operations, whose names differ. It leaves out those that are
// for HTTP alone. missing is what a call of any other name returns; nil for an error that
// says that there is none.
func NewTable(missing error, operations ...Operation) Table {
	t := Table{operations: make(map[string]Operation, len(operations)), missing: missing}
	for _, o := range operations {
		if _, twice := t.operations[o.Name]; twice {
			panic("two operations are called " + o.Name)
		}
		t.operations[o.Name] = o
	}
	maps.DeleteFunc(t.operations, func(_ string, o Operation) bool { return o.Route != nil && !o.Route.Window })
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
	case o.Desktop && call.Away:
		return nil, protocol.NewError(protocol.CodeForbidden, "this is only possible at the computer on which Pilotfish runs", "open Pilotfish there")
	}
	out, err := o.Run(ctx, call, in)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encoding what %s returned: %w", name, err)
	}
	return text, nil
}

// fieldError is an error that knows the JSON name of the invalid setting.
type fieldError interface {
	error
	Field() string
}

// Explained returns an error as a page shows it.
func Explained(err error) protocol.SettingsError {
	e := protocol.AsError(err)
	shown := protocol.SettingsError{Code: e.Code, Message: e.Message, Hint: e.Hint}
	if wrong, ok := errors.AsType[fieldError](err); ok {
		shown.Field = wrong.Field()
	}
	return shown
}
