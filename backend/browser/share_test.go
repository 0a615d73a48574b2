package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/scripts"
	"pilotfish/backend/protocol"
)

// program speaks the DevTools protocol with shared tabs, as a script would.
type program struct {
	in, out chan []byte
	ended   chan error
	stop    context.CancelFunc

	next   int
	events []talk
}

// talk is a message that a program gets.
type talk struct {
	ID        int
	SessionID string
	Method    string
	Params    struct {
		SessionID  string
		TargetID   string
		TargetInfo struct{ TargetID, Type, URL string }
	}
	Result json.RawMessage
	Error  *struct{ Message string }
}

func (p *program) Read(ctx context.Context) ([]byte, error) {
	select {
	case text := <-p.out:
		return text, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *program) Write(ctx context.Context, text []byte) error {
	select {
	case p.in <- slices.Clone(text):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// shows are rules under which nothing of a forbidden server is seen or loaded.
type shows struct {
	*forbidden

	mu    sync.Mutex
	noted []string
}

func (s *shows) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noted = append(s.noted, what)
}

func (s *shows) has(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.noted, what)
}

func (s *shows) Shows(address string) error {
	if strings.HasPrefix(address, "chrome") {
		return errors.New("a page of the browser")
	}
	return s.allow(address, true)
}
func (s *shows) Loads(address string, document bool) error  { return s.allow(address, document) }
func (*shows) Cookies(string) error                         { return nil }
func (*shows) Address(string, netip.Addr) error             { return nil }
func (s *shows) Patterns() []string                         { return s.patterns() }
func (*shows) Saver(protocol.TabID) protocol.Saver          { return nil }
func (s *shows) Acts(tab protocol.TabID)                    { s.note("acts " + string(tab)) }
func (s *shows) Navigates(_ protocol.TabID, address string) { s.note("opens " + address) }
func (s *shows) Refused(_ protocol.TabID, method string, _ error) {
	s.note("refused " + method)
}

// connect connects a program, which leaves at the end of the test.
func (f *fixture) connect(t *testing.T, terms scripts.Terms) *program {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	p := &program{in: make(chan []byte, 1024), out: make(chan []byte), ended: make(chan error, 1), stop: stop}
	go func() { p.ended <- f.Share(ctx, p, terms) }()
	t.Cleanup(p.leave)
	return p
}

// leave ends the connection, and returns when it has ended.
func (p *program) leave() {
	p.stop()
	if err, first := <-p.ended; first {
		close(p.ended)
		_ = err
	}
}

// read reads the next message; events are kept.
func (p *program) read(t *testing.T) talk {
	t.Helper()
	select {
	case text := <-p.in:
		var m talk
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if m.ID == 0 {
			p.events = append(p.events, m)
		}
		return m
	case <-deadline(t).Done():
		t.Fatal("no message came")
		return talk{}
	}
}

// ask sends a command, and returns its answer.
func (p *program) ask(t *testing.T, session, method, params string) talk {
	t.Helper()
	p.next++
	text := fmt.Sprintf(`{"id":%d,"sessionId":%q,"method":%q,"params":%s}`, p.next, session, method, params)
	if session == "" {
		text = fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`, p.next, method, params)
	}
	select {
	case p.out <- []byte(text):
	case err := <-p.ended:
		t.Fatalf("the connection ended: %v", err)
	}
	for {
		if m := p.read(t); m.ID == p.next {
			return m
		}
	}
}

// must is ask for what is answered.
func (p *program) must(t *testing.T, session, method, params string) string {
	t.Helper()
	m := p.ask(t, session, method, params)
	if m.Error != nil {
		t.Fatalf("%s: %s", method, m.Error.Message)
	}
	return string(m.Result)
}

// mustNot is ask for what is refused, with words of the reason.
func (p *program) mustNot(t *testing.T, session, method, params, why string) {
	t.Helper()
	m := p.ask(t, session, method, params)
	if m.Error == nil || !strings.Contains(m.Error.Message, why) {
		t.Errorf("%s %s: %s, %+v", method, params, m.Result, m.Error)
	}
}

// event waits for an event, also one that has come before, and removes it.
func (p *program) event(t *testing.T, method string, is func(talk) bool) talk {
	t.Helper()
	for {
		for i, m := range p.events {
			if m.Method == method && is(m) {
				p.events = slices.Delete(p.events, i, i+1)
				return m
			}
		}
		p.read(t)
	}
}

// attach attaches to the pages, as Playwright does.
func (p *program) attach(t *testing.T) talk {
	t.Helper()
	p.must(t, "", "Target.setDiscoverTargets", `{"discover":true}`)
	p.must(t, "", "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`)
	return p.event(t, "Target.attachedToTarget", func(talk) bool { return true })
}

func evaluates(expression string) string {
	return fmt.Sprintf(`{"expression":%q,"awaitPromise":true,"returnByValue":true}`, expression)
}

// THREATS 66: a program sees and reaches the tab that is shared with it, and what that opens,
// and nothing else of the browser; under the rules, which end with it.
func TestShareOfOneTab(t *testing.T) {
	f, bad := headless(t), newForbidden(t)
	url := pages(t, map[string]string{"/": `<title>Mine</title><button>b</button>`, "/pop": `<title>Pop</title>`, "/other": `<title>Other</title>`})
	ctx, mine := deadline(t), f.first(t)
	other, err := f.NewTab(ctx, "", true)
	if err != nil {
		t.Fatal(err)
	}
	for tab, path := range map[protocol.TabID]string{mine: "/", other: "/other"} {
		if _, err := f.Navigate(ctx, nobody, tab, url+path, protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
	}
	entry, _ := f.Browser.tabs.Lookup(other)
	hidden := string(entry.Target)
	rules := &shows{forbidden: bad}
	p := f.connect(t, scripts.Terms{Tab: mine, Rules: rules})
	first := p.attach(t)
	s, page := first.Params.SessionID, first.Params.TargetInfo.TargetID
	if got := p.must(t, "", "Target.getTargets", `{}`); strings.Count(got, "targetId") != 1 || !strings.Contains(got, page) {
		t.Errorf("the program sees %s", got)
	}

	// The browser and other targets.
	p.mustNot(t, "", "Target.attachToTarget", `{"targetId":"`+hidden+`","flatten":true}`, "No target")
	p.mustNot(t, "", "Target.getTargetInfo", `{"targetId":"`+hidden+`"}`, "No target")
	p.mustNot(t, "", "Target.closeTarget", `{"targetId":"`+hidden+`"}`, "No target")
	p.mustNot(t, s, "Target.activateTarget", `{"targetId":"`+hidden+`"}`, "No target")
	p.mustNot(t, "", "Target.createTarget", `{"url":"about:blank"}`, "one tab")
	p.mustNot(t, "", "Target.createBrowserContext", `{}`, "not allowed")
	p.mustNot(t, "", "Page.enable", `{}`, "not allowed") // on no session
	p.mustNot(t, "of nobody", "Page.enable", `{}`, "not found")
	p.mustNot(t, s, "Storage.getCookies", `{}`, "not allowed")
	p.mustNot(t, s, "Browser.getWindowForTarget", `{}`, "not allowed")
	p.mustNot(t, s, "DOM.setFileInputFiles", `{"files":["/etc/passwd"]}`, "not allowed")
	p.mustNot(t, s, "IO.read", `{"handle":"1"}`, "no such stream")
	p.must(t, "", "Browser.setDownloadBehavior", `{"behavior":"allow","downloadPath":"/"}`)
	if !rules.has("refused Storage.getCookies") {
		t.Errorf("recorded is %q", rules.noted)
	}

	// The page itself.
	if got := p.must(t, s, "Runtime.evaluate", evaluates("location.pathname + 1")); !strings.Contains(got, "/1") {
		t.Error(got)
	}
	p.must(t, s, "Page.enable", `{}`)
	p.must(t, s, "Page.navigate", `{"url":"`+url+`/?again"}`)
	p.event(t, "Page.frameNavigated", func(talk) bool { return true })
	p.event(t, "Page.loadEventFired", func(talk) bool { return true })
	if !rules.has("opens "+url+"/?again") || !rules.has("acts "+string(mine)) {
		t.Errorf("recorded is %q", rules.noted)
	}
	if got := p.must(t, s, "Page.printToPDF", `{"transferMode":"ReturnAsStream"}`); got != "" {
		var made struct{ Stream string }
		if err := json.Unmarshal([]byte(got), &made); err != nil {
			t.Fatal(err)
		}
		if got := p.must(t, s, "IO.read", fmt.Sprintf(`{"handle":%q,"size":16}`, made.Stream)); !strings.Contains(got, "data") {
			t.Error(got)
		}
	}

	// What the rules refuse is not loaded, also where the program would answer it itself.
	p.mustNot(t, s, "Page.navigate", `{"url":"`+bad.URL+`/top"}`, "refused")
	p.must(t, s, "Runtime.evaluate", evaluates("fetch('"+bad.URL+"/fetched', {mode: 'no-cors'}).catch(() => 0)"))
	p.must(t, s, "Fetch.enable", `{"patterns":[{"urlPattern":"*fetched*"}]}`)
	p.must(t, s, "Runtime.evaluate", evaluates("fetch('"+bad.URL+"/fetched', {mode: 'no-cors'}).catch(() => 0)"))
	p.must(t, s, "Fetch.disable", `{}`)
	if bad.hit("/top") || bad.hit("/fetched") || slices.ContainsFunc(p.events, func(m talk) bool { return m.Method == "Fetch.requestPaused" }) {
		t.Error("a refused address was loaded or could be answered")
	}

	// A tab that it opens is shared as well; what happens in another one is not reported.
	p.must(t, s, "Runtime.evaluate", `{"expression":"void open('/pop')","userGesture":true}`)
	pop := p.event(t, "Target.attachedToTarget", func(m talk) bool { return m.Params.TargetInfo.Type == "page" && m.Params.TargetInfo.TargetID != page })
	if _, err := f.Navigate(ctx, nobody, other, url+"/other?now", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	p.must(t, "", "Target.closeTarget", `{"targetId":"`+pop.Params.TargetInfo.TargetID+`"}`)
	p.event(t, "Target.targetDestroyed", func(m talk) bool { return m.Params.TargetID == pop.Params.TargetInfo.TargetID })
	if slices.ContainsFunc(p.events, func(m talk) bool { return m.Params.TargetID == hidden || m.Params.TargetInfo.TargetID == hidden }) {
		t.Error("an event is about a tab that is not shared")
	}

	// With the program, its rules end.
	p.leave()
	if _, err := f.Navigate(ctx, nobody, mine, bad.URL+"/free", protocol.WaitLoad, nil); err != nil || !bad.hit("/free") {
		t.Errorf("the tab is not free: %v", err)
	}
	r, _ := f.running()
	if n := r.gates.Count(); n != 0 {
		t.Errorf("%d gates are left", n)
	}
	// On such a page the tab is not shared.
	p = f.connect(t, scripts.Terms{Tab: mine, Rules: rules})
	if got := p.must(t, "", "Target.getTargets", `{}`); strings.Contains(got, page) {
		t.Errorf("a page that must not be seen: %s", got)
	}
}

// THREATS 66: at an address that only reads, nothing changes.
func TestShareToRead(t *testing.T) {
	f := headless(t)
	url := pages(t, map[string]string{"/": `<title>Mine</title><p id=p>text</p>`, "/next": `<title>Next</title>`})
	ctx, mine := deadline(t), f.first(t)
	if _, err := f.Navigate(ctx, nobody, mine, url+"/", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	p := f.connect(t, scripts.Terms{Read: true, Rules: &shows{forbidden: newForbidden(t)}})
	first := p.attach(t)
	s := first.Params.SessionID
	for method, params := range map[string]string{
		"Runtime.evaluate": evaluates("document.title = 'x'"), "Page.navigate": `{"url":"` + url + `/next"}`, "Page.reload": `{}`,
		"Input.insertText": `{"text":"x"}`, "Fetch.enable": `{}`, "Page.close": `{}`, "Network.getCookies": `{}`, "Page.setDocumentContent": `{}`,
		"Target.closeTarget": `{"targetId":"` + first.Params.TargetInfo.TargetID + `"}`, "Target.createTarget": `{"url":"about:blank"}`,
	} {
		p.mustNot(t, s, method, params, "not allowed")
	}
	if got := p.must(t, s, "DOM.getDocument", `{"depth":-1}`); !strings.Contains(got, "text") {
		t.Error(got)
	}
	if got := p.must(t, s, "Page.captureScreenshot", `{}`); len(got) < 100 {
		t.Error(got)
	}
	// The user goes on; the program follows.
	p.must(t, s, "Page.enable", `{}`)
	if _, err := f.Navigate(ctx, nobody, mine, url+"/next", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	p.event(t, "Page.frameNavigated", func(talk) bool { return true })
	// What a page that is not shown answers does not reach it.
	if _, err := f.Navigate(ctx, nobody, mine, "chrome://version/", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	p.event(t, "Target.detachedFromTarget", func(m talk) bool { return m.Params.SessionID == s })
	p.mustNot(t, s, "DOM.getDocument", `{}`, "not found")
}

// Without a tab, the address is for all of the session, also those that come later; Puppeteer
// asks for the targets around pages.
func TestShareOfAllTabs(t *testing.T) {
	for _, headless := range modes(t) {
		t.Run(fmt.Sprintf("headless=%t", headless), func(t *testing.T) { shareOfAllTabs(t, share(t, headless)) })
	}
}

// contexts checks that of the contexts of the first tab the program has those of the page.
func (f *fixture) contexts(t *testing.T, p *program, session string) {
	t.Helper()
	p.must(t, session, "Runtime.enable", `{}`)
	p.mustNot(t, session, "Page.addScriptToEvaluateOnNewDocument", `{"source":"1","worldName":"pilotfish-page"}`, "Pilotfish's own")
	if got := p.must(t, session, "Runtime.evaluate", `{"expression":"document.body"}`); strings.Contains(got, "objectId") {
		var made struct{ Result struct{ ObjectID string } }
		if err := json.Unmarshal([]byte(got), &made); err != nil {
			t.Fatal(err)
		}
		p.must(t, session, "Runtime.callFunctionOn", fmt.Sprintf(`{"functionDeclaration":"function() {}","objectId":%q}`, made.Result.ObjectID))
	} else {
		t.Error(got)
	}
	if _, err := f.Snapshot(deadline(t), nobody, f.first(t), protocol.SnapshotRequest{}, nil); err != nil { // it makes our world
		t.Fatal(err)
	}
	r, _ := f.running()
	entry, _ := f.Browser.tabs.Lookup(f.first(t))
	s, err := r.conn.Attach(deadline(t), entry.Target)
	if err != nil {
		t.Fatal(err)
	}
	events := s.Events(runtime.ExecutionContextCreated.Method)
	if err := s.Call(deadline(t), runtime.CommandEnable, nil, nil); err != nil {
		t.Fatal(err)
	}
	events.Cancel()
	tried := 0
	for e := range events.C {
		v, ok := devtools.Decode(e, runtime.ExecutionContextCreated)
		if !ok || strings.Contains(string(v.Context.AuxData), `"isDefault":true`) {
			continue
		}
		tried++
		p.mustNot(t, session, "Runtime.evaluate", fmt.Sprintf(`{"expression":"1","contextId":%d}`, v.Context.ID), "Cannot find context")
		p.mustNot(t, session, "Runtime.evaluate", fmt.Sprintf(`{"expression":"1","uniqueContextId":%q}`, v.Context.UniqueID), "Cannot find context")
	}
	if tried == 0 {
		t.Error("the page has no context but its own")
	}
	_ = devtools.Post(deadline(t), r.conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID})
}

func shareOfAllTabs(t *testing.T, f *fixture) {
	t.Helper()
	if _, err := f.Navigate(deadline(t), nobody, f.first(t), pages(t, map[string]string{"/": `<p>one`})+"/", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	p := f.connect(t, scripts.Terms{Rules: &shows{forbidden: newForbidden(t)}})
	p.must(t, "", "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":[{"type":"page","exclude":true},{}]}`)
	strip := p.event(t, "Target.attachedToTarget", func(m talk) bool { return m.Params.TargetInfo.Type == "tab" })
	p.must(t, strip.Params.SessionID, "Target.setAutoAttach", `{"autoAttach":true,"flatten":true,"filter":[{}]}`)
	inside := p.event(t, "Target.attachedToTarget", func(m talk) bool { return m.SessionID == strip.Params.SessionID })
	if inside.Params.TargetInfo.Type != "page" {
		t.Errorf("%+v", inside)
	}
	// Neither the panel nor the worker is there.
	if got := p.must(t, "", "Target.getTargets", `{"filter":[{}]}`); strings.Count(got, "targetId") != 2 || strings.Contains(got, "chrome-extension") {
		t.Errorf("the program sees %s", got)
	}
	f.contexts(t, p, inside.Params.SessionID)
	var made struct{ TargetID string }
	if err := json.Unmarshal([]byte(p.must(t, "", "Target.createTarget", `{"url":"data:text/html,<title>New</title>"}`)), &made); err != nil {
		t.Fatal(err)
	}
	browser := p.must(t, "", "Target.attachToBrowserTarget", `{}`)
	var alias struct{ SessionID string }
	if err := json.Unmarshal([]byte(browser), &alias); err != nil {
		t.Fatal(err)
	}
	p.must(t, alias.SessionID, "Target.attachToTarget", `{"targetId":"`+made.TargetID+`","flatten":true}`)
	s := p.event(t, "Target.attachedToTarget", func(m talk) bool { return m.SessionID == alias.SessionID }).Params.SessionID
	if got := p.must(t, s, "Runtime.evaluate", evaluates("location.protocol")); !strings.Contains(got, "data:") {
		t.Error(got)
	}
	p.must(t, "", "Target.detachFromTarget", `{"sessionId":"`+s+`"}`)
	p.mustNot(t, s, "Runtime.evaluate", evaluates("1"), "not found")
	p.must(t, "", "Target.closeTarget", `{"targetId":"`+made.TargetID+`"}`)
	p.out <- []byte(`{"id":999,"method":"Browser.close"}`)
	if err := <-p.ended; err == nil {
		t.Error("the connection goes on")
	}
	close(p.ended)
	if len(f.Tabs()) != 1 {
		t.Errorf("%d tabs", len(f.Tabs()))
	}
}
