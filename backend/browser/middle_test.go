package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// middlePage has a target for every command of the registry, and keeps changing,
// so that no command ends before the test interrupts it.
const middlePage = `<!doctype html><title>Middle</title><h1>Middle</h1><button id=b>Save</button><input id=i value=v><input id=c type=checkbox>
	<select id=s><option>Bonn<option>Berlin</select><input id=f type=file><div id=d draggable=true>drag</div><div id=e>here</div>
	<a href="/next">next</a><table><tr><th>A<tr><td>1</table><form action=/form><input name=q></form>
	<script>for (let n = 0; n < 300; n++) document.body.append(Object.assign(document.createElement('p'), { textContent: 'line ' + n })); setInterval(() => { e.textContent = Date.now() }, 20)</script>`

// middleArgs are arguments with which each command has something to do; commands
// that are not listed take none.
func middleArgs(url, file string) map[string][]map[string]any {
	target := func(id string) map[string]any { return map[string]any{"target": "#" + id} }
	and := func(args map[string]any, name, value string) map[string]any {
		args[name] = value
		return args
	}
	return map[string][]map[string]any{
		"goto": {{"url": url + "/slow"}}, "newtab": {{"url": url + "/slow"}},
		"click": {target("b")}, "dblclick": {target("b")}, "hover": {target("b")}, "focus": {target("i")},
		"fill": {and(target("i"), "value", "x")}, "type": {and(target("i"), "value", "a long text that takes many keys")}, "press": {{"key": "Enter", "target": "#b"}},
		"select": {and(target("s"), "value", "Berlin")}, "check": {target("c")}, "uncheck": {target("c")},
		"keydown": {{"key": "Shift a", "target": "#i"}}, "keyup": {nil}, "mouse": {{"action": "move", "target": "#b"}}, "tap": {target("b")},
		"swipe": {and(target("e"), "to", "#d")}, "pinch": {and(target("e"), "scale", "2")},
		"drag": {and(target("d"), "to", "#e")}, "upload": {and(target("f"), "files", file)}, "download": {target("b")},
		"wait": {{"for": "text", "value": "never"}, {"for": "function", "value": "new Promise(() => 0)"}, {"for": "quiet"}}, "dialog": {{"answer": "accept"}},
		"clipboard": {{"text": "x"}}, "find": {{"what": "line 299"}}, "screenshot": {nil, {"full": true}}, "responsive": {{"widths": "400"}}, "diff": {{"mark": true}},
		"eval": {{"expression": "new Promise(() => 0)"}}, "css": {{"element": "#b"}}, "inspect": {{"element": "#b"}}, "style": {{"element": "#b", "property": "color", "value": "red"}},
		"a11y": {nil, {"audit": true}}, "each": {{"command": "title"}}, "cookies": {nil, {"do": "set", "name": "a", "value": "b"}}, "storage": {nil, {"do": "set", "key": "a", "value": "b"}},
		"viewport": {{"size": "390x844"}, {"reset": true}}, "emulate": {{"scheme": "dark"}, {"reset": true}}, "useragent": {{"text": "x"}, {"reset": true}},
		"network": {nil, {"do": "har", "bodies": true}}, "watch": {{"kind": "text", "value": "never"}, {"kind": "console", "value": "never"}},
		"record": {{"do": "start"}, {"do": "stop"}}, "trace": {{"do": "start"}, {"do": "stop"}}, "chain": {{"commands": []string{"text", "snapshot", "links"}}},
		"webmcp": {nil, {"tool": "none"}}, "cdp": {{"method": "DOM.getDocument", "params": `{"depth":-1}`}}, "perf": {nil},
		"details": {{"element": "#b"}}, "edit": {{"element": "#b", "what": "style", "name": "color", "value": "red"}, {"history": true}}, "force": {{"element": "#b", "states": "hover"}},
	}
}

// middleLeft are commands that do not concern a page, or that close the tab.
var middleLeft = map[string]bool{"closetab": true, "windows": true, "groups": true, "rules": true, "run": true, "state": true, "permissions": true, "tab": true, "terminal": true}

// TestEveryCommandInTheMiddle runs every command of the registry and, while it
// runs, makes the tab navigate or its renderer crash. The command succeeds or
// returns an error code, in time; the tab can be used afterwards, and another tab
// is not affected.
func TestEveryCommandInTheMiddle(t *testing.T) {
	f := headless(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/slow", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>Slow</title><img src=/never>")
	})
	mux.HandleFunc("/other", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>Other</title>Middle")
	})
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, middlePage)
	})
	s := serve(t, mux)
	file := filepath.Join(t.TempDir(), "report.txt")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	registry := catalogue.New(catalogue.Config{Browser: f.Browser, Policy: policy.New(policy.Config{})})
	run := func(tab protocol.TabID, name string, args map[string]any, timeout time.Duration) protocol.CommandReply {
		raw := make(map[string]json.RawMessage)
		for k, v := range args {
			data, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			raw[k] = data
		}
		return registry.Execute(context.Background(), command.Call{
			Actor: protocol.Actor{Kind: protocol.ActorUser, ID: "test"}, Tab: tab,
			Scopes:  []protocol.Scope{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeSensitive, protocol.ScopeAdmin},
			Request: protocol.CommandRequest{Command: name, Args: raw, TimeoutMS: int(timeout.Milliseconds())},
		})
	}
	tab := f.first(t)
	other, err := f.NewTab(deadline(t), "", true)
	if err != nil {
		t.Fatal(err)
	}
	for id, path := range map[protocol.TabID]string{tab: "/", other: "/other"} {
		if _, err := f.Navigate(deadline(t), nobody, id, s.URL+path, protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
	}
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	// Each function returns once the event has happened, so that it
	// does not interrupt a later command.
	harms := map[string]func(*devtools.Session) error{
		"navigation": func(own *devtools.Session) error {
			_, err := cdp.Call(deadline(t), own, cdppage.Navigate, cdppage.NavigateParams{URL: s.URL + "/elsewhere"})
			return err
		},
		"crash": func(own *devtools.Session) error {
			events := own.Events(inspector.TargetCrashed.Method, cdppage.LifecycleEvent.Method)
			defer events.Cancel()
			_ = devtools.Post(t.Context(), own, cdppage.Enable, cdppage.EnableParams{})
			_ = devtools.Post(t.Context(), own, cdppage.SetLifecycleEventsEnabled, cdppage.SetLifecycleEventsEnabledParams{Enabled: true})
			if _, err := cdp.Call(deadline(t), own, inspector.Enable, cdp.Empty{}); err != nil {
				return err
			}
			limit, cancel := context.WithCancel(deadline(t))
			defer cancel()
			answers := make(chan error)
			crash := func() {
				_, err := cdp.Call(limit, own, cdppage.Crash, cdp.Empty{})
				select {
				case answers <- err:
				case <-limit.Done():
				}
			}
			go crash()
			for {
				select {
				case e := <-events.C:
					if e.Method == inspector.TargetCrashed.Method {
						return nil
					}
					go crash() // a page that was being replaced did not receive the command, so it is sent to the next one
				case err := <-answers:
					// The browser refuses the command while a navigation is
					// pending, and no event reports when that navigation is given
					// up.
					if err != nil && strings.Contains(err.Error(), "pending navigations") {
						go crash()
					}
				case <-limit.Done():
					return errors.New("the page did not crash")
				}
			}
		},
	}
	// comesBack reports whether the browser itself had crashed and has its tabs again. Seldom,
	// after a crash in the middle of pdf, it ends with SIGSEGV: a null pointer in its main
	// thread, by its own crash report. It is started again as a session does, once.
	restarted := false
	comesBack := func(reply protocol.CommandReply) bool {
		if restarted || reply.Error == nil || reply.Error.Code != protocol.CodeNotRunning {
			return false
		}
		restarted = true
		how := <-f.ended
		if code(how) != protocol.CodeCrashed {
			t.Fatalf("the browser ended with %v", how)
		}
		t.Log("Chromium itself has crashed:", how)
		f.update(func() { f.info = protocol.BrowserInfo{} })
		go func() { f.ended <- f.Run(f.ctx) }()
		f.started(t)
		if r, err = f.running(); err != nil {
			t.Fatal(err)
		}
		if reply := run(other, "wait", map[string]any{"for": "text", "value": "Middle"}, 20*time.Second); !reply.OK {
			t.Fatalf("the other tab came back without its page: %s", reply.Text)
		}
		return true
	}
	all := middleArgs(s.URL, file)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	interrupted := 0
	for _, spec := range catalogue.Specs() {
		if middleLeft[spec.Name] {
			continue
		}
		cases := all[spec.Name]
		if len(cases) == 0 {
			cases = []map[string]any{nil}
		}
		for _, args := range cases {
			for i, what := range []string{"navigation", "crash"} {
				if testing.Short() && i != interrupted%2 {
					continue // the commands take turns; make test-all does both with each
				}
				harm := harms[what]
				at, _ := f.Browser.tabs.Lookup(tab)
				own, detach, err := r.own(deadline(t), at.Target)
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				const given = time.Second
				done := make(chan protocol.CommandReply, 1)
				go func() { done <- run(tab, spec.Name, args, given) }()
				inQueue := func() bool { return f.queue.Busy(tab) }
				// Not every command takes a turn, and no event says that one has.
				for len(done) == 0 && !inQueue() && time.Since(began) < given/4 {
					<-tick.C
				}
				err = harm(own)
				detach() // discards what the page has not handled yet
				if err != nil {
					t.Fatalf("%s %v in a %s: %v", spec.Name, args, what, err)
				}
				var reply protocol.CommandReply
				select {
				case reply = <-done:
				case <-deadline(t).Done():
					t.Fatalf("%s %v in a %s never answered", spec.Name, args, what)
				}
				if !reply.OK && (reply.Error == nil || reply.Error.Code == "" || reply.Error.Code == protocol.CodeInternal || reply.Error.Message == "") {
					t.Errorf("%s %v in a %s: %+v", spec.Name, args, what, reply.Error)
				}
				if !reply.OK && reply.Error != nil && (reply.Error.Code == protocol.CodeBadArgument || reply.Error.Code == protocol.CodeUnknownCommand) && !strings.Contains(reply.Text, "no recording") && !strings.Contains(reply.Text, "trace") && spec.Name != "webmcp" {
					t.Errorf("%s %v tests nothing: %s", spec.Name, args, reply.Text)
				}
				for _, opened := range f.Tabs() {
					if opened.ID != tab && opened.ID != other {
						_ = f.CloseTab(deadline(t), opened.ID)
					}
				}
				again := map[string]any{"url": s.URL + "/again", "wait": "dom"}
				reply = run(tab, "goto", again, 20*time.Second)
				if comesBack(reply) {
					reply = run(tab, "goto", again, 20*time.Second)
				}
				if !reply.OK {
					t.Fatalf("after %s %v in a %s the tab is at an end: %s", spec.Name, args, what, reply.Text)
				}
				if reply := run(tab, "text", nil, 20*time.Second); !reply.OK || !strings.Contains(reply.Text, "Middle") {
					t.Fatalf("after %s %v in a %s the tab says %s", spec.Name, args, what, reply.Text)
				}
				if reply := run(other, "text", map[string]any{"max": 40}, 20*time.Second); !reply.OK || !strings.Contains(reply.Text, "Middle") {
					t.Errorf("%s %v in a %s touched another tab: %s", spec.Name, args, what, reply.Text)
				}
			}
			interrupted++
		}
	}
}
