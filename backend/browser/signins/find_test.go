package signins_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/browser/signins"
	"pilotfish/backend/protocol"
)

// Firefox is found where the system, Snap and Flatpak keep its profiles. A profile that
// is gone, a browser that is not installed any more and a damaged store are errors that
// say what remains to do.
func TestWhereBrowsersAre(t *testing.T) {
	home := t.TempDir()
	for _, folder := range []string{".config/mozilla/firefox", "snap/firefox/common/.mozilla/firefox", ".var/app/org.mozilla.firefox/config/mozilla/firefox"} {
		put(t, filepath.Join(home, folder, "profiles.ini"), "[Profile0]\nName=one\u202e\nIsRelative=1\nPath=ab.one\n[Profile1]\nName=two\nIsRelative=1\nPath=cd.two\n")
		put(t, filepath.Join(home, folder, "ab.one", "cookies.sqlite"), "damaged")
		put(t, filepath.Join(home, folder, "cd.two", "cookies.sqlite"), "damaged")
	}
	put(t, filepath.Join(home, ".config", "vivaldi", "Default", "Cookies"), "damaged")
	in := signins.New(signins.Config{
		Dir: filepath.Join(t.TempDir(), "reading"), File: filepath.Join(t.TempDir(), "signins.json"),
		Logger: slog.New(slog.DiscardHandler),
		Getenv: func(name string) string { return map[string]string{"HOME": home}[name] },
	})
	var found []string
	for _, b := range in.Browsers() {
		found = append(found, b.ID)
		if b.ID != "vivaldi" && (len(b.Profiles) != 2 || b.Profiles[0].Name != "one" || b.Missing) || b.ID == "vivaldi" && !b.Missing {
			t.Errorf("%+v", b)
		}
	}
	if !slices.Equal(found, []string{"vivaldi", "firefox", "firefox-snap", "firefox-flatpak"}) {
		t.Errorf("found %v", found)
	}
	if err := os.Remove(filepath.Join(home, "snap/firefox/common/.mozilla/firefox/cd.two/cookies.sqlite")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ browser, profile, want string }{
		{"firefox", "cd.two", "damaged"}, {"firefox-snap", "two", "no profile"}, {"firefox-flatpak", "../x", "no profile"}, {"vivaldi", "", "not installed any more"}, {"brave", "", "no profile of a browser"},
	} {
		_, err := in.Sites(t.Context(), c.browser, c.profile)
		if got := protocol.AsError(err); got == nil || got.Code == protocol.CodeInternal || !strings.Contains(got.Message, c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
