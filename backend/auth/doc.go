// Package auth mints, scopes, rotates and revokes tokens. A token opens only the
// doors that the table in doors.go gives to its kind; everything else is denied.
// Nothing about a token is taken from its holder: what it may do was fixed when
// it was minted. Time is monotonic, so that a clock that jumps neither ends
// every token nor makes one immortal.
package auth
