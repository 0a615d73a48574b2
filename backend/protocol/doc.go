// Package protocol is the vocabulary of Pilotfish: every message, error code,
// identifier, timer and limit that crosses a process border is defined here and
// nowhere else. It imports the standard library only, because every other
// package imports it. The TypeScript of the window and the panel is generated
// from this package (make generate).
package protocol

// Version is the version of the messages. A panel or a command line that speaks
// another major version is told to update instead of being misunderstood.
const Version = "pilotfish.v1"

// ExtensionID is the id that the manifest's key pins. Only this origin, together
// with a token, is our panel.
const ExtensionID = "kefhgdbcjagpeipabclocckcmokfapcf"

// ExtensionOrigin is the Origin header of every request of our extension.
const ExtensionOrigin = "chrome-extension://" + ExtensionID
