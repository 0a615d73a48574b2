package identity

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ask runs a statement and returns the first column of its rows.
func ask(t *testing.T, path, statement string) string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return strings.Join(out, " ")
}

func TestAuthorities(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "of a user #1", "Default")
	path := filepath.Join(folder, "ServerCertificate")
	write := func(certificates ...[]byte) error { return trustAuthorities(t.Context(), folder, certificates) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(write())
	if _, err := os.Stat(folder); err == nil {
		t.Error("a folder without certificates")
	}
	one, two := []byte("first"), bytes.Repeat([]byte{2}, 100000)
	must(write(one, two, one))
	for statement, want := range map[string]string{
		"PRAGMA integrity_check":                       "ok",
		"SELECT hex(trust_settings) FROM certificates": "0A020803 0A020803",
		"SELECT CAST(der_cert AS TEXT) FROM certificates WHERE sha256hash_hex = 'a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e'": "first",
		"SELECT value FROM meta ORDER BY key": "1 1",
	} {
		if got := ask(t, path, statement); got != want {
			t.Errorf("%s: %q, want %q", statement, got, want)
		}
	}
	count := func() string { return ask(t, path, "SELECT count(*) FROM certificates") }
	// The same authorities leave what the user has added in the browser meanwhile.
	ask(t, path, "INSERT INTO certificates VALUES ('ff', x'00', x'0a')")
	must(write(two, one))
	if got := count(); got != "3" {
		t.Errorf("%s certificates with one of the user", got)
	}
	// Others replace them, and none take the file back.
	must(write(one))
	if got := count(); got != "1" {
		t.Errorf("%s certificates with another list", got)
	}
	must(os.WriteFile(path+"-journal", nil, 0o600))
	must(write())
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	// The browser's own file: written into while it has no certificate, and never with one.
	ask(t, path, "CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR)")
	ask(t, path, "INSERT INTO meta VALUES('version', '1')")
	must(write(one))
	must(write())
	ask(t, path, "CREATE TABLE certificates(sha256hash_hex TEXT PRIMARY KEY, der_cert BLOB NOT NULL, trust_settings BLOB NOT NULL)")
	ask(t, path, "INSERT INTO certificates VALUES ('ff', x'00', x'0a')")
	must(write())
	if err := write(one); !errors.Is(err, errForeign) {
		t.Errorf("a certificate of the user: %v", err)
	}
	if got := ask(t, path, "SELECT sha256hash_hex || (SELECT count(*) FROM sqlite_schema WHERE name = 'meta') FROM certificates"); got != "ff0" {
		t.Errorf("the user's file was changed: %s", got)
	}
	must(os.Remove(path))
	must(os.Mkdir(path, 0o700))
	if err := write(); err == nil {
		t.Error("a folder was read")
	}
}
