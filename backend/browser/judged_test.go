package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// bank is a site that nothing was allowed on.
func bank(t *testing.T) *httptest.Server {
	t.Helper()
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><title>Bank</title><button onclick="document.body.append(' pressed')">Pay</button>
			<input aria-label=Name autofocus onkeydown="document.body.append(' typed')"><input type=file aria-label=File>`))
	}))
	return s
}

// only is a caller whose command was allowed on one origin, of one tab.
func only(id protocol.TabID, origin string) protocol.Caller {
	return protocol.Caller{Name: "terminal:x", Tab: id, Acts: func(address string) error {
		if strings.HasPrefix(address, origin+"/") {
			return nil
		}
		return protocol.NewError(protocol.CodeRefused, "the tab moved to "+address, "ask again")
	}}
}

// An expression that was allowed on one site and waits behind a slow navigation to
// another one does not run there.
func TestEvaluateBehindASlowNavigation(t *testing.T) {
	other := bank(t)
	arrived, release := make(chan struct{}), make(chan struct{})
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(arrived)
			<-release
			http.Redirect(w, r, other.URL+"/", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Here</title>"))
	}))
	f := headless(t)
	id := f.first(t)
	f.open(t, id, s.URL+"/")
	by := only(id, s.URL)
	if v, err := f.Evaluate(deadline(t), by, id, "let a = 'REPL'; document.title + a"); err != nil || string(v.Value) != `"HereREPL"` {
		t.Fatalf("where it is allowed: %+v, %v", v, err)
	}
	gone := make(chan error, 1)
	go func() {
		_, err := f.Navigate(deadline(t), nobody, id, s.URL+"/slow", protocol.WaitLoad, nil)
		gone <- err
	}()
	<-arrived // the navigation has the tab
	ran := make(chan error, 1)
	go func() {
		_, err := f.Evaluate(deadline(t), by, id, "document.title = 'taken over'")
		ran <- err
	}()
	close(release)
	if err := <-gone; err != nil {
		t.Fatal(err)
	}
	if err := <-ran; code(err) != protocol.CodeRefused {
		t.Errorf("behind the navigation: %v", err)
	}
	if got := f.script(t, id, "document.title + location.origin"); got != "Bank"+other.URL {
		t.Errorf("the page is %s", got)
	}
}

// Whatever acts is refused when a page has gone to another site by itself.
func TestNothingActsOnAPageThatWasNotJudged(t *testing.T) {
	other := bank(t)
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Here</title><button>Pay</button><script>setTimeout(() => location = '" + other.URL + "/', 50)</script>"))
	}))
	f := headless(t)
	id := f.first(t)
	f.open(t, id, s.URL+"/")
	// The address changes before the page has a body.
	for _, q := range []protocol.WaitRequest{{Kind: protocol.WaitForURL, Value: other.URL + "/"}, {Kind: protocol.WaitForLoad}} {
		if _, err := f.Wait(deadline(t), nobody, id, q); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := "document.body.innerText + document.querySelector('[type=file]').files.length + document.cookie + localStorage.length"
	was := f.script(t, id, before)
	by, text := only(id, s.URL), "stolen"
	act := func(q protocol.ActRequest) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := f.Act(ctx, by, id, q, nil)
			return err
		}
	}
	for name, do := range map[string]func(context.Context) error{
		"click":  act(protocol.ActRequest{Kind: protocol.ActClick, Target: "css=button"}),
		"hover":  act(protocol.ActRequest{Kind: protocol.ActHover, Target: "css=button"}),
		"point":  act(protocol.ActRequest{Kind: protocol.ActClick, Target: "20,20"}),
		"focus":  act(protocol.ActRequest{Kind: protocol.ActFocus, Target: "css=input"}),
		"scroll": act(protocol.ActRequest{Kind: protocol.ActScroll, Target: "css=input"}),
		"drag":   act(protocol.ActRequest{Kind: protocol.ActDrag, Target: "css=button", To: "css=input"}),
		"fill":   act(protocol.ActRequest{Kind: protocol.ActFill, Target: "css=input", Text: "x"}),
		"press":  act(protocol.ActRequest{Kind: protocol.ActPress, Text: "Enter"}),
		"upload": act(protocol.ActRequest{Kind: protocol.ActUpload, Target: "css=[type=file]", Values: []string{file}}),
		"eval": func(ctx context.Context) error {
			_, err := f.Evaluate(ctx, by, id, "document.body.append('ran')")
			return err
		},
		"clipboard": func(ctx context.Context) error {
			_, err := f.Clipboard(ctx, by, id, &text)
			return err
		},
		"permission": func(ctx context.Context) error {
			_, err := f.SetPermission(ctx, by, id, "geolocation", "granted")
			return err
		},
		"raw protocol": func(ctx context.Context) error {
			_, _, err := f.RawCDP(ctx, by, id, "Page.getNavigationHistory", []byte("{}"))
			return err
		},
		"dialog": func(ctx context.Context) error {
			_, err := f.Dialog(ctx, by, id, true, nil)
			return err
		},
	} {
		if err := do(deadline(t)); code(err) != protocol.CodeRefused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now := f.script(t, id, before); now != was {
		t.Errorf("the page was %q, and is %q", was, now)
	}
	if _, set, err := f.Permissions(deadline(t), nobody, id); err != nil || len(set) != 0 {
		t.Errorf("permissions: %v, %v", set, err)
	}
	// It is about its own tab only, and about what acts.
	if _, err := f.Snapshot(deadline(t), by, id, protocol.SnapshotRequest{}, nil); err != nil {
		t.Error(err)
	}
	by.Tab = "t99"
	if _, err := f.Evaluate(deadline(t), by, id, "1"); err != nil {
		t.Error(err)
	}
}

// An expression runs in no document of another origin than its address says, as the
// page that the browser shows in place of one that cannot be reached.
func TestEvaluateRunsOnItsOriginOnly(t *testing.T) {
	s := serve(t, http.NotFoundHandler())
	address := s.URL
	s.Close()
	f := headless(t)
	id := f.first(t)
	if _, err := f.Navigate(deadline(t), nobody, id, address+"/", protocol.WaitLoad, nil); code(err) != protocol.CodeNavigation {
		t.Fatal(err)
	}
	if got := f.script(t, id, "location.origin"); got == address {
		t.Fatalf("the browser shows a page of %s", got)
	}
	if v, err := f.Evaluate(deadline(t), only(id, address), id, "document.title = 'ran'"); code(err) != protocol.CodeGone {
		t.Errorf("%+v, %v", v, err)
	}
	if got := f.script(t, id, "document.title"); got == "ran" {
		t.Error("it ran")
	}
}

// A point in a frame of another site, and keys that go there, are reported as the frame, so
// that they are not judged by the page around it. A ref is reported as what it is.
func TestFactsInAForeignFrame(t *testing.T) {
	other := bank(t)
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>Here</title><body style='margin:0'><iframe width=300 height=200 src='` + strings.Replace(other.URL, "127.0.0.1", "localhost", 1) + `/'></iframe>
			<iframe srcdoc='<button>Inside</button>'></iframe><iframe sandbox srcdoc='<button>Boxed</button>'></iframe>`))
	}))
	f := headless(t)
	id := f.first(t)
	f.open(t, id, s.URL+"/")
	if _, err := f.Act(deadline(t), nobody, id, protocol.ActRequest{Kind: protocol.ActFocus, Target: `role=button name="Pay"`}, nil); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]protocol.TargetFacts{
		"20,20": {Role: "frame"}, "": {Role: "frame"},
		`role=button name="Pay"`:    {Role: "button", Frame: strings.Replace(other.URL, "127.0.0.1", "localhost", 1)},
		`role=button name="Inside"`: {Role: "button", Frame: s.URL},
		`role=button name="Boxed"`:  {Role: "button", Frame: "about:srcdoc"},
	} {
		facts, err := f.Facts(deadline(t), nobody, id, target, false)
		if err != nil || facts.Role != want.Role || facts.Frame != want.Frame {
			t.Errorf("%q is %+v, %v; want %+v", target, facts, err, want)
		}
	}
}
