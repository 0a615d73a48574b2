package cli_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/browser/attach/attachtest"
	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/protocol"
)

// before are the commands that an example needs to run first in its tab.
func before() map[string][]string {
	return map[string][]string{
		"back": {"goto HOST/2"}, "forward": {"goto HOST/2", "back"},
		"dialog accept": {"click e2"}, "dialog accept Ada": {"click e2"}, "dialog dismiss": {"click e2"},
		"wait text Saved": {"click e5"}, "wait url */done": {"click e5"}, "watch text 'Order complete'": {"click e5"}, "watch url '*/done' --timeout 60s": {"click e5"},
		"secret remove shop": {"secret add shop --origin https://shop.example --from pass:shop"},
		"style --undo":       {"style e5 color red"}, "edit --undo": {"edit e5 class wide2"}, "diff --pixels": {"diff --mark"},
		"record end": {"record start --video gif"},
		"clipboard":  {"clipboard hello"}, "storage": {"storage clear"},
		"network body n3":   {"network", "reload", `eval "fetch('/api').then((r) => r.text())"`, "wait quiet"}, // a third request, whatever was in the cache
		"record stop login": {"click e5"},
	}
}

// cannot are the examples that fail in a headless browser on this page, with the
// correct error.
func cannot() map[string]protocol.Code {
	return map[string]protocol.Code{
		// Groups need a window, which a headless browser does not have.
		"groups": protocol.CodeNotRunning, "groups make --tabs t2,t3 --name Shop --color green": protocol.CodeNotRunning, "groups remove --tabs t3": protocol.CodeNotRunning,
		// There is no keychain in the environment of these tests.
		"state save shop": protocol.CodeBadArgument, "state load shop": protocol.CodeBadArgument,
		// Nothing is being downloaded.
		"downloads wait": protocol.CodeTimeout, "downloads path d2": protocol.CodeBadArgument,
		// Nobody picks anything.
		"pick": protocol.CodeTimeout,
		// There is no other browser in the environment of these tests.
		"signins sites --browser chrome": protocol.CodeBadArgument, "signins import example.com --browser chrome --profile Default": protocol.CodeBadArgument, "signins remove example.com": protocol.CodeBadArgument,
		// A headless session has no terminals.
		"terminal read 3fa9": protocol.CodeUnknownTerminal, "terminal send 3fa9 'make test' --keys Enter": protocol.CodeUnknownTerminal,
		"terminal wait 3fa9 'tests passed' --timeout 60s": protocol.CodeUnknownTerminal,
		// No key is held down.
		"keyup Shift": protocol.CodeBadArgument,
		// The recording has no such parameters.
		"run login user=ann password=secret": protocol.CodeBadArgument,
	}
}

// alone reports whether a command changes something that all tabs of the profile
// share, or needs it exclusively (perf --trace: the browser's only trace). These
// commands run one after the other.
func alone(name string) bool {
	return slices.Contains([]string{"cookies", "storage", "state", "permissions", "rules", "windows", "groups", "clipboard", "record", "trace", "perf", "each", "run", "chain", "secret", "signins"}, name)
}

// again reports whether the examples of a command cannot be done again in their tab, because
// something is on then, or its elements have gone.
func again(name string) bool {
	return slices.Contains([]string{"record", "trace", "closetab", "windows", "keydown", "keyup", "mouse", "network"}, name)
}

// crowd runs command lines in each way.
type crowd struct {
	r                *installation
	e                protocol.Endpoint
	host             string
	file             string // a file of the caller
	comma            string // a file with a comma in its name
	byCLI, web, tool way
	users            bool // the browser is the user's own
	bare             bool // the browser was started without Pilotfish's switches
}

// newCrowd makes the page and the files of a test.
func newCrowd(t *testing.T, r *installation) *crowd {
	t.Helper()
	c := &crowd{r: r, host: zoo(t), file: filepath.Join(t.TempDir(), "check.js")}
	c.comma = filepath.Join(filepath.Dir(c.file), "May, June.pdf")
	for _, file := range []string{c.file, c.comma} {
		if err := os.WriteFile(file, []byte("document.title"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// settings writes the settings of an installation.
func settings(t *testing.T, r *installation, text string) {
	t.Helper()
	path := r.dirs().SettingsFile()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("version = 1\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// connect connects a program by MCP.
func connect(t *testing.T, transport sdk.Transport) *sdk.ClientSession {
	t.Helper()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// must runs a line that must succeed, over HTTP.
func (c *crowd) must(t *testing.T, line, tab string) {
	t.Helper()
	c.mustBy(t, c.web, line, tab)
}

// mustBy runs a line that must succeed, in one way.
func (c *crowd) mustBy(t *testing.T, w way, line, tab string) said {
	t.Helper()
	s := w.run(t, c.fill(line), tab)
	if s.code != "" {
		t.Errorf("%s: %s %s", line, s.code, s.text)
	}
	return s
}

// open opens the zoo in a new tab and returns the tab. By MCP a program acts, which may use
// only the tabs that it opened; the user may use them, too.
func (c *crowd) open(t *testing.T) string {
	t.Helper()
	id, _, _ := strings.Cut(c.mustBy(t, c.tool, "newtab HOST/", "").text, " ")
	return id
}

// fill replaces the placeholders of the examples by existing values.
func (c *crowd) fill(line string) string {
	return strings.NewReplacer("HOST", c.host, "example.com", c.host, "localhost:3000", c.host, "/home/me/check.js", c.file, "May, June.pdf", c.comma, "report.pdf", c.file, "path d2", "path d99", "*.bank."+c.host, "*.bank.example").Replace(line)
}

// elements matches the refs of the examples, which are those of a new tab.
var elements = regexp.MustCompile(`\be(\d{1,2})\b`) //nolint:gochecknoglobals // compiled once

// good runs examples of a command in one way, in order, in a tab.
func (c *crowd) good(t *testing.T, spec command.Spec, examples []string, w way, tab string) (answers []said) {
	t.Helper()
	c.must(t, "goto HOST/", tab)
	// A ref is never used again: those of this document begin later than with e1.
	look := c.mustBy(t, c.web, "snapshot", tab)
	ref := elements.FindStringSubmatch(look.text)
	if ref == nil {
		t.Fatalf("the zoo has no elements: %s", look.text)
	}
	first, _ := strconv.Atoi(ref[1]) // digits only
	here := func(line string) string {
		return elements.ReplaceAllStringFunc(c.fill(line), func(ref string) string {
			n, _ := strconv.Atoi(ref[1:]) // digits only
			return fmt.Sprint("e", n+first-1)
		})
	}
	for _, example := range examples {
		for _, line := range before()[example] {
			c.must(t, here(line), tab)
		}
		line, spares := here(example), []string{}
		for _, name := range []string{"t1", "t2", "t3"} {
			if !slices.ContainsFunc(strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' }), func(word string) bool { return word == name }) {
				continue
			}
			spare := c.open(t)
			line = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(line, spare)
			spares = append(spares, spare)
		}
		at := tab
		if strings.Contains(line, "--tab ") || len(spares) > 0 && len(spec.Args) > 0 && spec.Args[0].Type == command.TabArg {
			at = ""
		}
		if !strings.Contains(line, "--timeout") {
			line += " --timeout " + map[bool]string{true: "1s", false: "60s"}[cannot()[example] == protocol.CodeTimeout]
		}
		answers = append(answers, w.run(t, line, at))
		for _, spare := range spares {
			c.web.run(t, "closetab", spare) // it may be closed already
		}
	}
	return answers
}

// compare runs all examples of a command over HTTP, and the first one by MCP and by the
// command line, too (with -short by one of them, by turns): one registry is behind all
// three, so that more would show the same.
func (c *crowd) compare(t *testing.T, spec command.Spec) {
	t.Helper()
	tab := c.open(t)
	done := func(examples []string, w way) []said {
		t.Helper()
		if again(spec.Name) {
			c.web.run(t, "closetab", tab) // it may be closed already
			tab = c.open(t)
		}
		answers := c.good(t, spec, examples, w, tab)
		for i, got := range answers {
			c.check(t, spec, examples[i], w, got)
		}
		return answers
	}
	byCLI := !testing.Short() || len(spec.Name)%2 == 0
	if !testing.Short() || !byCLI {
		done(spec.Examples[:1], c.tool)
	}
	web := done(spec.Examples, c.web)
	if byCLI {
		c.same(t, spec, done(spec.Examples[:1], c.byCLI)[0], web[0])
	}
	c.web.run(t, "closetab", tab)
}

// check checks the answer to an example.
func (c *crowd) check(t *testing.T, spec command.Spec, example string, w way, got said) {
	t.Helper()
	want := cannot()[example]
	switch {
	case c.users && (spec.Needs != "" || strings.HasPrefix(example, "perf --trace")):
		want = protocol.CodeRefused
	case c.bare && strings.HasPrefix(example, "webmcp add"):
		want = protocol.CodeBadArgument // pages offer tools where that is switched on
	case w.name != c.tool.name:
	case spec.Scope == protocol.ScopeAdmin, spec.Name == "signins": // for the user only
		want = protocol.CodeForbidden
	case spec.Name == "pick", spec.Name == "givetab":
		want = protocol.CodeRefused // only the user picks, and gives
	case strings.Contains(example, "--file"):
		want = protocol.CodeRefused // a program may not have the app read a file
	}
	if got.code != want {
		t.Errorf("%s by %s: %q, want %q: %s", example, w.name, got.code, want, got.text)
	}
	if got.code != "" && got.hint == "" || got.code == "" && strings.TrimSpace(got.text) == "" {
		t.Errorf("%s by %s: an answer that says nothing, or not what to do: %+v", example, w.name, got)
	}
}

// same checks that a command's data is the same by the command line and over HTTP.
func (c *crowd) same(t *testing.T, spec command.Spec, cli, web said) {
	t.Helper()
	// The data of perf is what the browser has measured so far. An action that had no effect
	// says so, which the page decides, and a dialog names the next one, also that of another
	// tab of its process.
	quiet := func(shape string) string {
		words := slices.DeleteFunc(strings.Fields(shape), func(word string) bool { return word == "nothing" || word == "next" })
		return strings.Join(words, " ")
	}
	if a, b := quiet(cli.shape), quiet(web.shape); a != b && spec.Name != "perf" {
		t.Errorf("%s: the data is %q and %q", spec.Examples[0], a, b)
	}
}

// wrongs are invalid lines for a command, with the error of each.
func wrongs(spec command.Spec) map[string]protocol.Code {
	const bad = protocol.CodeBadArgument
	good := spec.Examples[0]
	lines := map[string]protocol.Code{
		good + " --nosuchthing x":                              bad,
		good + " --timeout 11m":                                bad,
		good + " --timeout soon":                               bad,
		good + " --session nobody":                             protocol.CodeUnknownSession,
		good + " --session ../x":                               bad,
		good + " --tab nonsense":                               bad,
		spec.Name + "x " + strings.TrimPrefix(good, spec.Name): protocol.CodeUnknownCommand,
	}
	places, list := 0, false
	for i, a := range spec.Args {
		option := good + " --" + a.Name + " "
		if a.Required && !a.Flag {
			lines[spec.Name] = bad
		}
		if !a.Flag {
			places++
			list = list || a.Type == command.Lines || a.Type == command.Paths
		}
		switch {
		case a.Flag && a.Type == command.Integer:
			lines[option+"lots"], lines[option+"1.5"] = bad, bad
			if a.Min != 0 || a.Max != 0 {
				lines[option+fmt.Sprint(a.Max+1)], lines[option+fmt.Sprint(a.Min-1)] = bad, bad
			}
		case a.Flag && a.Type == command.Boolean:
			lines[good+" --"+a.Name+"=maybe"] = bad
		case a.Flag && a.Type == command.TabArg:
			lines[spec.Name+" --"+a.Name+" nonsense"], lines[spec.Name+" --"+a.Name+" t9999"] = bad, protocol.CodeUnknownTab
		case a.Flag && (a.Type == command.ClipArg || len(a.Choices) > 0):
			lines[option+"nonsense"] = bad
		case i == 0 && a.Type == command.TabArg:
			lines[spec.Name+" nonsense"], lines[spec.Name+" t9999"] = bad, protocol.CodeUnknownTab
			lines[spec.Name+" t1 --tab t9999"] = bad
		case i == 0 && len(a.Choices) > 0:
			lines[spec.Name+" nonsense"] = bad
		}
	}
	if !list {
		lines[spec.Name+strings.Repeat(" extra", places+1)] = bad
	}
	if len(spec.Args) == 0 || spec.Args[0].Name != "tab" {
		lines[good+" --tab t9999"] = protocol.CodeUnknownTab
	}
	return lines
}

// refuse runs invalid lines over HTTP and by MCP (with -short by one of them, by turns), and
// the first one by the command line, too: each gives the same error, with a hint.
func (c *crowd) refuse(t *testing.T, spec command.Spec) {
	t.Helper()
	lines := wrongs(spec)
	for i, line := range slices.Sorted(maps.Keys(lines)) {
		ways, want := []way{c.web, c.tool}, lines[line]
		if testing.Short() {
			ways = ways[i%2:][:1]
		}
		if i == 0 {
			ways = append(ways, c.byCLI)
		}
		for _, w := range ways {
			if spec.Scope == protocol.ScopeAdmin && w.name == c.tool.name && want != protocol.CodeUnknownCommand {
				continue // it is forbidden before it is read
			}
			if got := w.run(t, c.fill(line), ""); got.code != want || got.hint == "" {
				t.Errorf("%s by %s: %q, want %q; hint %q: %s", line, w.name, got.code, want, got.hint, got.text)
			}
		}
	}
}

// Every command of the registry runs with its declared examples and with invalid
// lines, in one real browser: over HTTP all of them, over MCP and on the command line
// enough to see that the three ways agree on the result, the error and the exit code.
// PILOTFISH_ONLY selects one command.
func TestEveryCommandEveryWay(t *testing.T) {
	r := install(t, "2m")
	c := newCrowd(t, r)
	// One process for all tabs of a lane: a process for each tab took most of the time, and with one
	// for all lanes a page that hangs, which is ended with its process, takes the others with it.
	program := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec /usr/bin/chromium --process-per-site \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	settings(t, r, fmt.Sprintf("browser_path = %q\n", program))
	r.run("tabs")
	c.e = r.endpoint()
	base := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(base.CloseIdleConnections)
	overHTTP := connect(t, &sdk.StreamableClientTransport{Endpoint: fmt.Sprintf("http://127.0.0.1:%d/mcp", c.e.Port), HTTPClient: &http.Client{Transport: bearer{c.e.Token, base}}})
	overStdio := connect(t, &sdk.CommandTransport{Command: r.command(context.Background(), "mcp")})
	only := os.Getenv("PILOTFISH_ONLY")
	if _, err := catalogue.Find(only); only != "" && err != nil {
		t.Fatal(err)
	}
	lanes := [4][]command.Spec{}
	for i, spec := range catalogue.Specs() {
		lane := 1 + i%(len(lanes)-1)
		if spec.Name == "windows" || only != "" && spec.Name != only {
			continue // it closes windows, with the tabs of other commands in them
		}
		if alone(spec.Name) {
			lane = 0
		}
		lanes[lane] = append(lanes[lane], spec)
	}
	windows, err := catalogue.Find("windows")
	if err != nil {
		t.Fatal(err)
	}
	c.byCLI, c.web, c.tool = way{"the command line", r.byCLI}, way{"HTTP", r.byHTTP(c.e)}, way{"MCP", byMCP(overStdio)}
	c.must(t, "rules allow sensitive '*'", "") // there is nobody to ask
	c.must(t, "goto HOST/", "t1")
	if only == "" || only == windows.Name {
		c.compare(t, windows)
		c.refuse(t, windows)
	}
	t.Run("all", func(t *testing.T) {
		for i, lane := range lanes {
			t.Run(fmt.Sprint("lane", i), func(t *testing.T) {
				t.Parallel()
				mine := *c
				mine.host = strings.Replace(c.host, "127.0.0.1", fmt.Sprintf("lane%d.localhost", i), 1)
				if i%2 == 1 {
					mine.tool = way{"MCP", byMCP(overHTTP)}
				}
				for _, spec := range lane {
					mine.compare(t, spec)
					mine.refuse(t, spec)
				}
			})
		}
	})
}

// everyCommand runs the examples of every command in the browser of a session that runs; the
// user and a program take turns. With -short every tenth command runs.
func (c *crowd) everyCommand(t *testing.T) {
	t.Helper()
	c.e = c.r.endpoint()
	c.byCLI, c.web = way{"the command line", c.r.byCLI}, way{"HTTP", c.r.byHTTP(c.e)}
	c.tool = way{"MCP", byMCP(connect(t, &sdk.CommandTransport{Command: c.r.command(context.Background(), "mcp")}))}
	c.must(t, "rules allow sensitive '*'", "") // there is nobody to ask
	only := os.Getenv("PILOTFISH_ONLY")
	for i, spec := range catalogue.Specs() {
		if spec.Name == "windows" || only != "" && spec.Name != only {
			continue // it closes the user's window
		}
		if only == "" && testing.Short() && i%10 != 0 {
			continue
		}
		w, tab := []way{c.web, c.tool}[i%3%2], c.open(t)
		for j, got := range c.good(t, spec, spec.Examples, w, tab) {
			c.check(t, spec, spec.Examples[j], w, got)
		}
		c.web.run(t, "closetab", tab) // it may be closed already
	}
}

// Every command runs in a browser that its user started, and can do there what it does elsewhere, or is on
// the list of what that browser cannot do.
func TestEveryCommandInTheUsersBrowser(t *testing.T) {
	chrome := attachtest.New(t, true, nil)
	chrome.Start("about:blank")
	r := install(t, "2m")
	settings(t, r, fmt.Sprintf("[sessions.default]\nbrowser = %q\n", chrome.Dir))
	c := newCrowd(t, r)
	c.users, c.bare = true, true
	started := make(chan error, 1)
	go func() {
		out, err := r.command(t.Context(), "sessions", "start").CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		started <- err
	}()
	chrome.Answer(attachtest.Allow())
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	c.everyCommand(t)
	if !chrome.Running() {
		t.Error("the user's browser has ended")
	}
}
