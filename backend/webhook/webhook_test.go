package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/attention"
	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

// hook is the address of the receiver, with a token in it.
const hook = "http://ada:pass@127.0.0.1/hook/s3cret?tpl=1&m={{.text}}"

// receiver is a web server on pipes, and a Webhook that posts to it.
type receiver struct {
	*Webhook
	settings *config.Store
	log      bytes.Buffer
	mu       sync.Mutex
	replies  []func(http.ResponseWriter) // of the next requests; then all are accepted
	requests []string
	bodies   []string
}

// pipes is a listener of connections.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	var err error
	if r.settings, err = config.Open(filepath.Join(t.TempDir(), "settings.toml")); err != nil {
		t.Fatal(err)
	}
	r.Webhook = New(Config{Settings: r.settings, Logger: slog.New(slog.NewTextHandler(&r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	r.set(t, hook)
	listener := make(pipes)
	r.transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		listener <- there
		return here, nil
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(r.serve)}
	ctx, cancel := context.WithCancel(t.Context())
	var serving, posting sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	posting.Go(func() { r.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		posting.Wait()
		_ = server.Close()
		serving.Wait()
	})
	return r
}

func (r *receiver) set(t *testing.T, address string) {
	t.Helper()
	s := r.settings.Get()
	s.NotifyURL = address
	if _, err := r.settings.Save(s); err != nil {
		t.Fatal(err)
	}
}

func (r *receiver) serve(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	user, pass, _ := req.BasicAuth()
	r.requests = append(r.requests, strings.Join([]string{req.Method, req.URL.Path, req.FormValue("m"), user, pass, req.Header.Get("Content-Type")}, " "))
	r.bodies = append(r.bodies, string(body))
	reply := func(http.ResponseWriter) {}
	if len(r.replies) > 0 {
		reply, r.replies = r.replies[0], r.replies[1:]
	}
	r.mu.Unlock()
	reply(w)
}

// after lets time pass, and checks the texts that were received since the last call.
func (r *receiver) after(t *testing.T, d time.Duration, want ...string) {
	t.Helper()
	time.Sleep(d)
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	var have []string
	for _, body := range r.bodies {
		var m message
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			t.Error(err)
		}
		have = append(have, strings.TrimPrefix(m.Text, "Pilotfish: "))
	}
	if !slices.Equal(have, want) {
		t.Errorf("received %q, want %q", have, want)
	}
	r.bodies = nil
}

func approval(id, who, site string) attention.Need {
	return attention.Need{Kind: attention.KindApproval, Session: protocol.DefaultSession, ID: id, Who: who, Site: site}
}

// What needs the user is posted once, with what it says in words and as data.
func TestPosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReceiver(t)
		one := approval("1", "Claude Code in Chat", "example.com")
		r.Update([]attention.Need{one})
		time.Sleep(settle)
		synctest.Wait()
		r.mu.Lock()
		if want := []string{"POST /hook/s3cret {{.text}} ada pass application/json"}; !slices.Equal(r.requests, want) {
			t.Errorf("requests %q", r.requests)
		}
		if want := `{"text":"Pilotfish: Claude Code in Chat needs your approval on example.com","kind":"approval","session":"default","who":"Claude Code in Chat","site":"example.com"}`; len(r.bodies) != 1 || r.bodies[0] != want {
			t.Errorf("bodies %q", r.bodies)
		}
		r.bodies = nil
		r.mu.Unlock()
		r.Update([]attention.Need{one, {Kind: attention.KindTerminal, Session: "work", ID: "p1", Who: "<!channel>"}})
		r.after(t, time.Hour, "‹!channel› needs you (session work)")
		// What is answered at once, or seen, or there is no address for, is not posted.
		r.Update([]attention.Need{approval("2", "Codex", "")})
		r.after(t, settle-1)
		r.Update([]attention.Need{{Kind: attention.KindTerminal, Session: "work", ID: "p2", Who: "claude", Seen: true}})
		r.after(t, time.Hour)
		r.set(t, "")
		r.Tell(attention.Schedule("shop", protocol.ScheduleFailed))
		if r.On() {
			t.Error("there is an address")
		}
		r.after(t, time.Hour)
		r.set(t, hook)
		r.Tell(attention.Schedule("shop", protocol.ScheduleFailed))
		r.Update(nil)
		r.after(t, 0, "The schedule “shop” failed")
	})
}

// Requests that say the same come once in a minute, however many there are.
func TestRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReceiver(t)
		for i := range 100 {
			r.Update([]attention.Need{approval(string(rune('a'+i)), "Codex", "example.com")})
			time.Sleep(6 * time.Second)
		}
		synctest.Wait()
		r.mu.Lock()
		if n := len(r.bodies); n < 8 || n > 11 {
			t.Errorf("%d messages in ten minutes", n)
		}
		r.bodies = nil
		r.mu.Unlock()
		for range 2 * maxEvents {
			r.Tell(attention.Schedule("shop", protocol.ScheduleFailed))
		}
		r.Webhook.mu.Lock()
		waiting := len(r.notices)
		r.Webhook.mu.Unlock()
		if waiting > maxEvents+1 {
			t.Errorf("%d notices wait", waiting)
		}
	})
}

// A receiver whose failure may pass is asked once more, when it says. Nothing leads elsewhere,
// and the address is in no line of the log.
func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReceiver(t)
		status := func(code int, header, value string) func(http.ResponseWriter) {
			return func(w http.ResponseWriter) {
				w.Header().Set(header, value)
				w.WriteHeader(code)
			}
		}
		tell := func(name string, replies ...func(http.ResponseWriter)) {
			r.mu.Lock()
			r.replies = replies
			r.mu.Unlock()
			r.Tell(attention.Schedule(name, protocol.ScheduleFailed))
		}
		tell("a", status(http.StatusTooManyRequests, "Retry-After", "20"))
		r.after(t, 20*time.Second-1, "The schedule “a” failed")
		r.after(t, 1, "The schedule “a” failed")
		tell("b", status(http.StatusTooManyRequests, "Retry-After", "soon"), status(http.StatusTooManyRequests, "Retry-After", "1"))
		r.after(t, time.Hour, "The schedule “b” failed", "The schedule “b” failed")
		tell("c", status(http.StatusServiceUnavailable, "Retry-After", "100000"), status(http.StatusBadGateway, "Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)))
		r.after(t, maxPause, "The schedule “c” failed", "The schedule “c” failed")
		tell("d", status(http.StatusFound, "Location", "/hook/s3cret/elsewhere"))
		r.after(t, time.Hour, "The schedule “d” failed")
		tell("e", status(http.StatusNotFound, "X", ""))
		r.after(t, time.Hour, "The schedule “e” failed")
		tell("f", func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, func(http.ResponseWriter) { time.Sleep(2 * timeout) })
		r.after(t, time.Hour, "The schedule “f” failed", "The schedule “f” failed")
		log := r.log.String()
		for _, want := range []string{"answered 429", "answered 502", "answered 302", "answered 404", "deadline exceeded", "tried again"} {
			if !strings.Contains(log, want) {
				t.Errorf("the log lacks %q:\n%s", want, log)
			}
		}
		for _, secret := range []string{"s3cret", "pass", "tpl"} {
			if strings.Contains(log, secret) {
				t.Errorf("the log has %q:\n%s", secret, log)
			}
		}
	})
}
