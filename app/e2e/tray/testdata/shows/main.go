// Command shows prints the settings as the window gets them and the welcome
// page, and shows the notification of a question, until its input ends.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"

	"pilotfish/backend/approval"
	"pilotfish/backend/config"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/extension"
)

type noTerminals struct{}

func (noTerminals) Get(protocol.TerminalID) (protocol.TerminalInfo, error) {
	return protocol.TerminalInfo{}, errors.ErrUnsupported
}

func (noTerminals) SetStatus(protocol.TerminalID, protocol.AgentStatus, string) error { return nil }

func main() {
	for _, one := range []any{config.Registry(""), string(extension.WelcomePage("", "Codex"))} {
		if err := json.NewEncoder(os.Stdout).Encode(one); err != nil {
			panic(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := approval.New(approval.Config{
		Changed: func() {}, Watch: func(protocol.Approval, *policy.Over) {}, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	var parts sync.WaitGroup
	parts.Go(func() { m.Run(ctx, noTerminals{}) })
	parts.Go(func() {
		_, _ = m.Broker().Ask(ctx, protocol.Approval{
			Actor: protocol.Actor{Kind: protocol.ActorChat, Agent: "Codex"}, Kind: protocol.ActionPay, Command: "click",
			Origin: "https://a.test", Target: &protocol.TargetFacts{Name: "Buy now"},
		})
	})
	_, _ = io.Copy(io.Discard, os.Stdin)
	cancel()
	parts.Wait()
}
