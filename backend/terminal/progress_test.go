//go:build unix

package terminal

import (
	"context"
	"testing"
	"time"

	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

// Progress and bells of a program are reported without a viewer, and end with the program.
func TestProgressIsReported(t *testing.T) {
	changes := make(chan protocol.TerminalInfo, 64)
	events := hub.New[any](1)
	events.Observe(func(event any) {
		if e, is := event.(protocol.TerminalEvent); is {
			changes <- e.Terminal
		}
	})
	m, err := New(Config{
		Session: "default",
		Launch: func(context.Context, Request) (Launch, error) {
			return Launch{Path: "/bin/sh", Args: []string{"-c", `printf '\033]9;4;1;40\007\007'; read -r _`}, Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}, Kind: protocol.AgentCustom, Name: "script"}, nil
		},
		Events: events,
		Grace:  func() time.Duration { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = m.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	info, err := m.Start(ctx, protocol.PtySessionRequest{Tab: "t1", Cols: 40, Rows: 10})
	if err != nil {
		t.Fatal(err)
	}
	until := func(what string, is func(protocol.TerminalInfo) bool) {
		t.Helper()
		limit := time.After(patience)
		for {
			select {
			case now := <-changes:
				if is(now) {
					return
				}
			case <-limit:
				t.Fatalf("never: %s", what)
			}
		}
	}
	until("progress and a bell", func(now protocol.TerminalInfo) bool {
		return now.Progress != nil && now.Progress.Percent == 40 && now.Bells == 1
	})
	if err := m.Type(info.ID, []byte("\r")); err != nil {
		t.Fatal(err)
	}
	until("the end without progress", func(now protocol.TerminalInfo) bool { return now.Exit != nil && now.Progress == nil })
}
