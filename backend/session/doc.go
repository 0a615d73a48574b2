// Package session wires the parts of the backend into sessions. A session is
// one browser profile with its browser, its terminals and its state folder.
// Several sessions run side by side and are independent of each other. The
// Manager owns what they share: the loopback server, the tokens, the guard of
// the child processes, the settings. It is the only package that imports all
// the others.
//
// A session starts in this order: the first terminal, the browser, its panel.
// The window, the tray and the probe of the agents start only after the panel
// has painted its terminal (docs/adr/130). When a session's browser ends
// unexpectedly, it is started again with its tabs; terminals and conversations
// continue undisturbed.
//
// Agents read tabs.json and active-tab.json; these are replaced without waiting
// for the disk. The next start reads session.json, which has a writer of its
// own (docs/adr/150).
package session
