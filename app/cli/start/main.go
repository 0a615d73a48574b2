// Command pilotfish is what a shell or an agent starts: it does the plain
// commands itself and becomes the whole command line for everything else.
package main

import (
	"os"

	"pilotfish/app/cli/quick"
)

// version is set by the build: -X main.version=v1.2.3.
var version = "unknown"

func main() {
	os.Exit(quick.Run(os.Args[1:], version))
}
