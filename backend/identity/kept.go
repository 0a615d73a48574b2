package identity

import (
	"net/url"

	"pilotfish/backend/protocol"
)

// masked stands for a proxy's password where it is shown.
const masked = "********"

// Kept returns the identity that the settings have, without the proxy's password.
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
	return id, nil
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

// unmask puts a password back that was shown masked, if it is for the same proxy and
// user: another one must not get it.
func unmask(id, before protocol.SessionIdentity) protocol.SessionIdentity {
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
