package firefox_test

import (
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/pierrec/lz4/v4"

	"pilotfish/backend/browser/signins/firefox"
	"pilotfish/backend/protocol"
)

// now is the time of these tests.
func now() time.Time { return time.Unix(1_800_000_000, 0) }

// schema17 is what Firefox 153 writes, and schema12 what Firefox 115 wrote.
const (
	schema17 = `CREATE TABLE moz_cookies (id INTEGER PRIMARY KEY, originAttributes TEXT NOT NULL DEFAULT '', name TEXT, value TEXT, host TEXT, path TEXT, expiry INTEGER, lastAccessed INTEGER, creationTime INTEGER, isSecure INTEGER, isHttpOnly INTEGER, inBrowserElement INTEGER DEFAULT 0, sameSite INTEGER DEFAULT 0, schemeMap INTEGER DEFAULT 0, isPartitionedAttributeSet INTEGER DEFAULT 0, updateTime INTEGER, CONSTRAINT moz_uniqueid UNIQUE (name, host, path, originAttributes)); PRAGMA user_version = 17`
	schema12 = `CREATE TABLE moz_cookies (id INTEGER PRIMARY KEY, originAttributes TEXT NOT NULL DEFAULT '', name TEXT, value TEXT, host TEXT, path TEXT, expiry INTEGER, lastAccessed INTEGER, creationTime INTEGER, isSecure INTEGER, isHttpOnly INTEGER, inBrowserElement INTEGER DEFAULT 0, sameSite INTEGER DEFAULT 0, rawSameSite INTEGER DEFAULT 0, schemeMap INTEGER DEFAULT 0, CONSTRAINT moz_uniqueid UNIQUE (name, host, path, originAttributes)); PRAGMA user_version = 12`
)

// database makes a database that stays open, so that what is written is in its log.
func database(t *testing.T, path, schema string) *sql.DB {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(0)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	return db
}

func insert(t *testing.T, db *sql.DB, attributes, name string, value any, host string, expiry int64, secure, same, schemes int) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), `INSERT INTO moz_cookies (originAttributes, name, value, host, path, expiry, isSecure, isHttpOnly, sameSite, schemeMap) VALUES (?, ?, CAST(? AS TEXT), ?, '/p', ?, ?, 1, ?, ?)`, attributes, name, value, host, expiry, secure, same, schemes); err != nil {
		t.Fatal(err)
	}
}

// Cookies are read from a database and its log with all that they are; those that
// expired, of containers, of private windows and set apart for other sites' frames are
// not, and containers are named.
func TestCookies(t *testing.T) {
	profile := t.TempDir()
	db := database(t, filepath.Join(profile, "cookies.sqlite"), schema17)
	const later = 1_900_000_000_123
	odd := "a=b; \"q\" wörd-日本 \t~"
	insert(t, db, "", "lax", odd, ".a.example", later, 1, 1, 2)
	insert(t, db, "", "unset", "", "b.example", later, 0, 256, 1)
	insert(t, db, "", "none", "1", "b.example", later, 1, 0, 3)
	insert(t, db, "", "old", "1", "b.example", 1_700_000_000_000, 0, 256, 1)
	insert(t, db, "^userContextId=2", "work", "secret", "a.example", later, 0, 2, 1)
	insert(t, db, "^userContextId=9", "nine", "secret", "a.example", later, 0, 2, 1)
	insert(t, db, "^privateBrowsingId=1", "private", "secret", "a.example", later, 0, 2, 1)
	insert(t, db, "^partitionKey=%28https%2Cshop.example%29", "frame", "secret", "a.example", later, 1, 0, 2)
	insert(t, db, "^partitionKey=%28https%2Cshop.example%29", "chips", "1", "a.example", later, 1, 0, 2)
	insert(t, db, "^partitionKey=%28https%2Ca.example%29", "own", "1", "w.a.example", later, 1, 0, 2)
	insert(t, db, "", "six", "1", "::1", later, 0, 256, 1)
	if _, err := db.ExecContext(t.Context(), `UPDATE moz_cookies SET isPartitionedAttributeSet = 1 WHERE name IN ('chips', 'own')`); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(profile, "cookies.sqlite-wal")); err != nil || info.Size() == 0 {
		t.Fatalf("there is no log to read: %v", err)
	}
	write(t, filepath.Join(profile, "containers.json"), []byte(`{"identities":[{"userContextId":2,"l10nId":"user-context-work"},{"userContextId":4294967295,"name":"internal"}]}`))
	stored := map[string]any{"cookies": []map[string]any{
		{"host": "a.example", "name": "session", "value": "é", "path": "/", "httponly": true, "sameSite": 2, "schemeMap": 2, "secure": true, "originAttributes": map[string]any{"userContextId": 0}},
		{"host": "a.example", "name": "work", "value": "1", "originAttributes": map[string]any{"userContextId": 2}},
		{"host": "a.example", "name": "frame", "value": "1", "originAttributes": map[string]any{"partitionKey": "(https,b.example)"}},
	}}
	write(t, filepath.Join(profile, "sessionstore-backups", "recovery.jsonlz4"), packed(t, stored))

	counted, err := firefox.Count(t.Context(), profile, t.TempDir(), now())
	if err != nil || !maps.Equal(counted.Domains, map[string]int{".a.example": 1, "a.example": 2, "b.example": 2, "w.a.example": 1, "::1": 1}) || !maps.Equal(counted.Containers, map[string]int{"Work": 2, "container 9": 1}) {
		t.Fatalf("%+v, %v", counted, err)
	}
	all, err := firefox.Cookies(t.Context(), profile, t.TempDir(), now(), func(domain string) bool { return domain != "b.example" })
	if err != nil {
		t.Fatal(err)
	}
	if got := names(all); !slices.Equal(got, []string{"chips", "lax", "own", "session", "six"}) {
		t.Fatalf("read %v", got)
	}
	by := map[string]*network.Cookie{}
	for _, c := range all {
		by[c.Name] = c
	}
	if c := by["lax"]; c.Value != odd || c.Domain != ".a.example" || c.Path != "/p" || !c.Secure || !c.HTTPOnly || c.Session || c.Expires != later/1000.0 || c.SameSite != network.CookieSameSiteLax || c.SourceScheme != network.CookieSourceSchemeSecure || c.PartitionKey != nil {
		t.Errorf("%+v", c)
	}
	if c := by["session"]; c.Value != "é" || !c.Session || c.SameSite != network.CookieSameSiteStrict {
		t.Errorf("%+v", c)
	}
	if c := by["chips"]; c.PartitionKey == nil || c.PartitionKey.TopLevelSite != "https://shop.example" || !c.PartitionKey.HasCrossSiteAncestor || c.SameSite != network.CookieSameSiteNone {
		t.Errorf("%+v", c)
	}
	if c := by["own"]; c.PartitionKey == nil || c.PartitionKey.TopLevelSite != "https://a.example" || c.PartitionKey.HasCrossSiteAncestor {
		t.Errorf("%+v", c)
	}
	if by["six"].Domain != "[::1]" {
		t.Errorf("%+v", by["six"])
	}
	all, err = firefox.Cookies(t.Context(), profile, t.TempDir(), now(), func(domain string) bool { return domain == "b.example" })
	if err != nil || !slices.Equal(names(all), []string{"none", "unset"}) {
		t.Fatalf("%v, %v", names(all), err)
	}
	for _, c := range all {
		if want := map[string]network.CookieSameSite{"none": network.CookieSameSiteNone}[c.Name]; c.SameSite != want {
			t.Errorf("%+v", c)
		}
	}
}

// Files of older versions have their expiry in seconds.
func TestOlderVersion(t *testing.T) {
	profile := t.TempDir()
	db := database(t, filepath.Join(profile, "cookies.sqlite"), schema12)
	insert(t, db, "", "new", "1", "a.example", 1_900_000_000, 0, 0, 1)
	insert(t, db, "", "old", "1", "a.example", 1_700_000_000, 0, 0, 1)
	all, err := firefox.Cookies(t.Context(), profile, t.TempDir(), now(), func(string) bool { return true })
	if err != nil || len(all) != 1 || all[0].Name != "new" || all[0].Expires != 1_900_000_000 || all[0].SameSite != "" {
		t.Fatalf("%+v, %v", all, err)
	}
}

// What cannot be read is an error that says what remains to do, and a stored session
// that is damaged has no cookies.
func TestUnreadable(t *testing.T) {
	profile := t.TempDir()
	count := func() *protocol.Error {
		_, err := firefox.Count(t.Context(), profile, t.TempDir(), now())
		return protocol.AsError(err)
	}
	if err := count(); err == nil || err.Code != protocol.CodeBadArgument || !strings.Contains(err.Message, "any more") {
		t.Errorf("no file: %v", err)
	}
	write(t, filepath.Join(profile, "cookies.sqlite"), []byte(strings.Repeat("this is no database. ", 100)))
	if err := count(); err == nil || err.Code != protocol.CodeBadArgument || !strings.Contains(err.Hint, "sign in here") {
		t.Errorf("no database: %v", err)
	}
	if err := os.Remove(filepath.Join(profile, "cookies.sqlite")); err != nil {
		t.Fatal(err)
	}
	database(t, filepath.Join(profile, "cookies.sqlite"), `CREATE TABLE cookies_of_the_future (a); PRAGMA user_version = 99`)
	if err := count(); err == nil || err.Code != protocol.CodeBadArgument || !strings.Contains(err.Message, "version") {
		t.Errorf("an unknown version: %v", err)
	}
	other := t.TempDir()
	database(t, filepath.Join(other, "cookies.sqlite"), schema17)
	good := packed(t, map[string]any{"cookies": []any{}})
	for _, raw := range [][]byte{nil, []byte("mozLz40"), []byte("mozLz40\x00\xff\xff\xff\xffabc"), good[:len(good)-3], append([]byte("x"), good...)} {
		write(t, filepath.Join(other, "sessionstore.jsonlz4"), raw)
		if got, err := firefox.Count(t.Context(), other, t.TempDir(), now()); err != nil || len(got.Domains) != 0 {
			t.Errorf("%q: %+v, %v", raw, got, err)
		}
	}
}

// Profiles are listed as profiles.ini names them, the one that Firefox starts with
// first; those without cookies, and paths that lead elsewhere, are not.
func TestProfiles(t *testing.T) {
	data, elsewhere := t.TempDir(), t.TempDir()
	for _, folder := range []string{filepath.Join(data, "ab.default"), filepath.Join(data, "Profiles", "cd.work"), elsewhere, filepath.Join(data, "..", "outside")} {
		write(t, filepath.Join(folder, "cookies.sqlite"), nil)
	}
	write(t, filepath.Join(data, "profiles.ini"), []byte("\ufeff[Install4F96D1932A9F858E]\r\nDefault=Profiles/cd.work\r\nLocked=1\r\n\r\n; a comment\r\n[Profile0]\r\nName=default\r\nIsRelative=1\r\nPath=ab.default\r\nDefault=1\r\n\r\n"+
		"[Profile1]\nName=Work = good\nIsRelative=1\nPath=Profiles/cd.work\n[Profile2]\nName=Elsewhere\nIsRelative=0\nPath="+elsewhere+"\n"+
		"[Profile3]\nName=Empty\nIsRelative=1\nPath=empty\n[Profile4]\nName=Outside\nIsRelative=1\nPath=../outside\n[Profile5]\nName=No path\n[General]\nVersion=2\n"))
	found := firefox.Profiles(data)
	want := []firefox.Profile{
		{"Profiles/cd.work", "Work = good", filepath.Join(data, "Profiles", "cd.work")},
		{elsewhere, "Elsewhere", elsewhere},
		{"ab.default", "default", filepath.Join(data, "ab.default")},
	}
	if !slices.Equal(found, want) {
		t.Errorf("found %+v", found)
	}
	if found := firefox.Profiles(elsewhere); len(found) != 0 {
		t.Errorf("without a file: %+v", found)
	}
}

func names(all []*network.Cookie) []string {
	var out []string
	for _, c := range all {
		out = append(out, c.Name)
	}
	slices.Sort(out)
	return out
}

func write(t *testing.T, path string, raw []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// packed returns a value as a compressed file of Firefox.
func packed(t *testing.T, value any) []byte {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, lz4.CompressBlockBound(len(raw)))
	n, err := lz4.CompressBlock(raw, block, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 { // too short to be compressed: a block of literals only
		block = block[:0]
		if len(raw) < 15 {
			block = append(block, byte(len(raw)<<4))
		} else {
			block = append(block, 15<<4, byte(len(raw)-15))
		}
		block = append(block, raw...)
		n = len(block)
	}
	return append(binary.LittleEndian.AppendUint32([]byte("mozLz40\x00"), uint32(len(raw))), block[:n]...)
}
