package actions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/report"
	"pilotfish/app/bench/site"
	"pilotfish/backend/agent/builtin"
	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/protocol"
)

// Pilot measure the built-in agent, which needs no account.
func Pilot() []report.Bench {
	return []report.Bench{{Rows: []string{"chat.builtin"}, Run: chatBuiltin}}
}

// chatBuiltin measures a message with two instructions, from its text to its
// answer. Pilot's own time is the total minus the time of its commands in the
// backend. The page's own record shows that both were done.
func chatBuiltin(ctx context.Context, o report.Options) (rows []report.Row, err error) {
	s := site.New()
	defer s.Close()
	p, err := peers.NewProgram()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }() //nolint:contextcheck // it ends after ctx has, too
	if err := openTab(ctx, p, s.URL+"/empty"); err != nil {
		return nil, err
	}
	commander, err := commander(p)
	if err != nil {
		return nil, err
	}
	var own, whole []float64
	for i := range actRuns(o) + actWarm {
		if err := openTab(ctx, p, s.Actions(report.Ours, i)); err != nil {
			return nil, err
		}
		value := fmt.Sprintf("Name %d", i)
		start := time.Now()
		// Make a new grammar each time: the figure includes that cost.
		plan, unknown := grammar.New(nil).Parse(`please click Add, then fill Name with "` + value + `"`)
		if unknown != nil {
			return nil, fmt.Errorf("%q was not understood", unknown.Said)
		}
		out := builtin.NewEngine(commander, "t1").Run(ctx, plan, func(builtin.Event) {})
		took := time.Since(start)
		if out.Status != protocol.ToolDone {
			return nil, fmt.Errorf("Pilot did not do it: %s", out.Text)
		}
		if err := leavePage(ctx, s, p, i, &site.Record{Clicked: []string{"b"}, Value: value}); err != nil {
			return nil, err
		}
		if i >= actWarm {
			own = append(own, report.MS(took-out.Commands))
			whole = append(whole, report.MS(took))
		}
	}
	r := report.Row{Name: "chat.builtin", Unit: "ms", Value: report.Median(own), Rule: report.Informs}.With99(report.Percentile(own, 0.99))
	r.Notes = []string{fmt.Sprintf("the whole of two instructions takes %.1f ms, the two looks and the two actions in the browser included", report.Median(whole))}
	return []report.Row{r}, nil
}

func openTab(ctx context.Context, p *peers.Program, url string) error {
	_, err := p.Open(ctx, url)
	return err
}

// commander sends commands to a program's app over one connection.
func commander(p *peers.Program) (builtin.Commander, error) {
	raw, err := os.ReadFile(filepath.Join(p.Home, "state", "pilotfish.json"))
	if err != nil {
		return nil, fmt.Errorf("finding the app: %w", err)
	}
	var at protocol.Endpoint
	if err := json.Unmarshal(raw, &at); err != nil {
		return nil, fmt.Errorf("finding the app: %w", err)
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/command", at.Port)
	return builtin.CommanderFunc(func(ctx context.Context, req protocol.CommandRequest) protocol.CommandReply {
		reply, err := postCommand(ctx, url, at.Token, req)
		if err != nil {
			return protocol.CommandReply{Error: protocol.AsError(err)}
		}
		return reply
	}), nil
}

func postCommand(ctx context.Context, url, token string, body protocol.CommandRequest) (reply protocol.CommandReply, err error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return reply, fmt.Errorf("writing a command: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(raw))
	if err != nil {
		return reply, fmt.Errorf("writing a command: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply, fmt.Errorf("sending a command: %w", err)
	}
	defer resp.Body.Close()
	err = json.NewDecoder(resp.Body).Decode(&reply)
	return reply, err
}
