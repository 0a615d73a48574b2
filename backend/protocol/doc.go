// Package protocol is the vocabulary of Pilotfish: every message, error code,
// identifier, timer and limit that crosses a process boundary is defined here
// and nowhere else. It imports only the standard library, because every other
// package imports it. The TypeScript of the window and the panel is generated
// from this package (make generate).
package protocol

// Version is the version of the messages. A panel or a command line with
// another major version gets the error to update.
const Version = "pilotfish.v1"

// ExtensionID is the extension's id, which the key in its manifest fixes. Only
// requests with this origin and a token come from our panel.
const ExtensionID = "kefhgdbcjagpeipabclocckcmokfapcf"

// ExtensionOrigin is the Origin header of every request of our extension.
const ExtensionOrigin = "chrome-extension://" + ExtensionID
