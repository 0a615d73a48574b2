package scripts

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// errClosed ends the connection of a program that closes its browser. Nothing else is closed.
var errClosed = errors.New("the program closed its connection")

// message carries out a command of the program. Its error ends the connection.
func (c *client) message(ctx context.Context, text []byte) error {
	var m command
	read := jsonv2.Unmarshal(text, &m, chromedp.DefaultUnmarshalOptions) == nil
	if !read || m.ID == 0 || m.Method == "" {
		c.answer(&m, nil, &failure{codeRequest, "a message is an object with id, method and params"})
		return nil
	}
	c.mu.Lock()
	s := c.sessions[m.SessionID]
	c.mu.Unlock()
	if s == nil {
		c.answer(&m, nil, &failure{codeNoSession, "Session with given id not found."})
		return nil
	}
	p, err := decode(m.Params)
	switch {
	case err != nil:
		c.answer(&m, nil, failed(err))
	case c.can.ignored[m.Method]:
		c.answer(&m, ignoredResult(m.Method), nil)
	case m.Method == "Browser.close":
		c.answer(&m, nil, nil)
		return errClosed
	case s.page != nil && m.Method == "Runtime.runIfWaitingForDebugger" && (s.s == nil || s.s.Target == s.page.info.TargetID):
		// No page waits for the program, and one that waits for its rules must not run before.
		c.answer(&m, nil, nil)
	case s.s != nil && c.can.passes[m.Method]:
		c.pass(ctx, s, &m, p)
	case s.s != nil && m.Method == target.CommandSetAutoAttach:
		flat, only := jsonv2.Value("true"), jsonv2.Value(`[{"type":"iframe"},{"type":"worker"},{"exclude":true}]`)
		p["flatten"], p["filter"] = flat, only
		if c.terms.Read {
			p["waitForDebuggerOnStart"] = jsonv2.Value("false") // nothing is held up
		}
		c.relay(ctx, s, &m, p)
	case c.can.ours[m.Method]:
		// What asks the browser waits for its answer, and the next message does not.
		select {
		case c.busy <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		c.mu.Lock()
		c.afterwards(func(context.Context) { //nolint:contextcheck // it ends with the connection
			defer func() { <-c.busy }()
			ctx, cancel := context.WithTimeout(ctx, callTime)
			defer cancel()
			result, err := c.own(ctx, s, m.Method, p)
			c.answer(&m, result, failed(err))
		})
		c.mu.Unlock()
	default:
		c.refuse(s, &m, unknown(m.Method))
	}
	return nil
}

// ignoredResult is what a method that is not carried out returns, as the browser would.
func ignoredResult(method string) any {
	if method == "Page.addScriptToEvaluateOnNewDocument" {
		return map[string]string{"identifier": "0"}
	}
	return nil
}

// failed is the failure of an error; nil for none.
func failed(err error) *failure {
	if err == nil {
		return nil
	}
	if e, is := errors.AsType[*devtools.MethodError](err); is {
		return &failure{e.Code, e.Message}
	}
	if e, is := errors.AsType[refusal](err); is {
		return &failure{codeServer, "Pilotfish: " + string(e)}
	}
	return &failure{codeServer, "Pilotfish: " + protocol.AsError(err).Message}
}

// answer answers a command; with an empty object when there is no result.
func (c *client) answer(m *command, result any, failure *failure) {
	r := reply{ID: m.ID, SessionID: m.SessionID, Error: failure}
	raw, is := result.(jsonv2.Value)
	if failure == nil && is && len(raw) > 0 {
		r.Result = raw
	} else if failure == nil {
		r.Result = jsonv2.Value("{}")
		if text, err := jsonv2.Marshal(result, chromedp.DefaultMarshalOptions); err == nil && result != nil && !is {
			r.Result = text
		}
	}
	text, err := jsonv2.Marshal(r, chromedp.DefaultMarshalOptions)
	if err != nil {
		c.b.Log.Warn("an answer could not be passed on", "method", m.Method, "error", err)
		return
	}
	c.out.put(text)
}

// mostRefused is how many methods are recorded as refused for one connection, each once.
const mostRefused = 50

// refuse answers a command that is not allowed, and records it.
func (c *client) refuse(s *session, m *command, why error) {
	tab := protocol.TabID("")
	c.mu.Lock()
	known := c.refused[m.Method] || len(c.refused) >= mostRefused
	c.refused[m.Method] = true
	if s.page != nil {
		tab = s.page.tab
	}
	c.mu.Unlock()
	if !known {
		c.terms.Rules.Refused(tab, m.Method, why)
	}
	c.answer(m, nil, failed(why))
}

// pass lets a command through that is on the lists, once its parameters are judged.
func (c *client) pass(ctx context.Context, s *session, m *command, p params) {
	c.mu.Lock()
	shown, foreign := s.page.info.URL, strings.HasPrefix(m.Method, "IO.") && !c.streams[p.text("handle")]
	c.mu.Unlock()
	if !c.shows(shown) { // the rules may have changed since
		c.answer(m, nil, &failure{codeNoSession, "Session with given id not found."})
		return
	}
	err := judge(m.Method, p, shown, c.terms.Rules)
	if foreign { // it may be of another tab
		err = refusal("there is no such stream")
	}
	if err == nil {
		err = c.inContext(s, m.Method, p)
		if gone, is := errors.AsType[*devtools.MethodError](err); is { // as the browser would answer
			c.answer(m, nil, failed(gone))
			return
		}
	}
	if err != nil {
		c.refuse(s, m, err)
		return
	}
	if drives(m.Method) {
		c.terms.Rules.Acts(s.page.tab)
		c.wake(ctx, s.page)
	} else if m.Method == "Page.captureScreenshot" {
		c.wake(ctx, s.page)
	}
	switch m.Method {
	case "Page.navigate":
		c.terms.Rules.Navigates(s.page.tab, p.text("url"))
	case "Page.reload", "Page.navigateToHistoryEntry":
		c.terms.Rules.Navigates(s.page.tab, shown)
	}
	c.relay(ctx, s, m, p)
}

// inContext judges the contexts, objects and worlds of a command.
func (c *client) inContext(s *session, method string, p params) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch method {
	case "Page.createIsolatedWorld", "Page.addScriptToEvaluateOnNewDocument", "Runtime.addBinding":
		for _, name := range []string{"worldName", "executionContextName"} {
			if strings.HasPrefix(p.text(name), ourWorlds) {
				return refusal("a world of this name is Pilotfish's own")
			}
		}
		if method == "Page.createIsolatedWorld" || p["worldName"] != nil {
			c.worlds[p.text("worldName")] = true
		}
	case "Runtime.disable":
		clear(s.contexts)
	}
	return s.contexts.judge(method, p)
}

// relay passes a command on. What a page answers that is no longer shared is not passed back.
func (c *client) relay(ctx context.Context, s *session, m *command, p params) {
	raw := jsonv2.Value(nil)
	if len(m.Params) > 0 || len(p) > 0 {
		raw = p.encode()
	}
	err := s.s.Relay(ctx, m.Method, raw, gesture(m.Method, raw), func(result jsonv2.Value, err error) {
		c.mu.Lock()
		gone := c.sessions[s.id] != s
		if m.Method == "Page.printToPDF" && err == nil {
			var made struct {
				Stream string `json:"stream"`
			}
			if jsonv2.Unmarshal(result, &made, chromedp.DefaultUnmarshalOptions) == nil && made.Stream != "" {
				c.streams[made.Stream] = true
			}
		}
		c.mu.Unlock()
		if gone {
			c.answer(m, nil, &failure{codeNoSession, "Session with given id not found."})
			return
		}
		c.answer(m, result, failed(err))
	})
	if err != nil {
		c.answer(m, nil, failed(err))
	}
}

// own carries out a command that Pilotfish answers itself.
func (c *client) own(ctx context.Context, s *session, method string, p params) (any, error) {
	switch method {
	case "Browser.getVersion":
		var raw jsonv2.Value
		err := c.root.Call(ctx, method, nil, &raw)
		return raw, err
	case target.CommandSetDiscoverTargets:
		return nil, c.setDiscover(p)
	case target.CommandSetAutoAttach:
		return nil, c.setAttach(ctx, s, p)
	case target.CommandGetBrowserContexts:
		return map[string]any{"browserContextIds": []string{}}, nil
	case target.CommandGetTargets:
		f, err := filterOf(p, true)
		return map[string]any{"targetInfos": c.list(f)}, err
	case target.CommandGetTargetInfo:
		return c.info(s, p)
	case target.CommandAttachToBrowserTarget:
		c.mu.Lock()
		defer c.mu.Unlock()
		id := rand.Text()
		c.sessions[id] = &session{id: id}
		return map[string]string{"sessionId": id}, nil
	case target.CommandAttachToTarget:
		page, strip, err := c.find(p.text("targetId"))
		if err != nil {
			return nil, err
		}
		if strip {
			return map[string]string{"sessionId": c.attachStrip(page)}, nil
		}
		id, err := c.attachPage(ctx, page, s.id)
		return map[string]string{"sessionId": id}, err
	case target.CommandDetachFromTarget:
		c.mu.Lock()
		defer c.mu.Unlock()
		child := c.sessions[p.text("sessionId")]
		if child == nil || child.id == "" {
			return nil, refusal("there is no such session")
		}
		c.drop(child)   //nolint:contextcheck // what it ends may outlive ctx
		return nil, nil //nolint:nilnil // an answer without a result
	case target.CommandCreateTarget:
		return c.create(ctx, p)
	}
	// The others are about the page of the session, or about one that they name.
	page := s.page
	if page == nil || strings.HasPrefix(method, "Target.") {
		var err error
		if page, _, err = c.find(p.text("targetId")); err != nil {
			return nil, err
		}
	}
	if method == "Page.close" || method == target.CommandCloseTarget {
		return map[string]bool{"success": true}, c.b.Opener.CloseTab(ctx, page.tab)
	}
	return nil, c.b.Opener.ActivateTab(ctx, page.tab)
}

// filterOf returns the filter that a command gives, the usual one if it gives none, and nil
// unless on.
func filterOf(p params, on bool) (filter, error) {
	f := usual()
	if p["filter"] != nil {
		f = filter{}
		if err := jsonv2.Unmarshal(p["filter"], &f); err != nil {
			return nil, refusal("the filter cannot be read")
		}
	}
	if !on {
		return nil, nil
	}
	return f, nil
}

// setDiscover reports targets from now on, first those that there are.
func (c *client) setDiscover(p params) error {
	f, err := filterOf(p, p.flag("discover"))
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.discover = f
	for _, page := range c.pages {
		for _, info := range c.infos(page) {
			if f.admits(info.Type) {
				c.event("", target.TargetCreated.Method, map[string]any{"targetInfo": info})
			}
		}
	}
	return nil
}

// setAttach attaches the program to what there is in a target, and to what comes later: in
// the browser, its pages; in the target around a page, that page.
func (c *client) setAttach(ctx context.Context, s *session, p params) error {
	f, err := filterOf(p, p.flag("autoAttach"))
	if err != nil || s.page == nil && s.id != "" {
		return err // only one session of the browser attaches by itself
	}
	if s.page != nil {
		if f.admits("page") {
			_, err = c.attachPage(ctx, s.page, s.id)
		}
		return err
	}
	c.mu.Lock()
	c.attach = f
	pages := slices.Collect(maps.Values(c.pages))
	c.mu.Unlock()
	slices.SortFunc(pages, func(a, b *page) int {
		return cmp.Or(len(a.tab)-len(b.tab), strings.Compare(string(a.tab), string(b.tab)))
	})
	for _, page := range pages {
		if err := c.attachTo(ctx, page, f); err != nil && !errors.Is(err, devtools.ErrSessionEnded) {
			return err
		}
	}
	return nil
}

// list returns the targets that the program may know.
func (c *client) list(f filter) []target.Info {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := []target.Info{}
	for _, page := range c.pages {
		for _, info := range c.infos(page) {
			if f.admits(info.Type) {
				list = append(list, info)
			}
		}
	}
	return list
}

// info answers what a target is; without an id, that of the session.
func (c *client) info(s *session, p params) (any, error) {
	id := p.text("targetId")
	if id == "" && s.page == nil {
		return map[string]any{"targetInfo": target.Info{TargetID: "browser", Type: "browser", Attached: true}}, nil
	}
	page, strip := s.page, s.s == nil
	if id != "" {
		var err error
		if page, strip, err = c.find(id); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	infos := c.infos(page)
	if strip {
		return map[string]any{"targetInfo": infos[0]}, nil
	}
	return map[string]any{"targetInfo": infos[1]}, nil
}

// find returns the page that an id means, and whether it is that of the target around it.
func (c *client) find(id string) (_ *page, strip bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pages {
		if string(p.info.TargetID) == id || p.strip == id {
			return p, p.strip == id, nil
		}
	}
	return nil, false, &devtools.MethodError{Code: -32602, Message: "No target with given id found"}
}

// create opens a tab and shares it.
func (c *client) create(ctx context.Context, p params) (any, error) {
	if c.terms.Tab != "" {
		return nil, refusal("this address is for one tab, and opens no other")
	}
	if p.text("browserContextId") != "" && !c.usualContext(p.text("browserContextId")) {
		return nil, refusal("there is no such browser context")
	}
	address := p.text("url")
	if address != "" && address != "about:blank" {
		if err := c.terms.Rules.Loads(address, true); err != nil {
			return nil, err
		}
	}
	tab, err := c.b.Opener.NewTab(ctx, "", true)
	if err != nil {
		return nil, err
	}
	now, ok := c.b.Tabs.Lookup(tab)
	if !ok {
		return nil, devtools.ErrSessionEnded
	}
	c.share(ctx)
	if address != "" && address != "about:blank" {
		c.terms.Rules.Navigates(tab, address)
		s, err := c.b.Conn.Attach(ctx, now.Target)
		if err != nil {
			return nil, err
		}
		defer c.detach(context.WithoutCancel(ctx), s)
		if err := s.Call(ctx, "Page.navigate", map[string]string{"url": address}, nil); err != nil {
			return nil, err
		}
	}
	return map[string]any{"targetId": now.Target}, nil
}

// usualContext reports whether a page that the program sees is in a browser context.
func (c *client) usualContext(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pages {
		if string(p.info.BrowserContextID) == id {
			return true
		}
	}
	return false
}
