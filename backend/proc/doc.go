// Package proc starts trees of subprocesses and ends them, whatever they do.
//
// A process that Start starts leads its own session and has a random mark in its
// environment (protocol.EnvMark). Its tree is the session, every process with the
// mark, and every descendant of those: a grandchild that calls setsid leaves the
// session and the parent, but keeps its mark. Only one kind of process escapes: one
// that leaves the session, clears its environment and whose parent dies before the
// tree is scanned.
//
// The stop ladder is SIGHUP, SIGTERM, SIGKILL with the waits of protocol.Stop*, below
// 5 s in total. It also runs for the processes that remain when a leader ends by
// itself. The leader is not reaped before its tree is gone, so that its pid cannot be
// reused for another process meanwhile.
//
// A Guard ends the trees of an app that died without doing so, and Reap ends what
// even the guard could not. Pdeathsig is not used for this: it fires when the thread
// that forked ends, not the process, and Go does not say on which thread it forks;
// the guard's pipe closes at the same instant.
//
// Windows has neither sessions nor signals. There a tree is a job object, which the
// kernel ends with the program that holds it, so that neither guard nor records are
// needed; a terminal is a ConPTY. This was built, and has not been run.
package proc
