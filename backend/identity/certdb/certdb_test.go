package certdb_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/identity/certdb"
)

func sqlite(t *testing.T, path, sql string) string {
	t.Helper()
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("sqlite3 is not installed")
	}
	out, err := exec.CommandContext(t.Context(), program, path, sql).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", sql, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestWrite(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "Default")
	path := filepath.Join(folder, "ServerCertificate")
	if err := certdb.Write(folder, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file without certificates")
	}
	one, two := bytes.Repeat([]byte{1}, 900), bytes.Repeat([]byte{2}, 5000)
	if err := certdb.Write(folder, [][]byte{one, two, one}); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The same authorities leave what the browser has changed in the file meanwhile.
	if err := os.WriteFile(path, append(first, 7), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := certdb.Write(folder, [][]byte{two, one}); err != nil {
		t.Fatal(err)
	}
	if same, err := os.ReadFile(path); err != nil || len(same) != len(first)+1 {
		t.Errorf("the file was written again: %v", err)
	}
	// Others replace them, and none take the file back.
	if err := certdb.Write(folder, [][]byte{one}); err != nil {
		t.Fatal(err)
	}
	if next, err := os.ReadFile(path); err != nil || bytes.Contains(next, two) || !bytes.Contains(next, one) {
		t.Errorf("the other authority is still there: %v", err)
	}
	if err := os.WriteFile(path+"-journal", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := certdb.Write(folder, nil); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := certdb.Write(folder, [][]byte{make([]byte, 60001)}); !errors.Is(err, certdb.ErrTooMany) {
		t.Error(err)
	}
	// Something that is no list of certificates is not replaced.
	if err := os.WriteFile(path, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := certdb.Write(folder, [][]byte{one}); !errors.Is(err, certdb.ErrForeign) {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := certdb.Write(folder, nil); err == nil {
		t.Error("a folder was read")
	}
}

// A database engine reads the file, and what it writes is told from it.
func TestEngine(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "ServerCertificate")
	if err := certdb.Write(folder, [][]byte{[]byte("first"), []byte("second")}); err != nil {
		t.Fatal(err)
	}
	for _, q := range [][2]string{
		{"PRAGMA integrity_check", "ok"},
		{"SELECT der_cert || hex(trust_settings) FROM certificates ORDER BY der_cert", "first0A020803\nsecond0A020803"},
		{"SELECT der_cert FROM certificates WHERE sha256hash_hex = 'a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e'", "first"},
		{"SELECT value FROM meta WHERE key = 'version'", "1"},
		{"INSERT INTO certificates VALUES ('ff', x'00', x'0a'); DELETE FROM certificates WHERE sha256hash_hex <> 'ff'; SELECT count(*) FROM certificates", "1"},
	} {
		if got := sqlite(t, path, q[0]); got != q[1] {
			t.Errorf("%s: %q, want %q", q[0], got, q[1])
		}
	}
	// The browser's own file: replaced while it is empty, and never with a certificate.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	sqlite(t, path, "CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR); INSERT INTO meta VALUES('version','1'); CREATE TABLE certificates(sha256hash_hex TEXT PRIMARY KEY,der_cert BLOB NOT NULL,trust_settings BLOB NOT NULL);")
	if err := certdb.Write(folder, [][]byte{[]byte("first")}); err != nil {
		t.Errorf("an empty file: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	sqlite(t, path, "CREATE TABLE certificates(sha256hash_hex TEXT PRIMARY KEY,der_cert BLOB NOT NULL,trust_settings BLOB NOT NULL); INSERT INTO certificates VALUES ('ff', x'00', x'0a');")
	if err := certdb.Write(folder, [][]byte{[]byte("first")}); !errors.Is(err, certdb.ErrForeign) {
		t.Errorf("a certificate of the user: %v", err)
	}
}

// Whatever is in the file, it is read within its bounds.
func FuzzWriteOver(f *testing.F) {
	folder := f.TempDir()
	if err := certdb.Write(folder, [][]byte{[]byte("first")}); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(folder, "ServerCertificate"))
	if err != nil {
		f.Fatal(err)
	}
	data[68] = 0 // not ours
	f.Add(data[:200])
	f.Add(data[65000:66000])
	f.Fuzz(func(t *testing.T, head []byte) {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "ServerCertificate"), head, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = certdb.Write(folder, [][]byte{[]byte("first")})
	})
}
