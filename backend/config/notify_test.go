package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/config"
)

// The address of a webhook is as good as a password: clients see its host, a save of what
// they see keeps it, and no error quotes it.
func TestNotifyURL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	store, err := config.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	const address = "https://ada:s3cret@hooks.example:8443/s3cret?token=s3cret"
	settings := store.Get()
	settings.NotifyURL = address
	if _, err := store.Save(settings); err != nil {
		t.Fatal(err)
	}
	shown := config.Shown(store.Get())
	if shown.NotifyURL != "https://hooks.example:8443/********" {
		t.Errorf("shown is %q", shown.NotifyURL)
	}
	shown.FontSize = 20
	if saved, err := store.Save(shown); err != nil || saved.NotifyURL != address || saved.FontSize != 20 {
		t.Errorf("%+v, %v", saved, err)
	}
	// A reset can be undone with what the client saw before.
	reset := shown
	reset.NotifyURL = ""
	if saved, err := store.Save(reset); err != nil || saved.NotifyURL != "" {
		t.Errorf("%+v, %v", saved, err)
	}
	if saved, err := store.Save(shown); err != nil || saved.NotifyURL != address {
		t.Errorf("%+v, %v", saved, err)
	}
	for address, allowed := range map[string]bool{
		"https://ntfy.sh/s3cret?tpl=1&m={{.text}}": true, "http://127.0.0.1:99/s3cret": true, "http://localhost/s3cret": true, "http://[::1]/s3cret": true,
		"http://10.0.0.1/s3cret": false, "http://127.0.0.1.example/s3cret": false, "ftp://h/s3cret": false, "s3cret": false, "https:///s3cret": false,
		"https://h\x00/s3cret": false, "https://hooks.example:8443/********": false, "https://h:x/s3cret": false,
	} {
		u, err := config.NotifyURL(address)
		if (err == nil) != allowed || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", address, err)
		}
		if err == nil && strings.ContainsAny(u.String(), "{}") {
			t.Errorf("%q is requested as %q", address, u)
		}
	}
	if err := os.WriteFile(path, []byte("notify_url = 'http://h/s3cret'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	store.Reload()
	if p := problem(store); p == nil || p.Line != 1 || strings.Contains(p.Message+p.Allowed, "s3cret") {
		t.Errorf("the problem is %+v", p)
	}
}
