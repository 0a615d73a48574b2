package attach

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// listens is set in the environment of this program when it runs as an agent's program that
// listens where the user's browser should.
const listens = "ATTACH_TEST_LISTENS"

func TestMain(m *testing.M) {
	if os.Getenv(listens) != "" {
		l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp4", "127.0.0.1:0")
		if err != nil {
			os.Exit(1)
		}
		fmt.Println(l.Addr().(*net.TCPAddr).Port) //nolint:forcetypeassert // it is TCP's
		_, _ = os.Stdin.Read(make([]byte, 1))     // until the test ends
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// says makes a folder whose browser says that it listens on a port.
func says(t *testing.T, port string) Browser {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, portFile), []byte(port+"\n/devtools/browser/00000000-0000-0000-0000-000000000000"), 0o600); err != nil {
		t.Fatal(err)
	}
	return Browser{Name: "Chrome", Dir: dir}
}

func port(address string) string { return address[strings.LastIndex(address, ":")+1:] }

// open returns the error of Open, and the steps before it.
func open(ctx context.Context, b Browser) (steps []protocol.AttachStep, err error) {
	_, err = Open(ctx, b, func(s protocol.AttachStep) { steps = append(steps, s) })
	return steps, err
}

// What listens on the port may not be the user's browser, and gets nothing.
func TestSomebodyElseListens(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.Header.Get("Origin") != "" || r.URL.RawQuery != "" {
			t.Errorf("it is asked with %v, %v", r.Header, r.URL)
		}
		http.NotFound(w, r)
	}))
	defer server.Close()
	steps, err := open(t.Context(), says(t, port(server.URL)))
	if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeBrowserStart || len(steps) != 1 || steps[0] != protocol.AttachAllow || asked != 1 {
		t.Errorf("after %v: %v; asked %d times", steps, err, asked)
	}

	redirects := httptest.NewServer(http.RedirectHandler(server.URL, http.StatusFound))
	defer redirects.Close()
	if _, err = open(t.Context(), says(t, port(redirects.URL))); err == nil || asked != 1 {
		t.Errorf("a redirect was followed: %v", err)
	}
}

// A program of an agent that listens where the browser should is refused before it is asked.
func TestAnAgentListens(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // it is this program
	cmd.Env = append(os.Environ(), listens+"=1", protocol.EnvToken+"=of-an-agent")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(); _ = cmd.Wait() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	steps, err := open(t.Context(), says(t, strings.TrimSpace(line)))
	if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeRefused || len(steps) != 0 {
		t.Errorf("after %v: %v", steps, err)
	}
}

// A file that a browser left behind, and one that is not complete, make the session wait; the
// user can cancel that.
func TestNobodyListens(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stale := port(l.Addr().String())
	_ = l.Close()
	for _, text := range []string{stale, "", "0", "99999999", "9222 x"} {
		ctx, cancel := context.WithCancel(t.Context())
		var steps []protocol.AttachStep
		_, err := Open(ctx, says(t, text), func(s protocol.AttachStep) {
			steps = append(steps, s)
			cancel()
		})
		if !errors.Is(err, context.Canceled) || len(steps) != 1 || steps[0] != protocol.AttachSwitchOn {
			t.Errorf("%q: after %v: %v", text, steps, err)
		}
	}
}

func TestFind(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	for setting, want := range map[string]protocol.Code{
		Mine: protocol.CodeNoBrowser, "chrome": protocol.CodeNoBrowser, "safari": protocol.CodeNoBrowser, filepath.Join(home, "missing"): protocol.CodeBadArgument,
	} {
		if _, err := Find(setting); protocol.AsError(err).Code != want {
			t.Errorf("%s: %v", setting, err)
		}
	}
	browser := func(name, active string) string {
		dir := filepath.Join(home, ".config", name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"Local State": "{}", portFile: active} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	chrome := browser("google-chrome", "")
	brave := browser("BraveSoftware/Brave-Browser", "9222\n/devtools/browser/x")
	for setting, want := range map[string]Browser{
		"chrome": {Name: "Google Chrome", Dir: chrome}, "brave": {Name: "Brave", Dir: brave}, Mine: {Name: "Brave", Dir: brave}, chrome: {Name: "the browser in " + chrome, Dir: chrome},
		protocol.ByHand: {Name: "browser without remote debugging", ByHand: true},
	} {
		if got, err := Find(setting); err != nil || got != want {
			t.Errorf("%s: %+v, %v", setting, got, err)
		}
	}
}
