package identity

import (
	"encoding/json"
	"reflect"
	"strings"

	"pilotfish/backend/protocol"
)

// Describe returns what is set of an identity, by the names in the file, for a question
// to the user. The password of a proxy is left out.
func Describe(id *protocol.SessionIdentity) []protocol.ApprovalArg {
	if id == nil {
		return nil
	}
	shown := hideKeys(*id)
	if id.Proxy != "" {
		shown.Proxy = bare(id.Proxy)
	}
	var args []protocol.ApprovalArg
	value := reflect.ValueOf(shown)
	for field := range value.Type().Fields() {
		set := value.FieldByIndex(field.Index)
		if set.IsZero() {
			continue
		}
		text, ok := set.Interface().(string)
		if !ok {
			encoded, err := json.Marshal(set.Interface())
			if err != nil {
				continue // no field has a value that JSON cannot have
			}
			text = string(encoded)
		}
		name, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
		args = append(args, protocol.ApprovalArg{Name: name, Value: text})
	}
	return args
}

// argFile is the argument of a question that has the path of the file.
const argFile = "file"

// approval asks whether a session may start as the file of a repository says. Everything
// that the file sets is in it.
func approval(file string, name protocol.SessionName, id protocol.SessionIdentity) protocol.Approval {
	args := []protocol.ApprovalArg{{Name: "action", Value: string(protocol.AppStart)}, {Name: "session", Value: string(name)}, {Name: argFile, Value: file}}
	return protocol.Approval{
		Actor: protocol.Actor{Kind: protocol.ActorUser}, Command: "app", Kind: protocol.ActionSensitive, Args: append(args, Describe(&id)...),
		Options: []protocol.PermissionOption{
			{ID: "always", Name: "Trust this file", Kind: protocol.AnswerAlways},
			{ID: "deny", Name: "Deny", Kind: protocol.AnswerDeny},
		},
	}
}
