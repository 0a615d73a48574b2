package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/browser/observe"
	"pilotfish/backend/protocol"
)

// followSite has a page whose script was made from a source.
func followSite(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Follow</title><link rel=icon href=data:,><script src=/app.js></script><script>console.log('loaded');</script>`)
	})
	mux.HandleFunc("/app.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, "function ask() { return fetch('/api?q=1'); }\n"+
			"function fails() { throw new TypeError('it broke'); }\n//# sourceMappingURL=app.js.map\n")
	})
	mux.HandleFunc("/app.js.map", func(w http.ResponseWriter, _ *http.Request) {
		// Line 1 of the script is line 7 of ask.ts, line 2 is line 1 of fails.ts.
		fmt.Fprint(w, `{"version":3,"file":"app.js","sources":["src/ask.ts","src/fails.ts"],"names":[],"mappings":"AAMA;ACNA"}`)
	})
	mux.HandleFunc("/api", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"name":"real"}`) })
	s := serve(t, mux)
	return s
}

// follower collects the items of a feed.
type follower[T any] struct {
	next func() (observe.Changes[T], error, bool)
	all  []T
	gaps int
}

// until reads until an item is there for which ok is true, and returns it.
func (f *follower[T]) until(t *testing.T, what string, ok func(T) bool) T {
	t.Helper()
	for {
		if at := slices.IndexFunc(f.all, ok); at >= 0 {
			return f.all[at]
		}
		c, err, more := f.next()
		if err != nil || !more {
			t.Fatalf("%s: %v, %v; there is %+v", what, err, more, f.all)
		}
		if c.Gap {
			f.gaps++
			f.all = nil
		}
		f.all = append(f.all, c.Items...)
	}
}

func TestFollowing(t *testing.T) {
	f, _, id := watching(t)
	s := followSite(t)
	ctx, cancel := context.WithCancel(deadline(t))
	defer cancel()
	requests, entries, faults := pulled(t, f.FollowNetwork(ctx, id, 0)), pulled(t, f.FollowConsole(ctx, id, 0)), pulled(t, f.FollowFaults(ctx, id))
	faults.until(t, "no faults", func(n observe.Faults) bool { return n == observe.Faults{} })
	if _, _, more := requests.next(); !more { // watched from here on
		t.Fatal("the feed ended")
	}
	if _, _, more := entries.next(); !more {
		t.Fatal("the feed ended")
	}
	f.open(t, id, s.URL+"/")
	document := requests.until(t, "the document", func(i protocol.NetworkItem) bool { return i.Entry.Type == "document" && i.Entry.Done })
	if document.Page != 1 || document.Size == 0 || document.Times == nil || document.Entry.RequestHeaders != nil || document.Times.Wait <= 0 {
		t.Errorf("the document: %+v", document)
	}
	moved := entries.until(t, "the navigation", func(i protocol.ConsoleItem) bool { return i.Navigated })
	loaded := entries.until(t, "a line", func(i protocol.ConsoleItem) bool { return i.Entry.Text == "loaded" })
	if loaded.Page != moved.Page || loaded.Page == 0 {
		t.Errorf("pages: %d of the navigation, %d of the line", moved.Page, loaded.Page)
	}

	f.script(t, id, `ask().then((r) => r.text())`)
	api := requests.until(t, "the answer", func(i protocol.NetworkItem) bool { return strings.Contains(i.Entry.URL, "/api") && i.Entry.Done })
	if api.Page != 1 || len(api.Stack) == 0 || api.Stack[0].Function != "ask" || !strings.HasSuffix(api.Stack[0].URL, "/app.js") {
		t.Errorf("the request: %+v", api)
	}
	f.script(t, id, `(setTimeout(fails), console.group('outer'), console.log('a', {list: [1, 2], get bad() { document.title = 'ran'; return 1; }}, new Map([['k', 1]])), console.groupEnd(), console.warn('careful'))`)
	thrown := entries.until(t, "the exception", func(i protocol.ConsoleItem) bool { return i.Entry.Source == "exception" })
	faults.until(t, "one error and one warning", func(n observe.Faults) bool { return n == observe.Faults{Errors: 1, Warnings: 1} })
	logged := entries.until(t, "what is in a group", func(i protocol.ConsoleItem) bool { return i.Group == 1 })
	if heading := entries.until(t, "the heading", func(i protocol.ConsoleItem) bool { return i.Begins != "" }); heading.Begins != "group" || heading.Group != 0 {
		t.Errorf("the heading: %+v", heading)
	}
	if len(logged.Args) != 3 || logged.Args[1].Handle == "" || logged.Args[0].Handle != "" || logged.Args[2].Text != `Map(1) {"k" → 1}` {
		t.Fatalf("the arguments: %+v", logged.Args)
	}
	parts, err := f.OpenValue(ctx, id, logged.Args[1].Handle, 0)
	if err != nil || len(parts.Parts) < 3 {
		t.Fatalf("the parts: %+v, %v", parts, err)
	}
	if p := parts.Parts; p[0].Name != "list" || p[0].Value.Handle == "" || !p[1].Accessor || !p[len(p)-1].Hidden || p[len(p)-1].Name != "[[Prototype]]" {
		t.Errorf("the parts: %+v", p)
	}
	if title := f.script(t, id, "document.title"); title != "Follow" {
		t.Errorf("reading a value ran code of the page: %s", title)
	}
	for _, tab := range []protocol.TabID{id, "t99"} {
		if _, err := f.OpenValue(ctx, tab, map[bool]string{true: "v0", false: logged.Args[1].Handle}[tab == id], 0); code(err) != protocol.CodeGone {
			t.Errorf("a value that is not there, or of another tab: %v", err)
		}
	}

	found, err := f.SourcesOf(ctx, id, []protocol.CodePlace{api.Stack[0], thrown.Stack[0]})
	if err != nil || len(found) != 2 || found[0].Source != s.URL+"/src/ask.ts" || found[0].SourceLine != 7 || found[1].Source != s.URL+"/src/fails.ts" || found[1].SourceLine != 1 {
		t.Errorf("the sources: %+v, %v", found, err)
	}
	if _, err := f.SourcesOf(ctx, id, []protocol.CodePlace{{URL: s.URL + "/other.js", Line: 1, Column: 1}}); code(err) != protocol.CodeBadArgument {
		t.Errorf("a script that no stack names: %v", err)
	}

	// What the user runs has parts, too; an exception is a result.
	ran, err := f.RunInPage(ctx, nobody, id, `const many = await Promise.resolve(Array.from({length: 1000}, (_, at) => at)); many`)
	if err != nil || ran.Threw || ran.Value.Handle == "" || ran.Value.Type != "array" {
		t.Fatalf("the result: %+v, %v", ran, err)
	}
	rest, err := f.OpenValue(ctx, id, ran.Value.Handle, 950)
	if err != nil || rest.Total != 1000 || rest.Parts[0].Name != "950" || rest.Parts[0].Value.Text != "950" || len(rest.Parts) != 50 {
		t.Errorf("the end of a long list: %+v, %v", rest, err)
	}
	if again, err := f.RunInPage(ctx, nobody, id, `many.length`); err != nil || again.Value.Text != "1000" {
		t.Errorf("a constant of an earlier script: %+v, %v", again, err)
	}
	if bad, err := f.RunInPage(ctx, nobody, id, "fails()"); err != nil || !bad.Threw || !strings.Contains(bad.Value.Text, "it broke") || len(bad.Stack) == 0 {
		t.Errorf("an exception: %+v, %v", bad, err)
	}
	if bad, err := f.RunInPage(ctx, nobody, id, "1 +"); err != nil || !bad.Threw || !strings.Contains(bad.Value.Text, "SyntaxError") {
		t.Errorf("no script: %+v, %v", bad, err)
	}

	// Clearing makes the followers begin anew.
	if err := f.ClearNetwork(ctx, id); err != nil {
		t.Fatal(err)
	}
	if err := f.ClearConsole(ctx, id); err != nil {
		t.Fatal(err)
	}
	f.script(t, id, `fetch('/api?later').then((r) => { console.log('later'); return r.text(); })`)
	requests.until(t, "a request after clear", func(i protocol.NetworkItem) bool { return strings.HasSuffix(i.Entry.URL, "later") && i.Entry.Done })
	entries.until(t, "a line after clear", func(i protocol.ConsoleItem) bool { return i.Entry.Text == "later" })
	if requests.gaps != 1 || entries.gaps != 1 || len(requests.all) > 3 || len(entries.all) != 1 {
		t.Errorf("after clear: %d and %d gaps, %+v, %+v", requests.gaps, entries.gaps, requests.all, entries.all)
	}

	// One who comes back gets what is new, and one who has it all gets nothing twice.
	last := entries.all[0]
	back := pulled(t, f.FollowConsole(ctx, id, 0))
	if c, err, _ := back.next(); err != nil || len(c.Items) != 1 || c.Items[0].Entry.N != last.Entry.N {
		t.Errorf("who comes anew gets %+v, %v", c, err)
	} else if c, err, _ := pulled(t, f.FollowConsole(ctx, id, c.Last)).next(); err != nil || len(c.Items) != 0 || c.Gap {
		t.Errorf("who has it all gets %+v, %v", c, err)
	}
	f.open(t, id, s.URL+"/?second")
	faults.until(t, "no faults after a navigation", func(n observe.Faults) bool { return n == observe.Faults{} })
	requests.until(t, "the second document", func(i protocol.NetworkItem) bool { return i.Page == 2 && i.Entry.Type == "document" })
}

// pulled reads a feed step by step.
func pulled[T any](t *testing.T, seq func(func(observe.Changes[T], error) bool)) *follower[T] {
	t.Helper()
	next, stop := iter.Pull2(iter.Seq2[observe.Changes[T], error](seq))
	t.Cleanup(stop)
	return &follower[T]{next: next}
}

// The rules and the emulated network of a tab are announced.
func TestOverridesAreAnnounced(t *testing.T) {
	f, _, id := watching(t)
	ctx := deadline(t)
	changed := f.OverridesChanged()
	if err := f.AddNetworkRule(ctx, id, protocol.NetworkRule{Pattern: "*/api*", Block: true}); err != nil {
		t.Fatal(err)
	}
	<-changed
	changed = f.OverridesChanged()
	if _, err := f.Emulate(ctx, nobody, id, func(e *protocol.Emulation) { e.Network = &protocol.EmulatedConditions{Name: "dsl", LatencyMS: 25} }); err != nil {
		t.Fatal(err)
	}
	<-changed
	if data, err := json.Marshal(f.Emulation(id)); err != nil || !strings.Contains(string(data), `"dsl"`) {
		t.Errorf("%s, %v", data, err)
	}
}
