package secret

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// version is the format version of the file.
const version = 1

// Config is what a Store needs.
type Config struct {
	// File has the names and origins of the secrets.
	File string
	// Keyring reports whether the system's keychain can be used now.
	Keyring func(context.Context) bool
}

// Store has the secrets of the user. Its methods are safe for concurrent use.
type Store struct {
	config Config
	values values
	masks  masks

	mu      sync.Mutex
	loaded  bool
	list    []protocol.Secret
	changes chan struct{} // closed when the list changes, and made anew
}

// New returns the store. The file is read at the first use.
func New(c Config) *Store {
	return &Store{config: c, values: newValues(c.Keyring), changes: make(chan struct{})}
}

type file struct {
	Version int               `json:"version"`
	Secrets []protocol.Secret `json:"secrets"`
}

// load reads the file. The caller holds mu.
func (s *Store) load() error {
	if s.loaded {
		return nil
	}
	raw, err := os.ReadFile(s.config.File)
	if errors.Is(err, fs.ErrNotExist) {
		s.loaded = true
		return nil
	}
	var f file
	if err == nil {
		err = json.Unmarshal(raw, &f)
	}
	if err != nil || f.Version != version {
		return protocol.NewError(protocol.CodeNotWritable, "the list of secrets cannot be read: "+s.config.File, "move the file away and add the secrets again")
	}
	s.loaded, s.list = true, f.Secrets
	return nil
}

// save writes a list. The caller holds mu.
func (s *Store) save(list []protocol.Secret) error {
	raw, err := json.MarshalIndent(file{version, list}, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the list of secrets: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(s.config.File), 0o700); err != nil {
		return journal.NotWritable(filepath.Dir(s.config.File), err, "")
	}
	if err := journal.WriteFile(s.config.File, append(raw, '\n'), 0o600); err != nil {
		return err
	}
	s.list = list
	return nil
}

// List returns the secrets by name.
func (s *Store) List() ([]protocol.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return nil, err
	}
	return slices.Clone(s.list), nil
}

// Find returns a secret by its name.
func (s *Store) Find(name string) (protocol.Secret, error) {
	list, err := s.List()
	if err != nil {
		return protocol.Secret{}, err
	}
	for _, one := range list {
		if one.Name == name {
			return one, nil
		}
	}
	return protocol.Secret{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no secret %.80q", name), "the user adds one in Settings", protocol.Try("lists them, for the user", "secret"))
}

// Add adds a secret, or replaces the one of the same name.
func (s *Store) Add(ctx context.Context, q protocol.SecretRequest) (protocol.Secret, error) {
	one, err := check(q)
	if err != nil {
		return one, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return one, err
	}
	list := slices.DeleteFunc(slices.Clone(s.list), func(o protocol.Secret) bool { return o.Name == one.Name })
	if len(list) >= protocol.MaxSecrets {
		return one, protocol.NewError(protocol.CodeBusy, fmt.Sprintf("there are %d secrets, and no more can be kept", protocol.MaxSecrets), "remove some")
	}
	one.Added = time.Now().UTC()
	if one.Kept = keptElsewhere; one.From == "" {
		one.Kept = s.values.set(ctx, one.Name, q.Value)
	}
	list = append(list, one)
	slices.SortFunc(list, func(a, b protocol.Secret) int { return cmp.Compare(a.Name, b.Name) })
	if err := s.save(list); err != nil {
		if one.From == "" {
			_ = s.values.remove(ctx, one.Name)
		}
		return one, err
	}
	s.changed()
	return one, nil
}

// Remove removes a secret and its value.
func (s *Store) Remove(ctx context.Context, name string) error {
	if _, err := s.Find(name); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.values.remove(ctx, name); err != nil {
		return err
	}
	if err := s.save(slices.DeleteFunc(slices.Clone(s.list), func(o protocol.Secret) bool { return o.Name == name })); err != nil {
		return err
	}
	s.changed()
	return nil
}

// changed reports a change of the list. The caller holds mu.
func (s *Store) changed() {
	close(s.changes)
	s.changes = make(chan struct{})
}

// Names returns the names of the secrets that fields on an origin can get.
func (s *Store) Names(origin string) []string {
	list, err := s.List()
	if err != nil {
		return nil // the command that uses one reports it
	}
	var names []string
	for _, one := range list {
		if one.Origin == origin && one.Kind != protocol.SecretHeader {
			names = append(names, one.Name)
		}
	}
	return names
}

// Changes returns a channel that is closed when a secret is added or removed.
func (s *Store) Changes() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changes
}

// Used notes when a secret was used, and for whom. A note that cannot be written is
// left out: the use itself is in the activity.
func (s *Store) Used(name, by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.list)
	at := slices.IndexFunc(list, func(o protocol.Secret) bool { return o.Name == name })
	if at < 0 {
		return
	}
	now := time.Now().UTC()
	list[at].Used, list[at].UsedBy = &now, by
	if s.save(list) != nil {
		s.list = list
	}
}

// Typed masks a password that the user typed for an origin and that is not kept.
func (s *Store) Typed(origin, user, password string) {
	s.masks.add(protocol.Secret{Name: "login", Origin: origin, User: user}, password)
}

// Use returns what a secret is worth now, on an origin: its value, or the current
// code of a TOTP. From then on Mask masks it. It refuses any origin but the
// secret's own.
func (s *Store) Use(ctx context.Context, name, origin string) (string, error) {
	one, err := s.Find(name)
	if err != nil {
		return "", err
	}
	if one.Origin != origin {
		return "", WrongOrigin(one, origin)
	}
	value, err := s.value(ctx, one)
	if err != nil {
		return "", err
	}
	s.masks.add(one, value)
	switch one.Kind {
	case protocol.SecretHeader:
		return value, headerValue(value)
	case protocol.SecretPassword:
		return value, nil
	case protocol.SecretTOTP:
	}
	code, err := Code(value, time.Now())
	if err != nil {
		return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the secret %s has no key of one-time codes: %s", name, err), "add it again with the key that the site shows")
	}
	s.masks.add(one, code)
	return code, nil
}

func (s *Store) value(ctx context.Context, one protocol.Secret) (string, error) {
	if one.From != "" {
		return s.outside(ctx, one)
	}
	return s.values.get(ctx, one.Name)
}

// WrongOrigin is the error for the use of a secret elsewhere than on its origin.
func WrongOrigin(one protocol.Secret, origin string) error {
	if origin == "" || origin == "null" {
		origin = "a page without an origin"
	}
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("the secret %s is for %s, and the field is on %.200s; nothing was typed", one.Name, one.Origin, origin), "open its own site")
}

// Mask returns a text in which every value that was used is replaced by the name of
// its secret.
func (s *Store) Mask(text string) string { return s.masks.mask(text) }

// Held reports whether a secret was used on an origin since the app started, so
// that pages there may show it to code that runs in them.
func (s *Store) Held(origin string) bool { return s.masks.held(origin) }

// namePattern accepts names of secrets, which are words of a command line.
func namePattern() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,63}$`) }

// check returns the secret of a request in its one form.
func check(q protocol.SecretRequest) (protocol.Secret, error) {
	one := q.Secret
	one.Kind = cmp.Or(one.Kind, protocol.SecretPassword)
	bad := func(message, hint string) (protocol.Secret, error) {
		return one, protocol.NewError(protocol.CodeBadArgument, message, hint)
	}
	if !namePattern().MatchString(one.Name) {
		return bad(fmt.Sprintf("%.80q is no name for a secret", one.Name), "use a to z, 0 to 9, . _ and -")
	}
	origin, err := originOf(one.Origin)
	if err != nil {
		return one, err
	}
	one.Origin = origin
	if len(one.User) > 200 || strings.ContainsAny(one.User, ":\r\n") {
		return bad("the user name is too long, or contains a colon", "give the name that the site asks for")
	}
	switch one.Kind {
	case protocol.SecretPassword, protocol.SecretTOTP:
		if one.Header != "" {
			return bad("only a secret of the kind header has the name of one", "add it with the kind header")
		}
	case protocol.SecretHeader:
		if err := headerName(one.Header); err != nil {
			return one, err
		}
	default:
		return bad(fmt.Sprintf("%.40q is no kind of secret", one.Kind), "use password, totp or header")
	}
	if one.From != "" {
		if q.Value != "" {
			return bad("a secret has a value or a reference, not both", "leave one out")
		}
		return one, reference(one.From)
	}
	switch {
	case len(q.Value) < protocol.MinSecretValue:
		return bad(fmt.Sprintf("the value has fewer than %d characters, and could not be masked", protocol.MinSecretValue), "give the whole value")
	case len(q.Value) > protocol.MaxSecretValue:
		return bad(fmt.Sprintf("the value is longer than %d bytes", protocol.MaxSecretValue), "give the value alone")
	case one.Kind == protocol.SecretHeader:
		return one, headerValue(q.Value)
	case one.Kind == protocol.SecretTOTP:
		if _, err := Code(q.Value, time.Unix(0, 0)); err != nil {
			return bad("this is no key of one-time codes: "+err.Error(), "give the key that the site shows, such as JBSW Y3DP EHPK 3PXP, or its otpauth:// address")
		}
	}
	return one, nil
}

// originOf returns an origin in the form in which browsers write it.
func originOf(text string) (string, error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(strings.ToLower(strings.TrimSpace(text)))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Contains(u.Host, "*") || len(text) > 300 {
		return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.100q is no origin", text), "use one such as https://shop.example")
	}
	if u.Scheme == "http" && u.Port() == "80" || u.Scheme == "https" && u.Port() == "443" {
		u.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
	}
	return u.Scheme + "://" + u.Host, nil
}
