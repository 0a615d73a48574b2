package chromium

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

func code(err error) protocol.Code { return protocol.AsError(err).Code }

func TestFind(t *testing.T) {
	found, err := Find("")
	if err != nil || found.Name != "Chromium" || !filepath.IsAbs(found.Path) {
		t.Errorf("on this machine: %+v, %v", found, err)
	}
	version, err := Version(t.Context(), found.Path)
	if err != nil || strings.Count(version, ".") != 3 {
		t.Errorf("its version: %q, %v", version, err)
	}
	if _, err := Find("/no/such/browser"); code(err) != protocol.CodeNoBrowser || protocol.AsError(err).Hint == "" {
		t.Errorf("a path that is wrong: %v", err)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(plain); code(err) != protocol.CodeNoBrowser {
		t.Errorf("a file that is no program: %v", err)
	}
	env := func(name string) string { return "/" + name }
	for _, goos := range []string{"linux", "darwin", "windows"} {
		var names []string
		for _, c := range candidates(goos, env) {
			names = append(names, c.Name)
		}
		if !slices.Equal(names, []string{"Chromium", "Google Chrome", "Microsoft Edge", "Brave"}) {
			t.Errorf("%s: %v", goos, names)
		}
	}
}

func TestFlags(t *testing.T) {
	o := Options{ProfileDir: "/p", Restore: []tabs.RestoreTab{{ID: "t1", URL: "--renderer-cmd-prefix=evil"}, {ID: "t2", URL: "https://a.example/"}, {ID: "t3", URL: "javascript:1"}}}
	all := args(&o)
	for _, f := range flags(&o) {
		if f.reason == "" {
			t.Errorf("%s has no reason", f.value)
		}
	}
	for _, never := range []string{"--no-sandbox", "--remote-debugging-port", "--enable-automation", "--use-mock-keychain", "--password-store", "--renderer-cmd-prefix", "--disable-popup-blocking"} {
		if slices.ContainsFunc(all, func(a string) bool { return strings.HasPrefix(a, never) }) {
			t.Errorf("%s is given", never)
		}
	}
	if pages := startPages(&o); !slices.Equal(pages, []string{"https://a.example/"}) {
		t.Errorf("pages: %v", pages)
	}
	if got := environment([]string{"HOME=/h", protocol.EnvToken + "=secret"}); !slices.Equal(got, []string{"HOME=/h"}) {
		t.Errorf("the browser inherits %v", got)
	}
}

// The lock of another machine, of a dead process or in another format does not
// hold a profile; that of a running browser does.
func TestCheckProfile(t *testing.T) {
	dir := t.TempDir()
	if err := CheckProfile(dir); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	if err := CheckProfile(filepath.Join(dir, "none")); code(err) != protocol.CodeNotWritable {
		t.Errorf("no folder: %v", err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(dir, "SingletonLock")
	for _, target := range []string{"elsewhere-1", "nodash", host + "-x", host + "-0", host + "-999999"} {
		if err := os.Symlink(target, lock); err != nil {
			t.Fatal(err)
		}
		if err := CheckProfile(dir); err != nil {
			t.Errorf("the lock %s: %v", target, err)
		}
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSaid(t *testing.T) {
	out := &tail{}
	for _, line := range []string{"first\n", "Failed to connect to the bus: dbus\n", strings.Repeat("x", 2*tailWidth) + "\n", "no end"} {
		if n, err := out.Write([]byte(line)); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	want := "first\n" + strings.Repeat("x", tailWidth) + "\nno end"
	if got := out.String(); got != want {
		t.Errorf("kept: %q", got)
	}
}
