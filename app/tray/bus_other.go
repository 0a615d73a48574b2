//go:build !linux

package main

// connectBus does nothing: only the Linux tray uses the session bus.
func connectBus() {}
