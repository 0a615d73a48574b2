// Package activity records every command in a session, and what else happens in
// it: who did it, on what, and with which result. New entries are in a ring in
// memory, older ones in a journal on disk; both use the same monotonic index.
package activity
