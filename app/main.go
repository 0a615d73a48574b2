// Command Pilotfish is the desktop app: the window, the tray icon and the wiring
// around the backend. It decides nothing itself: the window and the tray show
// what the backend says and ask it for what a person clicks.
package main

import (
	"context"
	"os"
)

// version is set by the linker.
var version = "dev"

func main() {
	os.Exit(run(context.Background(), os.Args[1:], console{out: os.Stdout, err: os.Stderr}, wire))
}
