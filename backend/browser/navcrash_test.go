package browser

import (
	"fmt"
	"html"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/protocol"
)

// A renderer that ends in the middle of a navigation does not fail the command, and
// the tab has its events afterwards: before the answer, when the old page's renderer
// ends, and after the first bytes of the new page.
func TestNavigationOutlivesItsRenderer(t *testing.T) {
	for _, begun := range []bool{false, true} {
		t.Run(fmt.Sprintf("answer begun %v", begun), func(t *testing.T) {
			var asked atomic.Int32
			waits, killed := make(chan struct{}), make(chan struct{})
			s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				if r.URL.Path == "/slow" && asked.Add(1) == 1 {
					if begun {
						_, _ = fmt.Fprintf(w, "<title>Slow</title>%1024s", "")
						_ = http.NewResponseController(w).Flush()
					}
					close(waits)
					select {
					case <-killed:
					case <-r.Context().Done():
					}
				}
				_, _ = fmt.Fprintf(w, "<title>%s</title>there", html.EscapeString(r.URL.Path))
			}))
			f := windowed(t)
			first := f.first(t)
			ctx := deadline(t)
			if _, err := f.Navigate(ctx, nobody, first, s.URL+"/first", protocol.WaitLoad, nil); err != nil {
				t.Fatal(err)
			}
			went := make(chan error, 1)
			var info protocol.PageInfo
			go func() {
				var err error
				info, err = f.Navigate(ctx, nobody, first, s.URL+"/slow", protocol.WaitLoad, nil)
				went <- err
			}()
			<-waits
			// The second attempt may have repaired the tab before a look at the list of
			// tabs, so the event is waited for.
			r, err := f.running()
			if err != nil {
				t.Fatal(err)
			}
			crashes := r.conn.Root.Events(target.TargetCrashed.Method)
			defer crashes.Cancel()
			for pid := range rendererTicks(t, f) {
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
			select {
			case <-crashes.C:
			case <-ctx.Done():
				t.Fatal("no page crashed")
			}
			close(killed)
			if err := <-went; err != nil || info.Title != "/slow" {
				t.Errorf("goto: %+v, %v", info, err)
			}
			if info, err := f.Navigate(ctx, nobody, first, s.URL+"/next", protocol.WaitLoad, nil); err != nil || info.Title != "/next" {
				t.Errorf("the next goto: %+v, %v", info, err)
			}
		})
	}
}
