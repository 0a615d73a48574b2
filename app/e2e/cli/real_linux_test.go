package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"

	"pilotfish/app/cli/client"
	"pilotfish/backend/config"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// installation is the built program with its own home and a real headless
// browser.
type installation struct {
	t       *testing.T
	program string
	home    string
	runtime string // the user's runtime folder, for a run that keeps nothing
	idle    string
}

func install(t *testing.T, idle string) *installation {
	t.Helper()
	program, err := filepath.Abs("../../../build/bin/pilotfish")
	if err != nil {
		t.Fatal(err)
	}
	r := &installation{t: t, program: program, home: t.TempDir(), runtime: t.TempDir(), idle: idle}
	t.Cleanup(func() {
		r.end()
		if text, err := os.ReadFile(filepath.Join(r.dirs().LogDir(), "pilotfish.log")); t.Failed() && err == nil {
			lines := bytes.SplitAfter(text, []byte("\n"))
			t.Logf("the end of the app's log:\n%s", bytes.Join(lines[max(0, len(lines)-60):], nil))
		}
	})
	return r
}

func (r *installation) env() []string {
	env := append(client.WithoutAgent(os.Environ()), protocol.EnvHome+"="+r.home, client.EnvIdle+"="+r.idle, "XDG_RUNTIME_DIR="+r.runtime,
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere") // the keychain belongs to the user
	if os.Getuid() == 0 {
		env = append(env, protocol.EnvSandbox+"=1")
	}
	return env
}

// serves starts the app without a window, and returns an address of its control page.
func (r *installation) serves(flags ...string) (address string) {
	r.t.Helper()
	serve := r.command(context.Background(), append([]string{"serve", "--headless", "--control"}, flags...)...)
	said, err := serve.StderrPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		r.end()
		_ = serve.Wait()
	})
	lines := bufio.NewScanner(said)
	for address == "" && lines.Scan() {
		_, address, _ = strings.Cut(lines.Text(), "within a minute: ")
	}
	if address == "" {
		r.t.Fatalf("no address was printed: %v", lines.Err())
	}
	go func() { // the log
		for lines.Scan() {
			continue
		}
	}()
	return address
}

func (r *installation) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.program, args...)
	cmd.Env = r.env()
	return cmd
}

// run runs a command that must succeed.
func (r *installation) run(args ...string) string {
	r.t.Helper()
	out, err := r.command(r.t.Context(), args...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("pilotfish %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// try runs a command that may fail; the error has what it said.
func (r *installation) try(args ...string) error {
	out, err := r.command(r.t.Context(), args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("pilotfish %v: %w\n%s", args, err, out)
	}
	return nil
}

// until asks again and again until there is no error. Only a fault takes three minutes.
func (r *installation) until(ask func() error) {
	r.t.Helper()
	for began := time.Now(); ; {
		err := ask()
		if err == nil {
			return
		}
		if time.Since(began) > 3*time.Minute {
			r.t.Fatal(err)
		}
	}
}

// fails runs a command that must not succeed.
func (r *installation) fails(args ...string) string {
	r.t.Helper()
	out, err := r.command(r.t.Context(), args...).CombinedOutput()
	if err == nil {
		r.t.Errorf("pilotfish %v succeeds: %s", args, out)
	}
	return string(out)
}

// hasNot checks that no file but those of the settings has a text.
func (r *installation) hasNot(text string) {
	r.t.Helper()
	home := os.DirFS(r.home)
	if err := fs.WalkDir(home, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(d.Name(), "settings.toml") {
			return err
		}
		data, err := fs.ReadFile(home, path)
		if bytes.Contains(data, []byte(text)) {
			r.t.Errorf("%s has %q", path, text)
		}
		return err
	}); err != nil {
		r.t.Error(err)
	}
}

func (r *installation) dirs() config.Dirs {
	return config.Dirs{Config: filepath.Join(r.home, "config"), State: filepath.Join(r.home, "state")}
}

func (r *installation) endpoint() protocol.Endpoint {
	r.t.Helper()
	e, err := instance.ReadEndpoint(r.dirs().EndpointFile())
	if err != nil {
		r.t.Fatal(err)
	}
	return e
}

// mcp is the way to the app by MCP over HTTP.
func (r *installation) mcp() sdk.Transport {
	r.t.Helper()
	e := r.endpoint()
	base := http.DefaultTransport.(*http.Transport).Clone()
	r.t.Cleanup(base.CloseIdleConnections)
	return &sdk.StreamableClientTransport{Endpoint: fmt.Sprintf("http://127.0.0.1:%d/mcp", e.Port), HTTPClient: &http.Client{Transport: bearer{e.Token, base}}}
}

// end stops the session, and waits until it is gone.
func (r *installation) end() {
	e, err := instance.ReadEndpoint(r.dirs().EndpointFile())
	if err != nil {
		return // it has ended
	}
	gone := r.watch(e.PID)
	_ = r.command(context.Background(), "app", "quit").Run() // it may have just ended
	gone()
}

// watch returns a function that waits for the end of a process.
func (r *installation) watch(pid int) (wait func()) {
	r.t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		r.t.Fatalf("watching process %d: %v", pid, err)
	}
	return func() {
		defer unix.Close(fd)
		for {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 30_000)
			if err == unix.EINTR {
				continue
			}
			if n != 1 || err != nil {
				r.t.Errorf("process %d has not ended: %v", pid, err)
			}
			return
		}
	}
}

// sessions returns the processes that serve this home. A forked child has its
// parent's command line until it calls exec; such children are left out.
func (r *installation) sessions() (pids []int) {
	entries, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		r.t.Fatal(err)
	}
	parents := map[int]int{}
	for _, path := range entries {
		line, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(line, []byte(r.program+"-service\x00serve\x00")) {
			continue
		}
		environment, err := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
		if err != nil || !bytes.Contains(environment, []byte(protocol.EnvHome+"="+r.home+"\x00")) {
			continue // another test's, or the user's own
		}
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(path), "stat"))
		if err != nil {
			continue // it has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			r.t.Fatal(err)
		}
		// The name is in brackets and may contain anything.
		var state string
		var parent int
		if _, err := fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent); err != nil {
			r.t.Fatalf("reading %q: %v", stat, err)
		}
		parents[pid] = parent
	}
	for pid, parent := range parents {
		if _, child := parents[parent]; !child {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Ten commands at the same time find nothing running: one session starts, and all
// ten get its first tab. A command right after `app quit` waits for the end and starts the next
// session, which has the same tabs, and ends when no more commands come.
func TestTenCommandsStartOneSession(t *testing.T) {
	// Longer than a command may have to wait on a busy machine.
	r := install(t, "10s")
	var calls sync.WaitGroup
	for range 10 {
		calls.Go(func() {
			out, err := r.command(t.Context(), "tabs", "--json").Output()
			var reply protocol.CommandReply
			if err != nil || json.Unmarshal(out, &reply) != nil || !reply.OK || !strings.Contains(reply.Text, "t1") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	calls.Wait()
	pids := r.sessions()
	if len(pids) != 1 {
		t.Fatalf("%d sessions were started", len(pids))
	}
	if e := r.endpoint(); e.PID != pids[0] || !e.Headless {
		t.Errorf("the endpoint is of %d, the session %d", e.PID, pids[0])
	}

	r.run("newtab", "about:blank")
	r.run("app", "quit")
	out, err := r.command(t.Context(), "status").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "is ending") && !strings.Contains(string(out), "not running") {
		t.Errorf("status after quit: %v, %s", err, out)
	}
	if out := r.run("tabs"); !strings.Contains(out, "t1") || !strings.Contains(out, "t2") {
		t.Errorf("tabs after quit: %s", out)
	}
	after := r.endpoint().PID
	if after == pids[0] {
		t.Error("the session that was to end answered")
	}
	r.watch(after)()
	if _, err := os.Stat(r.dirs().EndpointFile()); err == nil {
		t.Error("the endpoint is still there")
	}
}

func TestAutostartCanBeTurnedOff(t *testing.T) {
	r := install(t, "30s")
	cmd := r.command(t.Context(), "tabs")
	cmd.Env = append(cmd.Env, client.EnvNoAutostart+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 3 || !strings.Contains(string(out), "not running") {
		t.Errorf("%v: %s", err, out)
	}
	if pids := r.sessions(); len(pids) != 0 {
		t.Errorf("started %v", pids)
	}
}

// bearer adds the token to each request.
type bearer struct {
	token string
	base  http.RoundTripper
}

func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+b.token)
	return b.base.RoundTrip(req)
}

// page serves a small page for the actions of an agent.
func page(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>A form</title><h1>Sign up</h1><label>Name <input></label><button>Save</button><p id=out>"+
			"<script>for (const type of ['keyup', 'mouseup', 'touchend']) addEventListener(type, (e) => { if (e.isTrusted) out.textContent += ' ' + [type, e.key, e.shiftKey && 'shifted'].filter(Boolean).join('-') })</script>")
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// Every tool with valid and with invalid arguments, over both transports, with
// the real registry and a real browser.
func TestMCPWithARealBrowser(t *testing.T) {
	r := install(t, "1m")
	url := page(t)
	connect := map[string]func() sdk.Transport{
		"stdio": func() sdk.Transport { return &sdk.CommandTransport{Command: r.command(context.Background(), "mcp")} },
		"http": func() sdk.Transport {
			return r.mcp()
		},
	}
	for _, name := range []string{"stdio", "http"} { // the first one starts the session
		t.Run(name, func(t *testing.T) {
			s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), connect[name](), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			tools, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			list, err := json.Marshal(tools)
			if err != nil || len([]rune(string(list))) > protocol.MCPSchemaChars {
				t.Errorf("tools/list has %d characters, %v", len([]rune(string(list))), err)
			}
			called := map[string]bool{}
			for _, c := range []struct {
				tool string
				args map[string]any
				want string // in the text, or an error when it begins with "error"
			}{
				{"browser_navigate", map[string]any{"url": url, "then": "text"}, "Sign up"},
				{"browser_navigate", map[string]any{"url": "javascript:alert(1)"}, "error refused"},
				{"browser_read", map[string]any{"what": "text"}, "Sign up"},
				{"browser_read", map[string]any{"what": "thoughts"}, "error bad_argument"},
				{"browser_tabs", map[string]any{}, "*t1 " + url},
				{"browser_tabs", map[string]any{"do": "close", "tab": "t99"}, "error unknown_tab"},
				{"browser_act", map[string]any{"steps": []any{map[string]any{"do": "goto", "url": url + "/2"}, map[string]any{"do": "back"}}}, "2. back: "},
				{"browser_act", map[string]any{"steps": []any{map[string]any{"do": "fly"}}}, "error unknown_command"},
				{"browser_act", map[string]any{"then": "text", "steps": []any{
					map[string]any{"do": "keydown", "key": "Shift"},
					map[string]any{"do": "click", "target": "text=Save", "hold": 100},
					map[string]any{"do": "keyup"},
					map[string]any{"do": "mouse", "action": "move", "target": "text=Save"},
					map[string]any{"do": "mouse", "action": "down"},
					map[string]any{"do": "mouse", "action": "up"},
					map[string]any{"do": "drag", "target": "text=Save", "to": "5,5", "via": "20,20", "speed": 1000},
					map[string]any{"do": "tap", "target": "text=Save"},
					map[string]any{"do": "swipe", "target": "text=Save", "x": 30},
					map[string]any{"do": "pinch", "target": "text=Save", "scale": "2"},
				}}, "mouseup-shifted keyup-Shift mouseup mouseup touchend"},
				{"browser_screenshot", map[string]any{}, ".png"},
				{"browser_screenshot", map[string]any{"format": "bmp"}, "error bad_argument"},
				{"browser_run", map[string]any{"commands": []string{"title", "url"}}, "A form"},
				{"browser_run", map[string]any{"commands": []string{"help"}}, "goto: "},
				{"browser_run", map[string]any{"commands": []string{"text --max lots"}}, "error bad_argument"},
				{"browser_snapshot", map[string]any{}, "Save"},
				{"browser_snapshot", map[string]any{"max": "lots"}, "error bad_argument"},
				{"task_run", map[string]any{"goal": "fill the form"}, "error bad_argument: Task needs a model"},
				{"task_run", map[string]any{"goal": "press Tab"}, ": done, step 2 of 40"},
				{"task_status", map[string]any{}, "press Tab"},
				{"task_stop", map[string]any{"task": "nobody"}, "error unknown_task"},
			} {
				if c.tool == "browser_snapshot" && !strings.Contains(string(list), c.tool) {
					continue // not in the registry
				}
				called[c.tool] = true
				result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.args})
				if err != nil {
					t.Fatalf("%s %v: %v", c.tool, c.args, err)
				}
				text, ok := result.Content[0].(*sdk.TextContent)
				if !ok || !strings.Contains(text.Text, c.want) || result.IsError != strings.HasPrefix(c.want, "error") {
					t.Errorf("%s %v: %+v, failed %v, want %q", c.tool, c.args, result.Content[0], result.IsError, c.want)
				}
			}
			for _, tool := range tools.Tools {
				if !called[tool.Name] {
					t.Errorf("%s was not called", tool.Name)
				}
			}
			result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_screenshot", Arguments: map[string]any{"image": true}})
			if err != nil || len(result.Content) != 2 {
				t.Fatalf("%+v, %v", result, err)
			}
			if image, ok := result.Content[1].(*sdk.ImageContent); !ok || image.MIMEType != "image/jpeg" || !bytes.HasPrefix(image.Data, []byte{0xff, 0xd8}) {
				t.Errorf("no JPEG: %T", result.Content[1])
			}
			if name != "stdio" {
				return
			}
			// The bridge outlives the app: the next command starts it again.
			r.end()
			if result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_tabs", Arguments: map[string]any{}}); err != nil || result.IsError {
				t.Errorf("after a restart: %+v, %v", result, err)
			}
		})
	}
}

// The activity stream contains what the command line does, as it happens, and a
// reader that was cut off continues where it was.
func TestActivityOfARealSession(t *testing.T) {
	r := install(t, "1m")
	r.serves("--isolated")
	r.run("tabs")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	follow := r.command(ctx, "activity", "--follow", "--after", "0")
	out, err := follow.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := follow.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	// What the page does may come before or after the command that caused it.
	next := func(want string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return
			}
			if !strings.Contains(lines.Text(), " navigation: ") {
				break
			}
		}
		t.Fatalf("%q, want %q", lines.Text(), want)
	}
	next("shell tabs: ok")
	url := page(t)
	r.run("goto", url+"/?token=hunter2")
	next(`goto url="` + url + `/?token=•••": ok`)
	if err := r.command(t.Context(), "closetab", "t77").Run(); err == nil {
		t.Error("closed a tab that is not there")
	}
	next("closetab")
	if got := r.run("activity", "--after", "1", "--limit", "1"); !strings.HasPrefix(got, "2 ") || !strings.Contains(got, " more; --after 2") {
		t.Errorf("history: %s", got)
	}
	cancel()
	_ = follow.Wait() // ended above
	t.Run("share", func(t *testing.T) { shared(t, r) })
	t.Run("recording to an address", func(t *testing.T) { recordingSent(t, r, url) })
	t.Run("contexts", func(t *testing.T) { contexts(t, r) })
	t.Run("a client stays until the end of the app", func(t *testing.T) {
		byMCP(connect(t, r.mcp()))(t, "goto "+url, "")
		r.end()
		if names, err := r.dirs().Sessions(); err != nil || slices.ContainsFunc(names, func(n protocol.SessionName) bool { return strings.HasPrefix(string(n), "mcp-") }) {
			t.Errorf("left behind: %v, %v", names, err)
		}
	})
}

// recordingSent: THREATS 71 for recordings. A store gets the routine, or the video of one that
// has a video, by its signed address, whose signature is nowhere.
func recordingSent(t *testing.T, r *installation, url string) {
	t.Helper()
	var sent []byte
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sent, _ = io.ReadAll(r.Body); r.URL.Query().Get("sig") != "s3cret" { // an error shows as another file
			http.Error(w, r.URL.String(), http.StatusForbidden)
		}
	}))
	defer store.Close()
	at := store.URL + "/login?sig="
	if out := r.fails("record", "start", "--out", at+"s3cret"); !strings.Contains(out, "--out is for stop and save") || strings.Contains(out, "s3cret") {
		t.Error(out)
	}
	for _, c := range []struct {
		line []string
		kind string
	}{{[]string{"record", "save", "--video", "gif"}, "video"}, {[]string{"record", "save", "login"}, "routine"}} {
		if c.kind == "video" {
			r.run("record", "start", "--video", "gif")
			r.run("goto", url)
		}
		refused := r.fails(append(c.line, "--out", at+"0ld-s3cret")...)
		out := r.run(append(c.line, "--out", at+"s3cret", "--json")...)
		var reply protocol.CommandReply
		var saved protocol.RecordReply
		if err := errors.Join(json.Unmarshal([]byte(out), &reply), json.Unmarshal(reply.Data, &saved)); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		file := map[string]*protocol.SavedFile{"video": saved.Video, "routine": saved.Routine}[c.kind]
		if file == nil {
			t.Fatalf("%s: %s", c.kind, out)
		}
		kept, err := os.ReadFile(file.Path)
		if err != nil || len(kept) == 0 || !bytes.Equal(kept, sent) || !strings.Contains(reply.Text, "has got "+file.Path) || strings.Contains(out+refused, "s3cret") || !strings.Contains(refused, "has not got the file: status 403") {
			t.Errorf("%s: %s, %v; before: %s", c.kind, out, err, refused)
		}
	}
	r.run("record", "discard")
	r.hasNot("s3cret")
}
