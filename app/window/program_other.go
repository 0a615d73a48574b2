//go:build !linux

package main

// nameProgram does nothing where the desktop identifies a program by its
// bundle.
func nameProgram() {}
