package peers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Ours is the name of Pilotfish in the results.
const Ours = "pilotfish"

// Samples are the figures of each driver, by name.
type Samples map[string][]float64

// Add adds a figure.
func (s Samples) Add(name string, value float64) { s[name] = append(s[name], value) }

// Group is a set of drivers that are measured in turns, ours first.
type Group struct {
	Drivers []Driver
	peers   *Peers
	// Missing says which peers are left out and why.
	Missing []string
}

// Entrant makes a driver.
type Entrant struct {
	Name string
	Make func(ctx context.Context, p *Peers) (Driver, error)
}

// OurProgram is our command line.
func OurProgram() Entrant {
	return Entrant{Ours, func(context.Context, *Peers) (Driver, error) { return NewProgram() }}
}

func ourClient() Entrant {
	return Entrant{Ours, func(ctx context.Context, _ *Peers) (Driver, error) { return newClient(ctx) }}
}

// PeerProgram is the command line of agent-browser, with more variables in its environment.
func PeerProgram(env ...string) Entrant {
	return Entrant{AgentBrowser, func(_ context.Context, p *Peers) (Driver, error) { return p.program(env...) }}
}

// BareDriver is the protocol without a tool on top, for loading pages only.
func BareDriver() Entrant {
	return Entrant{BareName, func(ctx context.Context, _ *Peers) (Driver, error) { return startBare(ctx) }}
}

// BareElsewhere is the protocol of a browser at a WebSocket, likewise.
func BareElsewhere(address string) Entrant {
	return Entrant{BareName, func(ctx context.Context, _ *Peers) (Driver, error) { return dialBare(ctx, address) }}
}

func peerClient(name string) Entrant {
	return Entrant{name, func(ctx context.Context, p *Peers) (Driver, error) { return p.client(ctx, name) }}
}

// PeerClients are our MCP server and those of all peers.
func PeerClients() []Entrant {
	return []Entrant{ourClient(), peerClient(AgentBrowser), peerClient(Playwright), peerClient(Devtools)}
}

// Gather starts the drivers and loads a page in each. A peer that does not run on
// this machine is left out with a note; our driver must run.
func Gather(ctx context.Context, url string, entrants ...Entrant) (*Group, error) {
	c := &Group{}
	var missing error
	c.peers, missing = New(ctx)
	for _, e := range entrants {
		if e.Name != Ours && e.Name != BareName && missing != nil {
			c.Missing = append(c.Missing, fmt.Sprintf("%s is left out: %v", e.Name, missing))
			continue
		}
		d, err := e.Make(ctx, c.peers)
		if err == nil {
			c.Drivers = append(c.Drivers, d)
			_, err = d.Open(ctx, url)
		}
		switch {
		case err != nil && e.Name == Ours:
			return nil, errors.Join(err, c.Close())
		case err != nil:
			c.leave(e.Name, err)
		}
	}
	return c, nil
}

// leave continues without a peer.
func (c *Group) leave(name string, why error) {
	c.Missing = append(c.Missing, fmt.Sprintf("%s is left out: %v", name, why))
	c.Drivers = slices.DeleteFunc(c.Drivers, func(d Driver) bool {
		if d.Name() != name {
			return false
		}
		if err := d.Close(); err != nil {
			c.Missing = append(c.Missing, fmt.Sprintf("%s did not end well: %v", name, err))
		}
		return true
	})
}

// Turns makes every driver do something, `runs` times in turns; the first driver
// of a round changes, too. An error of our driver fails the measurement. A peer
// with an error is left out from then on, with its figures.
func (c *Group) Turns(ctx context.Context, runs int, do func(ctx context.Context, d Driver, i int) error) error {
	for i := range runs {
		order := slices.Clone(c.Drivers)
		if n := i % max(1, len(order)); n > 0 {
			order = slices.Concat(order[n:], order[:n])
		}
		for _, d := range order {
			if err := do(ctx, d, i); err != nil {
				if d.Name() == Ours || ctx.Err() != nil {
					return fmt.Errorf("%s: %w", d.Name(), err)
				}
				c.leave(d.Name(), err)
			}
		}
	}
	return nil
}

// Only removes the figures of drivers that were left out.
func (c *Group) Only(s Samples) Samples {
	maps.DeleteFunc(s, func(name string, _ []float64) bool {
		return !slices.ContainsFunc(c.Drivers, func(d Driver) bool { return d.Name() == name })
	})
	return s
}

// Close ends all drivers.
func (c *Group) Close() error {
	var errs []error
	for _, d := range c.Drivers {
		errs = append(errs, d.Close())
	}
	if c.peers != nil {
		errs = append(errs, c.peers.Close())
	}
	return errors.Join(errs...)
}

// First opens a page with a driver that nothing was started for, and then ends
// everything that this started, so that the next run is not slowed down.
func First(ctx context.Context, e Entrant, url string) (took float64, err error) {
	p, err := New(ctx)
	if err != nil && e.Name != Ours {
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
