//go:build !linux

package main

// watchPage does nothing: only WebKitGTK leaves an empty window.
func (*window) watchPage() {}

func reloadPage() {}
