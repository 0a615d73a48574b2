//go:build !linux

package main

// nameProgram does nothing where the desktop knows a program by its bundle.
func nameProgram() {}
