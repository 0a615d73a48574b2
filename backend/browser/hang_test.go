package browser

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

// TestPagesThatHang: goto, reload and back end the renderer of a page that never answers,
// and load; url and title are known; what needs the page says how to go on.
func TestPagesThatHang(t *testing.T) {
	const loop = `for (;;);`
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		// Only the first load of each page hangs, so that it can be loaded again.
		once := `if (sessionStorage.n === undefined) { sessionStorage.n = 1; %s }`
		switch r.URL.Path {
		case "/click":
			fmt.Fprintf(w, `<title>/click</title><button onclick="%s">hang</button>`, loop)
		case "/script":
			fmt.Fprintf(w, `<title>/script</title><script>`+once+`</script>`, loop)
		case "/timer":
			fmt.Fprintf(w, `<title>/timer</title><script>`+once+`</script>`, `setInterval(() => { `+loop+` })`)
		case "/frame":
			fmt.Fprint(w, `<title>/frame</title><iframe src="/request"></iframe>`) // it hangs without load
		case "/microtasks":
			fmt.Fprintf(w, `<title>/microtasks</title><script>`+once+`</script>`, `setTimeout(async () => { for (;;) await 0; })`)
		case "/regexp":
			fmt.Fprintf(w, `<title>/regexp</title><script>`+once+`</script>`, `setTimeout(() => /(x+x+)+y/.test('x'.repeat(80)))`)
		case "/request":
			fmt.Fprintf(w, `<title>/request</title><script>`+once+`</script>`, `setTimeout(() => { const x = new XMLHttpRequest(); x.open('GET', '/never', false); x.send(); })`)
		case "/leaving":
			fmt.Fprintf(w, `<title>/leaving</title><script>addEventListener('pagehide', () => { %s })</script>`, loop)
		case "/asking":
			fmt.Fprintf(w, `<title>/asking</title><script>addEventListener('beforeunload', () => { %s })</script>`, loop)
		case "/never":
			<-r.Context().Done()
		default:
			fmt.Fprintf(w, `<title>%s</title>there`, r.URL.Path) //nolint:gosec // a page of the test's own site
		}
	}))
	for _, windowless := range modes(t) {
		for _, path := range []string{"/click", "/script", "/timer", "/frame", "/microtasks", "/regexp", "/request", "/leaving", "/asking"} {
			if testing.Short() && !slices.Contains([]string{"/frame", "/leaving"}, path) {
				continue
			}
			t.Run(fmt.Sprintf("%s headless %v", path[1:], windowless), func(t *testing.T) {
				s := &stage{fixture: share(t, windowless), url: server.URL}
				id, err := s.NewTab(deadline(t), "", false) // with a session storage of its own
				if err != nil {
					t.Fatal(err)
				}
				s.tab = id
				s.open(t, "/before")
				hang := func() {
					ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
					defer cancel()
					_, _ = s.Navigate(ctx, nobody, s.tab, s.url+path, protocol.WaitLoad, nil)
					if path == "/click" {
						_, _ = s.Act(ctx, nobody, s.tab, click("text=hang"), nil)
					}
				}
				hang()
				hangs := path != "/leaving" && path != "/asking"
				if hangs {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					_, err := s.Snapshot(ctx, nobody, s.tab, protocol.SnapshotRequest{}, nil)
					if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeTimeout || len(e.Next) == 0 || e.Next[0].Command != "reload" {
						t.Errorf("snapshot: %v", err)
					}
				}
				known := func() {
					t.Helper()
					info, err := timed(t, "url", func(ctx context.Context) (protocol.PageInfo, error) { return s.Page(ctx, nobody, s.tab) })
					if err != nil || info.URL != s.url+path {
						t.Errorf("url: %+v, %v", info, err)
					}
				}
				known()
				if info, err := timed(t, "reload", func(ctx context.Context) (protocol.PageInfo, error) {
					return s.Reload(ctx, nobody, s.tab, protocol.WaitLoad, nil)
				}); err != nil || info.URL != s.url+path || info.Title != path {
					t.Errorf("reload: %+v, %v", info, err)
				}
				if hangs && path != "/click" {
					if got := s.eval(t, "document.title"); got != path {
						t.Errorf("after reload: %s", got)
					}
					_, _ = s.Evaluate(deadline(t), nobody, s.tab, "delete sessionStorage.n")
				}
				hang()
				if info, err := timed(t, "goto", func(ctx context.Context) (protocol.PageInfo, error) {
					return s.Navigate(ctx, nobody, s.tab, s.url+"/after", protocol.WaitLoad, nil)
				}); err != nil || info.Title != "/after" {
					t.Errorf("goto: %+v, %v", info, err)
				}
				if got := s.eval(t, "document.title"); got != "/after" {
					t.Errorf("after goto: %s", got)
				}
				s.snap(t, protocol.SnapshotRequest{})
				if info, err := s.Back(deadline(t), nobody, s.tab, protocol.WaitCommit, nil); err != nil || info.URL != s.url+path {
					t.Errorf("back: %+v, %v", info, err)
				}
			})
		}
	}
}
