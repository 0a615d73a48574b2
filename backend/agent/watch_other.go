//go:build !linux

package agent

import "context"

// Watch probes once. On this system nothing reports that a program was
// installed; the user can probe again in Settings.
func (p *Prober) Watch(ctx context.Context, _ Watched, probe func(context.Context)) {
	probe(ctx)
}
