//go:build !linux

package main

// watchPlace does nothing: only GTK can report the window's place.
func (*window) watchPlace() {}
