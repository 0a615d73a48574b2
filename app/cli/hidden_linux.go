package main

import "golang.org/x/sys/unix"

// The requests that read and set a terminal's modes.
const (
	getModes = unix.TCGETS
	setModes = unix.TCSETS
)
