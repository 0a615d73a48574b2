//go:build !linux

package main

// watchPlace does nothing: only GTK is asked where its window is.
func (*window) watchPlace() {}
