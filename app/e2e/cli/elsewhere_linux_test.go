package cli_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/browser/remote/standin"
)

// A session works in a browser of an engine elsewhere, also after its connection broke, and
// the key of the engine is in the settings alone.
func TestABrowserElsewhere(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			w.Header().Set("Content-Disposition", "attachment; filename=report.txt")
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<title>Form</title><input aria-label=Name><button onclick="document.body.append('Hello ' + document.querySelector('input').value)">Greet</button>`))
	}))
	t.Cleanup(page.Close)
	e := standin.New(t)
	e.Keeps, e.Authorization = true, "k3y-of-the-engine"
	r := install(t, "1m")
	if out := r.fails("sessions", "new", "far", "--browser", "ws://example.com/?token=k3y-of-the-engine"); !strings.Contains(out, "would not be encrypted") {
		t.Error(out)
	}
	r.run("sessions", "new", "far", "--browser", e.Address()+"?token=k3y-of-the-engine")
	e.Refuse(standin.Refusal{Status: http.StatusTooManyRequests, RetryAfter: "0"}) // it is asked again, and has a browser then
	if out := r.run("sessions", "start", "far"); !strings.Contains(out, "running") {
		t.Error(out)
	}
	far := func(args ...string) string {
		t.Helper()
		return r.run(append([]string{"--session", "far"}, args...)...)
	}
	greets := func() {
		t.Helper()
		far("fill", "label=Name", "Ada")
		if out := far("click", "role=button"); !strings.Contains(out, "Hello Ada") {
			t.Error(out)
		}
	}
	far("goto", page.URL)
	greets()
	_ = r.command(t.Context(), "--session", "far", "goto", page.URL+"/file").Run() // it shows no page
	if out := far("downloads", "wait"); !strings.Contains(out, filepath.Join(r.dirs().State, "sessions", "far")) {
		t.Error(out)
	}
	e.Cut()
	r.until(func() error { return r.try("--session", "far", "fill", "label=Name", "Bob") }) // it is back
	greets()
	// The network is away for longer than a browser of ours may take to start.
	comeBack := e.Leave(t)
	r.until(func() error {
		if !strings.Contains(r.run("status"), "is dialled again") {
			return errors.New("nothing says that the engine is dialled again")
		}
		return nil
	})
	if out := r.fails("--session", "far", "title"); !strings.Contains(out, "cannot be reached, and is dialled again") {
		t.Error(out)
	}
	comeBack()
	r.until(func() error { return r.try("--session", "far", "fill", "label=Name", "Bob") })
	greets()
	if n := e.Started(); n != 1 {
		t.Errorf("%d browsers", n)
	}
	status := r.run("status")
	if !strings.Contains(status, "broke at") {
		t.Error(status)
	}
	r.run("sessions", "stop", "far")
	r.end()
	if strings.Contains(status, "k3y-of-the-engine") {
		t.Error(status)
	}
	r.hasNot("k3y-of-the-engine")
}

// Every command runs in a browser that an engine gives, and can do there what it does in an
// own one.
func TestEveryCommandElsewhere(t *testing.T) {
	e := standin.New(t)
	e.Keeps = true
	r := install(t, "2m")
	settings(t, r, fmt.Sprintf("[sessions.default]\nbrowser = %q\n", e.Address()))
	c := newCrowd(t, r)
	c.bare = true
	r.run("sessions", "start")
	c.everyCommand(t)
}
