package llm

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// profilesVersion is the version of the file of profiles.
const profilesVersion = 1

// profilesFile is the format of models.json. It has no secrets.
type profilesFile struct {
	Version  int                   `json:"version"`
	Profiles []protocol.LLMProfile `json:"profiles"`
}

// Config is what a Manager needs.
type Config struct {
	// Path is the path of the profiles' file.
	Path string
	// Keychain reports whether the system's keychain can be used now; nil means
	// never.
	Keychain func(context.Context) bool
	// Transport is used to reach the providers; nil for the network.
	Transport http.RoundTripper
	Logger    *slog.Logger
}

// Manager manages the model profiles and reaches their models. It is safe for
// concurrent use.
type Manager struct {
	path   string
	keys   *keys
	client *http.Client
	local  *http.Client
	log    *slog.Logger
	// silence is modelSilence; tests change it.
	silence time.Duration
	// testTime is modelTestTimeout; tests change it.
	testTime time.Duration

	mu       sync.Mutex
	profiles []protocol.LLMProfile
	changed  func()
}

// OnChange sets a callback for changes of the profiles or their keys. It must
// be set before the first change.
func (m *Manager) OnChange(changed func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed = changed
}

// tell calls the callback for changes, and returns the new state.
func (m *Manager) tell(ctx context.Context) protocol.LLMState {
	m.mu.Lock()
	changed := m.changed
	m.mu.Unlock()
	if changed != nil {
		changed()
	}
	return m.State(ctx)
}

// New reads the profiles. An unreadable file is renamed to *.bad.
func New(cfg Config) (*Manager, error) {
	if cfg.Path == "" || cfg.Logger == nil {
		return nil, errors.New("the models need Path and Logger")
	}
	if cfg.Keychain == nil {
		cfg.Keychain = func(context.Context) bool { return false }
	}
	m := &Manager{
		path: cfg.Path, keys: newKeys(cfg.Keychain), log: cfg.Logger.With("component", "llm"), silence: modelSilence, testTime: modelTestTimeout,
		client: newClient(cfg.Transport, modelDialTimeout), local: newClient(cfg.Transport, modelLocalTimeout),
	}
	data, err := os.ReadFile(cfg.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	var file profilesFile
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err == nil && file.Version != profilesVersion {
		err = fmt.Errorf("version %d is unknown", file.Version)
	}
	if err != nil {
		m.log.Warn("the models' profiles could not be read and are put aside", "error", err)
		if err := os.Rename(cfg.Path, cfg.Path+".bad"); err != nil {
			m.log.Warn("the models' profiles could not be put aside", "error", err)
		}
		return m, nil
	}
	m.profiles = file.Profiles
	return m, nil
}

// State returns what Settings show.
func (m *Manager) State(ctx context.Context) protocol.LLMState {
	m.mu.Lock()
	profiles := slices.Clone(m.profiles)
	m.mu.Unlock()
	for i := range profiles {
		info, _ := provider(profiles[i].Provider)
		key, kept := m.keys.get(ctx, profiles[i].ID)
		profiles[i].Dialect, profiles[i].HasKey, profiles[i].KeyKept = info.Dialect, key != "", kept
	}
	if profiles == nil {
		profiles = []protocol.LLMProfile{}
	}
	return protocol.LLMState{Profiles: profiles, Providers: Providers(), Keychain: m.keys.available(ctx)}
}

// Save adds or changes a profile, and its key if one is given. It returns
// CodeBadArgument for an invalid profile.
func (m *Manager) Save(ctx context.Context, req protocol.LLMSaveRequest) (protocol.LLMState, error) {
	p := req.Profile
	info, known := provider(p.Provider)
	if !known {
		return protocol.LLMState{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("no provider is called %.40q", string(p.Provider)), "choose one from the list")
	}
	p.Name, p.Model, p.URL = strings.TrimSpace(p.Name), strings.TrimSpace(p.Model), strings.TrimSpace(p.URL)
	if p.Name == "" {
		p.Name = info.Name
	}
	if p.URL == "" && info.URL == "" {
		return protocol.LLMState{}, protocol.NewError(protocol.CodeBadArgument, info.Name+" needs an address", "write it like https://example.com/v1")
	}
	if p.URL != "" {
		if _, err := parseBase(p.URL); err != nil {
			return protocol.LLMState{}, err
		}
	}
	if req.Key != nil && strings.ContainsFunc(*req.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return protocol.LLMState{}, protocol.NewError(protocol.CodeBadArgument, "The key contains a space, a line break or another character that keys cannot contain", "copy only the key itself")
	}
	if p.For == nil {
		p.For = []string{"task"}
	}
	p.Dialect, p.HasKey, p.KeyKept = "", false, ""
	if err := m.put(ctx, &p, req.Key); err != nil {
		return protocol.LLMState{}, err
	}
	if req.Key != nil {
		if err := m.keys.set(ctx, p.ID, *req.Key); err != nil {
			return protocol.LLMState{}, err
		}
	}
	return m.tell(ctx), nil
}

// put adds a profile, or replaces the one with the same id; a new profile gets
// its id here. key is the new key, which the caller stores afterwards; nil if
// the key does not change.
func (m *Manager) put(ctx context.Context, p *protocol.LLMProfile, key *string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.Keyed = key != nil && *key != ""
	next := slices.Clone(m.profiles)
	at := slices.IndexFunc(next, func(one protocol.LLMProfile) bool { return one.ID == p.ID })
	switch {
	case p.ID == "":
		if len(next) >= maxModelProfiles {
			return protocol.NewError(protocol.CodeBusy, fmt.Sprintf("there are %d models already", len(next)), "remove one first")
		}
		p.ID = strings.ToLower(rand.Text()[:12])
		next = append(next, *p)
	case at < 0:
		return unknownProfile()
	default:
		// A key was given for one provider and address: it must not be sent to
		// another one.
		before := next[at]
		if before.Provider != p.Provider || before.URL != p.URL {
			if err := m.keys.set(ctx, p.ID, ""); err != nil {
				return err
			}
		} else if key == nil {
			p.Keyed = before.Keyed
		}
		next[at] = *p
	}
	return m.write(next)
}

// Delete removes a profile and its key.
func (m *Manager) Delete(ctx context.Context, id string) (protocol.LLMState, error) {
	m.mu.Lock()
	at := slices.IndexFunc(m.profiles, func(one protocol.LLMProfile) bool { return one.ID == id })
	if at < 0 {
		m.mu.Unlock()
		return protocol.LLMState{}, unknownProfile()
	}
	err := m.write(slices.Delete(slices.Clone(m.profiles), at, at+1))
	m.mu.Unlock()
	if err != nil {
		return protocol.LLMState{}, err
	}
	if err := m.keys.set(ctx, id, ""); err != nil {
		return protocol.LLMState{}, err
	}
	return m.tell(ctx), nil
}

// write saves the profiles. The caller holds mu.
func (m *Manager) write(profiles []protocol.LLMProfile) error {
	data, err := json.MarshalIndent(profilesFile{Version: profilesVersion, Profiles: profiles}, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the models' profiles: %w", err)
	}
	if err := journal.WriteFile(m.path, data, 0o600); err != nil {
		return protocol.NewError(protocol.CodeNotWritable, "The models could not be saved: "+journal.Reason(err), "make room, or make the folder writable, and try again")
	}
	m.profiles = profiles
	return nil
}

// profile returns a profile with everything that is needed to reach its model.
func (m *Manager) profile(ctx context.Context, id string) (target, error) {
	m.mu.Lock()
	at := slices.IndexFunc(m.profiles, func(one protocol.LLMProfile) bool { return one.ID == id })
	if at < 0 {
		m.mu.Unlock()
		return target{}, unknownProfile()
	}
	p := m.profiles[at]
	m.mu.Unlock()
	info, known := provider(p.Provider)
	if !known {
		return target{}, unknownProfile()
	}
	raw := p.URL
	if raw == "" {
		raw = info.URL
	}
	base, err := parseBase(raw)
	if err != nil {
		return target{}, err
	}
	key, _ := m.keys.get(ctx, id)
	if key == "" && info.NeedsKey {
		return target{}, protocol.NewError(protocol.CodeNoKey, p.Name+" has no key", "enter one in the settings of models")
	}
	return target{profile: p, info: info, base: base, key: key}, nil
}

// Profiles returns the profiles without the information about their keys, so
// that the keychain need not be asked.
func (m *Manager) Profiles() []protocol.LLMProfile {
	m.mu.Lock()
	defer m.mu.Unlock()
	profiles := slices.Clone(m.profiles)
	for i := range profiles {
		info, _ := provider(profiles[i].Provider)
		profiles[i].Dialect = info.Dialect
	}
	return profiles
}

// Profile returns one of Profiles, or an error with CodeUnknownModel.
func (m *Manager) Profile(id string) (protocol.LLMProfile, error) {
	for _, p := range m.Profiles() {
		if p.ID == id {
			return p, nil
		}
	}
	return protocol.LLMProfile{}, unknownProfile()
}

func unknownProfile() error {
	return protocol.NewError(protocol.CodeUnknownModel, "This model was removed", "choose another one, or set it up again")
}
