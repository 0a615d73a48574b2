package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/product"
	"pilotfish/backend/browser/remote/standin"
)

// elsewhereDelay is what the engine adds to each message, each way.
const elsewhereDelay = 25 * time.Millisecond

// elsewhereActions have a floor: as many calls that do nothing as they may take round trips. A
// goto asks the page first whether it answers, because one that hangs can no longer be ended
// once the browser has chosen the process of the next document (ADR 270). Its other one is the
// load, whose floor is that of the bare protocol: its time depends on the machine. The document
// is held meanwhile, because it may need a login (ADR 245): in time that is one more. The first
// snapshot of a page takes more than the next, and has no floor.
var elsewhereActions = []struct {
	name  string
	load  bool // one more than the calls
	calls int
}{{"goto", true, 2}, {"snapshot.first", false, 0}, {"snapshot", false, 1}, {"click", false, 3}, {"fill", false, 3}}

// elsewhereBenches measure the actions of agents in browsers that an engine gives.
func elsewhereBenches() []bench {
	b := bench{run: elsewhere}
	for _, a := range elsewhereActions {
		b.rows = append(b.rows, "elsewhere."+a.name)
		if a.calls > 0 {
			b.rows = append(b.rows, "elsewhere."+a.name+".floor")
		}
	}
	return []bench{b}
}

// elsewhere measures commands over HTTP to a session whose browser an engine gives over a slow
// connection. The same engine gives a browser to agent-browser, and one to the bare protocol.
func elsewhere(ctx context.Context, o options) (rows []row, err error) {
	dir, err := os.MkdirTemp("", "pilotfish-bench-")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	e := standin.Start(dir)
	e.Delay = elsewhereDelay
	defer func() {
		e.Close()
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	return onSite(ctx, "/empty", func(s *product.Site, c *peers.Group) ([]row, error) {
		took := map[string]peers.Samples{}
		for _, a := range elsewhereActions {
			took[a.name] = peers.Samples{}
		}
		err := c.Turns(ctx, o.runs(15, 4)+warmRounds, func(ctx context.Context, d peers.Driver, i int) error {
			ms, saw, err := actElsewhere(ctx, s, d, i)
			if err == nil {
				err = leavePage(ctx, s, d, i, saw)
			}
			if err != nil || i < warmRounds {
				return err
			}
			for action := range ms {
				took[action].Add(d.Name(), ms[action])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for _, a := range elsewhereActions {
			rows = append(rows, compared("elsewhere."+a.name, c.Only(took[a.name])).against(peers.AgentBrowser).atMost(1))
			than, floor := fmt.Sprintf("%d empty calls", a.calls), float64(a.calls)*percentile(took["snapshot"][peers.BareName], 0.5)
			if a.load {
				than, floor = "a bare load and "+than, floor+percentile(took[a.name][peers.BareName], 0.5)
			}
			if a.calls > 0 {
				rows = append(rows, timed("elsewhere."+a.name+".floor", took[a.name][peers.Ours]).beside(than, floor).atMost(1.3))
			}
		}
		return rows, nil
	}, overHTTP(e.Address()), peers.PeerProgram("AGENT_BROWSER_CDP="+e.Address()), peers.BareElsewhere(e.Address()))
}

// actElsewhere returns how long the actions on a page took, and what the page has seen of them.
func actElsewhere(ctx context.Context, s *product.Site, d peers.Driver, i int) (took map[string]float64, saw *product.Record, err error) {
	took = make(map[string]float64)
	if took["goto"], err = d.Open(ctx, s.Actions(d.Name(), i)); err == nil {
		_, took["snapshot.first"], err = d.Snapshot(ctx)
	}
	var text string
	if err == nil {
		text, took["snapshot"], err = d.Snapshot(ctx)
	}
	if err != nil || d.Name() == peers.BareName {
		return took, &product.Record{}, err
	}
	refs, err := refsIn(text)
	if err != nil {
		return nil, nil, err
	}
	saw = &product.Record{Clicked: []string{"b"}, Value: fmt.Sprintf("Name %d", i)}
	took["click"], took["fill"], err = refs.act(ctx, d, saw.Value)
	return took, saw, err
}

// served is our app with commands over HTTP.
type served struct {
	*peers.Program

	app product.App
}

// overHTTP is our app with a session whose browser an engine gives.
func overHTTP(address string) peers.Entrant {
	return peers.Entrant{Name: peers.Ours, Make: func(ctx context.Context, _ *peers.Peers) (peers.Driver, error) {
		p, err := peers.NewProgram()
		if err != nil {
			return nil, err
		}
		config := filepath.Join(p.Home, "config")
		settings := fmt.Sprintf("version = 1\n[sessions.default]\nbrowser = %q\n", address)
		err = errors.Join(os.Mkdir(config, 0o700), os.WriteFile(filepath.Join(config, "settings.toml"), []byte(settings), 0o600))
		if err == nil {
			_, _, err = p.Run(ctx, "tabs") // it starts the app
		}
		if err != nil {
			return nil, errors.Join(err, p.Close()) //nolint:contextcheck // it ends although ctx may have ended
		}
		return &served{p, product.App{Home: p.Home}}, nil
	}}
}

func (s *served) command(ctx context.Context, name string, args map[string]any) (string, float64, error) {
	began := time.Now()
	reply, err := s.app.Command(ctx, "", name, args)
	return reply.Text, float64(time.Since(began)) / float64(time.Millisecond), err
}

// Open loads a page.
func (s *served) Open(ctx context.Context, url string) (float64, error) {
	_, took, err := s.command(ctx, "goto", map[string]any{"url": url})
	return took, err
}

// Snapshot returns the text that a model would receive.
func (s *served) Snapshot(ctx context.Context) (string, float64, error) {
	return s.command(ctx, "snapshot", nil)
}

// Click clicks a ref.
func (s *served) Click(ctx context.Context, ref string) (float64, error) {
	_, took, err := s.command(ctx, "click", map[string]any{"target": ref})
	return took, err
}

// Fill writes a value into a ref.
func (s *served) Fill(ctx context.Context, ref, value string) (float64, error) {
	_, took, err := s.command(ctx, "fill", map[string]any{"target": ref, "value": value})
	return took, err
}
