// Package attachtest starts a browser as a user does who works in it, for tests that attach
// to it, and answers its dialogs with real keys.
package attachtest
