package observe

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
	"pilotfish/backend/redact"
)

const featureNetwork = "network"

// networkWatch records the requests of a tab.
type networkWatch struct {
	since time.Time

	mu    sync.Mutex
	ring  watch.Ring[*traffic]
	byID  map[trafficKey]*traffic
	last  int
	extra map[trafficKey]network.Headers // extra header events that arrived before their request
	more  chan struct{}

	changes // of the requests
	main    *devtools.Session
	page    int
	posted  int // bytes of PostData
}

// trafficKey identifies a request for the browser. Frames of other sites have
// sessions of their own, and request ids are unique only within a session.
type trafficKey struct {
	s  *devtools.Session
	id network.RequestID
}

// traffic is one request, with data that only its later events need.
type traffic struct {
	harRequest

	key     trafficKey
	changed uint64 // its last change
	page    int
	size    int
	stack   []protocol.CodePlace
}

func newNetworkWatch() *networkWatch {
	return &networkWatch{
		since: time.Now(), ring: watch.Ring[*traffic]{Limit: networkRing},
		byID: make(map[trafficKey]*traffic), extra: make(map[trafficKey]network.Headers), more: make(chan struct{}),
		changes: newChanges(),
	}
}

func (n *networkWatch) Begin(ctx context.Context, s *devtools.Session, child bool) error {
	if !child {
		n.mu.Lock()
		n.main = s
		n.mu.Unlock()
	}
	total, one := int64(networkBuffer), int64(networkBodyMax)
	post := int64(64 << 10)
	return devtools.Post(ctx, s, network.Enable, network.EnableParams{MaxTotalBufferSize: &total, MaxResourceBufferSize: &one, MaxPostDataSize: &post})
}

// Workers implements watch.ForWorkers.
func (*networkWatch) Workers() {}

func (n *networkWatch) End(ctx context.Context, s *devtools.Session) {
	_ = devtools.Post(ctx, s, network.Disable, cdp.Empty{})
}

func (n *networkWatch) Event(_ context.Context, s *devtools.Session, e devtools.Event) {
	if !strings.HasPrefix(e.Method, "Network.") {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch e.Method {
	case network.RequestWillBeSent.Method:
		if v, ok := devtools.Decode(e, network.RequestWillBeSent); ok && v.Request != nil {
			n.sent(s, &v)
		}
	case network.RequestWillBeSentExtraInfo.Method:
		if v, ok := devtools.Decode(e, network.RequestWillBeSentExtraInfo); ok {
			key := trafficKey{s, v.RequestID}
			if t := n.byID[key]; t != nil {
				merge(t.RequestHeaders, v.Headers)
			} else if len(n.extra) < networkRing {
				n.extra[key] = v.Headers
			}
		}
	case network.ResponseReceived.Method:
		if v, ok := devtools.Decode(e, network.ResponseReceived); ok && v.Response != nil {
			if t := n.request(s, v.RequestID); t != nil {
				t.Type = strings.ToLower(string(v.Type))
				t.answered(v.Response)
				t.changed = n.changed()
			}
		}
	case network.DataReceived.Method:
		if v, ok := devtools.Decode(e, network.DataReceived); ok {
			if t := n.request(s, v.RequestID); t != nil {
				t.size += int(v.DataLength)
			}
		}
	case network.ResponseReceivedExtraInfo.Method:
		if v, ok := devtools.Decode(e, network.ResponseReceivedExtraInfo); ok {
			if t := n.request(s, v.RequestID); t != nil {
				merge(t.ResponseHeaders, v.Headers)
				if t.Status == 0 { // nothing else is reported of a shared worker's script
					t.Status = int(v.StatusCode)
				}
			}
		}
	case network.RequestServedFromCache.Method:
		if v, ok := devtools.Decode(e, network.RequestServedFromCache); ok {
			if t := n.request(s, v.RequestID); t != nil {
				t.From = "cache"
			}
		}
	case network.LoadingFinished.Method:
		if v, ok := devtools.Decode(e, network.LoadingFinished); ok {
			if t := n.request(s, v.RequestID); t != nil {
				t.Bytes = int(v.EncodedDataLength)
				n.finish(t, float64(v.Timestamp))
			}
		}
	case network.LoadingFailed.Method:
		if v, ok := devtools.Decode(e, network.LoadingFailed); ok {
			if t := n.request(s, v.RequestID); t != nil {
				t.Failed = strings.TrimPrefix(v.ErrorText, "net::")
				if v.BlockedReason != "" {
					t.Failed += " (" + string(v.BlockedReason) + ")"
				}
				n.finish(t, float64(v.Timestamp))
			}
		}
	}
}

// request returns what is known of a request; nil for one that is not known. A worker itself
// reports the response with its script, which the session that started it requested.
func (n *networkWatch) request(s *devtools.Session, id network.RequestID) *traffic {
	for _, by := range []*devtools.Session{s, s.Parent, n.main} {
		if t := n.byID[trafficKey{by, id}]; t != nil {
			return t
		}
	}
	return nil
}

func (n *networkWatch) finish(t *traffic, at float64) {
	t.Done = true
	t.DurationMS = max(0, (at-t.Began)*1000)
	t.changed = n.changed()
	n.wake()
}

func (n *networkWatch) wake() {
	close(n.more)
	n.more = make(chan struct{})
}

func (n *networkWatch) sent(s *devtools.Session, v *network.EventRequestWillBeSent) {
	key := trafficKey{s, v.RequestID}
	if old := n.byID[key]; old != nil && v.RedirectResponse != nil {
		// A redirect keeps the request id: the previous hop ends here.
		old.answered(v.RedirectResponse)
		old.Redirect = v.Request.URL
		n.finish(old, float64(v.Timestamp))
	}
	n.last++
	t := &traffic{
		harRequest: harRequest{NetworkEntry: protocol.NetworkEntry{
			ID: fmt.Sprintf("n%d", n.last), At: stamp(float64(v.WallTime) * 1000), Method: v.Request.Method,
			URL: v.Request.URL + v.Request.URLFragment, Type: strings.ToLower(string(v.Type)),
			RequestHeaders: map[string]string{}, ResponseHeaders: map[string]string{},
		}, Began: float64(v.Timestamp)},
		key: key,
	}
	merge(t.RequestHeaders, v.Request.Headers)
	merge(t.RequestHeaders, n.extra[key])
	delete(n.extra, key)
	for _, p := range v.Request.PostDataEntries {
		if utf8.Valid(p.Bytes) {
			t.PostData += string(p.Bytes)
		}
	}
	if n.posted += len(t.PostData); n.posted > postKept {
		t.PostData = strings.ToValidUTF8(t.PostData[:min(len(t.PostData), 4<<10)], "")
	}
	if i := v.Initiator; i != nil {
		t.Initiator = string(i.Type)
		if i.URL != "" {
			t.Initiator += " " + i.URL
		}
		t.stack = stackOf(i.Stack)
		if len(t.stack) == 0 && i.URL != "" {
			t.stack = []protocol.CodePlace{{URL: i.URL, Line: int(i.LineNumber) + 1, Column: int(i.ColumnNumber) + 1}}
		}
	}
	// A document that the tab itself loads has the id of its loader. A redirect of it
	// is the same navigation.
	if v.Type == network.ResourceTypeDocument && string(v.LoaderID) == string(v.RequestID) && s == n.main && string(v.FrameID) == string(s.Target) && v.RedirectResponse == nil {
		n.page++
	}
	t.page, t.changed = n.page, n.changed()
	dropped := n.ring.Dropped
	var oldest []*traffic
	if len(n.ring.Items) >= n.ring.Limit {
		oldest = n.ring.Items
	}
	n.ring.Add(t)
	for _, o := range oldest[:min(len(oldest), n.ring.Dropped-dropped)] {
		if n.byID[o.key] == o {
			delete(n.byID, o.key)
		}
	}
	n.byID[key] = t
}

// answered records the head of a response.
func (t *traffic) answered(r *network.Response) {
	t.Status, t.StatusText, t.MIME = int(r.Status), r.StatusText, r.MimeType
	t.Protocol, t.Timing = r.Protocol, r.Timing
	merge(t.RequestHeaders, r.RequestHeaders)
	merge(t.ResponseHeaders, r.Headers)
	if r.RemoteIPAddress != "" {
		t.RemoteAddress = net.JoinHostPort(strings.Trim(r.RemoteIPAddress, "[]"), strconv.FormatInt(r.RemotePort, 10))
	}
	switch {
	case r.FromDiskCache || r.FromPrefetchCache:
		t.From = "cache"
	case r.FromServiceWorker:
		t.From = "worker"
	}
}

// merge adds headers under their lowercase names.
func merge(into map[string]string, h network.Headers) {
	for name, value := range h {
		text, ok := value.(string)
		if !ok {
			text = fmt.Sprint(value)
		}
		into[strings.ToLower(name)] = text
	}
}

// entries returns the recorded requests; their maps are copies.
func (n *networkWatch) entries() protocol.NetworkLog {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := protocol.NetworkLog{Since: n.since, Dropped: n.ring.Dropped, Entries: make([]protocol.NetworkEntry, 0, len(n.ring.Items))}
	for _, t := range n.ring.Items {
		out.Entries = append(out.Entries, t.copy())
	}
	return out
}

func (t *traffic) copy() protocol.NetworkEntry {
	e := t.NetworkEntry
	e.RequestHeaders, e.ResponseHeaders = cloneHeaders(e.RequestHeaders), cloneHeaders(e.ResponseHeaders)
	return e
}

func cloneHeaders(h map[string]string) map[string]string {
	out := make(map[string]string, len(h))
	for k, v := range h {
		out[k] = v
	}
	return out
}

// find returns a copy of one request, and its key.
func (n *networkWatch) find(id string) (protocol.NetworkEntry, trafficKey, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, t := range n.ring.Items {
		if t.ID == id {
			return t.copy(), t.key, true
		}
	}
	return protocol.NetworkEntry{}, trafficKey{}, false
}

// networkOf returns the tab's watch with all events so far handled. It begins to
// watch the tab if it is not watched yet.
func (o *Observer) networkOf(ctx context.Context, id protocol.TabID) (*networkWatch, error) {
	k, err := o.tabs.Of(ctx, id)
	if err != nil {
		return nil, err
	}
	n, err := watch.Use(ctx, k, featureNetwork, newNetworkWatch)
	if err != nil {
		return nil, err
	}
	o.leases.keep(k, featureNetwork)
	if err := k.CatchUp(ctx); err != nil {
		return nil, o.tabs.Explain(ctx, id, err)
	}
	return n, nil
}

// Network returns the requests of a tab since it is watched, and begins to watch
// it if it is not watched yet.
func (o *Observer) Network(ctx context.Context, id protocol.TabID) (protocol.NetworkLog, error) {
	n, err := o.networkOf(ctx, id)
	if err != nil {
		return protocol.NetworkLog{}, err
	}
	return n.entries(), nil
}

// ClearNetwork removes the requests that have ended, and continues to watch the
// tab.
func (o *Observer) ClearNetwork(ctx context.Context, id protocol.TabID) error {
	n, err := o.networkOf(ctx, id)
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	var open []*traffic
	for _, t := range n.ring.Items {
		if t.Done {
			if n.byID[t.key] == t {
				delete(n.byID, t.key)
			}
			continue
		}
		open = append(open, t)
	}
	n.ring.Items, n.ring.Dropped, n.posted = open, 0, 0
	n.reset()
	for _, t := range open {
		t.changed = n.changed()
	}
	return nil
}

// StopNetwork stops watching a tab's requests.
func (o *Observer) StopNetwork(ctx context.Context, id protocol.TabID) error {
	if k := o.tabs.Kept(id); k != nil {
		return k.Stop(ctx, featureNetwork)
	}
	return nil
}

// NetworkBody returns the body of a response while the browser still has it. With
// save it also writes the body to a file in the session's folder.
func (o *Observer) NetworkBody(ctx context.Context, id protocol.TabID, request string, save, secrets bool) (protocol.NetworkBody, error) {
	n, err := o.networkOf(ctx, id)
	if err != nil {
		return protocol.NetworkBody{}, err
	}
	entry, key, ok := n.find(request)
	if !ok {
		return protocol.NetworkBody{}, protocol.NewError(protocol.CodeBadArgument, "there is no request "+request+" in "+string(id), "", protocol.Try("lists them", "network"))
	}
	data, err := bodyOf(ctx, key)
	if err != nil {
		return protocol.NetworkBody{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the body of %s is not available (%v)", request, err), "the browser keeps bodies only while the page that asked for them is open")
	}
	body := protocol.NetworkBody{Entry: entry, Bytes: len(data)}
	if utf8.Valid(data) {
		body.Text = string(data)
		if !secrets {
			body.Text = redact.Text(body.Text)
		}
		data = []byte(body.Text)
	} else if len(data) <= protocol.MaxBodyData {
		body.Data = data
	}
	if save {
		file, err := o.config.Folder.SaveMasked("network", string(id)+"-"+request, extensionOf(entry.MIME), data)
		if err != nil {
			return body, err
		}
		body.Path = file.Path
	}
	return body, nil
}

func bodyOf(ctx context.Context, key trafficKey) ([]byte, error) {
	res, err := cdp.Call(ctx, key.s, network.GetResponseBody, network.GetResponseBodyParams{RequestID: key.id})
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// extensionOf returns the file name extension for a MIME type; "bin" when it is
// unknown.
func extensionOf(mime string) string {
	for kind, ext := range map[string]string{
		"json": "json", "html": "html", "javascript": "js", "css": "css", "png": "png", "jpeg": "jpg", "gif": "gif",
		"webp": "webp", "svg": "svg", "pdf": "pdf", "plain": "txt", "xml": "xml", "csv": "csv",
	} {
		if strings.HasSuffix(mime, "/"+kind) || strings.HasSuffix(mime, "+"+kind) {
			return ext
		}
	}
	return "bin"
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
