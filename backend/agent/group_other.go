//go:build !unix

package agent

import "os/exec"

// ownGroup does nothing: there are no process groups here.
func ownGroup(*exec.Cmd) (over func()) { return func() {} }

// killGroup does nothing: os/exec has ended the program.
func killGroup(*exec.Cmd) {}
