// Package inventory knows what was found on this machine: the agents, the model
// profiles, which also count as agents, and the browsers.
package inventory

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"pilotfish/backend/agent"
	"pilotfish/backend/agent/history"
	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/chat/agents"
	"pilotfish/backend/llm"
	"pilotfish/backend/protocol"
)

// Inventory is what was found on this machine.
type Inventory struct {
	*agent.Prober
	// Past are the sessions that agents keep themselves.
	Past   *history.Store
	models *llm.Manager // nil for none
	// ProgramDir is added to the agents' PATH.
	ProgramDir string

	mu       sync.Mutex
	found    protocol.AgentsFile // by the last probe
	browsers []protocol.FoundBrowser
}

// Config is what an Inventory needs.
type Config struct {
	Logger *slog.Logger
	// Models are the model profiles; nil for none.
	Models *llm.Manager
	// Program is the path of our command line.
	Program string
}

// New returns an empty Inventory; Probe fills it.
func New(cfg Config) *Inventory {
	home, _ := os.UserHomeDir() // without one, there are no sessions
	return &Inventory{Prober: agent.New(agent.Config{Logger: cfg.Logger}), Past: history.New(home, os.Getenv), models: cfg.Models, ProgramDir: filepath.Dir(cfg.Program)}
}

// Probe searches this machine again for agents and browsers.
func (l *Inventory) Probe(ctx context.Context) protocol.AgentsFile {
	found := l.Prober.Probe(ctx)
	browsers := foundBrowsers(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found, l.browsers = found, browsers
	return found
}

// versionTimeout is how long a browser may take to say its version.
const versionTimeout = 5 * time.Second

// foundBrowsers returns the browsers of this machine with their versions. A
// browser that does not say its version in time is found all the same.
func foundBrowsers(ctx context.Context) []protocol.FoundBrowser {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	all := chromium.FindAll()
	browsers := make([]protocol.FoundBrowser, len(all))
	var group sync.WaitGroup
	for i, b := range all {
		browsers[i] = protocol.FoundBrowser{Name: b.Name, Path: b.Path}
		group.Go(func() {
			if version, err := chromium.Version(ctx, b.Path); err == nil {
				browsers[i].Version = version
			}
		})
	}
	group.Wait()
	return browsers
}

// Watch calls probe, and again each time that an agent, a sign-in of one or a
// browser appears, changes or goes, until ctx ends.
func (l *Inventory) Watch(ctx context.Context, probe func(context.Context)) {
	l.Prober.Watch(ctx, agent.Watched{Programs: chromium.Programs()}, probe)
}

// List returns the agents found by the last probe, and the model profiles.
func (l *Inventory) List() protocol.AgentsFile {
	l.mu.Lock()
	file := l.found
	l.mu.Unlock()
	if file.Agents == nil {
		file.Agents = []protocol.AgentInfo{}
	}
	file.Models = l.modelAgents()
	return file
}

// Browsers returns the browsers found by the last probe.
func (l *Inventory) Browsers() []protocol.FoundBrowser {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.browsers
}

// Chosen reports whether a kind is the agent chosen in Settings. The arguments
// in Settings belong to that agent. A custom agent has its arguments in its
// command line.
func (l *Inventory) Chosen(setting, kind protocol.AgentKind) bool {
	if kind == protocol.AgentCustom {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return kind == setting || setting == protocol.AgentAuto && kind == l.found.Default
}

// modelAgents returns the model profiles as agents. It does not read the
// keychain: a missing key shows when the key is needed.
func (l *Inventory) modelAgents() []protocol.AgentInfo {
	found := []protocol.AgentInfo{}
	if l.models == nil {
		return found
	}
	names := map[protocol.LLMProvider]string{}
	for _, p := range llm.Providers() {
		names[p.Provider] = p.Name
	}
	for _, p := range l.models.Profiles() {
		detail := names[p.Provider] + ", " + p.Model
		if p.Name == names[p.Provider] {
			detail = p.Model // a profile has its provider's name unless the user named it
		}
		found = append(found, protocol.AgentInfo{
			Kind: protocol.ModelAgent(p.ID), Name: p.Name, Installed: true, Chat: agents.DriverModel, Detail: detail,
		})
	}
	return found
}
