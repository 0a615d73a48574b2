// Command pilotfish-whole is the command line: it drives the browser and the app
// from a shell, a person's or an agent's. What is started is pilotfish (see
// package quick), which does the plain commands and becomes this one for the rest.
package main

import "os"

// version is set by the build: -X main.version=v1.2.3.
var version = "unknown"

func main() {
	os.Exit(newProgram().run(os.Args[1:]))
}
