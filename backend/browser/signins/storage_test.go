package signins_test

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/syndtr/goleveldb/leveldb"

	"pilotfish/backend/browser/localstorage"
	"pilotfish/backend/browser/signins"
	"pilotfish/backend/protocol"
)

// into is a browser that takes everything, or fails.
type into struct {
	got  []localstorage.Area
	fail error
}

func (i *into) ImportCookies(_ context.Context, c []*network.Cookie) ([]*network.Cookie, error) {
	return c, nil
}

func (i *into) RemoveCookies(context.Context, func(string) bool) (int, error) { return 0, nil }

func (i *into) WriteStorage(_ context.Context, a localstorage.Area) (int, error) {
	i.got = append(i.got, a)
	return len(a.Items), i.fail
}

func (i *into) ClearStorage(context.Context, string) (int, error) { return 0, i.fail }

// Local storage comes of the chosen sites only, without what frames of other sites
// stored; a damaged one and a browser that does not take it are errors in words.
func TestLocalStorage(t *testing.T) {
	home := t.TempDir()
	profile := filepath.Join(home, ".mozilla", "firefox", "ab.one")
	put(t, filepath.Join(home, ".mozilla", "firefox", "profiles.ini"), "[Profile0]\nName=one\nIsRelative=1\nPath=ab.one\n")
	put(t, filepath.Join(profile, "cookies.sqlite"), "")
	vivaldi := filepath.Join(home, ".config", "vivaldi", "Default")
	put(t, filepath.Join(vivaldi, "Cookies"), "")
	browser := &into{}
	in := signins.New(signins.Config{
		Dir: filepath.Join(t.TempDir(), "reading"), File: filepath.Join(t.TempDir(), "signins.json"), Into: browser,
		Ask: func(string) error { return nil }, Forget: func(string) error { return nil },
		Logger: slog.New(slog.DiscardHandler),
		Getenv: func(name string) string { return map[string]string{"HOME": home}[name] },
	})
	take := func(browser string) *protocol.Error {
		_, err := in.Import(t.Context(), protocol.SignInImport{Browser: browser, Sites: []string{"a.example"}, Storage: true})
		return protocol.AsError(err)
	}
	db, err := leveldb.OpenFile(filepath.Join(vivaldi, "Local Storage", "leveldb"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"VERSION": "1", "META:https://a.example": "x", "_https://a.example\x00\x01k": "\x01\xe9", "_https://www.a.example:8443\x00\x00\x61\x00": "\x00\x00\xd8",
		"_https://b.example\x00\x01k": "\x01other", "_https://a.example/^0https://b.example\x00\x01k": "\x01frame", "_chrome-extension://a.example\x00\x01k": "\x01other",
	} {
		if err := db.Put([]byte(key), []byte(value), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	// The browser is not installed: its storage is read, and its cookies say why not.
	if err := take("vivaldi"); err == nil || err.Code != protocol.CodeNoBrowser {
		t.Errorf("not installed: %v", err)
	}
	put(t, filepath.Join(vivaldi, "Local Storage", "leveldb", "CURRENT"), "damaged")
	if err := take("vivaldi"); err == nil || err.Code != protocol.CodeBadArgument || !strings.Contains(err.Hint, "without local storage") {
		t.Errorf("damaged: %v", err)
	}
	put(t, filepath.Join(profile, "storage", "default", "https+++a.example", "ls", "data.sqlite"), "damaged")
	if err := take("firefox"); err == nil || err.Code != protocol.CodeBadArgument || !strings.Contains(err.Hint, "sign in here") {
		t.Errorf("damaged: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(profile, "storage")); err != nil {
		t.Fatal(err)
	}
	store(t, profile, "https+++www.a.example+8443")
	store(t, profile, "https+++a.example^userContextId=2")
	store(t, profile, "https+++b.example")
	browser.fail = errors.New("the browser ended")
	if err := take("firefox"); err == nil || !strings.Contains(err.Message, "ended") {
		t.Errorf("a browser that ended: %v", err)
	}
	browser.fail, browser.got = nil, nil
	if err := take("firefox"); err != nil {
		t.Error(err)
	}
	if len(browser.got) != 1 || browser.got[0].Origin != "https://www.a.example:8443" || len(browser.got[0].Items) != 1 {
		t.Errorf("wrote %+v", browser.got)
	}
}

// store writes the local storage of an origin as Firefox does, with the schema that
// Firefox 153 writes, and an empty cookie store.
func store(t *testing.T, profile, folder string) {
	t.Helper()
	path := filepath.Join(profile, "storage", "default", folder, "ls", "data.sqlite")
	put(t, path, "")
	for path, schema := range map[string]string{
		path: `CREATE TABLE data( key TEXT PRIMARY KEY, utf16_length INTEGER NOT NULL, conversion_type INTEGER NOT NULL, compression_type INTEGER NOT NULL, last_access_time INTEGER NOT NULL DEFAULT 0, value BLOB NOT NULL);
			INSERT INTO data VALUES ('k', 1, 1, 0, 0, CAST('v' AS BLOB)); PRAGMA user_version = 80`,
		filepath.Join(profile, "cookies.sqlite"): `CREATE TABLE IF NOT EXISTS moz_cookies (id INTEGER PRIMARY KEY, originAttributes TEXT NOT NULL DEFAULT '', name TEXT, value TEXT, host TEXT, path TEXT, expiry INTEGER, isSecure INTEGER, isHttpOnly INTEGER, sameSite INTEGER, schemeMap INTEGER)`,
	} {
		db, err := sql.Open("sqlite", "file:"+path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), schema); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
