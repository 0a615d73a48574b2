//go:build linux || darwin

package main

import (
	"bufio"
	"io"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// answersHere reports whether the input is a terminal from which this program may read. A
// program in the background would be stopped.
func answersHere(in *os.File) bool {
	front, err := unix.IoctlGetInt(int(in.Fd()), unix.TIOCGPGRP)
	return err == nil && front == unix.Getpgrp()
}

// readHidden reads a line from a terminal that does not show it. asked is false when
// the input is no terminal. An interrupt restores the terminal, too.
func readHidden(in *os.File, ask func()) (line string, asked bool, err error) {
	fd := int(in.Fd())
	before, err := unix.IoctlGetTermios(fd, getModes)
	if err != nil {
		return "", false, nil
	}
	hidden := *before
	hidden.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, setModes, &hidden); err != nil {
		return "", true, err
	}
	defer func() { _ = unix.IoctlSetTermios(fd, setModes, before) }()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	defer signal.Stop(interrupted)
	type read struct {
		line string
		err  error
	}
	done := make(chan read, 1)
	ask()
	go func() {
		line, err := bufio.NewReader(io.LimitReader(in, 2*protocol.MaxSecretValue)).ReadString('\n')
		if err == io.EOF && line != "" {
			err = nil
		}
		done <- read{line, err}
	}()
	select {
	case r := <-done:
		return r.line, true, r.err
	case <-interrupted:
		return "", true, protocol.NewError(protocol.CodeBadArgument, "interrupted", "nothing was added")
	}
}
