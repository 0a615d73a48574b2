// Package calls is what the window's page may call, by subject: conversations,
// approvals, identities, models, schedules, secrets. package main embeds the types in
// its App, so that each of their exported methods is a call.
package calls

import (
	"encoding/json"
	"fmt"
	"reflect"

	"pilotfish/backend/protocol"
)

// Call calls an exported method of bound by name, with JSON for its arguments and
// its result. The result is "null" when the method returns none. Methods of embedded
// types count.
func Call(bound any, name string, args []json.RawMessage) (json.RawMessage, error) {
	method := reflect.ValueOf(bound).MethodByName(name)
	if !method.IsValid() {
		return nil, protocol.NewError(protocol.CodeUnknownCommand, fmt.Sprintf("the app has no method %q", name), "start Pilotfish again")
	}
	wants := method.Type()
	if len(args) != wants.NumIn() {
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s takes %d arguments, not %d", name, wants.NumIn(), len(args)), "")
	}
	given := make([]reflect.Value, len(args))
	for i, arg := range args {
		value := reflect.New(wants.In(i))
		if err := json.Unmarshal(arg, value.Interface()); err != nil {
			return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("argument %d of %s cannot be read (%v)", i+1, name, err), "")
		}
		given[i] = value.Elem()
	}
	var result any
	for _, returned := range method.Call(given) {
		err, failed := returned.Interface().(error)
		switch {
		case failed:
			return nil, err
		case returned.Type() != reflect.TypeFor[error]():
			result = returned.Interface()
		}
	}
	text, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("encoding what %s returned: %w", name, err)
	}
	return text, nil
}
