// Command pilotfish drives the browser and the app from a shell: a person's or
// an agent's.
package main

import "os"

// version is set by the build: -X main.version=v1.2.3.
var version = "unknown"

func main() {
	os.Exit(newProgram().run(os.Args[1:]))
}
