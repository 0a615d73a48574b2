// Package pty wraps the pseudo terminal of a program: its output, its size, its
// foreground program, and a queue of input for the time in which the program does not
// read. On Windows it is a ConPTY, which was built and has not been run.
package pty
