package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// samples are what each driver took, by name.
type samples map[string][]float64

// add notes a figure.
func (s samples) add(name string, value float64) { s[name] = append(s[name], value) }

// row is the row of our figure with the best peer of the run beside it: all of
// them by their medians. It has no limit of its own.
func (s samples) row(name, unit string) row {
	r := row{Name: name, Unit: unit, Value: percentile(s[ours], 0.5), Rule: informs}.with99(percentile(s[ours], 0.99))
	for peer, values := range s {
		if peer != ours {
			r = r.peer(peer, percentile(values, 0.5))
		}
	}
	return r
}

// peer notes a peer's figure; the lowest is the reference.
func (r row) peer(name string, value float64) row {
	r.Peers = maps.Clone(r.Peers)
	if r.Peers == nil {
		r.Peers = make(map[string]float64)
	}
	r.Peers[name] = value
	best := slices.MinFunc(slices.Collect(maps.Keys(r.Peers)), func(a, b string) int { return cmp.Compare(r.Peers[a], r.Peers[b]) })
	return r.against(best)
}

// against takes a peer as the reference.
func (r row) against(peer string) row {
	value, ok := r.Peers[peer]
	if !ok {
		return r
	}
	r.Than = peer
	return r.beside(value)
}

// company are drivers that are measured by turns, ours first.
type company struct {
	drivers []driver
	peers   *peers
	// missing says which peers are not there and why.
	missing []string
}

// entrant makes a driver.
type entrant struct {
	name string
	make func(ctx context.Context, p *peers) (driver, error)
}

func ourProgram() entrant {
	return entrant{ours, func(context.Context, *peers) (driver, error) { return newProgram() }}
}

func ourClient() entrant {
	return entrant{ours, func(ctx context.Context, _ *peers) (driver, error) { return newClient(ctx) }}
}

func peerProgram() entrant {
	return entrant{agentBrowser, func(_ context.Context, p *peers) (driver, error) { return p.program() }}
}

// bareDriver is the protocol with nothing over it, for loading pages only.
func bareDriver() entrant {
	return entrant{bareName, func(ctx context.Context, _ *peers) (driver, error) { return startBare(ctx) }}
}

func peerClient(name string) entrant {
	return entrant{name, func(ctx context.Context, p *peers) (driver, error) { return p.client(ctx, name) }}
}

func peerClients() []entrant {
	return []entrant{ourClient(), peerClient(agentBrowser), peerClient(playwright), peerClient(devtools)}
}

// gather starts the drivers and has each load a page. A peer that does not run
// here is left out and named; ours must run.
func gather(ctx context.Context, url string, entrants ...entrant) (*company, error) {
	c := &company{}
	var missing error
	c.peers, missing = newPeers(ctx)
	for _, e := range entrants {
		if e.name != ours && e.name != bareName && missing != nil {
			c.missing = append(c.missing, fmt.Sprintf("%s is left out: %v", e.name, missing))
			continue
		}
		d, err := e.make(ctx, c.peers)
		if err == nil {
			c.drivers = append(c.drivers, d)
			_, err = d.open(ctx, url)
		}
		switch {
		case err != nil && e.name == ours:
			return nil, errors.Join(err, c.close())
		case err != nil:
			c.leave(e.name, err)
		}
	}
	return c, nil
}

// leave goes on without a peer.
func (c *company) leave(name string, why error) {
	c.missing = append(c.missing, fmt.Sprintf("%s is left out: %v", name, why))
	c.drivers = slices.DeleteFunc(c.drivers, func(d driver) bool {
		if d.name() != name {
			return false
		}
		if err := d.close(); err != nil {
			c.missing = append(c.missing, fmt.Sprintf("%s did not end well: %v", name, err))
		}
		return true
	})
}

// turns lets every driver do something, so many times by turns, and by turns
// also which of them is the first. What fails for us fails the measurement; a
// peer is left out from then on and its figures with it.
func (c *company) turns(ctx context.Context, runs int, do func(ctx context.Context, d driver, i int) error) error {
	for i := range runs {
		order := slices.Clone(c.drivers)
		if n := i % max(1, len(order)); n > 0 {
			order = slices.Concat(order[n:], order[:n])
		}
		for _, d := range order {
			if err := do(ctx, d, i); err != nil {
				if d.name() == ours || ctx.Err() != nil {
					return fmt.Errorf("%s: %w", d.name(), err)
				}
				c.leave(d.name(), err)
			}
		}
	}
	return nil
}

// only keeps the figures of those that came to the end.
func (c *company) only(s samples) samples {
	maps.DeleteFunc(s, func(name string, _ []float64) bool {
		return !slices.ContainsFunc(c.drivers, func(d driver) bool { return d.name() == name })
	})
	return s
}

func (c *company) close() error {
	var errs []error
	for _, d := range c.drivers {
		errs = append(errs, d.close())
	}
	if c.peers != nil {
		errs = append(errs, c.peers.close())
	}
	return errors.Join(errs...)
}

// noted adds what was left out to rows.
func (c *company) noted(rows []row) []row {
	for i := range rows {
		rows[i].Notes = append(rows[i].Notes, c.missing...)
	}
	return rows
}
