// Package confine starts programs that cannot see Pilotfish: neither its settings,
// state and browser profiles, nor any process but their own, nor the desktop's
// message bus and X display, through which a program can act as its user.
//
// An agent runs as the user, and a page may have talked it over. Its narrow token
// alone does not limit it, because the same user can read the wide token. So the
// program starts in a mount and process namespace of its own (Linux, bubblewrap)
// or under a profile of the system (macOS, sandbox-exec). What else it is given is
// the user's: home, keys, working folder, /tmp, loopback, ssh-agent.
//
// SECURITY.md says what a confined program can still do; ADR 220 has the reasons
// and the measurements.
package confine
