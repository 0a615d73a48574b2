// Command pilotfish is the command line: users and agents drive the browser and
// the app with it from a shell.
package main

import "os"

// version is set by the build: -X main.version=v1.2.3.
var version = "unknown"

func main() {
	os.Exit(newProgram().run(os.Args[1:]))
}
