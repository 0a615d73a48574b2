package identity

import (
	"net/url"
	"strings"

	"pilotfish/backend/protocol"
)

// masked stands for a password or a key where it is shown.
const masked = "********"

// Kept returns the identity that the settings have, without passwords and keys.
func (s *Session) Kept() (protocol.SessionIdentity, error) {
	id, err := Read(s.cfg.Settings.Path(), s.cfg.Name)
	if err != nil {
		return protocol.SessionIdentity{}, err
	}
	if u, err := url.Parse(id.Proxy); err == nil && u.User != nil {
		if _, has := u.User.Password(); has {
			u.User = url.UserPassword(u.User.Username(), masked)
			id.Proxy = u.String()
		}
	}
	return hideKeys(id), nil
}

// Keep checks an identity and stores it, for the next start. A password that Kept left
// out stays as it was.
func (s *Session) Keep(id protocol.SessionIdentity) error {
	before, err := Read(s.cfg.Settings.Path(), s.cfg.Name)
	if err != nil {
		return err
	}
	id = unmask(id, before)
	if err := Check(id); err != nil {
		return AsError(err)
	}
	if err := checkExtensions(id.Extensions); err != nil {
		return err
	}
	if _, err := authorities(id.CAFiles); err != nil {
		return err
	}
	return s.cfg.Settings.SaveIdentity(s.cfg.Name, id)
}

// hideKeys masks what opens an engine: the password and the query of its address, and the
// value of its header.
func hideKeys(id protocol.SessionIdentity) protocol.SessionIdentity {
	scheme, rest, ok := strings.Cut(id.Browser, "://")
	if !ok {
		return id
	}
	rest, query, asks := strings.Cut(rest, "?")
	if i := strings.LastIndex(rest, "@"); i >= 0 {
		user, _, _ := strings.Cut(rest[:i], ":")
		rest = user + ":" + masked + rest[i:]
	}
	if asks && query != "" {
		rest += "?" + masked
	}
	id.Browser = scheme + "://" + rest
	if name, _, ok := strings.Cut(id.BrowserHeader, ":"); ok {
		id.BrowserHeader = name + ": " + masked
	}
	return id
}

// unmask puts a password back that was shown masked, if it is for the same proxy and
// user: another one must not get it.
func unmask(id, before protocol.SessionIdentity) protocol.SessionIdentity {
	if shown := hideKeys(before); id.Browser == shown.Browser {
		id.Browser = before.Browser
		if id.BrowserHeader == shown.BrowserHeader {
			id.BrowserHeader = before.BrowserHeader
		}
	}
	u, err := url.Parse(id.Proxy)
	if err != nil || u.User == nil {
		return id
	}
	if password, _ := u.User.Password(); password != masked {
		return id
	}
	old, err := url.Parse(before.Proxy)
	if err != nil || old.User == nil || old.Scheme != u.Scheme || old.Host != u.Host || old.User.Username() != u.User.Username() {
		return id
	}
	u.User = old.User
	id.Proxy = u.String()
	return id
}
