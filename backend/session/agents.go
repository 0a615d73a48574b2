package session

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"

	"pilotfish/backend/agent"
	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/chat/agents"
	"pilotfish/backend/journal"
	"pilotfish/backend/llm"
	"pilotfish/backend/protocol"
)

// agentList holds what was found on this machine: the agents, the model
// profiles (which also count as agents), and the browsers.
type agentList struct {
	prober     *agent.Prober
	models     *llm.Manager // nil for none
	programDir string       // added to the agents' PATH

	mu       sync.Mutex
	found    protocol.AgentsFile // by the last probe
	browsers []protocol.FoundBrowser
}

func newAgentList(cfg Config) *agentList {
	return &agentList{prober: agent.New(agent.Config{Logger: cfg.Logger}), models: cfg.Models, programDir: filepath.Dir(cfg.Program)}
}

// probe searches this machine again for agents and browsers.
func (l *agentList) probe(ctx context.Context) protocol.AgentsFile {
	found := l.prober.Probe(ctx)
	var browsers []protocol.FoundBrowser
	for _, b := range chromium.FindAll() {
		browsers = append(browsers, protocol.FoundBrowser{Name: b.Name, Path: b.Path})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found, l.browsers = found, browsers
	return found
}

// list returns the agents found by the last probe, and the model profiles.
func (l *agentList) list() protocol.AgentsFile {
	l.mu.Lock()
	file := l.found
	l.mu.Unlock()
	if file.Agents == nil {
		file.Agents = []protocol.AgentInfo{}
	}
	file.Models = l.modelAgents()
	return file
}

func (l *agentList) foundBrowsers() []protocol.FoundBrowser {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.browsers
}

// chosen reports whether a kind is the agent chosen in Settings. The arguments
// in Settings belong to that agent. A custom agent has its arguments in its
// command line.
func (l *agentList) chosen(setting, kind protocol.AgentKind) bool {
	if kind == protocol.AgentCustom {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return kind == setting || setting == protocol.AgentAuto && kind == l.found.Default
}

// modelAgents returns the model profiles as agents. It does not read the
// keychain: a missing key shows when the key is needed.
func (l *agentList) modelAgents() []protocol.AgentInfo {
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

// writeAgents writes agents.json.
func (s *Session) writeAgents(agents protocol.AgentsFile) {
	dirs, err := s.m.cfg.Dirs.Session(s.name)
	if err == nil {
		err = writeJSON(filepath.Join(dirs.Root, "agents.json"), agents)
	}
	if err != nil {
		s.log.Warn("agents.json could not be written", "error", err)
	}
}

// writeJSON writes a file of the state folder atomically.
func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return journal.WriteFile(path, append(data, '\n'), 0o600)
}
