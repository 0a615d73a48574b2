package gate

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// answerTime is how long an answer may wait for the browser's report of where it
// came from. The report comes with the answer; only one that has none waits.
const answerTime = 5 * time.Second

// nearby is an address of each kind of network that the browser tells apart.
// It says no more of an answer that is held.
var nearby = map[network.IPAddressSpace]netip.Addr{
	network.IPAddressSpaceLoopback: netip.AddrFrom4([4]byte{127, 0, 0, 1}),
	network.IPAddressSpaceLocal:    netip.AddrFrom4([4]byte{192, 168, 0, 1}),
}

// answers are the documents of one session whose answer is held until the
// browser reports from which network it came. The two come in any order.
type answers struct {
	mu     sync.Mutex
	spaces map[network.RequestID]network.IPAddressSpace
	held   map[network.RequestID]*fetch.EventRequestPaused
}

func newAnswers() *answers {
	return &answers{spaces: make(map[network.RequestID]network.IPAddressSpace), held: make(map[network.RequestID]*fetch.EventRequestPaused)}
}

// expect notes that the answer to a request will be held.
func (a *answers) expect(id network.RequestID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spaces[id] = ""
}

// hold keeps an answer; it returns the network that it came from if that is known.
func (a *answers) hold(v *fetch.EventRequestPaused) (space network.IPAddressSpace, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if space := a.spaces[v.NetworkID]; space != "" {
		delete(a.spaces, v.NetworkID)
		return space, true
	}
	a.held[v.NetworkID] = v
	return "", false
}

// report notes where an answer came from; it returns the answer if it is held.
// That of a redirect has the same id as the answer that follows, and may come
// after the request for it: it counts for nothing.
func (a *answers) report(r *network.EventResponseReceivedExtraInfo) *fetch.EventRequestPaused {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, expected := a.spaces[r.RequestID]; !expected || r.StatusCode/100 == 3 && r.StatusCode != 304 {
		return nil
	}
	v := a.held[r.RequestID]
	if v == nil {
		a.spaces[r.RequestID] = r.ResourceIPAddressSpace
		return nil
	}
	delete(a.held, r.RequestID)
	delete(a.spaces, r.RequestID)
	return v
}

// giveUp returns an answer that is still held.
func (a *answers) giveUp(v *fetch.EventRequestPaused) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held[v.NetworkID] != v {
		return false
	}
	delete(a.held, v.NetworkID)
	delete(a.spaces, v.NetworkID)
	return true
}

// forget drops what is known of a request whose answer is not held.
func (a *answers) forget(id network.RequestID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.spaces, id)
}

// expects reports whether the answer to a request waits for its network.
func (a *answers) expects(id network.RequestID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, expected := a.spaces[id]
	return expected
}

// send lets a request through. The answer to a document is held where it may be a
// file that is saved, and where its name could lead elsewhere by now: with https
// the certificate says who answers.
func (g *gate) send(ctx context.Context, s *devtools.Session, a *answers, v *fetch.EventRequestPaused) {
	params := fetch.ContinueRequestParams{RequestID: v.RequestID}
	held := true
	if g.mayBeSaved(v) {
		params.InterceptResponse = &held
	}
	if v.ResourceType == network.ResourceTypeDocument && v.NetworkID != "" && strings.HasPrefix(v.Request.URL, "http:") && nameOf(v.Request.URL) != "" {
		a.expect(v.NetworkID)
		params.InterceptResponse = &held
		// A kept answer comes from no network.
		for name, value := range v.Request.Headers {
			if text, ok := value.(string); ok {
				params.Headers = append(params.Headers, &fetch.HeaderEntry{Name: name, Value: text})
			}
		}
		params.Headers = append(params.Headers, &fetch.HeaderEntry{Name: "Cache-Control", Value: "no-cache"})
	}
	_ = devtools.Post(ctx, s, fetch.ContinueRequest, params)
}

// answered judges an answer that is held. A redirect is let through: nobody
// reads it, and where it leads is judged by itself.
func (g *gate) answered(ctx context.Context, s *devtools.Session, a *answers, v *fetch.EventRequestPaused) {
	if v.ResponseErrorReason != "" || redirects(v) {
		a.forget(v.NetworkID)
		_ = devtools.Post(ctx, s, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: v.RequestID})
		return
	}
	if !a.expects(v.NetworkID) {
		g.let(ctx, s, v)
		return
	}
	if space, known := a.hold(v); known {
		g.settle(ctx, s, v, space)
		return
	}
	time.AfterFunc(answerTime, func() {
		if a.giveUp(v) {
			g.refuse(ctx, s, v, protocol.NewError(protocol.CodeRefused, "the browser does not say which address answered", "try again"))
		}
	})
}

// redirects says whether an answer only leads elsewhere.
func redirects(v *fetch.EventRequestPaused) bool {
	return v.ResponseStatusCode/100 == 3 && slices.ContainsFunc(v.ResponseHeaders, func(h *fetch.HeaderEntry) bool {
		return strings.EqualFold(h.Name, "Location")
	})
}

// settle lets an answer in or not, by the network that it came from.
func (g *gate) settle(ctx context.Context, s *devtools.Session, v *fetch.EventRequestPaused, space network.IPAddressSpace) {
	if ip, near := nearby[space]; near {
		if err := g.address(v.Request.URL, ip); err != nil {
			g.refuse(ctx, s, v, err)
			return
		}
	}
	g.let(ctx, s, v)
}
