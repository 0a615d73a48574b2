package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/getlantern/systray"

	"pilotfish/backend/protocol"
)

// actionQueue is how many clicks may wait for the app to read them. A user does
// not click faster than that; clicks beyond it are dropped.
const actionQueue = 16

// run shows the icon until the input ends, and returns when all goroutines have
// ended. It must be called on the main thread, which GTK requires.
func run(parent context.Context, in io.Reader, out io.Writer, logger *slog.Logger) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	actions := make(chan protocol.TrayAction, actionQueue)

	var parts sync.WaitGroup
	parts.Go(func() { writeActions(ctx, out, actions, logger) })
	parts.Go(func() {
		if err := watchHost(ctx, actions); err != nil && ctx.Err() == nil {
			// Without a session bus there is no host to show an icon either.
			logger.Warn("no session bus", "error", err)
			send(ctx, actions, protocol.TrayAction{Action: protocol.TrayAbsent})
		}
	})

	connectBus()
	var readErr error
	systray.Run(func() {
		// systray calls this on its own goroutine. The reader owns the menu.
		parts.Go(func() {
			readErr = readStates(in, newMenu(ctx, &parts, actions))
			systray.Quit()
		})
	}, nil)
	cancel()
	parts.Wait()
	return readErr
}

// readStates draws every state that the app writes until the app closes the
// pipe.
func readStates(in io.Reader, m *menu) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, protocol.MaxBody)
	for lines.Scan() {
		var state protocol.TrayState
		if err := json.Unmarshal(lines.Bytes(), &state); err != nil {
			return fmt.Errorf("reading the tray's state: %w", err)
		}
		m.draw(state)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading the tray's state: %w", err)
	}
	return nil
}

// writeActions writes actions to the app, one a line.
func writeActions(ctx context.Context, out io.Writer, actions <-chan protocol.TrayAction, logger *slog.Logger) {
	lines := json.NewEncoder(out)
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-actions:
			if err := lines.Encode(a); err != nil {
				logger.Warn("action lost", "action", a.Action, "error", err)
			}
		}
	}
}

// send queues an action. It blocks until the writer takes it or ctx ends.
func send(ctx context.Context, actions chan<- protocol.TrayAction, a protocol.TrayAction) {
	select {
	case actions <- a:
	case <-ctx.Done():
	}
}
