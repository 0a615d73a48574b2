// Package tabs is the one list of a browser's tabs. It merges what the protocol says of
// targets with what the extension's worker says of tabs, and gives each tab an id that
// it keeps for its life. It knows no connection: events are given to it.
package tabs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/protocol"
)

// RestoreTab is a tab to open again at the start, in order. A tab that comes
// back keeps its id: for its agent it is the same tab.
type RestoreTab struct {
	ID     protocol.TabID
	URL    string
	Active bool
}

// Entry is one tab as the registry knows it. It is keyed by the page target that
// shows it now; Chrome's own id outlives that target (a discarded tab, a page
// that was rendered ahead), so that the id of ours can, too.
type Entry struct {
	protocol.Tab
	// Target is the page that shows it now.
	Target target.ID
	// Shown is false while only one of the two witnesses (protocol, worker) has
	// spoken of the tab and the other can be asked.
	Shown bool
	// gone: its target was destroyed; the worker says whether the tab was.
	gone bool
	// denied: the worker was asked and did not name it.
	denied bool
	opener target.ID
}

// Registry is the list. It calls nobody: whoever wants to know waits on Changes. Its
// methods may be called from several goroutines.
type Registry struct {
	mu      sync.Mutex
	next    uint64
	tabs    []*Entry
	pages   map[target.ID]*target.Info // every page target, tab or not
	strips  map[target.ID]bool         // targets of type "tab" in a tab strip: whether in front
	panels  map[target.ID]bool
	restore []RestoreTab          // not claimed yet
	expect  protocol.TabID        // id of the next tab that no page opened; "" when any may come
	holding bool                  // no page is a tab before release
	held    *protocol.BridgeEvent // the last report while holding
	bridged bool                  // a worker reports: its word on what is a tab counts
	seq     int                   // of the last report
	focused int                   // window
	front   target.ID             // the tab that we brought to the front, or were told to be there
	changed chan struct{}
}

// New returns an empty list whose ids begin behind the first.
func New(first uint64) *Registry {
	r := &Registry{next: first, changed: make(chan struct{})}
	r.Reset(nil, false)
	return r
}

// Reset forgets the tabs of the run before, not the ids that it gave. With hold
// no page becomes a tab before Release.
func (r *Registry) Reset(restore []RestoreTab, hold bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tabs = nil
	r.pages = make(map[target.ID]*target.Info)
	r.strips = make(map[target.ID]bool)
	r.panels = make(map[target.ID]bool)
	r.restore = slices.Clone(restore)
	r.holding, r.held = hold, nil
	r.bridged, r.seq, r.focused, r.front, r.expect = false, 0, 0, "", ""
	for _, t := range restore {
		if n, err := strconv.ParseUint(strings.TrimPrefix(string(t.ID), "t"), 10, 64); err == nil {
			r.next = max(r.next, n)
		}
	}
	r.wake()
}

// wake tells the waiters that something changed; r.mu is held.
func (r *Registry) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// Titled takes in the title that a page was found to have. Without the worker
// nobody else tells it: the protocol's own word is of the moment in which the
// page began.
func (r *Registry) Titled(id target.ID, url, title string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.byTarget(id)
	if t == nil || r.bridged && t.ChromeTabID != 0 || t.URL != url || t.Title == title {
		return
	}
	t.Title = title
	r.wake()
}

// Touch wakes the waiters though no tab changed.
func (r *Registry) Touch() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wake()
}

// Changes returns a channel that is closed at the next change.
func (r *Registry) Changes() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// PanelURL is the address of the side panel's page.
const PanelURL = "chrome-extension://" + protocol.ExtensionID + "/panel.html"

// neverTab says whether a page of this address is a tab only when the worker
// says so: developer tools, the browser's own bubbles, pages of extensions.
func neverTab(url string) bool {
	if strings.HasPrefix(url, "devtools://") || strings.HasPrefix(url, "chrome-extension://") {
		return true
	}
	host, ok := strings.CutPrefix(url, "chrome://")
	if !ok {
		return false
	}
	host, _, _ = strings.Cut(host, "/")
	return strings.HasSuffix(host, ".top-chrome")
}

// TargetInfo takes in a created or changed target. It reports whether the
// worker should be asked about a target that it has not spoken of.
func (r *Registry) TargetInfo(info *target.Info) (ask bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if info.Type == "tab" {
		if len(info.EmbedderData) > 0 {
			r.strips[info.TargetID] = InFront(info)
			r.wake()
		}
		return false
	}
	if info.Type != "page" || info.Subtype != "" {
		return false
	}
	r.pages[info.TargetID] = info
	defer r.wake()
	if t := r.byTarget(info.TargetID); t != nil {
		t.URL = info.URL
		if !r.bridged || t.ChromeTabID == 0 {
			t.Title = info.Title
		}
		return false
	}
	if strings.HasPrefix(info.URL, PanelURL) {
		r.panels[info.TargetID] = true
	}
	if r.holding || neverTab(info.URL) {
		return false
	}
	t := r.add(info.TargetID, info.URL, info.OpenerID == "")
	t.Title, t.opener, t.Shown = info.Title, info.OpenerID, !r.bridged
	if o := r.byTarget(info.OpenerID); o != nil {
		t.Opener = o.ID
	}
	return r.bridged
}

// Expects says which id the next tab has that no page opened: it is opened again,
// whatever its address is while it begins.
func (r *Registry) Expects(id protocol.TabID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expect = id
}

// add makes a tab and gives it an id: that of the tab that it restores, or a
// new one. ours: no page opened it. r.mu is held.
func (r *Registry) add(page target.ID, url string, ours bool) *Entry {
	var id protocol.TabID
	expected := r.expect
	if ours {
		r.expect = ""
	} else {
		expected = ""
	}
	for i, old := range r.restore {
		if old.ID != "" && (old.ID == expected || expected == "" && old.URL == url) {
			id = old.ID
			r.restore = slices.Delete(r.restore, i, i+1)
			break
		}
	}
	if id == "" {
		r.next++
		id = protocol.TabID(fmt.Sprintf("t%d", r.next))
	}
	return r.put(page, url, id)
}

// put makes a tab with an id; r.mu is held.
func (r *Registry) put(page target.ID, url string, id protocol.TabID) *Entry {
	t := &Entry{Target: page}
	t.ID, t.URL = id, url
	t.Index = len(r.tabs)
	r.tabs = append(r.tabs, t)
	return t
}

// Destroyed takes in the end of a target. It reports whether the worker should
// be asked if the tab ended with it.
func (r *Registry) Destroyed(id target.ID) (ask bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pages, id)
	delete(r.strips, id)
	delete(r.panels, id)
	defer r.wake()
	t := r.byTarget(id)
	if t == nil {
		return false
	}
	if r.bridged && t.ChromeTabID != 0 {
		t.gone = true
		return true
	}
	r.drop(t)
	return false
}

// Crashed marks the tab of a target as crashed, or as living again.
func (r *Registry) Crashed(id target.ID, is bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.byTarget(id); t != nil && t.Crashed != is {
		t.Crashed = is
		r.wake()
	}
}

// Report takes in what the worker sees. Reports come in order and each is
// whole, so a tab that one of them named and this one does not is closed.
func (r *Registry) Report(e *protocol.BridgeEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.holding {
		if r.held == nil || e.Seq > r.held.Seq {
			r.held = e
		}
		return
	}
	if e.Seq <= r.seq {
		return // overtaken by a later look
	}
	defer r.wake()
	r.seq = e.Seq
	r.bridged = true
	r.focused, r.front = e.FocusedWindow, "" // the worker knows better, also when it is gone
	seen := make(map[*Entry]bool, len(e.Tabs))
	for i := range e.Tabs {
		seen[r.adopt(&e.Tabs[i])] = true
	}
	for _, t := range slices.Clone(r.tabs) {
		if t.ChromeTabID != 0 && !seen[t] {
			r.drop(t)
		}
	}
	for i := range e.Tabs {
		if o := r.byChrome(e.Tabs[i].OpenerChromeTabID); o != nil {
			if t := r.byChrome(e.Tabs[i].ChromeTabID); t != nil && t.Opener == "" {
				t.Opener = o.ID
			}
		}
	}
}

// adopt finds or makes the tab of one line of a report; r.mu is held.
func (r *Registry) adopt(b *protocol.BridgeTab) *Entry {
	id := target.ID(b.TargetID)
	t := r.byChrome(b.ChromeTabID)
	if t == nil {
		t = r.byChrome(b.ReplacesChromeTabID)
	}
	if t == nil {
		t = r.byTarget(id)
	}
	if t == nil {
		t = r.add(id, b.URL, b.OpenerChromeTabID == 0)
	}
	if id != "" && t.Target != id {
		// The tab lives on in another target; what was made for that target
		// before the worker spoke was this tab all along.
		if other := r.byTarget(id); other != nil {
			r.drop(other)
		}
		t.Target = id
	}
	delete(r.panels, id) // a panel's page that stands in a tab is a tab
	t.Shown, t.gone, t.denied = true, false, false
	t.ChromeTabID, t.WindowID, t.Index = b.ChromeTabID, b.WindowID, b.Index
	t.Active, t.Loading = b.Active, b.Loading
	t.Title = b.Title
	if b.URL != "" {
		t.URL = b.URL
	}
	return t
}

// Settle ends the waiting for the worker's word. When it answered, what it did
// not name is no tab; when it did not, the protocol's word counts.
func (r *Registry) Settle(answered bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if answered {
		for _, t := range r.tabs {
			t.denied = !t.Shown
		}
		return
	}
	for _, t := range slices.Clone(r.tabs) {
		if t.gone {
			r.drop(t)
		}
		t.Shown = true
	}
	r.wake()
}

// Unbridge says that no worker reports any more: until the next one does, the
// protocol's word counts.
func (r *Registry) Unbridge() {
	r.mu.Lock()
	r.bridged, r.seq, r.held = false, 0, nil
	r.mu.Unlock()
	r.Settle(false)
}

// Activated says which tab we brought to the front, for a browser without a
// worker.
func (r *Registry) Activated(id protocol.TabID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tabs {
		if t.ID == id {
			r.front = t.Target
		}
	}
	r.wake()
}

// Fronted says which page the browser shows in front, for one without a worker.
func (r *Registry) Fronted(id target.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.front = id
	r.wake()
}

// InFront says whether a target of type "tab" was in front of its window when the
// browser told of it.
func InFront(info *target.Info) bool {
	return strings.Contains(strings.ReplaceAll(string(info.EmbedderData), " ", ""), `"tabActive":true`)
}

func (r *Registry) byTarget(id target.ID) *Entry {
	if id == "" {
		return nil
	}
	for _, t := range r.tabs {
		if t.Target == id {
			return t
		}
	}
	return nil
}

func (r *Registry) byChrome(id int) *Entry {
	if id == 0 {
		return nil
	}
	for _, t := range r.tabs {
		if t.ChromeTabID == id {
			return t
		}
	}
	return nil
}

func (r *Registry) drop(t *Entry) {
	r.tabs = slices.DeleteFunc(r.tabs, func(o *Entry) bool { return o == t })
}
