// Package auth creates, limits, rotates and revokes tokens. A token has only
// the capabilities that the table in capabilities.go gives to its kind; everything
// else is denied. The holder of a token cannot change what the token allows:
// that is fixed when the token is created. Time is monotonic, so that a jump of
// the clock neither ends every token nor makes one valid for ever.
package auth
