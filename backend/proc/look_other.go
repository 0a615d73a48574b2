//go:build !unix

package proc

import "os/exec"

// Look returns the path of a program on the PATH.
func Look(name string) (string, error) { return exec.LookPath(name) }
