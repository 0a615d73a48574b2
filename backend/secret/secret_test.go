package secret

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"

	"pilotfish/backend/protocol"
)

func store(t *testing.T, keyringRuns bool) *Store {
	t.Helper()
	keyring.MockInit()
	dir, err := filepath.Abs("fakes") // of op, bw and pass
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return New(Config{File: filepath.Join(t.TempDir(), "below", "secrets.json"), Keyring: func(context.Context) bool { return keyringRuns }})
}

func request(name, origin string, kind protocol.SecretKind, value string) protocol.SecretRequest {
	return protocol.SecretRequest{Secret: protocol.Secret{Name: name, Origin: origin, Kind: kind}, Value: value}
}

// A secret is used on its own origin. Its value is in the keychain and not in the
// file, which a new store reads.
func TestASecretIsForItsOrigin(t *testing.T) {
	s := store(t, true)
	one, err := s.Add(t.Context(), request("shop", "SHOP.example:443", "", "p@ss w/rd"))
	if err != nil || one.Origin != "https://shop.example" || one.Kept != "keychain" || one.Kind != protocol.SecretPassword {
		t.Fatalf("%+v, %v", one, err)
	}
	raw, err := os.ReadFile(s.config.File)
	if err != nil || strings.Contains(string(raw), "p@ss") {
		t.Errorf("the file has %s, %v", raw, err)
	}
	if info, err := os.Stat(s.config.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	again := New(s.config)
	if value, err := again.Use(t.Context(), "shop", "https://shop.example"); err != nil || value != "p@ss w/rd" {
		t.Errorf("%q, %v", value, err)
	}
	for _, origin := range []string{"http://shop.example", "https://shop.example:8443", "https://evil.example", "https://shop.example.evil.example", "null", ""} {
		if value, err := again.Use(t.Context(), "shop", origin); err == nil || value != "" {
			t.Errorf("it was used on %q", origin)
		}
	}
	if err := again.Remove(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.Get(keychainService, keychainUser("shop")); err == nil {
		t.Error("the value stayed in the keychain")
	}
	if err := again.Remove(t.Context(), "shop"); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("a second removal: %v", err)
	}
}

// Without a keychain a value is kept in memory, and is not there after the end.
func TestWithoutAKeychain(t *testing.T) {
	s := store(t, false)
	one, err := s.Add(t.Context(), request("shop", "https://shop.example", "", "four words"))
	if err != nil || one.Kept != "memory" {
		t.Fatalf("%+v, %v", one, err)
	}
	if value, err := s.Use(t.Context(), "shop", one.Origin); err != nil || value != "four words" {
		t.Errorf("%q, %v", value, err)
	}
	if _, err := New(s.config).Use(t.Context(), "shop", one.Origin); protocol.AsError(err).Code != protocol.CodeNoKeyring {
		t.Errorf("after the end: %v", err)
	}
}

// What was used is masked in the forms in which it can appear, and not before.
func TestMask(t *testing.T) {
	s := store(t, true)
	const value = `1. p"a<s&s  w_ö|rd/1+`
	if _, err := s.Add(t.Context(), protocol.SecretRequest{Secret: protocol.Secret{Name: "shop", Origin: "https://shop.example", User: "ada"}, Value: value}); err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{
		value, string(quoted), url.QueryEscape(value), url.PathEscape(value), `<input value="1. p&quot;a&lt;s&amp;s  w_ö|rd/1+">`,
		`1. p"a<s&s w_ö|rd/1+`, `1. p"a\<s&s w\_ö|rd/1+`, `1\. p"a\<s&s w\_ö|rd/1+`, `| 1. p"a\<s&s w\_ö\|rd/1+ |`, `{"text":"1\\. p\"a\\\u003cs\u0026s w\\_ö|rd/1+"}`,
		"Basic " + base64.StdEncoding.EncodeToString([]byte("ada:"+value)), base64.RawURLEncoding.EncodeToString([]byte(value)),
	}
	if got := s.Mask(value); got != value || s.Held("https://shop.example") {
		t.Errorf("masked before it was used: %q", got)
	}
	if _, err := s.Use(t.Context(), "shop", "https://shop.example"); err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if got := s.Mask("before " + text + " after"); !strings.Contains(got, "(secret shop)") || strings.Contains(got, "rd") && !strings.Contains(text, "Basic") {
			t.Errorf("%s is masked as %s", text, got)
		}
	}
	if !s.Held("https://shop.example") || s.Held("https://other.example") {
		t.Error("where it was used is not known")
	}
}

// The codes of RFC 6238, appendix B.
func TestCode(t *testing.T) {
	const sha1Key, sha256Key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA"
	for _, c := range []struct {
		key, want string
		at        int64
	}{
		{"otpauth://totp/x?secret=" + sha1Key + "&digits=8", "94287082", 59},
		{"otpauth://totp/x?secret=" + sha1Key + "&digits=8", "07081804", 1111111109},
		{"otpauth://totp/x?secret=" + sha1Key + "&digits=8", "65353130", 20000000000},
		{"otpauth://totp/x?secret=" + sha256Key + "&digits=8&algorithm=SHA256", "46119246", 59},
		{"gezd gnbv gy3t qojq gezd gnbv gy3t qojq", "287082", 59},
	} {
		if got, err := Code(c.key, time.Unix(c.at, 0)); err != nil || got != c.want {
			t.Errorf("%s at %d: %s, %v", c.key, c.at, got, err)
		}
	}
	for _, bad := range []string{"", "not base 32!", "otpauth://hotp/x?secret=" + sha1Key, "otpauth://totp/x?secret=" + sha1Key + "&digits=99", "otpauth://totp/x?secret=" + sha1Key + "&period=0", "otpauth://totp/x?secret=" + sha1Key + "&algorithm=MD5"} {
		if got, err := Code(bad, time.Unix(59, 0)); err == nil {
			t.Errorf("%q gives %s", bad, got)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := store(t, true)
		if _, err := s.Add(t.Context(), request("code", "https://shop.example", protocol.SecretTOTP, sha1Key)); err != nil {
			t.Fatal(err)
		}
		want, _ := Code(sha1Key, time.Now())
		if code, err := s.Use(t.Context(), "code", "https://shop.example"); err != nil || code != want || s.Mask("it is "+want) != "it is (secret code)" || strings.Contains(s.Mask(sha1Key), sha1Key) {
			t.Errorf("%s, not %s, %v", code, want, err)
		}
	})
}

// op, bw and pass are asked by their own interfaces, without our environment.
func TestOtherKeepers(t *testing.T) {
	t.Setenv("PILOTFISH_TOKEN", "never")
	s := store(t, true)
	for from, want := range map[string]string{"op://Private/Shop/password": "from op", "bw:shop": "from bw", "pass:web/shop": "from pass"} {
		q := request("shop", "https://shop.example", "", "")
		q.From = from
		one, err := s.Add(t.Context(), q)
		if err != nil || one.Kept != "elsewhere" {
			t.Fatalf("%s: %+v, %v", from, one, err)
		}
		if value, err := s.Use(t.Context(), "shop", one.Origin); err != nil || value != want {
			t.Errorf("%s: %q, %v", from, value, err)
		}
	}
	for from, want := range map[string]string{"op://locked": "sign in to op", "pass:flood": "sign in to pass", "bw:empty": "too short"} {
		q := request("shop", "https://shop.example", "", "")
		q.From = from
		if _, err := s.Add(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		if value, err := s.Use(t.Context(), "shop", "https://shop.example"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %q, %v", from, value, err)
		}
	}
	t.Setenv("PATH", "")
	if _, err := s.Use(t.Context(), "shop", "https://shop.example"); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("without the program: %v", err)
	}
}

// Bad input is refused with what to do.
func TestBadSecrets(t *testing.T) {
	s := store(t, true)
	for name, q := range map[string]protocol.SecretRequest{
		"no name":             request("", "https://a.example", "", "value"),
		"a name with a space": request("a b", "https://a.example", "", "value"),
		"no origin":           request("a", "", "", "value"),
		"a pattern":           request("a", "https://*.example", "", "value"),
		"another scheme":      request("a", "ftp://a.example", "", "value"),
		"short":               request("a", "https://a.example", "", "abc"),
		"long":                request("a", "https://a.example", "", strings.Repeat("x", protocol.MaxSecretValue+1)),
		"no kind":             request("a", "https://a.example", "note", "value"),
		"no key":              request("a", "https://a.example", protocol.SecretTOTP, "not base 32!"),
		"a header":            request("a", "https://a.example", "header", "value"),
		"an option":           {Secret: protocol.Secret{Name: "a", Origin: "https://a.example", From: "pass:--help"}},
		"both":                {Secret: protocol.Secret{Name: "a", Origin: "https://a.example", From: "pass:a"}, Value: "value"},
		"a colon":             {Secret: protocol.Secret{Name: "a", Origin: "https://a.example", User: "a:b"}, Value: "value"},
	} {
		if _, err := s.Add(t.Context(), q); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument || protocol.AsError(err).Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if err := os.MkdirAll(filepath.Dir(s.config.File), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.config.File, []byte(`{"version":99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(s.config).List(); err == nil || !strings.Contains(err.Error(), "move the file away") {
		t.Errorf("another version: %v", err)
	}
}

// A header has a name that sites choose, and a value of one line.
func TestHeaderSecrets(t *testing.T) {
	s := store(t, true)
	add := func(header, value string) error {
		q := request("key", "https://shop.example", protocol.SecretHeader, value)
		q.Header = header
		_, err := s.Add(t.Context(), q)
		return err
	}
	if err := add("X-Api-Key", "abc123"); err != nil {
		t.Fatal(err)
	}
	for header, value := range map[string]string{"": "abc123", "Host": "abc123", "sec-fetch-mode": "abc123", "Cookie": "a=bcd", "X Key": "abc123", "X-Key": "two\nlines", "X-Key2": "wörd", "X-Key3": " abc123"} {
		if err := add(header, value); protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("%s: %s: %v", header, value, err)
		}
	}
	q := request("shop", "https://shop.example", protocol.SecretPassword, "four words")
	q.Header = "X-Key"
	if _, err := s.Add(t.Context(), q); err == nil {
		t.Error("a password has a header")
	}
}
