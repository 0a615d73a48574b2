//go:build !linux

package main

// connectBus does nothing where the tray needs no bus.
func connectBus() {}
