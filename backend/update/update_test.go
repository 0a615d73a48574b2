//go:build unix

package update_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"

	"pilotfish/backend/protocol"
	"pilotfish/backend/update"
)

// now is the time of these tests.
func now() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// site publishes one release.
type site struct {
	files  map[string][]byte
	server *httptest.Server
	key    minisign.PublicKey
	secret minisign.PrivateKey
}

func newSite(t *testing.T) *site {
	t.Helper()
	public, secret, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{files: map[string][]byte{}, key: public, secret: secret}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, there := s.files[r.URL.Path]
		switch {
		case !there:
			http.NotFound(w, r)
		case strings.HasPrefix(r.URL.Path, "/cut/"):
			w.Header().Set("Content-Length", fmt.Sprint(len(file)))
			_, _ = w.Write(file[:len(file)/2]) // and the connection ends
		default:
			_, _ = w.Write(file)
		}
	}))
	t.Cleanup(s.server.Close)
	return s
}

// packed is an archive of programs that say a version.
func packed(t *testing.T, says string, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	all := tar.NewWriter(zipped)
	for _, name := range names {
		text := fmt.Sprintf("#!/bin/sh\necho '{\"version\":%q}'\n", says)
		if err := all.WriteHeader(&tar.Header{Name: "pilotfish-cli/" + name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := all.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := all.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// manifest is a good one for an archive at /archive.
func manifest(archive []byte) update.Manifest {
	sum := sha256.Sum256(archive)
	return update.Manifest{
		Version: 1, Product: "pilotfish", Release: "0.2.0", Made: now(), Expires: now().AddDate(0, 1, 0),
		Archives: []update.Archive{{OS: "linux", Arch: "amd64", URL: "archive", Size: int64(len(archive)), SHA256: hex.EncodeToString(sum[:])}},
	}
}

// publish puts a manifest and its signature on the site.
func (s *site) publish(t *testing.T, m update.Manifest, archive []byte) {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	s.files["/update.json"], s.files["/update.json.minisig"] = text, minisign.Sign(s.secret, text)
	s.files["/archive"], s.files["/cut/archive"] = archive, archive
}

func (s *site) source() update.Source {
	return update.Source{Address: s.server.URL + "/update.json", Key: s.key, Installed: "0.1.0+3.abc", OS: "linux", Arch: "amd64", Now: now}
}

// installed is a folder with the old version.
func installed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"pilotfish", "pilotfish-service"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// untouched fails unless the folder has the old version and nothing else.
func untouched(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if text, err := os.ReadFile(filepath.Join(dir, entry.Name())); err != nil || string(text) != "old" {
			t.Errorf("%s was changed, or is left over: %q, %v", entry.Name(), text, err)
		}
	}
	if len(entries) != 2 {
		t.Errorf("%d files, want the 2 programs", len(entries))
	}
}

func TestInstallAndBack(t *testing.T) {
	s, dir := newSite(t), installed(t)
	archive := packed(t, "0.2.0", "pilotfish", "pilotfish-service", "README")
	s.publish(t, manifest(archive), archive)
	found, err := s.source().Check(t.Context())
	if err != nil || !found.Newer || found.Manifest.Release != "0.2.0" {
		t.Fatalf("Check() = %+v, %v", found, err)
	}
	if err := s.source().Install(t.Context(), found.Manifest, dir); err != nil {
		t.Fatal(err)
	}
	content := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if !strings.Contains(content("pilotfish"), "0.2.0") || !strings.Contains(content("pilotfish-service"), "0.2.0") || content("pilotfish.before") != "old" {
		t.Error("the new programs are not in place, or the old ones are not kept")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 4 {
		t.Errorf("%d files, want two programs and the two before", len(entries))
	}
	for _, want := range []string{"old", "#!/bin/sh"} { // back, and forward again
		if err := update.Restore(dir, "linux"); err != nil {
			t.Fatal(err)
		}
		if got := content("pilotfish"); !strings.HasPrefix(got, want) {
			t.Errorf("after Restore: %q, want %q", got, want)
		}
	}
}

// A crash in the middle leaves a program to start.
func TestNoMomentWithoutAProgram(t *testing.T) {
	dir := installed(t)
	for _, name := range []string{"pilotfish", "pilotfish-service"} {
		if err := os.WriteFile(filepath.Join(dir, name+".before"), []byte("before"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	over := make(chan struct{})
	missing := make(chan error, 1)
	go func() {
		defer close(missing)
		for {
			select {
			case <-over:
				return
			default:
			}
			if _, err := os.Stat(filepath.Join(dir, "pilotfish")); err != nil {
				missing <- err
				return
			}
		}
	}()
	for range 200 {
		if err := update.Restore(dir, "linux"); err != nil {
			t.Fatal(err)
		}
	}
	close(over)
	if err := <-missing; err != nil {
		t.Error(err)
	}
}

func TestTheNewestVersion(t *testing.T) {
	s := newSite(t)
	m := manifest(nil)
	m.Release = "0.1.0"
	s.publish(t, m, nil)
	if found, err := s.source().Check(t.Context()); err != nil || found.Newer {
		t.Errorf("Check() = %+v, %v, want nothing newer", found, err)
	}
}

func TestNoVersionBefore(t *testing.T) {
	dir := installed(t)
	if err := update.Restore(dir, "linux"); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("Restore() = %v", err)
	}
	untouched(t, dir)
}

// What a check refuses.
func TestRefusedManifests(t *testing.T) {
	for name, c := range map[string]struct {
		bend func(s *site, m *update.Manifest)
		last func(s *site)
		code protocol.Code
		says string
	}{
		"another key": {last: func(s *site) {
			_, other, _ := minisign.GenerateKey(nil)
			s.files["/update.json.minisig"] = minisign.Sign(other, s.files["/update.json"])
		}, code: protocol.CodeRefused, says: "signature"},
		"one byte flipped":    {last: func(s *site) { s.files["/update.json"][20] ^= 1 }, code: protocol.CodeRefused, says: "signature"},
		"truncated":           {last: func(s *site) { s.files["/update.json"] = s.files["/update.json"][:40] }, code: protocol.CodeRefused, says: "signature"},
		"truncated signature": {last: func(s *site) { s.files["/update.json.minisig"] = s.files["/update.json.minisig"][:60] }, code: protocol.CodeRefused, says: "signature"},
		"no signature":        {last: func(s *site) { delete(s.files, "/update.json.minisig") }, code: protocol.CodeNavigation, says: "404"},
		"expired":             {bend: func(_ *site, m *update.Manifest) { m.Expires = now() }, code: protocol.CodeRefused, says: "expired on 2026-05-01"},
		"a downgrade":         {bend: func(_ *site, m *update.Manifest) { m.Release = "0.0.9" }, code: protocol.CodeRefused, says: "older than this version"},
		"of another product":  {bend: func(_ *site, m *update.Manifest) { m.Product = "catfish" }, code: protocol.CodeRefused, says: "no manifest of Pilotfish"},
		"no version":          {bend: func(_ *site, m *update.Manifest) { m.Release = "newest" }, code: protocol.CodeRefused, says: "no manifest of Pilotfish"},
		"too large":           {last: func(s *site) { s.files["/update.json"] = make([]byte, 300<<10) }, code: protocol.CodeRefused, says: "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			m := manifest([]byte("x"))
			if c.bend != nil {
				c.bend(s, &m)
			}
			s.publish(t, m, nil)
			if c.last != nil {
				c.last(s)
			}
			_, err := s.source().Check(t.Context())
			refused(t, err, c.code, c.says)
		})
	}
}

func refused(t *testing.T, err error, code protocol.Code, says string) {
	t.Helper()
	e := protocol.AsError(err)
	if e == nil || e.Code != code || !strings.Contains(e.Message, says) || e.Hint == "" {
		t.Errorf("error %v, want %s, %q and what to do", err, code, says)
	}
}

// What an installation refuses; the old version stays.
func TestRefusedArchives(t *testing.T) {
	for name, c := range map[string]struct {
		archive []byte
		bend    func(m *update.Manifest)
		served  func(archive []byte) []byte
		code    protocol.Code
		says    string
	}{
		"one byte flipped":      {served: func(a []byte) []byte { b := bytes.Clone(a); b[len(b)/2] ^= 1; return b }, code: protocol.CodeRefused, says: "checksum"},
		"too short":             {served: func(a []byte) []byte { return a[:len(a)-1] }, code: protocol.CodeRefused, says: "bytes that the manifest says"},
		"too long":              {served: func(a []byte) []byte { return append(bytes.Clone(a), 0) }, code: protocol.CodeRefused, says: "bytes that the manifest says"},
		"the connection breaks": {bend: func(m *update.Manifest) { m.Archives[0].URL = "/cut/archive" }, code: protocol.CodeNavigation, says: "did not come whole"},
		"another system":        {bend: func(m *update.Manifest) { m.Archives[0].OS = "plan9" }, code: protocol.CodeRefused, says: "no archive for linux"},
		"no size":               {bend: func(m *update.Manifest) { m.Archives[0].Size = 0 }, code: protocol.CodeRefused, says: "no size"},
		"an open address":       {bend: func(m *update.Manifest) { m.Archives[0].URL = "http://example.com/archive" }, code: protocol.CodeRefused, says: "not allowed"},
		"not there":             {bend: func(m *update.Manifest) { m.Archives[0].URL = "elsewhere" }, code: protocol.CodeNavigation, says: "404"},
		"a program is missing":  {archive: packed(t, "0.2.0", "pilotfish"), code: protocol.CodeRefused, says: "missing"},
		"no archive":            {archive: []byte("text"), code: protocol.CodeRefused, says: "unpacked"},
		"says another version":  {archive: packed(t, "0.1.0", "pilotfish", "pilotfish-service"), code: protocol.CodeRefused, says: "does not start"},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newSite(t), installed(t)
			archive := c.archive
			if archive == nil {
				archive = packed(t, "0.2.0", "pilotfish", "pilotfish-service")
			}
			m := manifest(archive)
			if c.bend != nil {
				c.bend(&m)
			}
			served := archive
			if c.served != nil {
				served = c.served(archive)
			}
			s.publish(t, m, served)
			refused(t, s.source().Install(t.Context(), m, dir), c.code, c.says)
			untouched(t, dir)
		})
	}
}

func TestAddressesNeedTLS(t *testing.T) {
	for _, at := range []string{"http://example.com/update.json", "https://user:secret@example.com/x", "file:///etc/passwd", "update.json", ""} {
		s := update.Source{Address: at}
		_, err := s.Check(t.Context())
		refused(t, err, protocol.CodeBadArgument, "https://")
	}
}

func TestKeys(t *testing.T) {
	s := newSite(t)
	for _, text := range []string{s.key.String(), "untrusted comment: x\n" + s.key.String() + "\n"} {
		if key, err := update.Key(text); err != nil || !key.Equal(s.key) {
			t.Errorf("Key(%q) = %v", text, err)
		}
	}
	_, err := update.Key("RWnothing")
	refused(t, err, protocol.CodeBadArgument, "no public key")
}

func TestWays(t *testing.T) {
	clone := t.TempDir()
	if err := os.WriteFile(filepath.Join(clone, "go.mod"), []byte("module pilotfish\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	none := func(...string) bool { return false }
	by := func(name string) func(...string) bool { return func(c ...string) bool { return c[0] == name } }
	for _, c := range []struct {
		folder string
		owned  func(...string) bool
		want   update.Way
	}{
		{"/usr/lib/pilotfish", by("dpkg-query"), update.ByDeb},
		{"/usr/lib/pilotfish", by("rpm"), update.ByRPM},
		{"/home/x/lib/node_modules/pilotfish-linux-x64/bin", none, update.ByNPM},
		{filepath.Join(clone, "build", "bin"), none, update.ByClone},
		{"/opt/pilotfish", none, update.ByFolder},
	} {
		if got := update.WayOf(c.folder, c.owned); got != c.want {
			t.Errorf("WayOf(%s) = %s, want %s", c.folder, got, c.want)
		}
	}
}
