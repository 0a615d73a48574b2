// Package identity turns the description of a session's identity and network (profile,
// proxy, certificates, headers, languages, …) into what the browser is started with. It
// checks a description before anything of it acts.
//
// Nothing here weakens the browser: what opens a debugging port, or turns off the
// sandbox or the rules of the web, is refused with a reason. See docs/adr/249.
package identity
