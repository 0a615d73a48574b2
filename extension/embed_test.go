package extension

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// complete is an extension as the build leaves it, with the placeholder.
func complete() fstest.MapFS {
	built := fstest.MapFS{
		".gitkeep":         {},
		"axe.js":           {Data: []byte("for the backend")},
		"page.js":          {Data: []byte("for the backend")},
		"assets/panel.css": {Data: []byte("body{}")},
	}
	for _, name := range needed {
		built[name] = &fstest.MapFile{Data: []byte("contents of " + name)}
	}
	return built
}

func TestInstallWritesPrivateFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "extension")
	if err := install(complete(), dir, "", false); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := len(needed) + 1; files != want {
		t.Errorf("%d files were written, want %d", files, want)
	}
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != "contents of manifest.json" {
		t.Errorf("manifest.json is %q", data)
	}
}

func TestInstallLeavesNothingOfTheVersionBefore(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old.js")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := install(complete(), dir, "", false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file of the version before is still there: %v", err)
	}
}

func TestInstallRefusesAnIncompleteBuild(t *testing.T) {
	for _, missing := range needed {
		built := complete()
		delete(built, missing)
		dir := t.TempDir()
		keep := filepath.Join(dir, "keep")
		if err := os.WriteFile(keep, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := install(built, dir, "", false); !errors.Is(err, ErrNotBuilt) {
			t.Errorf("without %s the error is %v, want ErrNotBuilt", missing, err)
		}
		if _, err := os.Stat(keep); err != nil {
			t.Errorf("without %s the folder was touched: %v", missing, err)
		}
	}
}

func TestWelcomePageHasANote(t *testing.T) {
	if page := WelcomePage("agents & <you>", "", ""); !bytes.Contains(page, []byte(`<p class="note">agents &amp; &lt;you&gt;</p>`)) {
		t.Error("the note is missing")
	}
	if !bytes.Contains(WelcomePage("", "", ""), []byte(noNote)) {
		t.Error("without a note there is no hidden place for one")
	}
}

func TestWelcomePageOffersTheAgentThatIsThere(t *testing.T) {
	shell, agent := WelcomePage("", "", ""), WelcomePage("", "Claude <Code>", "")
	if bytes.Count(shell, []byte(noAgent)) != 3 || !bytes.Contains(shell, []byte("Your shell, or")) {
		t.Error("the page has no command for a shell")
	}
	if bytes.Count(agent, []byte(withAgent)) != 3 || bytes.Contains(agent, []byte(noAgent)) || !bytes.Contains(agent, []byte("Claude &lt;Code&gt; is here")) {
		t.Error("the page does not offer the agent")
	}
}

func TestWelcomePageIsWholeByItself(t *testing.T) {
	page := WelcomePage("", "", "")
	if !bytes.HasPrefix(page, []byte("<!doctype html>")) {
		t.Fatal("the welcome page is not an HTML document")
	}
	for _, foreign := range []string{" src=", "href=", "url(", "@import", "http://", "https://"} {
		if bytes.Contains(page, []byte(foreign)) {
			t.Errorf("the welcome page needs something from elsewhere: it contains %q", foreign)
		}
	}
}

// The pages that the browser shows follow the theme of the settings.
func TestPagesFollowTheTheme(t *testing.T) {
	built, dir := complete(), filepath.Join(t.TempDir(), "extension")
	built["newtab.html"] = &fstest.MapFile{Data: []byte(`<html lang="en">`)}
	if err := install(built, dir, "dark", false); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "newtab.html"))
	if want := `<html lang="en" data-theme="dark">`; err != nil || string(page) != want || !bytes.Contains(WelcomePage("", "", "dark"), []byte(want)) {
		t.Errorf("a new tab: %s, %v", page, err)
	}
	if bytes.Contains(WelcomePage("", "", "system"), []byte("<html lang=\"en\" data-theme")) {
		t.Error("without a theme of its own, the page has one")
	}
}

// An extension that stays in the user's own browser leaves its page of a new tab alone, and
// keeps the key by which its id is known.
func TestAnExtensionThatStays(t *testing.T) {
	built, dir := complete(), filepath.Join(t.TempDir(), "extension")
	built["manifest.json"] = &fstest.MapFile{Data: []byte(`{"key": "abc=", "chrome_url_overrides": {"newtab": "newtab.html"}}`)}
	if err := install(built, dir, "", true); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "manifest.json")); err != nil || string(data) != `{"key":"abc="}` {
		t.Errorf("%s, %v", data, err)
	}
}
