package browser

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestWorkersAreWatched: what the workers of a page request and print is in the tab's
// network and console, once, and with its values.
func TestWorkersAreWatched(t *testing.T) {
	const prints = `console.log('%[1]s says', {a: 1}); fetch('/of-%[1]s').then(() => console.warn('%[1]s got it'));`
	pages := map[string]string{
		"/dedicated":    `<title>Page</title><script>new Worker('/dedicated.js')</script>`,
		"/shared":       `<title>Page</title><script>new SharedWorker('/shared.js')</script>`,
		"/blob":         `<title>Page</title><script>new SharedWorker(URL.createObjectURL(new Blob(["const at = '" + location.origin + "'; " + ` + "`" + fmt.Sprintf(strings.Replace(prints, "'/of", "at + '/of", 1), "blob") + "`" + `])))</script>`,
		"/service":      `<title>Page</title><script>navigator.serviceWorker.register('/service.js')</script>`,
		"/nested":       `<title>Page</title><script>new Worker('/outer.js')</script>`,
		"/outer.js":     `new Worker('/nested.js')`,
		"/dedicated.js": fmt.Sprintf(prints, "dedicated"),
		"/shared.js":    fmt.Sprintf(prints, "shared"),
		"/service.js":   fmt.Sprintf(prints, "service"),
		"/nested.js":    fmt.Sprintf(prints, "nested"),
	}
	f := headless(t)
	for _, kind := range []string{"dedicated", "shared", "blob", "service", "nested"} {
		t.Run(kind, func(t *testing.T) {
			// An origin of its own: the workers of the tests before may still run.
			s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				if strings.HasSuffix(r.URL.Path, ".js") {
					w.Header().Set("Content-Type", "text/javascript")
				}
				fmt.Fprint(w, pages[r.URL.Path])
			}))
			ctx := deadline(t)
			id, err := f.NewTab(ctx, "", true)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Network(ctx, id); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Console(ctx, id, 0); err != nil {
				t.Fatal(err)
			}
			f.open(t, id, s.URL+"/"+kind)
			var lines []string
			f.until(t, "the worker's last line", func() bool {
				log, err := f.Console(ctx, id, 0)
				if err != nil {
					t.Fatal(err)
				}
				lines = nil
				for _, e := range log.Entries {
					lines = append(lines, e.Text)
				}
				return slices.Contains(lines, kind+" got it")
			})
			if want := []string{kind + " says {a: 1}", kind + " got it"}; !slices.Equal(lines, want) {
				t.Errorf("the console has %q, want %q", lines, want)
			}
			network, err := f.Network(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			times := 0
			for _, e := range network.Entries {
				if e.URL == s.URL+"/of-"+kind && e.Status == http.StatusOK {
					times++
				}
			}
			// The script of a service worker is no request of the page.
			for _, e := range network.Entries {
				if strings.HasSuffix(e.URL, ".js") && kind != "service" && (!e.Done || e.Status != http.StatusOK) {
					t.Errorf("its script is not answered: %+v", e)
				}
			}
			if times != 1 {
				t.Errorf("its request is listed %d times: %+v", times, network.Entries)
			}
		})
	}
}
