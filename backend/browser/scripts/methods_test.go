package scripts

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/protocol"
)

var update = flag.Bool("update", false, "write the golden list of methods again")

// protocolMethods returns every command of the protocol that cdproto knows.
func protocolMethods(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/chromedp/cdproto").Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	err = filepath.WalkDir(strings.TrimSpace(string(out)), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.ValueSpec)
			if !is || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Command") {
				return true
			}
			if text, is := spec.Values[0].(*ast.BasicLit); is {
				if name, err := strconv.Unquote(text.Value); err == nil && protocol.CDPMethod(name) {
					names = append(names, name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || len(names) < 500 {
		t.Fatalf("%d methods, %v", len(names), err)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// THREATS 66: every method of the protocol, and what becomes of it in each mode. A method that
// no list names is refused, also one that the protocol gets later.
func TestEveryMethod(t *testing.T) {
	full, read := allowed(false), allowed(true)
	known := protocolMethods(t)
	// Those that the protocol calls deprecated, and cdproto leaves out.
	known = append(known, "Network.emulateNetworkConditions", "Network.setUserAgentOverride", "Page.setDownloadBehavior",
		"Network.getAllCookies", "Network.setRequestInterception", "Page.getCookies", "Target.sendMessageToTarget")
	slices.Sort(known)
	what := func(m methods, name string) string {
		switch {
		case m.ignored[name]:
			return "ignored"
		case m.ours[name]:
			return "ours"
		case m.passes[name]:
			return "passes"
		}
		return "refused"
	}
	var b strings.Builder
	for _, name := range slices.Compact(known) {
		b.WriteString(name + " " + what(full, name) + " " + what(read, name) + "\n")
	}
	const golden = "testdata/methods.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != b.String() {
		t.Errorf("what becomes of the methods is not as in %s (%v): run the test with -update and look at the difference", golden, err)
	}
	// A name in a list that the protocol does not have is a mistake.
	for _, list := range []map[string]bool{full.passes, full.ours, full.ignored, read.ignored} {
		for name := range list {
			if !slices.Contains(known, name) {
				t.Errorf("the protocol has no method %s", name)
			}
		}
	}
	for _, domain := range []string{
		"Browser", "Storage", "SystemInfo", "Extensions", "Tracing", "DOMStorage", "IndexedDB", "CacheStorage", "FileSystem",
		"ServiceWorker", "Security", "WebAuthn", "Debugger", "HeapProfiler", "Memory", "Autofill", "PWA", "Tethering", "DeviceAccess",
	} {
		for _, name := range known {
			if strings.HasPrefix(name, domain+".") && (full.passes[name] || read.passes[name]) {
				t.Errorf("%s passes", name)
			}
		}
	}
	for name := range read.passes {
		if !full.passes[name] {
			t.Errorf("%s passes only for reading", name)
		}
	}
	for _, name := range []string{"Runtime.evaluate", "Runtime.callFunctionOn", "Runtime.getProperties", "Input.dispatchKeyEvent", "Page.navigate", "DOM.setFileInputFiles", "Page.addScriptToEvaluateOnNewDocument"} {
		if read.passes[name] {
			t.Errorf("%s passes where nothing may change", name)
		}
	}
}

// site refuses addresses with "evil" and cookies of "closed".
type site struct{ Rules }

func (site) Loads(address string, _ bool) error {
	if strings.Contains(address, "evil") {
		return refusal("a rule")
	}
	return nil
}

func (site) Cookies(page string) error {
	if strings.Contains(page, "closed") {
		return refusal("a rule")
	}
	return nil
}

// THREATS 66: what a method that passes is asked for is judged, and what passes on is what was
// judged.
func TestParametersAreJudged(t *testing.T) {
	for _, c := range []struct {
		method, params, page string
		want                 string // what is passed on; empty when it is refused
	}{
		{method: "Page.navigate", params: `{"url":"https://a.test/"}`, want: `{"url":"https://a.test/"}`},
		{method: "Page.navigate", params: `{"url":"https://evil.test/"}`},
		{method: "Page.navigate", params: `{"url":"https://a.test/","url":"https://evil.test/"}`},
		{method: "Page.navigate", params: `{"url":["https://evil.test/"]}`, want: `{"url":["https://evil.test/"]}`}, // the browser refuses it
		{method: "Page.createIsolatedWorld", params: `{"frameId":"F","grantUniveralAccess":true,"grantUniversalAccess":true}`, want: `{"frameId":"F"}`},
		{method: "Fetch.continueRequest", params: `{"requestId":"1"}`, want: `{"requestId":"1"}`},
		{method: "Fetch.continueRequest", params: `{"requestId":"1","url":"https://a.test/"}`},
		{method: "Input.dispatchDragEvent", params: `{"data":{"files":["/etc/passwd"]}}`},
		{method: "Input.dispatchDragEvent", params: `{"data":{"files":"/etc/passwd"}}`},
		{method: "Input.dispatchDragEvent", params: `{"data":{"items":[]}}`, want: `{"data":{"items":[]}}`},
		{method: "Network.getCookies", params: `{}`, page: "https://a.test/x", want: `{"urls":["https://a.test/x"]}`},
		{method: "Network.getCookies", params: `{"urls":["https://A.test/y"]}`, page: "https://a.test/x", want: `{"urls":["https://A.test/y"]}`},
		{method: "Network.getCookies", params: `{"urls":["https://a.test/","https://b.test/"]}`, page: "https://a.test/x"},
		{method: "Network.getCookies", params: `{"urls":"https://b.test/"}`, page: "https://a.test/x"},
		{method: "Network.getCookies", params: `{}`, page: "https://closed.test/"},
	} {
		p, err := decode(jsonv2.Value(c.params))
		if err == nil {
			err = judge(c.method, p, c.page, site{})
		}
		got := ""
		if err == nil {
			got = string(p.encode())
		}
		if got != c.want {
			t.Errorf("%s %s: %s, %v", c.method, c.params, got, err)
		}
	}
}

func TestFilter(t *testing.T) {
	for _, c := range []struct {
		filter string
		want   string
	}{
		{``, "page"},
		{`[{}]`, "tab page"},
		{`[{"type":"page","exclude":true},{}]`, "tab"},
		{`[{"type":"page"}]`, "page"},
		{`[{"type":"worker"}]`, ""},
	} {
		p := params{}
		if c.filter != "" {
			p["filter"] = jsonv2.Value(c.filter)
		}
		f, err := filterOf(p, true)
		var got []string
		for _, kind := range []string{"tab", "page"} {
			if f.admits(kind) {
				got = append(got, kind)
			}
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v", c.filter, got, err)
		}
	}
	if _, err := filterOf(params{"filter": jsonv2.Value(`7`)}, true); err == nil {
		t.Error("a filter that is none was read")
	}
}

// The connection gives the focus back to the panel after these, as after our own.
func TestGestures(t *testing.T) {
	press, is := gesture("Input.dispatchMouseEvent", jsonv2.Value(`{"type":"mousePressed","x":1.5,"y":2,"button":"left","new":1}`)).(input.DispatchMouseEventParams)
	if !is || press.Type != input.DispatchMouseEventTypeMousePressed {
		t.Errorf("%+v", press)
	}
	run, is := gesture("Runtime.evaluate", jsonv2.Value(`{"expression":"1","userGesture":true}`)).(runtime.EvaluateParams)
	if !is || run.UserGesture == nil || !*run.UserGesture {
		t.Errorf("%+v", run)
	}
	if got := gesture("Page.reload", nil); got != nil {
		t.Errorf("%+v", got)
	}
}
