package state

import (
	"fmt"
	"regexp"
	"sync"

	"pilotfish/backend/protocol"
)

// Pattern is the form of the ids of conversations and messages. Clients
// choose the ids, and they become names of folders.
var Pattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,63}$`) })

// CheckID returns an error if an id has not the form of Pattern.
func CheckID(id, what string) error {
	if !Pattern().MatchString(id) {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is not the id of a %s", id, what), "use a UUID")
	}
	return nil
}
