// Package session wires the parts of the backend into sessions. A session is one
// browser profile with its browser, its terminals and its state folder; several
// run side by side without touching each other. The Manager owns what they
// share: the loopback server, the tokens, the guard of the child processes, the
// settings. It is the only package that knows all the others.
//
// A start goes in this order: the first terminal, the browser, its panel, and only
// when that has painted its terminal the window, the tray and the probe of the
// agents (docs/adr/130). A session's browser that ends by itself is started again
// with its tabs; terminals and conversations do not notice.
//
// tabs.json and active-tab.json, which agents read, are replaced without waiting
// for the disk; session.json, which the next start reads, has a writer of its own
// (docs/adr/150).
package session
