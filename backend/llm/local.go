package llm

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"pilotfish/backend/protocol"
)

// Local searches for model servers on this machine, at their default ports.
func (m *Manager) Local(ctx context.Context) []protocol.LLMLocal {
	ctx, cancel := context.WithTimeout(ctx, modelLocalTimeout)
	defer cancel()
	kinds := []protocol.LLMProvider{protocol.LLMOllama, protocol.LLMLMStudio, protocol.LLMLlamaCpp}
	results := make(chan protocol.LLMLocal, len(kinds))
	for _, kind := range kinds {
		go func() {
			found, err := m.look(ctx, kind)
			if err != nil {
				m.log.Debug("no model server here", "provider", string(kind), "error", err)
			}
			results <- found
		}()
	}
	out := []protocol.LLMLocal{}
	for range kinds {
		if one := <-results; one.URL != "" {
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b protocol.LLMLocal) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// errNoServer is returned when no server of the kind answers.
var errNoServer = errors.New("nothing of the kind answers")

func (m *Manager) look(ctx context.Context, kind protocol.LLMProvider) (protocol.LLMLocal, error) {
	info, known := provider(kind)
	if !known {
		return protocol.LLMLocal{}, errNoServer
	}
	base, err := parseBase(info.URL)
	if err != nil {
		return protocol.LLMLocal{}, err
	}
	list, err := models(ctx, m.local, target{profile: protocol.LLMProfile{Name: info.Name}, info: info, base: base})
	if err != nil {
		return protocol.LLMLocal{}, err
	}
	return protocol.LLMLocal{Provider: kind, Name: info.Name, URL: info.URL, Models: list}, nil
}
