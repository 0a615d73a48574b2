// Command pilotfish-window is the app's window. It is a separate program so
// that sessions do not wait for the libraries that draw it, and do not end when
// one of those crashes. It is a stateless client: it carries out the orders
// from its standard input (protocol.WindowOrder), and writes the page's calls
// and the user's actions to its standard output (protocol.WindowReport). It
// ends when its input ends, so it cannot outlive the app.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
