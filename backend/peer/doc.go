// Package peer finds the process at the other end of a connection over loopback, and
// what it and its ancestors were started with.
package peer

import "errors"

// ErrUnknown is returned for a process that cannot be found: it has ended, belongs to
// another user, or the system does not tell.
var ErrUnknown = errors.New("the process at the other end of the connection cannot be found")
