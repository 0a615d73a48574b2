// Command pilotfish-window is the app's window. It is a program of its own so
// that sessions neither wait for the libraries that draw it, nor end when one of
// those fails. It is a client that holds no truth: it does what it reads from its
// standard input (protocol.WindowOrder) and writes what the page asks for and what
// a person does to its standard output (protocol.WindowReport). It ends when its
// input ends, so it cannot outlive the app.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
