// Package e2e tests the whole product: the built programs, a real window, tray
// and Chromium on a separate desktop, and real terminals with real processes.
package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/notes"
	"pilotfish/app/e2e/fakes/tui"
	"pilotfish/app/e2e/tap"
)

// The product also starts this test binary: as "chromium" it is the tapped
// browser, as "tui-agent" the fake agent, as "notes" the user's MCP server.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "chromium":
		os.Exit(tappedBrowser(context.Background()))
	case "tui-agent", "claude":
		os.Exit(tui.Run(context.Background()))
	case "notes":
		os.Exit(notes.Run(context.Background()))
	}
	code := m.Run()
	if err := common.end(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// realBrowser is the browser behind the tap.
const realBrowser = "/usr/bin/chromium"

// tapSocket is the path of the tap's socket for a session's profile. It is beside
// the profile, so that each session has its own.
func tapSocket(profile string) string { return filepath.Join(filepath.Dir(profile), "tap.sock") }

func tappedBrowser(ctx context.Context) int {
	profile := ""
	for _, arg := range os.Args[1:] {
		if dir, ok := strings.CutPrefix(arg, "--user-data-dir="); ok {
			profile = dir
		}
	}
	if profile == "" { // for example --version
		out, err := tap.Output(ctx, realBrowser, os.Args[1:]...)
		fmt.Print(out)
		if err != nil {
			return 1
		}
		return 0
	}
	if err := tap.Proxy(ctx, realBrowser, os.Args[1:], tapSocket(profile)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
