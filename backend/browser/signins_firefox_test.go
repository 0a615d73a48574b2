package browser

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pilotfish/backend/browser/signins"
	"pilotfish/backend/protocol"
)

// firefox starts a real Firefox without a window on a new profile of a home folder and
// lets it open an address. It runs until the test ends.
func firefox(t *testing.T, home, address string) {
	t.Helper()
	program, err := exec.LookPath("firefox-esr")
	if err != nil {
		if program, err = exec.LookPath("firefox"); err != nil {
			t.Skip("there is no Firefox on this machine")
		}
	}
	run := func(ctx context.Context, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, program, append([]string{"--headless", "--no-remote"}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "MOZ_CRASHREPORTER_DISABLE=1")
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = 10 * time.Second
		return cmd
	}
	if out, err := run(patient(t), "-CreateProfile", "work").CombinedOutput(); err != nil {
		t.Fatalf("making a profile: %v\n%s", err, out)
	}
	var made []string
	for _, folder := range []string{".mozilla", filepath.Join(".config", "mozilla")} { // by its version
		found, err := filepath.Glob(filepath.Join(home, folder, "firefox", "*.work"))
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, found...)
	}
	if len(made) != 1 {
		t.Fatalf("made %v", made)
	}
	// Cookies of the session are on the disk after half a second, not after 15.
	prefs := `user_pref("browser.sessionstore.interval", 500); user_pref("datareporting.policy.dataSubmissionEnabled", false);`
	if err := os.WriteFile(filepath.Join(made[0], "user.js"), []byte(prefs), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cmd := run(ctx, "-P", "work", address)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = cmd.Wait() })
}

// patient is a deadline for another browser, which starts slowly on a busy machine.
func patient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// A real Firefox that runs and signed in to a server has its cookies read from its
// files: those of its store, of its log and of its session. The server gets the same
// header from our browser, with every byte of the values.
func TestSignInsOfFirefox(t *testing.T) {
	seen := make(chan string, 10)
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/login":
			for _, c := range []string{
				"sid=a%20b=c|~!#$&'()*+-./:<>?@[]^_`{}; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax",
				"until-the-end=\"quoted value\"; Path=/", "deep=1; Path=/below; Max-Age=86400; SameSite=Strict", "empty=; Path=/; Max-Age=86400",
				"utf=wörd-日本; Path=/; Max-Age=86400", "gone=1; Path=/; Max-Age=86400",
			} {
				w.Header().Add("Set-Cookie", c)
			}
			fmt.Fprint(w, `<!doctype html>`+storing+`<script>location = '/below'</script>`)
		case "/below":
			seen <- r.Header.Get("Cookie")
			w.Header().Add("Set-Cookie", "gone=; Path=/; Max-Age=0")
		}
	}))
	local := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	home := t.TempDir()
	firefox(t, home, local+"/login")
	var want string
	select {
	case want = <-seen:
	case <-patient(t).Done():
		t.Fatal("Firefox did not sign in")
	}
	want = strings.Replace(sorted(want), "gone=1; ", "", 1)

	ours := headless(t)
	dir := filepath.Join(t.TempDir(), "reading")
	in := signins.New(signins.Config{
		Dir: dir, File: filepath.Join(t.TempDir(), "signins.json"), Into: ours.Browser,
		Ask: func(string) error { return nil }, Forget: func(string) error { return nil },
		Logger: slog.New(slog.DiscardHandler),
		Getenv: func(name string) string {
			return map[string]string{"XDG_CONFIG_HOME": filepath.Join(home, ".config"), "HOME": home}[name]
		},
	})
	// Firefox writes a moment after it has a cookie.
	var sites protocol.SignInSites
	for ctx := patient(t); len(sites.Sites) != 1 || sites.Sites[0].Cookies != 5; {
		browsers := in.Browsers()
		if len(browsers) > 1 || len(browsers) == 1 && (browsers[0].ID != "firefox" || browsers[0].Missing || browsers[0].Profiles[0].Name != "work") {
			t.Fatalf("found %+v", browsers)
		}
		var err error
		if len(browsers) == 1 {
			sites, err = in.Sites(ctx, "firefox", "work")
		}
		if ctx.Err() != nil {
			t.Fatalf("%+v, %v", sites, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond): // nothing says when it has written
		}
	}
	if one := sites.Sites[0]; one.Site != "localhost" || one.Locked != 0 || sites.Trouble != "" {
		t.Fatalf("%+v", sites)
	}
	// It writes local storage some seconds after a page did.
	var done protocol.SignInResult
	for ctx := patient(t); len(done.Sites) != 1 || done.Sites[0].Items != storedItems; {
		var err error // a database that Firefox is making has no table yet
		done, err = in.Import(ctx, protocol.SignInImport{Browser: "firefox", Sites: []string{"localhost"}, Storage: true})
		select {
		case <-ctx.Done():
			t.Fatalf("%+v, %v", done, err)
		case <-time.After(50 * time.Millisecond): // nothing says when it has written
		}
	}
	if one := done.Sites[0]; one.Cookies != 5 || one.Browser != "firefox" {
		t.Fatalf("%+v", done)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left on the disk: %v, %v", left, err)
	}
	if got := localStorageOf(t, ours, local, seen); got != wantStored {
		t.Errorf("stored %s", got)
	}
	if _, err := ours.Navigate(deadline(t), nobody, ours.first(t), local+"/below", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	if got := sorted(<-seen); got != want {
		t.Errorf("the server got %q, and of Firefox %q", got, want)
	}
}
