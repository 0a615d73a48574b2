package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pilotfish/backend/protocol"
)

// decider is the protocol.Saver of a tab. It refuses every file until allow is set.
type decider struct {
	mu    sync.Mutex
	allow bool
	asked chan string
}

func (d *decider) Asks(string) bool { return true }

func (d *decider) set(allow bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.allow = allow
}

func (d *decider) Save(_, name string, stopped bool) func(context.Context, func()) error {
	d.mu.Lock()
	allow := d.allow
	d.mu.Unlock()
	return func(_ context.Context, begin func()) error {
		d.asked <- fmt.Sprintf("%s stopped=%v", name, stopped)
		if allow {
			begin()
			return nil
		}
		return protocol.NewError(protocol.CodeRefused, "the user denied it", "")
	}
}

// savingPages are the ways in which a page saves a file when its button is pressed.
func savingPages() map[string]string {
	click := func(link string) string {
		return `<script>go = () => { const a = document.createElement('a'); ` + link + `; document.body.append(a); a.click(); }</script>`
	}
	return map[string]string{
		"user":       `<a id=user href='/file/user'>File</a>`,
		"link":       click(`a.href = '/file/link'`),
		"named":      click(`a.href = '/plain/named'; a.download = 'named.txt'`),
		"window":     `<script>go = () => window.open('/file/window')</script>`,
		"alone":      `<script>go = () => window.open('/file/alone', '_blank', 'noopener')</script>`,
		"blank":      click(`a.href = '/file/blank'; a.target = '_blank'`),
		"script":     `<script>go = () => { location = '/file/script' }</script>`,
		"moved":      `<script>go = () => { location = '/moved?to=/file/moved' }</script>`,
		"form":       `<form method=post action=/file/form></form><script>go = () => document.forms[0].submit()</script>`,
		"frame":      `<script>go = () => { const f = document.createElement('iframe'); f.src = '/file/frame'; document.body.append(f) }</script>`,
		"type":       `<script>go = () => { location = '/type/type' }</script>`,
		"sniffed":    `<script>go = () => { location = '/sniffed/sniffed' }</script>`,
		"blob":       click(`a.href = URL.createObjectURL(new Blob(['blob'])); a.download = 'blob.txt'`),
		"blobPage":   `<script>go = () => { location = URL.createObjectURL(new Blob(['blob'], {type: 'application/zip'})) }</script>`,
		"data":       click(`a.href = 'data:text/plain,data'; a.download = 'data.txt'`),
		"dataFrame":  `<script>go = () => { const f = document.createElement('iframe'); f.src = 'data:application/zip,PK'; document.body.append(f) }</script>`,
		"innerBlob":  `<iframe></iframe><script>go = () => { const d = frames[0].document, a = d.createElement('a'); a.href = URL.createObjectURL(new Blob(['x'])); a.download = 'inner.txt'; d.body.append(a); a.click() }</script>`,
		"windowBlob": `<script>go = () => { const w = window.open(), a = w.document.createElement('a'); a.href = URL.createObjectURL(new Blob(['x'])); a.download = 'w.txt'; w.document.body.append(a); a.click() }</script>`,
	}
}

// savedNames are the ways of savingPages, with the names of their files; "" for one
// that the browser makes up.
func savedNames() map[string]string {
	return map[string]string{
		"link": "link.txt", "named": "named", "window": "window.txt", "alone": "alone.txt", "blank": "blank.txt", "script": "script.txt",
		"moved": "moved.txt", "form": "form.txt", "frame": "frame.txt", "type": "type", "sniffed": "sniffed", "blob": "blob.txt",
		"blobPage": "", "data": "data.txt", "dataFrame": "", "innerBlob": "inner.txt", "windowBlob": "w.txt",
	}
}

// savingSite serves savingPages, and files.
func savingSite(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/file/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Disposition", "attachment; filename="+filepath.Base(r.URL.Path)+".txt")
		fmt.Fprint(w, "file")
	})
	mux.HandleFunc("/plain/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "plain") })
	mux.HandleFunc("/type/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/zip")
		fmt.Fprint(w, "PK")
	})
	mux.HandleFunc("/sniffed/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		_, _ = w.Write([]byte{0, 1, 2, 3, 4, 5, 6, 7})
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound) //nolint:gosec // the test is about redirects
	})
	mux.HandleFunc("/page/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>page</title><body><button onclick='go()'>Go</button>%s", savingPages()[filepath.Base(r.URL.Path)])
	})
	s := serve(t, mux)
	return s
}

// saved are the names of the files in a folder.
func saved(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, one := range all {
		names = append(names, one.Name())
	}
	return names
}

// settled waits until no download runs, and returns the states of those after the
// first n.
func (f *fixture) settled(t *testing.T, n int) (states []string) {
	t.Helper()
	for _, d := range f.Downloads()[n:] {
		d, err := f.WaitDownload(deadline(t), d.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, d.State)
	}
	return states
}

// However a page of a gated tab starts a download, it waits for its decision, and
// leaves no file when it is denied. What the browser can only stop is saved the next
// time after it was allowed.
func TestDownloadsWaitForTheirDecision(t *testing.T) {
	f := headless(t)
	s := savingSite(t)
	id := f.first(t)
	d := &decider{asked: make(chan string, 100)}
	if err := f.Gate(t.Context(), id, nil, func(string, bool) error { return nil }, nil, d); err != nil {
		t.Fatal(err)
	}
	question := func(way string) (asked string) {
		t.Helper()
		select {
		case asked = <-d.asked:
		case <-deadline(t).Done():
			t.Errorf("%s is not asked about", way)
		}
		return asked
	}
	press := func(way string) {
		t.Helper()
		f.open(t, id, s.URL+"/page/"+way)
		_, err := f.Act(deadline(t), nobody, id, protocol.ActRequest{Kind: protocol.ActClick, Target: "text=Go"}, allowAll)
		if err != nil && code(err) != protocol.CodeRefused {
			t.Errorf("%s: %v", way, err)
		}
	}
	for way, name := range savedNames() {
		n, before := len(f.Downloads()), done(f.Downloads())
		press(way)
		asked := question(way)
		if !strings.HasPrefix(asked, name) && name != "" {
			t.Errorf("%s is asked about as %q", way, asked)
		}
		if states := f.settled(t, n); slices.ContainsFunc(states, func(state string) bool { return state != "canceled" }) {
			t.Errorf("%s was denied, and is %q", way, states)
		}
		// Chromium tells that it was canceled before it deletes its own file.
		f.until(t, way+" was denied, and leaves nothing", func() bool { return len(saved(t, f.config.DownloadDir)) == 0 })
		d.set(true)
		press(way)
		if again := question(way); strings.Contains(again, "stopped=true") {
			f.settled(t, n)
			press(way)
		}
		f.until(t, way+" is saved", func() bool { return done(f.Downloads()) == before+1 && len(saved(t, f.config.DownloadDir)) == 1 })
		d.set(false)
		if len(d.asked) > 0 {
			t.Errorf("%s is asked about once more: %q", way, <-d.asked)
		}
		f.settled(t, n)
		for _, file := range saved(t, f.config.DownloadDir) {
			if err := os.Remove(filepath.Join(f.config.DownloadDir, file)); err != nil {
				t.Fatal(err)
			}
		}
		for _, tab := range f.Tabs() {
			if tab.ID != id {
				_ = f.CloseTab(deadline(t), tab.ID)
			}
		}
	}
}

// until waits for a condition. Each look is a round trip.
func (f *fixture) until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for ctx := deadline(t); !is(); {
		if _, err := f.Page(ctx, nobody, f.first(t)); err != nil {
			t.Fatalf("waiting until %s: %v", what, err)
		}
	}
}

// done counts the downloads that are complete.
func done(list []protocol.Download) (n int) {
	for _, d := range list {
		if d.State == "done" {
			n++
		}
	}
	return n
}

// A command that opens a file gets the decision, and the user's own tabs are asked
// about nothing, also one that the user opened from a gated page.
func TestDownloadByCommandAndByUser(t *testing.T) {
	f := headless(t)
	s := savingSite(t)
	id := f.first(t)
	d := &decider{asked: make(chan string, 100)}
	if err := f.Gate(t.Context(), id, nil, func(string, bool) error { return nil }, nil, d); err != nil {
		t.Fatal(err)
	}
	n := len(f.Downloads())
	_, err := f.Navigate(deadline(t), nobody, id, s.URL+"/file/command", protocol.WaitLoad, allowAll)
	if code(err) != protocol.CodeRefused || <-d.asked != "command.txt stopped=false" || len(f.Downloads()) > n {
		t.Errorf("a denied file: %v, %v", err, f.Downloads()[n:])
	}
	f.open(t, id, s.URL+"/page/user")
	if _, err := f.Act(deadline(t), nobody, id, protocol.ActRequest{Kind: protocol.ActClick, Target: "#user", Modifiers: "Control"}, allowAll); err != nil {
		t.Fatal(err)
	}
	f.until(t, "the user's file is saved", func() bool { return done(f.Downloads()[n:]) == 1 })
	own, err := f.NewTab(deadline(t), "", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(deadline(t), nobody, own, s.URL+"/file/own", protocol.WaitLoad, nil); code(err) != protocol.CodeNavigation {
		t.Error(err)
	}
	f.until(t, "a file of the user's own tab is saved", func() bool { return done(f.Downloads()[n:]) == 2 })
	if len(d.asked) > 0 {
		t.Errorf("the user is asked about %q", <-d.asked)
	}
}
