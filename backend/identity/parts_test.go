package identity_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

// certificate returns a certificate as PEM.
func certificate(t *testing.T, authority bool) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: authority, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func put(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAuthorities(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"is not a file of":   nil,
		"cannot be read":     nil,
		"has no certificate": []byte("nothing"),
		"has a \"PRIVATE":    pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}),
		"that cannot be":     pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")}),
		"not of an":          certificate(t, false),
	} {
		file := filepath.Join(dir, "none.pem")
		if name == "is not a file of" {
			file = dir
		}
		if data != nil {
			file = put(t, filepath.Join(dir, "ca.pem"), data)
		}
		s, _ := session(t, fmt.Sprintf("[sessions.work]\nca_files = [%q]\n", file))
		if _, err := s.Prepare(t.Context(), filepath.Join(dir, "p"), t.TempDir()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Certificates and exceptions are written into the profile, and taken back.
func TestTrust(t *testing.T) {
	dir := t.TempDir()
	profile := filepath.Join(dir, "profile")
	ca := put(t, filepath.Join(dir, "ca.pem"), certificate(t, true))
	preferences := put(t, filepath.Join(profile, "Default", "Preferences"), []byte(`{"big":12345678901234567890,"profile":{"content_settings":{"exceptions":{"ssl_cert_decisions":{"https://mine.test:443,*":{"setting":{"decision_expiration_time":"1"}}}}}}}`))
	begin := func(settings string) error {
		s, _ := session(t, settings)
		r, err := s.Prepare(t.Context(), profile, dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		return r.Before(t.Context())
	}
	read := func() string {
		data, err := os.ReadFile(preferences)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	sum := strings.Repeat("00", 32)
	if err := begin(fmt.Sprintf("[sessions.work]\nca_files = [%q]\naccept = [{host = 'Dev.test', sha256 = '%s'}]\n", ca, sum)); err != nil {
		t.Fatal(err)
	}
	if got := read(); !json.Valid([]byte(got)) || !strings.Contains(got, "12345678901234567890") || !strings.Contains(got, "https://mine.test:443,*") || !strings.Contains(got, `"https://dev.test:443,*"`) || !strings.Contains(got, `"-202AAAA`) {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join(profile, "Default", "ServerCertificate")); err != nil {
		t.Error(err)
	}
	if err := begin(""); err != nil {
		t.Fatal(err)
	}
	if got := read(); !strings.Contains(got, "https://mine.test:443,*") || strings.Contains(got, "dev.test") {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join(profile, "Default", "ServerCertificate")); err == nil {
		t.Error("the authority is still trusted")
	}
	// Preferences that cannot be read are left to the browser, but not with a rule.
	put(t, preferences, []byte("{"))
	if err := begin(""); err != nil {
		t.Error(err)
	}
	if err := begin(fmt.Sprintf("[sessions.work]\naccept = [{host = 'dev.test', sha256 = '%s'}]\n", sum)); err == nil {
		t.Error("preferences that cannot be read were changed")
	}
	// A database that is not one is left to the browser, but not with an authority.
	put(t, filepath.Join(profile, "Default", "ServerCertificate"), bytes.Repeat([]byte("notes "), 100))
	if err := begin(""); err != nil {
		t.Error(err)
	}
	if err := begin(fmt.Sprintf("[sessions.work]\nca_files = [%q]\n", ca)); err == nil {
		t.Error("what is no database was replaced")
	}
}

func TestHeaders(t *testing.T) {
	folder := t.TempDir()
	s, file := session(t, "[sessions.work]\nheaders = [{origin = 'https://Api.test:443', name = 'X-Env', value = 'a\"b'}, {origin = 'http://[::1]:8080', name = 'Y', value = 'z'}]\n")
	r, err := s.Prepare(t.Context(), "/p", folder)
	if err != nil || len(r.Extensions) != 1 || filepath.Dir(r.Extensions[0]) != folder {
		t.Fatalf("%+v, %v", r, err)
	}
	r.Close()
	rules, err := os.ReadFile(filepath.Join(r.Extensions[0], "rules.json"))
	if err != nil {
		t.Fatal(err)
	}
	var read []struct{ Condition struct{ RegexFilter string } }
	if err := json.Unmarshal(rules, &read); err != nil || len(read) != 2 ||
		read[0].Condition.RegexFilter != `^(https|wss)://api\.test/` || read[1].Condition.RegexFilter != `^(http|ws)://\[::1\]:8080/` {
		t.Errorf("%+v, %v\n%s", read, err, rules)
	}
	put(t, file, nil)
	if r, err = s.Prepare(t.Context(), "/p", folder); err != nil || len(r.Extensions) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	r.Close()
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestExtensions(t *testing.T) {
	dir := t.TempDir()
	for manifest, want := range map[string]string{
		`{"manifest_version": 3, "name": "mine"}`: "",
		`{"manifest_version": 2, "name": "old"}`:  "does not load",
		`{`:                                       "is not an extension",
	} {
		put(t, filepath.Join(dir, "manifest.json"), []byte(manifest))
		s, _ := session(t, fmt.Sprintf("[sessions.work]\nextensions = [%q]\n", dir))
		r, err := s.Prepare(t.Context(), "/p", t.TempDir())
		if want == "" && (err != nil || len(r.Extensions) != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v", manifest, r, err)
		}
		if err == nil {
			r.Close()
		}
	}
	// Another extension with our id would get what is meant for ours.
	ours, err := os.ReadFile(filepath.Join("..", "..", "extension", "manifest.json"))
	if err != nil {
		t.Skip(err)
	}
	put(t, filepath.Join(dir, "manifest.json"), ours)
	s, _ := session(t, fmt.Sprintf("[sessions.work]\nextensions = [%q]\n", dir))
	if _, err := s.Prepare(t.Context(), "/p", t.TempDir()); err == nil || !strings.Contains(err.Error(), "Pilotfish's own") {
		t.Error(err)
	}
}

// A profile is copied once, from a session that has one and that does not run.
func TestCopy(t *testing.T) {
	sessions := t.TempDir()
	from, folder := filepath.Join(sessions, "home", "profile"), filepath.Join(sessions, "work")
	own := filepath.Join(folder, "profile")
	if err := os.MkdirAll(own, 0o700); err != nil {
		t.Fatal(err)
	}
	s, _ := session(t, "[sessions.work]\nprofile = 'copy:home'\n")
	begin := func() error {
		r, err := s.Prepare(t.Context(), own, folder)
		if err == nil {
			r.Close()
		}
		return err
	}
	if err := begin(); err == nil || !strings.Contains(err.Error(), "no profile to copy") {
		t.Error(err)
	}
	put(t, filepath.Join(from, "Local State"), []byte("{}"))
	put(t, filepath.Join(from, "Default", "Cookies"), []byte("crumbs"))
	put(t, filepath.Join(from, "Default", "Cache", "data"), []byte("x"))
	lock := filepath.Join(from, "SingletonLock")
	if err := os.Symlink(fmt.Sprintf("host-%d", os.Getpid()), lock); err != nil {
		t.Fatal(err)
	}
	if err := begin(); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeProfileInUse {
		t.Error(err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("host-2147483647", lock); err != nil { // of a browser that crashed
		t.Fatal(err)
	}
	if err := begin(); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(own, "Default", "Cookies")); err != nil || string(data) != "crumbs" {
		t.Errorf("%q, %v", data, err)
	}
	for _, gone := range []string{filepath.Join(own, "Default", "Cache"), filepath.Join(own, "SingletonLock"), own + ".copy"} {
		if _, err := os.Lstat(gone); err == nil {
			t.Errorf("%s was copied", gone)
		}
	}
	put(t, filepath.Join(from, "Default", "Cookies"), []byte("new"))
	if err := begin(); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(own, "Default", "Cookies")); err != nil || string(data) != "crumbs" {
		t.Errorf("copied again: %q, %v", data, err)
	}
}
