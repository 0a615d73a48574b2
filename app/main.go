// Command Pilotfish is the desktop app: the backend, and the wiring of window and
// tray around it. It decides nothing itself: both are programs of their own, which
// show what the backend says and ask it for what a person clicks.
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
