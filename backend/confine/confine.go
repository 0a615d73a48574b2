package confine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"pilotfish/backend/protocol"
)

// probeLimit is how long the trial of a Probe may take. It takes 10 ms on an idle machine,
// and took 8 s on one with 28 programs that wanted its two processors: agents wait for it,
// because a trial that is given up leaves them all unconfined.
const probeLimit = time.Minute

// Program is a program to start, as in exec.Cmd.
type Program struct {
	Path string
	Args []string // without the program's name
	Env  []string
	Dir  string
}

// Folders are what a confined program sees otherwise than its user does. Paths are
// absolute.
type Folders struct {
	// Hidden are empty for the program. What it writes there is lost.
	Hidden []string
	// Writable and ReadOnly lie in hidden folders and are there all the same.
	Writable, ReadOnly []string
	// Helper is the program `pilotfish`. It closes abstract sockets to the program (Seal),
	// and the program can change neither it nor the other programs in its folder. Empty
	// does neither.
	Helper string
}

// Prepare returns what starts p: confined to folders, or with nil folders below keeper,
// the program `pilotfish`, which adopts what p leaves behind (proc.Adopt). With neither
// it returns p. Exit says how p ended unless Prepare returned p.
func Prepare(p Program, folders *Folders, keeper string) (started Program, wrapped bool) {
	switch {
	case folders != nil:
		return Wrap(p, *folders), true
	case keeper != "":
		return Program{Path: keeper, Args: append([]string{"adopt", p.Path}, p.Args...), Env: p.Env, Dir: p.Dir}, true
	}
	return p, false
}

// Probe is the answer to whether programs can be confined on this machine. Its methods
// are safe for concurrent use.
type Probe struct {
	done chan struct{} // closed when the rest is known
	// problem says why programs cannot be confined, desktop why confined ones can reach
	// the desktop; nil where they can, and where they cannot.
	problem, desktop *protocol.Error
}

// NewProbe returns a Probe without an answer.
func NewProbe() *Probe { return &Probe{done: make(chan struct{})} }

// Run finds the answer for programs that are started with a helper, see Folders. It is
// called once.
func (p *Probe) Run(ctx context.Context, helper string) {
	p.problem, p.desktop = Try(ctx, helper), DesktopGap(helper)
	close(p.done)
}

// Desktop says why confined programs can reach the desktop; nil where they cannot, and
// while that is not known.
func (p *Probe) Desktop() *protocol.Error {
	select {
	case <-p.done:
		return p.desktop
	default:
		return nil
	}
}

// Problem says why programs cannot be confined here, with a hint what to do; nil where
// they can, and while that is not known.
func (p *Probe) Problem() *protocol.Error {
	select {
	case <-p.done:
		return p.problem
	default:
		return nil
	}
}

// Wait returns what Problem returns, once that is known.
func (p *Probe) Wait(ctx context.Context) (*protocol.Error, error) {
	select {
	case <-p.done:
		return p.problem, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the trial of the confinement: %w", context.Cause(ctx))
	}
}

// Try says why programs cannot be confined on this machine, with a hint what to do;
// nil where they can. It starts a program as Wrap does, with a helper.
func Try(ctx context.Context, helper string) *protocol.Error {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	return protocol.AsError(try(ctx, helper))
}

// desktopVariables lead a program to services that act as the user: the message
// bus starts programs outside of the confinement, and an X server lets any client
// type into any window, which includes the panel with its approvals.
func desktopVariables() []string {
	return []string{"DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "SESSION_MANAGER", "DESKTOP_STARTUP_ID", "AT_SPI_BUS_ADDRESS"}
}

// environment is env without the variables of the desktop, and with the mark by
// which `pilotfish` knows that it runs confined.
func environment(env []string) []string {
	dropped := append(desktopVariables(), protocol.EnvConfined)
	kept := slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(dropped, name)
	})
	return append(kept, protocol.EnvConfined+"=1")
}

// variable is the value of a variable in env; empty for none.
func variable(env []string, name string) string {
	for _, pair := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}
