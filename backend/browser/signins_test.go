package browser

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"

	"pilotfish/backend/browser/signins"
	"pilotfish/backend/protocol"
)

// A Chromium that signed in to a server has its cookies read on a copy, and exactly
// these arrive in another profile: persistent ones and those of the session, of the
// host and of the domain, with every byte of their values. The copy is gone
// afterwards, and so is one that a killed run left.
func TestSignInsOfAnotherBrowser(t *testing.T) {
	set := []string{
		"sid=a%20b=c|~!#$&'()*+-./:<>?@[]^_`{}; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax",
		"until-the-end=\"quoted value\"; Path=/", "deep=1; Path=/below; Max-Age=86400", "empty=; Path=/; Max-Age=86400",
		"utf=wörd-日本; Path=/; Max-Age=86400",
	}
	seen := make(chan string, 10)
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/login" {
			for _, c := range set {
				w.Header().Add("Set-Cookie", c)
			}
		} else if strings.HasPrefix(r.URL.Path, "/below") {
			seen <- r.Header.Get("Cookie")
		}
		fmt.Fprint(w, "<!doctype html><title>hello</title>"+storing)
	}))
	local := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)

	home := t.TempDir()
	theirs := config(t, true)
	theirs.ProfileDir = filepath.Join(home, "chromium")
	other := start(t, theirs)
	for _, address := range []string{s.URL, local} {
		for _, path := range []string{"/login", "/below"} {
			if _, err := other.Navigate(deadline(t), nobody, other.first(t), address+path, protocol.WaitLoad, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	<-seen
	want := sorted(<-seen)
	other.cancel()
	if err := <-other.ended; err != nil && !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
	other.ended <- nil // for the cleanup

	ours := headless(t)
	dir := filepath.Join(t.TempDir(), "reading")
	if err := os.MkdirAll(filepath.Join(dir, "copy-1", "Default"), 0o700); err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	var journal strings.Builder
	in := signins.New(signins.Config{
		Dir: dir, File: filepath.Join(t.TempDir(), "signins.json"), Into: ours.Browser, NoSandbox: os.Geteuid() == 0,
		Ask:    func(site string) error { rules[site] = true; return nil },
		Forget: func(site string) error { delete(rules, site); return nil },
		Logger: slog.New(slog.NewTextHandler(&journal, nil)),
		Getenv: func(name string) string { return map[string]string{"XDG_CONFIG_HOME": home, "HOME": home}[name] },
	})
	empty := func() {
		t.Helper()
		left, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) || len(left) > 0 {
			t.Errorf("left on the disk: %v, %v", left, err)
		}
	}
	empty()
	browsers := in.Browsers()
	if len(browsers) != 1 || browsers[0].ID != "chromium" || browsers[0].Missing || len(browsers[0].Profiles) != 1 || browsers[0].Profiles[0].ID != "Default" {
		t.Fatalf("found %+v", browsers)
	}
	sites, err := in.Sites(deadline(t), "", "")
	if err != nil || sites.Trouble != "" || len(sites.Sites) != 2 || sites.Sites[0].Site != "127.0.0.1" || sites.Sites[0].Cookies != len(set) {
		t.Fatalf("%+v, %v", sites, err)
	}
	empty()
	done, err := in.Import(deadline(t), protocol.SignInImport{Browser: "chromium", Profile: "Default", Sites: []string{"localhost", "none.example"}})
	if err != nil || len(done.Sites) != 1 || done.Sites[0].Cookies != len(set) || !slices.Equal(done.Missed, []string{"none.example"}) || !rules["localhost"] || len(rules) != 1 {
		t.Fatalf("%+v, %v, rules %v", done, err, rules)
	}
	empty()
	sent := func(address string) string {
		t.Helper()
		if _, err := ours.Navigate(deadline(t), nobody, ours.first(t), address+"/below", protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
		return sorted(<-seen)
	}
	if got := sent(local); got != want {
		t.Errorf("the server got %q, and before the import %q", got, want)
	}
	if got := sent(s.URL); got != "" {
		t.Errorf("a site that was not chosen got %q", got)
	}
	if all, err := in.Imported(); err != nil || len(all) != 1 || all[0].Site != "localhost" {
		t.Errorf("imported %+v, %v", all, err)
	}
	if n, err := in.Remove(deadline(t), []string{"localhost"}); err != nil || n != len(set) || len(rules) != 0 || sent(local) != "" {
		t.Errorf("%d removed, %v, rules %v", n, err, rules)
	}
	with, err := in.Import(deadline(t), protocol.SignInImport{Sites: []string{"localhost"}, Storage: true})
	if err != nil || len(with.Sites) != 1 || with.Sites[0].Items != storedItems || !slices.Equal(with.Sites[0].Origins, []string{local}) {
		t.Errorf("with local storage: %+v, %v", with, err)
	}
	empty()
	if got := localStorageOf(t, ours, local, seen); got != wantStored {
		t.Errorf("stored %s", got)
	}
	if tabs := ours.Tabs(); len(tabs) != 1 {
		t.Errorf("tabs: %+v", tabs)
	}
	if n, err := in.Remove(deadline(t), []string{"localhost"}); err != nil || n != len(set) || localStorageOf(t, ours, local, seen) != "[]" {
		t.Errorf("%d removed, %v", n, err)
	}
	if _, err := in.Remove(deadline(t), []string{"localhost"}); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("a second removal: %v", err)
	}
	for _, bad := range []protocol.SignInImport{{}, {Browser: "brave", Sites: []string{"a.example"}}, {Profile: "../Default", Sites: []string{"a.example"}}} {
		if _, err := in.Import(deadline(t), bad); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	lock(t, filepath.Join(home, "chromium", "Default"))
	sites, err = in.Sites(deadline(t), "", "")
	if err != nil || len(sites.Sites) != 2 || sites.Sites[0].Locked != 0 || sites.Sites[0].Cookies != len(set) || sites.Sites[1].Locked != len(set) || sites.Sites[1].Cookies != 0 {
		t.Errorf("%+v, %v", sites, err)
	}
	for _, why := range []string{"keychain", "v20", "(v77)", "Sign in to these sites here"} {
		if !strings.Contains(sites.Trouble, why) {
			t.Errorf("it does not say %s: %s", why, sites.Trouble)
		}
	}
	if _, err := in.Import(deadline(t), protocol.SignInImport{Sites: []string{"localhost"}}); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeRefused {
		t.Errorf("locked cookies: %v", err)
	}
	empty()
	if strings.Contains(journal.String(), "wörd") {
		t.Error("a value is in the log")
	}
}

// lock changes three cookies of localhost so that nobody can unlock them: one has a key
// of a keychain, one is bound to a program, one has a mark of a later version. Chromium
// then gives no cookie of the site.
func lock(t *testing.T, profile string) {
	t.Helper()
	path := filepath.Join(profile, "Cookies")
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join(profile, "Network", "Cookies")
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, change := range []string{
		`UPDATE cookies SET encrypted_value = unhex('763230' || substr(hex(encrypted_value), 7)) WHERE name = 'empty' AND host_key = 'localhost'`,
		`UPDATE cookies SET encrypted_value = unhex('763131' || substr(hex(encrypted_value), 7)) WHERE name = 'sid' AND host_key = 'localhost'`,
		`UPDATE cookies SET encrypted_value = unhex('763737' || substr(hex(encrypted_value), 7)) WHERE name = 'deep' AND host_key = 'localhost'`,
	} {
		if _, err := db.ExecContext(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
}

// sorted returns the cookies of a header in one order: browsers put equal ones in the
// order of their making.
func sorted(header string) string {
	parts := strings.Split(header, "; ")
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// What the browser refuses does not keep the other cookies from arriving.
func TestACookieThatIsRefused(t *testing.T) {
	f := headless(t)
	arrived, err := f.ImportCookies(deadline(t), []*network.Cookie{
		{Name: "__Host-bad", Value: "1", Domain: ".a.example", Path: "/", Session: true},
		{Name: "good", Value: "2", Domain: ".a.example", Path: "/", Session: true},
	})
	if err != nil || len(arrived) != 1 || arrived[0].Name != "good" {
		t.Errorf("%+v, %v", arrived, err)
	}
}
