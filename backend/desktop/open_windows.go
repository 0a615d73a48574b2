package desktop

import "os/exec"

// opener is what the Explorer itself uses. cmd's start is not: it would read
// the target as a command line.
func opener(target string) (string, []string) {
	return "rundll32", []string{"url.dll,FileProtocolHandler", target}
}

// detach does nothing: a child on Windows outlives its parent anyway.
func detach(*exec.Cmd) {}
