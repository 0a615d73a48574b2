package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pilotfish/app/e2e/desktop"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// patience is how long a test waits for an expected event. It only detects hangs;
// the benchmark measures times.
const patience = 2 * time.Minute

// longest is how long a test with the product may take. It only detects hangs.
const longest = 10 * time.Minute

// options configure the product of a test.
type options struct {
	// Home is the folder of an earlier run; a new one when empty.
	Home string
	// Desktop is the desktop of an earlier run; a new one when nil.
	Desktop *desktop.Desktop
	// Settings are TOML lines; {bin} is the folder of the tests' own programs.
	Settings []string
	// Env are additional environment variables of the app.
	Env []string
	// Args are additional arguments of the app.
	Args []string
	// NoBrowser does not set the browser in Settings.
	NoBrowser bool
}

// product is a running app on its desktop, as a user has it.
type product struct {
	t    *testing.T
	ctx  context.Context
	home string
	bin  string
	desk *desktop.Desktop
	app  *exec.Cmd
	done chan struct{} // closed when the app's process has ended
	log  string
	env  []string // of the app, at each of its starts
	// atEnd registers what ends with the product, which may be later than with the test.
	atEnd func(func() error)
}

// repoRoot is the project's folder.
func repoRoot(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// withTest registers what ends with a test.
func withTest(t *testing.T) func(func() error) {
	t.Helper()
	return func(end func() error) {
		t.Cleanup(func() {
			if err := end(); err != nil {
				t.Error(err)
			}
		})
	}
}

// shortDir is a folder with a short path: the path of a unix socket is limited to
// 108 bytes, which the test's own folder may exceed.
func shortDir(t *testing.T) string {
	t.Helper()
	return dirUntil(t, withTest(t))
}

func dirUntil(t *testing.T, atEnd func(func() error)) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pf") //nolint:usetesting // see shortDir
	if err != nil {
		t.Fatal(err)
	}
	atEnd(func() error {
		_ = os.RemoveAll(dir)
		return nil
	})
	return dir
}

// newDesktop starts a desktop that ends with the test.
func newDesktop(t *testing.T, cfg desktop.Config) *desktop.Desktop {
	t.Helper()
	return desktopUntil(t, cfg, withTest(t))
}

func desktopUntil(t *testing.T, cfg desktop.Config, atEnd func(func() error)) *desktop.Desktop {
	t.Helper()
	cfg.Dir = dirUntil(t, atEnd)
	desk, err := desktop.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	atEnd(desk.Close)
	return desk
}

// start starts the app. It ends with the test.
func start(t *testing.T, o options) *product {
	t.Helper()
	return startUntil(t, o, withTest(t))
}

func startUntil(t *testing.T, o options, atEnd func(func() error)) *product {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	t.Cleanup(cancel)
	p := &product{t: t, ctx: ctx, home: o.Home, desk: o.Desktop, done: make(chan struct{}), env: o.Env, atEnd: atEnd}
	if p.home == "" {
		p.home = dirUntil(t, atEnd)
	}
	if p.desk == nil {
		p.desk = desktopUntil(t, desktop.Config{Width: 1440, Height: 900}, atEnd)
	}
	p.bin = filepath.Join(p.home, "testbin")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"chromium", "tui-agent", "notes"} {
		link(t, self, filepath.Join(p.bin, name))
	}
	settings := o.Settings
	if !o.NoBrowser {
		settings = append([]string{"browser_path = " + strconv.Quote(filepath.Join(p.bin, "chromium"))}, settings...)
	}
	p.writeSettings(settings)
	p.launch(o)
	return p
}

// within is the product in a part of its test, which has the time of a whole one: many parts
// together may take longer on a busy machine.
func (p *product) within(t *testing.T) *product {
	t.Helper()
	q := *p
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	t.Cleanup(cancel)
	q.t, q.ctx = t, ctx
	return &q
}

func link(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(from, to); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
}

// launch starts the app's process.
func (p *product) launch(o options) {
	p.t.Helper()
	root := repoRoot(p.t)
	p.log = filepath.Join(p.home, "app.log")
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	p.app = exec.CommandContext(context.WithoutCancel(p.ctx), filepath.Join(root, "build/bin/Pilotfish"), o.Args...)
	p.app.Stdout, p.app.Stderr = log, log
	p.app.Dir = p.home
	// The home is the test's own, with its own shell start file.
	if err := os.WriteFile(filepath.Join(p.home, ".bashrc"), []byte("PS1='ready> '\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.app.Env = append(p.desk.Env(), protocol.EnvHome+"="+p.home, "HOME="+p.home, "SHELL=/bin/bash", "HISTFILE=")
	p.app.Env = append(p.app.Env, p.env...)
	p.app.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.app.Start(); err != nil {
		p.t.Fatal(err)
	}
	_ = log.Close()
	app, done := p.app, make(chan struct{})
	p.done = done
	go func() {
		_ = app.Wait()
		close(done)
	}()
	p.atEnd(func() error { return ended(app, done) })
	t := p.t
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of the app:\n%s", p.tail())
		}
	})
}

// ended ends an app as a session manager does. If that does not work, it kills the app.
func ended(app *exec.Cmd, done chan struct{}) error {
	_ = app.Process.Signal(syscall.SIGTERM)
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	select {
	case <-done:
		return nil
	case <-deadline.C:
		_ = syscall.Kill(-app.Process.Pid, syscall.SIGKILL)
		<-done
		return errors.New("the app did not end on SIGTERM")
	}
}

// quit ends the app and waits for its end.
func (p *product) quit() {
	p.t.Helper()
	if err := ended(p.app, p.done); err != nil {
		p.t.Error(err)
	}
}

// kill ends the app as the kernel does, and waits until nothing of it is left.
func (p *product) kill() {
	p.t.Helper()
	if err := syscall.Kill(p.app.Process.Pid, syscall.SIGKILL); err != nil {
		p.t.Fatal(err)
	}
	<-p.done
	p.eventually("nothing of ours is left", func() bool { return len(p.ours()) == 0 })
}

// tail returns the end of the app's output and logs.
func (p *product) tail() string {
	data, _ := os.ReadFile(p.log)
	matches, _ := filepath.Glob(filepath.Join(p.home, "state", "logs", "*"))
	for _, m := range matches {
		more, _ := os.ReadFile(m)
		data = append(data, more...)
	}
	if len(data) > 12<<10 {
		data = data[len(data)-12<<10:]
	}
	return string(data)
}

// cliRun runs the command line as a user in a shell does.
func (p *product) cliRun(args ...string) (string, error) {
	cmd := exec.CommandContext(p.ctx, filepath.Join(repoRoot(p.t), "build/bin/pilotfish"), args...) //nolint:gosec // the tests' own arguments
	// A call after the app has ended must not start another one.
	cmd.Env = append(p.desk.Env(), protocol.EnvHome+"="+p.home, "PILOTFISH_NO_AUTOSTART=1")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// cli runs the command line and fails the test when it fails.
func (p *product) cli(args ...string) string {
	p.t.Helper()
	out, err := p.cliRun(args...)
	if err != nil {
		p.t.Fatalf("pilotfish %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// made returns the tab that a command creates.
func (p *product) made(args ...string) string {
	p.t.Helper()
	var reply struct {
		Data protocol.PageInfo `json:"data"`
	}
	out := p.cli(append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &reply); err != nil || reply.Data.Tab == "" {
		p.t.Fatalf("%v: no tab: %v\n%s", args, err, out)
	}
	return string(reply.Data.Tab)
}

// post sends a request as a user's shell does. It is much cheaper than a process of the
// command line, where a test asks again and again.
func (p *product) post(path string, in, out any) error {
	endpoint, err := instance.ReadEndpoint(filepath.Join(p.home, "state", "pilotfish.json"))
	if err != nil {
		return err
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d%s", endpoint.Port, path), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+endpoint.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		var refused protocol.ErrorReply
		_ = json.NewDecoder(resp.Body).Decode(&refused)
		return fmt.Errorf("%s: %s: %+v", path, resp.Status, refused)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// request sends a request that must succeed, as a user's shell does.
func (p *product) request(path string, in, out any) {
	p.t.Helper()
	if err := p.post(path, in, out); err != nil {
		p.t.Fatal(err)
	}
}

// askAsPanel sends a request from the panel's page, with its token.
func (p *product) askAsPanel(panel *tap.Page, path string, in, out any) {
	p.t.Helper()
	body := strconv.Quote(string(must(json.Marshal(in))))
	script := fmt.Sprintf(`(async () => {
		const pairing = (await chrome.storage.session.get(%[1]q))[%[1]q];
		const reply = await fetch('http://127.0.0.1:' + pairing.port + %[2]q, {
			method: 'POST', body: %[3]s, headers: { Authorization: 'Bearer ' + pairing.token, 'Content-Type': 'application/json' },
		});
		return [reply.ok, await reply.text()];
	})()`, protocol.PairingKey, path, body)
	var said []any
	if err := panel.Eval(p.ctx, script, &said); err != nil || len(said) != 2 || said[0] != true {
		p.t.Fatalf("%s: %v %v", path, err, said)
	}
	if out != nil {
		if err := json.Unmarshal([]byte(said[1].(string)), out); err != nil { //nolint:forcetypeassert // a test may panic
			p.t.Fatalf("%s: %v", path, err)
		}
	}
}

// status returns the sessions, or an error while the app cannot be asked.
func (p *product) status() ([]protocol.SessionInfo, error) {
	var reply protocol.AppReply
	err := p.post("/app", protocol.AppRequest{Action: protocol.AppStatus}, &reply)
	return reply.Sessions, err
}

// sessions returns the sessions.
func (p *product) sessions() []protocol.SessionInfo {
	p.t.Helper()
	all, err := p.status()
	if err != nil {
		p.t.Fatal(err)
	}
	return all
}

// session returns one of them.
func (p *product) session(name protocol.SessionName) protocol.SessionInfo {
	p.t.Helper()
	for _, s := range p.sessions() {
		if s.Name == name {
			return s
		}
	}
	p.t.Fatalf("there is no session %s", name)
	return protocol.SessionInfo{}
}

// eventually polls yes until it returns true. Nothing outside the product can
// subscribe to what it checks (a process table, a file, a command).
func (p *product) eventually(what string, yes func() bool) {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for tick := time.NewTicker(25 * time.Millisecond); ; <-tick.C {
		if yes() {
			tick.Stop()
			return
		}
		if time.Now().After(deadline) || p.ctx.Err() != nil {
			tick.Stop()
			p.t.Fatalf("it never happened: %s", what)
		}
	}
}

// browser connects to the browser of a session.
func (p *product) browser(name protocol.SessionName) *tap.Client {
	p.t.Helper()
	socket := filepath.Join(p.home, "state", "sessions", string(name), "tap.sock")
	var client *tap.Client
	p.eventually("the browser of session "+string(name)+" runs", func() bool {
		var err error
		client, err = tap.Dial(p.ctx, socket)
		return err == nil
	})
	p.t.Cleanup(func() { _ = client.Close() })
	return client
}

// page attaches to the page whose address contains part.
func (p *product) page(client *tap.Client, part string) *tap.Page {
	p.t.Helper()
	var page *tap.Page
	p.eventually("there is a page "+part, func() bool {
		// A page that is attached to while its process is being created may never answer.
		ctx, cancel := context.WithTimeout(p.ctx, 2*askFor)
		defer cancel()
		var err error
		page, err = client.Attach(ctx, part)
		return err == nil
	})
	return page
}

// panel attaches to the side panel.
func (p *product) panel(client *tap.Client) *tap.Page {
	p.t.Helper()
	return p.page(client, "panel.html")
}

// until waits in the page until an expression is true; it checks after every
// change of the page.
func (p *product) until(page *tap.Page, what, expression string) {
	p.t.Helper()
	script := fmt.Sprintf(`new Promise((resolve, reject) => {
		const holds = () => { try { return Boolean(%s) } catch { return false } }
		if (holds()) return resolve(true)
		const end = setTimeout(() => { watch.disconnect(); reject(new Error('waited in vain; the page says: ' + document.body?.innerText)) }, %d)
		const watch = new MutationObserver(() => { if (holds()) { clearTimeout(end); watch.disconnect(); resolve(true) } })
		watch.observe(document, {subtree: true, childList: true, characterData: true, attributes: true})
	})`, expression, askFor.Milliseconds())
	// A page that is found during its navigation begins with an empty document,
	// and a script that waits in that document is never notified again. So each
	// round runs in the current document.
	for began := time.Now(); ; {
		ctx, cancel := context.WithTimeout(p.ctx, 2*askFor)
		err := page.Eval(ctx, script, nil)
		cancel()
		if err == nil {
			return
		}
		if p.ctx.Err() != nil || time.Since(began) > patience || !again(err) {
			// One line, because a summary of failures shows only one.
			p.t.Fatalf("%s: %s", what, strings.Join(strings.Fields(err.Error()), " "))
		}
	}
}

// askFor is how long one round waits in a document.
const askFor = 3 * time.Second

// again reports whether a retry may succeed, in another document or later.
func again(err error) bool {
	said := err.Error()
	return errors.Is(err, context.DeadlineExceeded) || strings.Contains(said, "context was destroyed") ||
		strings.Contains(said, "Cannot find default execution context") ||
		strings.Contains(said, "target navigated") || strings.Contains(said, "waited in vain")
}

// screenText is a script for the text of the terminal that the panel shows.
const screenText = `[...document.querySelectorAll('.xterm-rows')].filter((e) => e.offsetParent !== null || e.checkVisibility()).map((e) => [...e.children].map((r) => r.textContent).join('\n')).join('\n')`

// untilScreen waits until the visible terminal contains a text.
func (p *product) untilScreen(panel *tap.Page, text string) {
	p.t.Helper()
	p.until(panel, fmt.Sprintf("the terminal shows %q", text), fmt.Sprintf("(%s).includes(%s)", screenText, strconv.Quote(text)))
}

// typeLine focuses the terminal and types a line.
func (p *product) typeLine(panel *tap.Page, line string) {
	p.t.Helper()
	if err := panel.Eval(p.ctx, `[...document.querySelectorAll('.xterm-helper-textarea')].find((e) => e.closest('.xterm').checkVisibility()).focus()`, nil); err != nil {
		p.t.Fatal(err)
	}
	if err := panel.Type(p.ctx, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// ours lists the running processes of this product: our own programs on its
// desktop with their children, and every process with the product's folder in its
// command line. The desktop's own processes do not count.
func (p *product) ours() []string {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		p.t.Fatal(err)
	}
	programs := filepath.Join(repoRoot(p.t), "build/bin") + "/"
	bus := ""
	for _, v := range p.desk.Env() {
		if strings.HasPrefix(v, "DBUS_SESSION_BUS_ADDRESS=") {
			bus = v
		}
	}
	var found []string
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := filepath.Join("/proc", e.Name())
		cmdline, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || len(cmdline) == 0 {
			continue // it has ended, or is a zombie or a kernel thread
		}
		exe, _ := os.Readlink(filepath.Join(dir, "exe"))
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		// The user of this machine may run the same programs, on another bus.
		here := strings.Contains(string(environ), bus)
		started := strings.HasPrefix(exe, programs) || strings.Contains(string(environ), protocol.EnvMark+"=")
		if here && started || strings.Contains(string(cmdline), p.home+"/") {
			found = append(found, fmt.Sprintf("%d %s", pid, strings.ReplaceAll(string(cmdline), "\x00", " ")))
		}
	}
	return found
}

// endpoint returns the content of the app's endpoint file.
func (p *product) endpoint() protocol.Endpoint {
	p.t.Helper()
	endpoint, err := instance.ReadEndpoint(filepath.Join(p.home, "state", "pilotfish.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	return endpoint
}

// stateDir is the folder that the session's agents receive.
func (p *product) stateDir() string {
	return filepath.Join(p.home, "state", "sessions", string(protocol.DefaultSession), "agent")
}

// writeSettings writes the settings file that the app reads when it starts.
func (p *product) writeSettings(lines []string) {
	p.t.Helper()
	dir := filepath.Join(p.home, "config")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	text := strings.ReplaceAll("version = 1\n"+strings.Join(lines, "\n")+"\n", "{bin}", p.bin)
	if err := os.WriteFile(filepath.Join(dir, "settings.toml"), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}
