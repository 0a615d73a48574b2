package identity

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/config"
	"pilotfish/backend/engine"
	"pilotfish/backend/identity/forward"
	"pilotfish/backend/protocol"
	"pilotfish/backend/secret"
)

// Config is what a Session needs.
type Config struct {
	Name protocol.SessionName
	// Settings has the file with the identities, which is read at each start.
	Settings *config.Store
	// Secrets has the passwords of proxies.
	Secrets *secret.Store
	// Started returns an environment variable of the process behind a connection, as
	// backend/peer does.
	Started func(client, server netip.AddrPort, variable string) ([]string, error)
	Logger  *slog.Logger
}

// Session has the identity of one session, from one start to the next.
type Session struct {
	cfg Config

	mu sync.Mutex
	// given is for the next start only; nil for none.
	given *protocol.SessionIdentity
	used  *protocol.SessionIdentity // by the browser that runs; nil while none does
}

// New returns the identity of a session that is not running.
func New(cfg Config) *Session { return &Session{cfg: cfg} }

// Give changes the identity for the next start only: what is set replaces what the
// settings say. nil changes nothing.
func (s *Session) Give(id *protocol.SessionIdentity) error {
	if id == nil {
		return nil
	}
	if err := Check(*id); err != nil {
		return AsError(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used != nil {
		return protocol.NewError(protocol.CodeBusy, fmt.Sprintf("session %s runs already, with the settings that it was started with", s.cfg.Name), fmt.Sprintf("stop it first: pilotfish sessions stop %s", s.cfg.Name))
	}
	s.given = id
	return nil
}

// AsError turns a *ValueError into an error for the user.
func AsError(err error) error {
	if p, ok := errors.AsType[*ValueError](err); ok {
		return protocol.NewError(protocol.CodeBadArgument, p.Key+": "+p.Message, p.Allowed)
	}
	return err
}

// Facts are what window and command line show of the identity of a session: of one that
// does not run its colour, by which it is found, and the user's own browser.
func (s *Session) Facts() *protocol.IdentityFacts {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used == nil {
		id, _ := Read(s.cfg.Settings.Path(), s.cfg.Name) // a start says what is wrong with the settings
		id = protocol.SessionIdentity{Browser: id.Browser, Color: cmp.Or(id.Color, colorOf(s.cfg.Name))}
		return factsOf(id)
	}
	return factsOf(*s.used)
}

// factsOf returns what is shown of an identity; nil for none.
func factsOf(id protocol.SessionIdentity) *protocol.IdentityFacts {
	if reflect.ValueOf(id).IsZero() {
		return nil
	}
	return &protocol.IdentityFacts{Browser: hideKeys(id).Browser, Color: id.Color, Temporary: id.Profile == profileTemporary, Proxy: bare(id.Proxy)}
}

// In returns the session in whose browser the next start is a browser context; empty for none.
func (s *Session) In() protocol.SessionName {
	id, _ := Read(s.cfg.Settings.Path(), s.cfg.Name) // a start says what is wrong with the settings
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given != nil && s.given.Browser != "" {
		id = *s.given
	}
	return in(id.Browser)
}

// In returns the session in whose browser the session is a browser context; empty for none.
func (r *Ready) In() protocol.SessionName { return in(r.Browser) }

func in(browser string) protocol.SessionName {
	name, is := strings.CutPrefix(browser, protocol.BrowserIn)
	if !is {
		return ""
	}
	return protocol.SessionName(name)
}

// Ready is what a browser is started with. Close it when the browser has ended.
type Ready struct {
	// Profile is the folder of the profile; Temporary says that nothing of it stays.
	Profile   string
	Temporary bool
	// Browser names the user's own browser, is the address of an engine, or protocol.BrowserIn
	// and a session; none of them has a Profile. Empty for one that is started.
	Browser string
	// Header is sent to the engine, and Secret is the value that stands for
	// engine.SecretMark in it and in the address.
	Header, Secret string
	// Switches and Env are added to the browser's own, and Extensions are loaded.
	Switches, Env, Extensions []string
	// Pages are the first pages of a session that restores none; empty for the usual
	// one.
	Pages []string
	// Geolocation is what pages get; nil for that of the machine.
	Geolocation *protocol.Geolocation
	// Before is to be called before each start of the browser, also after a crash.
	Before func(context.Context) error

	close []func()
}

// Close removes what was for one run only.
func (r *Ready) Close() {
	for _, end := range slices.Backward(r.close) {
		end()
	}
	r.close = nil
}

// Prepare reads the identity and does everything that has to be done before the
// browser starts. profile is the folder of the session's own profile, folder the
// session's folder. It leaves nothing behind when it fails.
func (s *Session) Prepare(ctx context.Context, profile, folder string) (_ *Ready, err error) {
	id, err := Read(s.cfg.Settings.Path(), s.cfg.Name)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	given := s.given
	s.given = nil
	s.mu.Unlock()
	if given != nil {
		id = over(id, *given)
		if err := Check(id); err != nil {
			return nil, AsError(err)
		}
	}
	id.Color = cmp.Or(id.Color, colorOf(s.cfg.Name))
	r := &Ready{Profile: profile, Pages: id.StartPages, Geolocation: id.Geolocation, Extensions: id.Extensions}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	if id.Browser != "" {
		r.Browser, r.Header, r.Profile = id.Browser, id.BrowserHeader, ""
		if id.BrowserSecret != "" {
			if r.Secret, err = s.cfg.Secrets.Use(ctx, id.BrowserSecret, engine.Origin(id.Browser)); err != nil {
				return nil, fmt.Errorf("getting the engine's secret: %w", err)
			}
		}
		s.use(r, id)
		return r, nil
	}
	if err := checkExtensions(id.Extensions); err != nil {
		return nil, err
	}
	if err := s.openProfile(r, id, folder); err != nil {
		return nil, err
	}
	cas, err := authorities(id.CAFiles)
	if err != nil {
		return nil, err
	}
	r.Before = func(ctx context.Context) error { return writeTrust(ctx, r.Profile, cas, id.Accept) }
	headers, err := writeHeaders(folder, id.Headers)
	if err != nil {
		return nil, err
	}
	if headers != "" {
		r.Extensions = append(slices.Clone(r.Extensions), headers)
	}
	proxy, err := s.openProxy(ctx, r, id)
	if err != nil {
		return nil, err
	}
	r.Switches = switches(s.cfg.Name, id, proxy)
	s.use(r, id)
	return r, nil
}

// use records the identity of the browser that runs, until r is closed.
func (s *Session) use(r *Ready, id protocol.SessionIdentity) {
	s.mu.Lock()
	s.used = &id
	s.mu.Unlock()
	r.close = append(r.close, func() {
		s.mu.Lock()
		s.used = nil
		s.mu.Unlock()
	})
}

// over returns an identity with what another one sets.
func over(base, set protocol.SessionIdentity) protocol.SessionIdentity {
	to, from := reflect.ValueOf(&base).Elem(), reflect.ValueOf(set)
	for i := range from.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	if set.Proxy != "" { // the settings' password is for the settings' proxy
		base.ProxySecret, base.ProxyBypass = set.ProxySecret, set.ProxyBypass
	}
	return base
}

// temporaryPattern is the name of a profile's folder that is removed.
const temporaryPattern = "temporary-"

// openProfile chooses the profile's folder.
func (s *Session) openProfile(r *Ready, id protocol.SessionIdentity, folder string) error {
	s.sweep(folder)
	if from, copies := strings.CutPrefix(id.Profile, profileCopy); copies {
		return copyProfile(filepath.Join(filepath.Dir(folder), from, "profile"), r.Profile, from)
	}
	if id.Profile != profileTemporary {
		return nil
	}
	dir, err := os.MkdirTemp(folder, temporaryPattern)
	if err != nil {
		return fmt.Errorf("making a temporary profile: %w", err)
	}
	r.Profile, r.Temporary = dir, true
	r.close = append(r.close, func() { s.sweep(folder) })
	return nil
}

// sweep removes temporary profiles, those of a run that crashed too.
func (s *Session) sweep(folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, temporaryPattern+"*")) // only a bad pattern fails
	for _, dir := range left {
		if err := os.RemoveAll(dir); err != nil {
			s.cfg.Logger.Error("a temporary profile could not be removed", "folder", dir, "error", err)
		}
	}
}

// openProxy returns the address of the proxy that the browser is given; empty for none.
func (s *Session) openProxy(ctx context.Context, r *Ready, id protocol.SessionIdentity) (string, error) {
	if id.Proxy == "" {
		return "", nil
	}
	address, err := s.Upstream(ctx, id)
	if err != nil {
		return "", err
	}
	if address.User == nil {
		return bare(id.Proxy), nil
	}
	mark := rand.Text()
	f, err := forward.Start(ctx, forward.Config{Upstream: address, Logger: s.cfg.Logger, Allowed: func(client, server netip.AddrPort) bool {
		marks, err := s.cfg.Started(client, server, EnvProxy)
		// Where the system does not say which process it is, there are no marks.
		return err == nil && (marks == nil || slices.Contains(marks, mark))
	}})
	if err != nil {
		return "", err
	}
	r.Env = append(r.Env, EnvProxy+"="+mark)
	r.close = append(r.close, f.Close)
	return f.Address(), nil
}

// EnvProxy marks the browser that may use the way to its proxy.
const EnvProxy = "PILOTFISH_PROXY_MARK"

// testTimeout bounds a test of a proxy.
const testTimeout = 15 * time.Second

// Upstream returns the proxy of an identity with its login, and the password from the
// secret that it names.
func (s *Session) Upstream(ctx context.Context, id protocol.SessionIdentity) (*url.URL, error) {
	address, err := url.Parse(id.Proxy)
	if err != nil {
		return nil, errors.New("the proxy's address cannot be read") // the error of url.Parse would show the password
	}
	if id.ProxySecret == "" {
		return address, nil
	}
	scheme := address.Scheme
	if scheme == "socks5" {
		scheme = "http" // secrets are for origins of the web
	}
	password, err := s.cfg.Secrets.Use(ctx, id.ProxySecret, scheme+"://"+address.Host)
	if err != nil {
		return nil, fmt.Errorf("getting the proxy's password: %w", err)
	}
	address.User = url.UserPassword(address.User.Username(), password)
	return address, nil
}

// Test connects through the proxy of an identity to a host and says how long it took.
// nil means the identity of the settings, an empty host protocol.ProxyTestHost.
func (s *Session) Test(ctx context.Context, given *protocol.SessionIdentity, host string) (*protocol.ProxyTest, error) {
	id, err := Read(s.cfg.Settings.Path(), s.cfg.Name)
	if err != nil {
		return nil, err
	}
	if given != nil {
		*given = unmask(*given, id)
		id = over(id, *given)
	}
	if err := Check(id); err != nil {
		return nil, AsError(err)
	}
	if id.Proxy == "" {
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("session %s has no proxy to test", s.cfg.Name), "name one with --proxy, or in settings.toml")
	}
	host = cmp.Or(host, protocol.ProxyTestHost)
	address, err := s.Upstream(ctx, id)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	took, err := forward.Try(ctx, address, host)
	if err != nil {
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the proxy %s did not connect to %s: %v", bare(id.Proxy), host, err), "check its address, its login, and whether it runs")
	}
	return &protocol.ProxyTest{Proxy: bare(id.Proxy), Host: host, Milliseconds: max(1, int(took.Milliseconds()))}, nil
}
