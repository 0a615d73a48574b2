// Command pilotfish-whole is the command line: it drives the browser and the app
// from a shell, a person's or an agent's. What is started is pilotfish
// (start/pilotfish.c), which does the plain commands and becomes this one for the
// rest, or hands it a reply that it does not print itself.
package main

import (
	"os"
	"path/filepath"

	"pilotfish/app/cli/quick"
)

// version is set by the build: -X main.version=v1.2.3.
var version = "unknown"

func main() {
	if told := os.Getenv(quick.EnvReply); told != "" {
		os.Exit(quick.Resume(told, os.Stdout, os.Stderr))
	}
	os.Exit(newProgram().run(os.Args[1:]))
}

// executable is the path of the program that people and agents start: not of the
// whole program behind it (see package quick), if that is what runs.
func executable() (string, error) {
	own, err := os.Executable()
	if err == nil && filepath.Base(own) == quick.Whole {
		return filepath.Join(filepath.Dir(own), "pilotfish"), nil
	}
	return own, err
}
