package gate

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
)

// Service and shared workers receive their rule once, as a list of blocked URLs,
// and Chromium enforces it, for redirects and imported scripts too. Their
// requests are not paused one by one: with Fetch enabled on a service worker,
// every page of its site waits a second before it loads, and on a busy machine
// for minutes (observed in Chromium 156).

// block gives a worker its rule. The worker's own host is exempt where allow
// permits it: what may be shown may send requests to its own server.
func block(ctx context.Context, s *devtools.Session, patterns []string, allow func(string, bool) error) error {
	if strings.HasPrefix(s.Address, "chrome-extension:") {
		return nil // the user's extensions, and our own
	}
	if err := devtools.Post(ctx, s, network.Enable, network.EnableParams{}); err != nil {
		return err
	}
	var rules []*network.BlockPattern
	if u, err := url.Parse(s.Address); err == nil && u.Host != "" && allow(s.Address, false) == nil {
		port := u.Port()
		rules = append(rules, &network.BlockPattern{URLPattern: "*://" + u.Hostname() + ":" + port + "/*"})
		if strings.Contains(u.Hostname(), ":") {
			rules[0].URLPattern = "*://[" + u.Hostname() + "]:" + port + "/*"
		}
	}
	for _, p := range patterns {
		for _, one := range spelledOut(p, allow) {
			rules = append(rules, &network.BlockPattern{URLPattern: one, Block: true})
		}
	}
	return devtools.Post(ctx, s, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: rules})
}

// spelledOut converts a pattern of Gate ("*" and "?") into URL patterns that
// match nothing that allow permits, judged by one sample address for each
// pattern. It leaves out file URLs, because no worker can load them.
func spelledOut(pattern string, allow func(string, bool) error) []string {
	scheme, rest, ok := strings.Cut(pattern, "://")
	if !ok {
		return nil
	}
	if before, after, found := strings.Cut(rest, "?"); found {
		var all []string
		for digit := '0'; digit <= '9'; digit++ {
			all = append(all, spelledOut(scheme+"://"+before+string(digit)+after, allow)...)
		}
		return all
	}
	host, path, hasPath := strings.Cut(rest, "/")
	if !hasPath {
		path = "*"
	}
	port := "*"
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host, port = host[:i], host[i+1:]
	}
	if strings.HasPrefix(host, "[") {
		return []string{scheme + "://[*]:" + port + "/" + path}
	}
	// "10.*" is the start of an IP address; the rest can be any numbers.
	if sample, isStart := strings.CutSuffix(host, ".*"); isStart && port == "*" {
		sample += strings.Repeat(".1", max(0, 3-strings.Count(sample, ".")))
		if allow("http://"+sample+"/", false) == nil {
			return nil
		}
	}
	return []string{scheme + "://" + host + ":" + port + "/" + path}
}

// workerGate enforces the rule on the service and shared workers of the whole
// browser. It is not possible to tell which tabs use a worker: an agent's page
// may use one at any time, and a worker that an agent's page started keeps
// running after the page is left.
type workerGate struct {
	// inherit takes over a page that a gated page opened; see Gates.inherit.
	inherit func(ctx context.Context, info *target.Info, s *devtools.Session) bool
	opening sync.Mutex // held while it is opened or its rule changes

	mu       sync.Mutex
	root     *devtools.Session
	inside   []*devtools.Session
	patterns []string
	allow    func(url string, document bool) error
}

// set opens the gate with the first rule; later it gives every worker the new
// rule.
func (g *workerGate) set(ctx context.Context, conn *devtools.Conn, patterns []string, allow func(string, bool) error) error {
	g.opening.Lock()
	defer g.opening.Unlock()
	g.mu.Lock()
	same := slices.Equal(g.patterns, patterns)
	g.patterns, g.allow = slices.Clone(patterns), allow
	root, inside := g.root, slices.Clone(g.inside)
	g.mu.Unlock()
	if root == nil {
		return g.open(ctx, conn)
	}
	if same {
		return nil
	}
	for _, s := range inside {
		if err := block(ctx, s, patterns, allow); err != nil && !s.Ended() {
			return err
		}
	}
	return nil
}

// open attaches to the existing and future workers. Each new worker is paused
// until it has its rule.
func (g *workerGate) open(ctx context.Context, conn *devtools.Conn) error {
	root, err := conn.AttachBrowser(ctx)
	if err != nil {
		return err
	}
	g.follow(root) //nolint:contextcheck // it lives as long as its session
	flat := true
	// The filter includes pages, although they have gates of their own: Chromium
	// 156 holds back each window that a script opens until it has been attached,
	// whatever the filter says, and the opener hangs meanwhile.
	_, err = cdp.Call(ctx, root, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat,
		Filter: target.Filter{{Type: "shared_worker"}, {Type: "service_worker"}, {Type: "page"}, {Exclude: true}},
	})
	if err != nil {
		_ = devtools.Post(ctx, conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: root.ID})
		return err
	}
	g.mu.Lock()
	g.root = root
	g.mu.Unlock()
	return nil
}

// follow handles the workers that are attached through a session, and their own
// workers, until the session ends.
func (g *workerGate) follow(s *devtools.Session) {
	events := s.Events(target.AttachedToTarget.Method)
	go func() {
		defer events.Cancel()
		ctx := context.Background() // the session's end closes the events
		for e := range events.C {
			v, ok := devtools.Decode(e, target.AttachedToTarget)
			if !ok {
				continue
			}
			child := s.Conn.Session(v.SessionID)
			switch {
			case child == nil: // it has ended already
			case v.TargetInfo != nil && v.TargetInfo.Type == "page":
				if !g.inherit(ctx, v.TargetInfo, child) {
					devtools.LetGo(ctx, child)
				}
			default:
				g.enter(ctx, child)
			}
		}
		g.mu.Lock()
		g.inside = slices.DeleteFunc(g.inside, func(o *devtools.Session) bool { return o == s })
		if g.root == s {
			g.root = nil
		}
		g.mu.Unlock()
	}()
}

func (g *workerGate) enter(ctx context.Context, s *devtools.Session) {
	g.mu.Lock()
	g.inside = append(g.inside, s)
	patterns, allow := g.patterns, g.allow
	g.mu.Unlock()
	g.follow(s) //nolint:contextcheck // it lives as long as its session
	flat := true
	// A session that ended loads nothing.
	_ = devtools.Post(ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat})
	_ = block(ctx, s, patterns, allow)
	devtools.Resume(ctx, s)
}
