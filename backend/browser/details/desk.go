package details

import (
	"context"
	"iter"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/sourcemaps"
	"pilotfish/backend/protocol"
)

// eventsKept is how many events of a tab are kept for a reader that comes back.
const eventsKept = 100

// desk is what is kept of a tab while its elements are inspected.
type desk struct {
	tab protocol.TabID

	mu     sync.Mutex
	sights map[target.ID]*sight
	states map[string][]string // the forced states by ref
	// edits are the edits of the page, oldest first; those from done on are undone.
	edits     []*edit
	done      int
	followers int
	events    []protocol.InspectorEvent
	last      uint64
	news      chan struct{} // closed at the next event
}

// sight is a session with a target of a tab, with the style sheets that it reported.
type sight struct {
	*devtools.Session
	release func()
	desk    *desk // nil for a session that ends with its call

	mu     sync.Mutex
	sheets map[cdp.StyleSheetID]*css.StyleSheetHeader
	maps   map[cdp.StyleSheetID]*sourcemaps.Map // nil for a sheet without one
	parent map[cdp.NodeID]cdp.NodeID
	node   cdp.NodeID // the element that was read last
	frame  cdp.FrameID
	stale  bool // that was reported already
	late   bool // the document was replaced: the node ids are gone
}

// desk returns what is kept of a tab; it makes one if make is set.
func (r *Reader) desk(id protocol.TabID, fresh bool) *desk {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.open[id]
	if d == nil && fresh {
		d = &desk{tab: id, sights: make(map[target.ID]*sight), states: make(map[string][]string), news: make(chan struct{})}
		r.open[id] = d
	}
	return d
}

// sight returns a session to a target with what reading needs enabled. Without keep it
// ends with release, unless the tab has one that is kept.
func (r *Reader) sight(ctx context.Context, p *page.Page, id protocol.TabID, to target.ID, keep bool) (*sight, func(), error) {
	d := r.desk(id, keep)
	if d != nil {
		d.mu.Lock()
		s := d.sights[to]
		keep = keep || d.followers > 0
		d.mu.Unlock()
		if s != nil && !s.Ended() {
			err := s.again(ctx)
			return s, func() {}, err
		}
	}
	session, release, err := p.Beside(ctx, to)
	if err != nil {
		return nil, nil, err
	}
	s := &sight{
		Session: session, release: release, sheets: make(map[cdp.StyleSheetID]*css.StyleSheetHeader),
		maps: make(map[cdp.StyleSheetID]*sourcemaps.Map), parent: make(map[cdp.NodeID]cdp.NodeID),
	}
	if keep {
		s.desk = d
	}
	session.Follow(s.event)
	if err := s.enable(ctx); err != nil {
		release()
		return nil, nil, err
	}
	if !keep {
		return s, release, nil
	}
	d.mu.Lock()
	d.sights[to] = s
	d.mu.Unlock()
	go func() { // it ends with its session
		<-session.Done
		d.ended(to, s)
	}()
	return s, func() {}, nil
}

func (s *sight) enable(ctx context.Context) error {
	for _, send := range []func() error{
		func() error { return devtools.Post(ctx, s.Session, dom.Enable, dom.EnableParams{}) },
		func() error { return s.again(ctx) },
	} {
		if err := send(); err != nil {
			return err
		}
	}
	// The events about the style sheets come before the answer.
	_, err := cdp.Call(ctx, s.Session, css.Enable, cdp.Empty{})
	return err
}

// again makes the document known to the session, once for each document: node ids and
// forced states live as long.
func (s *sight) again(ctx context.Context) error {
	s.mu.Lock()
	known := len(s.parent) > 0 && !s.late
	s.late = false
	s.mu.Unlock()
	if known {
		return nil
	}
	depth := int64(0)
	doc, err := cdp.Call(ctx, s.Session, dom.GetDocument, dom.GetDocumentParams{Depth: &depth})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.parent[doc.Root.NodeID] = 0
	s.mu.Unlock()
	return nil
}

func runtimeRelease(ctx context.Context, s *sight) error {
	return devtools.Post(ctx, s.Session, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: objects})
}

// watch makes changes of an element that was read be reported, once.
func (s *sight) watch(node cdp.NodeID, frame cdp.FrameID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.node, s.frame, s.stale = node, frame, false
}

// event is called by the connection for each event of the session, and does not block.
func (s *sight) event(e devtools.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Method {
	case css.StyleSheetAdded.Method:
		if v, ok := devtools.Decode(e, css.StyleSheetAdded); ok && v.Header != nil {
			s.sheets[v.Header.StyleSheetID] = v.Header
			s.restyled(v.Header.StyleSheetID)
		}
	case css.StyleSheetRemoved.Method:
		if v, ok := devtools.Decode(e, css.StyleSheetRemoved); ok {
			s.restyled(v.StyleSheetID)
			delete(s.sheets, v.StyleSheetID)
			delete(s.maps, v.StyleSheetID)
		}
	case css.StyleSheetChanged.Method:
		if v, ok := devtools.Decode(e, css.StyleSheetChanged); ok {
			s.restyled(v.StyleSheetID)
		}
	case css.MediaQueryResultChanged.Method:
		s.changed("viewport")
	case dom.SetChildNodes.Method:
		if v, ok := devtools.Decode(e, dom.SetChildNodes); ok {
			s.learn(v.ParentID, v.Nodes)
		}
	case dom.AttributeModified.Method:
		if v, ok := devtools.Decode(e, dom.AttributeModified); ok {
			s.attribute(v.NodeID, v.Name)
		}
	case dom.AttributeRemoved.Method:
		if v, ok := devtools.Decode(e, dom.AttributeRemoved); ok {
			s.attribute(v.NodeID, v.Name)
		}
	case dom.CharacterDataModified.Method:
		if v, ok := devtools.Decode(e, dom.CharacterDataModified); ok && s.parent[v.NodeID] == s.node {
			s.changed("content")
		}
	case dom.ChildNodeInserted.Method:
		if v, ok := devtools.Decode(e, dom.ChildNodeInserted); ok {
			if v.Node != nil {
				s.learn(v.ParentNodeID, []*cdp.Node{v.Node})
			}
			if v.ParentNodeID == s.node {
				s.changed("content")
			}
		}
	case dom.ChildNodeCountUpdated.Method:
		if v, ok := devtools.Decode(e, dom.ChildNodeCountUpdated); ok && v.NodeID == s.node {
			s.changed("content")
		}
	case dom.ChildNodeRemoved.Method:
		if v, ok := devtools.Decode(e, dom.ChildNodeRemoved); ok {
			switch {
			case s.around(v.NodeID):
				s.node = 0
				s.tell(protocol.InspectorGone, "content")
			case v.ParentNodeID == s.node:
				s.changed("content")
			}
			delete(s.parent, v.NodeID)
		}
	case dom.DocumentUpdated.Method:
		s.late, s.node = true, 0
		clear(s.parent)
		if s.desk != nil {
			s.desk.forget(s)
		}
		s.tell(protocol.InspectorGone, "page")
	}
}

// learn remembers where nodes are.
func (s *sight) learn(parent cdp.NodeID, nodes []*cdp.Node) {
	for _, n := range nodes {
		s.parent[n.NodeID] = parent
		s.learn(n.NodeID, n.Children)
		s.learn(n.NodeID, n.ShadowRoots)
		if n.ContentDocument != nil {
			s.learn(n.NodeID, []*cdp.Node{n.ContentDocument})
		}
	}
}

// around reports whether a node is the element or one around it.
func (s *sight) around(node cdp.NodeID) bool {
	at := s.node
	for range 1000 {
		if at == 0 || at == node {
			return at != 0
		}
		at = s.parent[at]
	}
	return false
}

// attribute reports a changed attribute of a node that may style the element: of the
// element, of one around it, or of one beside these.
func (s *sight) attribute(node cdp.NodeID, name string) {
	if s.around(node) || name != "style" && s.parent[node] != 0 && s.around(s.parent[node]) {
		s.changed("attributes")
	}
}

// restyled reports a changed style sheet of the element's document. The browser also
// reports the style attributes as sheets; these come as attributes.
func (s *sight) restyled(id cdp.StyleSheetID) {
	if sheet := s.sheets[id]; sheet != nil && sheet.FrameID == s.frame && sheet.Origin == css.StyleSheetOriginRegular {
		s.changed("styles")
	}
}

func (s *sight) changed(about string) {
	if s.node == 0 || s.stale {
		return
	}
	s.stale = true
	s.tell(protocol.InspectorChanged, about)
}

func (s *sight) tell(kind protocol.InspectorEventKind, about string) {
	if s.desk != nil {
		s.desk.tell(kind, about)
	}
}

// tell publishes an event. It never waits for a reader.
func (d *desk) tell(kind protocol.InspectorEventKind, about string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	d.events = append(d.events, protocol.InspectorEvent{Index: d.last, Kind: kind, Tab: d.tab, About: about})
	if len(d.events) > eventsKept {
		d.events = append(d.events[:0:0], d.events[1:]...)
	}
	close(d.news)
	d.news = make(chan struct{})
}

// forget drops what was done to a document that is gone.
func (d *desk) forget(s *sight) {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.states)
	kept, done := d.edits[:0:0], 0
	for i, e := range d.edits {
		if e.sight == s {
			continue
		}
		kept = append(kept, e)
		if i < d.done {
			done++
		}
	}
	d.edits, d.done = kept, done
}

// ended drops a session that has ended.
func (d *desk) ended(to target.ID, s *sight) {
	d.mu.Lock()
	if d.sights[to] == s {
		delete(d.sights, to)
	}
	d.mu.Unlock()
	d.forget(s)
	s.mu.Lock()
	watched := s.node != 0
	s.node = 0
	s.mu.Unlock()
	if watched {
		d.tell(protocol.InspectorGone, "page")
	}
}

// InspectorEvents returns what happens to the inspected element of a tab after an index, until
// ctx ends: first what is kept, then what is new. gap reports that events are missing.
func (r *Reader) InspectorEvents(ctx context.Context, id protocol.TabID, after uint64) iter.Seq2[protocol.InspectorEvent, bool] {
	return func(yield func(protocol.InspectorEvent, bool) bool) {
		d := r.desk(id, true)
		d.mu.Lock()
		d.followers++
		d.mu.Unlock()
		defer r.unfollow(d)
		for {
			d.mu.Lock()
			news := d.news
			var items []protocol.InspectorEvent
			if after > d.last {
				after = 0 // from before the app started: its indexes started again
			}
			for _, e := range d.events {
				if e.Index > after {
					items = append(items, e)
				}
			}
			d.mu.Unlock()
			for _, e := range items {
				gap := e.Index > after+1
				after = e.Index
				if !yield(e, gap) {
					return
				}
			}
			select {
			case <-news:
			case <-ctx.Done():
				return
			}
		}
	}
}

// unfollow ends a reader's interest. Sessions that nothing needs any more end.
func (r *Reader) unfollow(d *desk) {
	d.mu.Lock()
	d.followers--
	idle := d.followers == 0 && len(d.edits) == 0 && len(d.states) == 0
	var end []*sight
	if idle {
		for _, s := range d.sights {
			end = append(end, s)
		}
		clear(d.sights)
	}
	d.mu.Unlock()
	for _, s := range end {
		s.watch(0, "")
		s.release()
	}
}
