package commandline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/process"
	"pilotfish/app/bench/report"
	"pilotfish/app/bench/site"
	"pilotfish/backend/protocol"
)

const memoryTabs20 = 120 // MB

// First measure first commands, and the memory of many tabs.
func First() []report.Bench {
	return []report.Bench{
		{Rows: []string{"cli.first"}, Run: cliFirst},
		{Rows: []string{"memory.tabs20"}, Run: memoryTabs},
	}
}

// cliFirst measures the first command when nothing is running: it starts the app
// or daemon and the browser, and opens a page.
func cliFirst(ctx context.Context, o report.Options) ([]report.Row, error) {
	runs := 25
	if o.Quick {
		runs = 5
	}
	s := site.New()
	defer s.Close()
	took := report.Samples{}
	var missing []string
	for i := range runs {
		for _, e := range []peers.Entrant{peers.PeerProgram(), peers.OurProgram()} {
			if len(missing) > 0 && e.Name != report.Ours {
				continue
			}
			ms, err := firstCommand(ctx, e, s.Actions(e.Name, i))
			if err != nil && e.Name == report.Ours {
				return nil, err
			}
			if err != nil {
				missing = append(missing, fmt.Sprintf("%s is left out: %v", e.Name, err))
				delete(took, e.Name)
				continue
			}
			took.Add(e.Name, ms)
		}
	}
	r := took.Row("cli.first", "ms").AtMost(1)
	r.Notes = missing
	return []report.Row{r}, nil
}

// firstCommand opens a page with a program that has an empty home, and then ends
// everything that this started, so that the next run is not slowed down.
func firstCommand(ctx context.Context, e peers.Entrant, url string) (took float64, err error) {
	p, err := peers.New(ctx)
	if err != nil && e.Name != report.Ours {
		return 0, err
	}
	if p != nil {
		defer func() { err = errors.Join(err, p.Close()) }()
	}
	d, err := e.Make(ctx, p)
	if err != nil {
		return 0, err
	}
	took, err = d.Open(ctx, url)
	return took, errors.Join(err, d.Close())
}

// memoryTabs measures the backend after a snapshot of each of twenty tabs.
func memoryTabs(ctx context.Context, _ report.Options) (rows []report.Row, err error) {
	s := site.New()
	defer s.Close()
	p, err := peers.NewProgram()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }() //nolint:contextcheck // it ends after ctx has, too
	for i := range 20 {
		args := []string{"newtab", s.URL + "/1000"}
		if i == 0 {
			args[0] = "goto"
		}
		if _, _, err := p.Run(ctx, args...); err != nil {
			return nil, err
		}
		if _, _, err := p.Run(ctx, "snapshot", "--tab", fmt.Sprintf("t%d", i+1)); err != nil {
			return nil, err
		}
	}
	raw, err := os.ReadFile(filepath.Join(p.Home, "state", "pilotfish.json"))
	if err != nil {
		return nil, fmt.Errorf("finding the backend: %w", err)
	}
	var at protocol.Endpoint
	if err := json.Unmarshal(raw, &at); err != nil {
		return nil, fmt.Errorf("finding the backend: %w", err)
	}
	size, err := process.Resident(at.PID)
	if err != nil {
		return nil, err
	}
	return []report.Row{{Name: "memory.tabs20", Unit: "MB", Value: size, Limit: memoryTabs20, Rule: report.ValueAtMost}}, nil
}
