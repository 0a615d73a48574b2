//go:build !linux

package main

// watchPage does nothing: only WebKitGTK leaves an empty window behind.
func (*window) watchPage() {}

func reloadPage() {}
