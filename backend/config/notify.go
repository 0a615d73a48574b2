package config

import (
	"net/netip"
	"net/url"
	"strings"

	"pilotfish/backend/protocol"
)

// masked stands for what is kept back of an address.
const masked = "********"

// NotifyAllowed says which addresses NotifyURL takes.
const NotifyAllowed = "an address such as https://ntfy.sh/TOPIC?tpl=1&m={{.text}}; http:// only on this computer"

// NotifyURL reads the address of a webhook. Who knows it can post there, so an error does
// not quote it.
func NotifyURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, wrong("notifyUrl", "notify_url is not the address of a webhook", "enter "+NotifyAllowed)
	case strings.Contains(text, masked):
		return nil, wrong("notifyUrl", "notify_url is masked", "enter the whole address")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, wrong("notifyUrl", "the connection to the webhook would not be encrypted", "enter "+NotifyAllowed)
	}
	// A template of ntfy is written as it reads.
	u.RawQuery = strings.NewReplacer("{", "%7B", "}", "%7D").Replace(u.RawQuery)
	return u, nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Shown returns settings as clients get them: of the address of the webhook they see the
// host. Save takes the masked address for the one that it stands for.
func Shown(s protocol.Settings) protocol.Settings {
	s.NotifyURL = mask(s.NotifyURL)
	return s
}

func mask(address string) string {
	u, err := url.Parse(address)
	if err != nil || address == "" {
		return "" // a wrong one is in no settings
	}
	return u.Scheme + "://" + u.Host + "/" + masked
}

// unmasked returns the address that a client saves.
func (s *Store) unmasked(address string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.settings.NotifyURL != "" {
		s.notifyURL = s.settings.NotifyURL
	}
	if address == mask(s.notifyURL) {
		return s.notifyURL
	}
	return address
}
