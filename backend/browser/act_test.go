package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

// stage is a tab with pages of the test's own.
type stage struct {
	*fixture
	tab protocol.TabID
	url string
}

// stageOf opens a headless browser at a page with this body.
func stageOf(t *testing.T, body string) *stage {
	t.Helper()
	s := &stage{fixture: start(t, config(t, true)), url: pages(t, map[string]string{"/": body})}
	s.tab = s.first(t)
	s.open(t, "/")
	return s
}

// pages serves documents on a loopback address of their own.
func pages(t *testing.T, all map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := all[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Stage</title>", body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func (s *stage) open(t *testing.T, path string) {
	t.Helper()
	if _, err := s.Navigate(deadline(t), s.tab, s.url+path, protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
}

func (s *stage) look(t *testing.T, q protocol.LookRequest) protocol.Look {
	t.Helper()
	look, err := s.Snapshot(deadline(t), s.tab, q)
	if err != nil {
		t.Fatal(err)
	}
	return look
}

// ref returns the ref of the first line that has this text.
func (s *stage) ref(t *testing.T, text string) string {
	t.Helper()
	look := s.look(t, protocol.LookRequest{})
	for line := range strings.Lines(look.Text) {
		fields := strings.Fields(line)
		if strings.Contains(line, text) && len(fields) > 0 && refScope.MatchString(fields[0]) {
			return fields[0]
		}
	}
	t.Fatalf("nothing like %q in\n%s", text, look.Text)
	return ""
}

func (s *stage) act(t *testing.T, q protocol.ActRequest) protocol.Effect {
	t.Helper()
	effect, err := s.Act(deadline(t), s.tab, q, nil)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return effect
}

// eval asks the page's own world.
func (s *stage) eval(t *testing.T, expression string) string {
	t.Helper()
	var out string
	err := s.onTab(deadline(t), s.tab, true, func(ctx context.Context, _ *run, p *page) error {
		v, err := evaluate[string](ctx, p.session, "String("+expression+")", 0)
		out = v
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// refused checks that an action is not done, and why.
func (s *stage) refused(t *testing.T, q protocol.ActRequest, want protocol.Code) error {
	t.Helper()
	_, err := s.Act(deadline(t), s.tab, q, nil)
	if code(err) != want {
		t.Errorf("%+v: %v, want %s", q, err, want)
	}
	return err
}

func click(target string) protocol.ActRequest {
	return protocol.ActRequest{Kind: protocol.ActClick, Target: target}
}

func TestClick(t *testing.T) {
	s := stageOf(t, `<button id=a onclick="this.textContent = 'Saved'; window.trusted = event.isTrusted">Save</button><p id=p>hello</p>
		<button onclick="p.hidden = true">Hide</button><button disabled>Off</button>`)
	ref := s.ref(t, "Save")
	for i := range 5 {
		began := time.Now()
		e, err := s.Act(deadline(t), s.tab, click(ref), nil)
		t.Logf("%d %v: %+v %v", i, time.Since(began), e, err)
	}
	if s.eval(t, "window.trusted") != "true" {
		t.Error("the page saw no trusted click")
	}
	s.refused(t, click("role=button name=Off"), protocol.CodeDisabled)
}

var _ = filepath.Join
