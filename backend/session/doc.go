// Package session wires the parts of the backend into sessions. A session is one
// browser profile with its browser, its terminals and its state folder; several
// run side by side without touching each other. The Manager owns what they
// share: the loopback server, the tokens, the guard of the child processes, the
// settings. It is the only package that knows all the others.
package session
