// Command Pilotfish is the desktop app: it runs the backend and connects it to
// window and tray. It makes no decisions itself. Window and tray are separate
// programs, which show the backend's state and send it the user's clicks.
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
