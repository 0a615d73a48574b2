// Package tabs holds the one list of a browser's tabs. It merges what the
// protocol reports about targets with what the extension's worker reports about
// tabs, and gives each tab an id that it keeps as long as the tab exists. It has
// no connection of its own: its callers pass events to it.
package tabs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/protocol"
)

// RestoreTab is a tab to open again at the start, in order. A restored tab keeps
// its id, because for its agent it is the same tab.
type RestoreTab struct {
	ID     protocol.TabID
	URL    string
	Active bool
}

// Entry is one tab as the registry knows it. Its key is the page target that
// shows the tab now. Chrome's own tab id outlives that target (when a tab is
// discarded, or when a prerendered page replaces it), so our id can outlive it,
// too.
type Entry struct {
	protocol.Tab
	// Target is the page target that shows the tab now.
	Target target.ID
	// Shown is false while only one of the two sources (protocol, worker) has
	// reported the tab and the other one can still be asked.
	Shown bool
	// gone: the tab's target was destroyed; the worker decides whether the tab
	// was closed.
	gone bool
	// denied: the worker was asked and did not report the tab.
	denied bool
	opener target.ID
	// Loads counts the documents that the tab's page began to load since we attached to
	// it, and Heads is the address of the last one.
	Loads int
	Heads string
	// Addresses are the first addresses that the tab had, oldest first, at most
	// firstAddresses: a redirect may replace URL before anybody looks at it.
	Addresses []string
	// commands counts the commands that act on the tab now; acted is when the last one
	// ended.
	commands int
	acted    time.Time
}

// firstAddresses is how many of a tab's addresses are kept.
const firstAddresses = 4

// had records an address of the tab.
func (t *Entry) had(url string) {
	if len(t.Addresses) < firstAddresses && !slices.Contains(t.Addresses, url) {
		t.Addresses = append(t.Addresses[:len(t.Addresses):len(t.Addresses)], url)
	}
}

// Registry is the list of tabs. It calls no callbacks: to follow it, wait on
// Changes. Several goroutines may call its methods.
type Registry struct {
	mu      sync.Mutex
	next    uint64
	tabs    []*Entry
	pages   map[target.ID]*target.Info // every page target, whether it is a tab or not
	strips  map[target.ID]bool         // targets of type "tab" in a tab strip; the value says whether the tab is in front
	panels  map[target.ID]bool
	restore []RestoreTab          // tabs to restore that no page has claimed yet
	expect  protocol.TabID        // id of the next tab that no page opened; "" for any
	holding bool                  // no page becomes a tab before Release
	held    *protocol.BridgeEvent // the last report while holding
	bridged bool                  // a worker reports: it decides what is a tab
	seq     int                   // sequence number of the last report
	focused int                   // id of the focused window
	front   target.ID             // the tab in front, as we put it there or as the browser said
	changed chan struct{}
}

// New returns an empty list. Its ids start after the number first.
func New(first uint64) *Registry {
	r := &Registry{next: first, changed: make(chan struct{})}
	r.Reset(nil, false)
	return r
}

// Reset removes the tabs of the previous run; ids that were assigned are not
// assigned again. With hold, no page becomes a tab before Release.
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

// wake wakes everything that waits on Changes; r.mu is held.
func (r *Registry) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// Titled records the title that a page was found to have. Without the worker
// there is no other source: the protocol reports the title only as it was when
// the page began to load.
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

// Touch wakes everything that waits on Changes although no tab changed.
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

// NeverTab reports whether a page with this URL is a tab only when the worker
// says so: developer tools, the browser's own bubbles, pages of extensions.
func NeverTab(url string) bool {
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

// TargetInfo records a created or changed target. ask says whether the worker
// should be asked about a target that it has not reported.
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
		if info.URL != "" { // a page that is being restored has none yet
			t.URL = info.URL
			t.had(info.URL)
		}
		if !r.bridged || t.ChromeTabID == 0 {
			t.Title = info.Title
		}
		return false
	}
	if strings.HasPrefix(info.URL, PanelURL) {
		r.panels[info.TargetID] = true
	}
	if r.holding || NeverTab(info.URL) {
		return false
	}
	t := r.add(info.TargetID, info.URL, info.OpenerID == "")
	t.Title, t.opener, t.Shown = info.Title, info.OpenerID, !r.bridged
	t.had(info.URL)
	if o := r.byTarget(info.OpenerID); o != nil {
		r.opened(t, o)
	}
	return r.bridged
}

// Holding reports whether no page becomes a tab before Release.
func (r *Registry) Holding() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.holding
}

// Give records whether the user lets agents use a tab of the user's own browser.
func (r *Registry) Give(id protocol.TabID, given bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tabs {
		if t.ID == id && t.Given != given {
			t.Given = given
			r.wake()
		}
	}
}

// Heads records that the page of a target begins to load a document.
func (r *Registry) Heads(id target.ID, url string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.byTarget(id); t != nil {
		t.Loads++
		t.Heads = url
	}
}

// Expects sets the id of the next tab that no page opened. That tab is a restored
// one, whatever its URL is while it starts.
func (r *Registry) Expects(id protocol.TabID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expect = id
}

// add makes a tab and gives it an id: that of the tab that it restores, or a new
// one. ours: no page opened the tab. r.mu is held.
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
	if n := len(r.tabs); n > 0 { // not n: a tab before it may have been closed
		t.Index = r.tabs[n-1].Index + 1
	}
	r.tabs = append(r.tabs, t)
	return t
}

// Destroyed records that a target ended. ask says whether the worker should be
// asked if the tab was closed with it.
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

// Crashed records that the tab of a target crashed, or that it works again.
func (r *Registry) Crashed(id target.ID, is bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.byTarget(id); t != nil && t.Crashed != is {
		t.Crashed = is
		r.wake()
	}
}

// Report applies a report of the worker. Reports are numbered and complete, so a
// tab that an earlier report contained and this one does not is closed.
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
		return // overtaken by a later report
	}
	defer r.wake()
	r.seq = e.Seq
	r.bridged = true
	r.focused, r.front = e.FocusedWindow, "" // the worker's value is better, also after the worker has stopped
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
				r.opened(t, o)
			}
		}
	}
}

// activation is how long after an input a page may open a tab by itself. In Chromium it is
// 5 s (kActivationLifespan).
const activation = 5 * time.Second

// Command counts a command that acts on a tab. It ends with the returned function.
func (r *Registry) Command(id protocol.TabID) (end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.tabs, func(t *Entry) bool { return t.ID == id })
	if i < 0 {
		return func() {}
	}
	t := r.tabs[i]
	t.commands++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		t.commands--
		t.acted = time.Now()
	}
}

// opened records which tab a tab was opened from, and whether a command can have been
// the cause; r.mu is held.
func (r *Registry) opened(t, from *Entry) {
	t.Opener = from.ID
	t.ByUser = from.commands == 0 && time.Since(from.acted) > activation
}

// adopt finds or makes the tab of one entry of a report; r.mu is held.
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
		// The tab continues in another target. If an entry was made for that
		// target before the worker's report, it was this same tab.
		if other := r.byTarget(id); other != nil {
			r.drop(other)
		}
		t.Target = id
	}
	delete(r.panels, id) // a panel's page that is shown in a tab is a tab
	t.Shown, t.gone, t.denied = true, false, false
	t.ChromeTabID, t.WindowID, t.Index = b.ChromeTabID, b.WindowID, b.Index
	t.Active, t.Loading = b.Active, b.Loading
	t.Title = b.Title
	if b.URL != "" {
		t.URL = b.URL
	}
	return t
}

// Settle ends the wait for the worker's report. When the worker answered, a page
// that it did not report is no tab; otherwise the protocol's information counts.
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

// Unbridge records that no worker reports any more. Until the next one does, the
// protocol's information counts.
func (r *Registry) Unbridge() {
	r.mu.Lock()
	r.bridged, r.seq, r.held = false, 0, nil
	r.mu.Unlock()
	r.Settle(false)
}

// Activated records which tab we brought to the front, for a browser without a
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

// Fronted records which page the browser shows in front, for a browser without a
// worker.
func (r *Registry) Fronted(id target.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.front = id
	r.wake()
}

// InFront reports whether a target of type "tab" was in front of its window when
// the browser reported it.
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
