//go:build !linux && !darwin

package main

import "os"

// readHidden never asks: the value comes from the standard input.
func readHidden(*os.File, func()) (line string, asked bool, err error) { return "", false, nil }

// answersHere reports that nothing is read from a terminal.
func answersHere(*os.File) bool { return false }
