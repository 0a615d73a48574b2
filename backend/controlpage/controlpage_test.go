package controlpage

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"pilotfish/backend/auth"
	"pilotfish/backend/hub"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a page that runs until the test ends.
type fixture struct {
	*Page
	auth    *auth.Authority
	changes *hub.Hub[struct{}]
	changed atomic.Int32
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{auth: auth.New(auth.Config{}), changes: hub.New[struct{}](1)}
	f.Page = New(Config{Auth: f.auth, Changes: f.changes, Changed: func() { f.changed.Add(1) }, Logger: slog.New(slog.DiscardHandler)})
	f.Serve(op.NewTable(nil,
		op.New("State", func(_ context.Context, call op.Call, _ op.None) (string, error) { return call.Place, nil }),
		op.Do("Hang", func(ctx context.Context, _ op.Call, _ op.None) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}),
		op.Do("Panic", func(context.Context, op.Call, op.None) error { panic("as the test asked") }),
		op.Do("Quit", func(context.Context, op.Call, op.None) error { panic("it quits") }).OnDesktop(),
	))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return f
}

func (f *fixture) code(t *testing.T, ask protocol.ControlAsk) string {
	t.Helper()
	at, err := f.Address(4711, ask)
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(at.URL, "#code=")
	return code
}

// visit exchanges a code, and returns the grant of its token.
func (f *fixture) visit(t *testing.T, ask protocol.ControlAsk) auth.Grant {
	t.Helper()
	token, _, err := f.Exchange("http://127.0.0.1:4711", true, "Firefox/140.0", f.code(t, ask))
	if err != nil {
		t.Fatal(err)
	}
	grant, err := f.auth.Check(token.Token, auth.CapabilityControl)
	if err != nil {
		t.Fatal(err)
	}
	return grant
}

func codeOf(err error) protocol.Code {
	if err == nil {
		return ""
	}
	return protocol.AsError(err).Code
}

func TestCodesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		if f.On() || f.Open() {
			t.Error("it is on before anybody asked for it")
		}
		exchange := func(given string) error {
			_, _, err := f.Exchange("http://127.0.0.1:4711", true, "", given)
			return err
		}
		late, used := f.code(t, protocol.ControlAsk{}), f.code(t, protocol.ControlAsk{})
		if !f.On() || f.Open() {
			t.Error("a code alone opens the page, or does not")
		}
		time.Sleep(codeLife - time.Second)
		if err := exchange(used); err != nil || !f.Open() {
			t.Errorf("in time: %v", err)
		}
		time.Sleep(time.Second)
		for name, given := range map[string]string{"late": late, "used": used, "empty": ""} {
			if err := exchange(given); codeOf(err) != protocol.CodeUnauthorized {
				t.Errorf("a code that is %s: %v", name, err)
			}
		}
		first := f.code(t, protocol.ControlAsk{})
		for range maxCodes {
			f.code(t, protocol.ControlAsk{})
		}
		if err := exchange(first); codeOf(err) != protocol.CodeUnauthorized {
			t.Errorf("one of too many: %v", err)
		}
	})
}

// A page ends by itself, with what it has begun, and the sessions learn of both ends.
func TestPagesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		grant := f.visit(t, protocol.ControlAsk{Seconds: 3600})
		synctest.Wait()
		if f.changed.Load() != 1 {
			t.Errorf("%d changes", f.changed.Load())
		}
		if holders := f.auth.Holders(); len(holders) != 1 || holders[0].Open != 0 || time.Until(holders[0].Expires) != time.Hour {
			t.Errorf("%+v", holders)
		}
		// What runs goes on when its request ends, as the session that it may start.
		ctx, gone := context.WithCancel(t.Context())
		gone()
		f.Call(ctx, grant, protocol.ControlCall{Op: "Hang"})
		time.Sleep(time.Hour)
		synctest.Wait()
		if f.Open() || f.changed.Load() != 2 {
			t.Errorf("it is still open after its time, or nobody knows: %d", f.changed.Load())
		}
		f.work.Wait()
		if got := f.Call(t.Context(), grant, protocol.ControlCall{Op: "State"}).Failed; got == nil || got.Code != protocol.CodeUnauthorized {
			t.Errorf("%+v", got)
		}
		grant = f.visit(t, protocol.ControlAsk{})
		f.Call(t.Context(), grant, protocol.ControlCall{Op: leave})
		if f.Open() {
			t.Error("a page that leaves is still open")
		}
	})
}

func TestCalls(t *testing.T) {
	f := newFixture(t)
	grant := f.visit(t, protocol.ControlAsk{})
	for op, want := range map[string]protocol.Code{"State": "", "Quit": protocol.CodeForbidden, "Panic": protocol.CodeInternal, "Other": protocol.CodeUnknownCommand} {
		got := f.Call(t.Context(), grant, protocol.ControlCall{Op: op})
		if want == "" && string(got.Data) != `"control page `+Name(grant)+`"` || want != "" && (got.Failed == nil || got.Failed.Code != want) {
			t.Errorf("%s: %s, %+v", op, got.Data, got.Failed)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var events []string
	f.changes.Publish(struct{}{}) // nobody subscribes yet
	go func() {
		for ctx.Err() == nil {
			f.changes.Publish(struct{}{})
		}
	}()
	err := f.Watch(ctx, grant, func(e protocol.ControlEvent) error {
		events = append(events, e.Event+string(e.Data))
		cancel()
		return nil
	})
	if err != nil || len(events) != 1 || !strings.HasPrefix(events[0], `state"control page`) {
		t.Errorf("%q, %v", events, err)
	}
}

func TestPublicAddresses(t *testing.T) {
	f := newFixture(t)
	for text, want := range map[string]string{
		"https://pilotfish.example": "https://pilotfish.example", "https://Pilotfish.example:443/": "https://pilotfish.example", "https://a.example:8443": "https://a.example:8443",
		"http://localhost:8000": "http://localhost:8000", "http://127.0.0.1:80": "http://127.0.0.1", "http://[::1]:9": "http://[::1]:9",
		"http://pilotfish.example": "", "http://192.168.1.2": "", "ftp://a.example": "", "https://": "", "https://a.example/path": "", "https://u:p@a.example": "", "https://a.example?x=1": "", "https://a.example#x": "", "a.example": "", "::": "",
	} {
		at, err := f.Address(4711, protocol.ControlAsk{PublicURL: text})
		base, _, _ := strings.Cut(at.URL, Prefix)
		if base != want || want == "" && codeOf(err) != protocol.CodeBadArgument {
			t.Errorf("%s: %q, %v", text, base, err)
		}
	}
	for _, seconds := range []int{-1, 59, int(maxLife.Seconds()) + 1} {
		if _, err := f.Address(4711, protocol.ControlAsk{Seconds: seconds}); codeOf(err) != protocol.CodeBadArgument {
			t.Errorf("for %d s: %v", seconds, err)
		}
	}
	if _, err := f.Address(0, protocol.ControlAsk{}); codeOf(err) != protocol.CodeNotRunning {
		t.Errorf("without a server: %v", err)
	}
	if origin, ok := f.Origin("a.example:8443", false); !ok || origin != "https://a.example:8443" {
		t.Errorf("%q, %t", origin, ok)
	}
	if _, ok := f.Origin("b.example", false); ok {
		t.Error("a host that nobody named")
	}
}

func TestBrowserNames(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                           "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0":    "Edge on Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile Safari/604.1": "Safari on iPhone",
		"Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Mobile Safari/537.36":                     "Chrome on Android",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15":            "Safari on macOS",
		"curl/8": "A browser", "\x1b[31m": "A browser",
	} {
		if got := browserName(agent); got != want {
			t.Errorf("%q: %q", agent, got)
		}
	}
}

// A token is good with the cookie and the Origin of its own page only.
func TestBound(t *testing.T) {
	f := newFixture(t)
	token, cookie, err := f.Exchange("https://a.example", false, "", f.code(t, protocol.ControlAsk{PublicURL: "https://a.example"}))
	if err != nil {
		t.Fatal(err)
	}
	grant, err := f.auth.Check(token.Token, auth.CapabilityControl)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		origins []string
		cookie  string
		want    bool
	}{
		{[]string{"https://a.example"}, cookie.Value, true},
		{[]string{"https://a.example"}, cookie.Value + "x", false},
		{[]string{"https://a.example"}, "", false},
		{[]string{"http://a.example"}, cookie.Value, false},
		{[]string{"https://a.example", "https://a.example"}, cookie.Value, false},
		{nil, cookie.Value, false},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://a.example/control/call", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header["Origin"] = c.origins
		r.AddCookie(&http.Cookie{ //nolint:gosec // a request has no attributes
			Name: cookie.Name, Value: c.cookie,
		})
		if Bound(grant, r) != c.want {
			t.Errorf("%+v", c)
		}
	}
}
