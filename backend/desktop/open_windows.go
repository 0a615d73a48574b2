package desktop

import "os/exec"

// opener returns the program that the Explorer itself uses. It does not use cmd's
// start, which would parse the target as a command line.
func opener(target string) (string, []string) {
	return "rundll32", []string{"url.dll,FileProtocolHandler", target}
}

// detach does nothing: a child on Windows outlives its parent anyway.
func detach(*exec.Cmd) {}
