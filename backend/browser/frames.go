package browser

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// worldName names our isolated world in every frame.
const worldName = "pilotfish-page"

// docFrame is one frame of a tab with our world in its document. Its fields are
// guarded by frames.mu.
type docFrame struct {
	id     cdp.FrameID
	parent cdp.FrameID // empty for the main frame

	world // in the process that draws it
	// around is what the process of the page around it says of it while it has one
	// of its own: what was asked there before it moved comes late, and what it will
	// show when it moves back comes early.
	around world

	number int // 0 is the main frame; others have it in their prefix
	next   int // the first ref number that is free

	owner     string // ref of its element in the parent's document
	ownerIn   string // the world in which owner is good
	doc       runtime.RemoteObjectID
	docIn     string
	known     map[cdp.BackendNodeID]bool // handed to the world already
	knownIn   string
	counted   counted         // when all nodes of its session were known
	shownTo   map[string]bool // callers that have seen it
	lastIndex int             // where it stood among its siblings
}

// world is our world in a frame's document.
type world struct {
	s        *devtools.Session // of the process
	context  string            // its unique id; empty while none is known
	contextN runtime.ExecutionContextID
}

// isOwn says whether a session is that of a process of the frame's own, or for
// the main frame that of the page.
func (f *docFrame) isOwn(s *devtools.Session) bool { return s != nil && cdp.FrameID(s.Target) == f.id }

// in is the world of the frame that a session speaks of. A session of its own has
// the frame until it ends.
func (f *docFrame) in(s *devtools.Session) *world {
	switch {
	case f.s == s:
	case !f.isOwn(f.s):
		if f.isOwn(s) {
			f.around = f.world
		}
		f.world = world{s: s}
	case f.isOwn(s):
		f.world = world{s: s}
	case f.around.s == s:
		return &f.around
	default:
		f.around = world{s: s}
		return &f.around
	}
	return &f.world
}

// prefix is what the frame's refs begin with.
func (f *docFrame) prefix() string {
	if f.number == 0 {
		return "e"
	}
	return "f" + strconv.Itoa(f.number) + "e"
}

// space gives out ref numbers of one tab. It outlives the page's session, so
// that a number is never given again while the tab lives.
type space struct {
	mu     sync.Mutex
	next   int // of the main frame's documents
	frames int // child frames so far
}

// frames are the frames of a page. They are kept by the reader itself, so that
// an answer never arrives before the events that came first.
type frames struct {
	mu    sync.Mutex
	space *space
	byID  map[cdp.FrameID]*docFrame
	order int
	more  chan struct{} // closed at the next change; nil while nobody waits
}

func newFrames(sp *space, main *devtools.Session) *frames {
	fs := &frames{space: sp, byID: make(map[cdp.FrameID]*docFrame)}
	fs.byID[cdp.FrameID(main.Target)] = &docFrame{id: cdp.FrameID(main.Target), world: world{s: main}, next: 1}
	return fs
}

// changes returns a channel that is closed when a frame comes, goes or gets
// another document.
func (fs *frames) changes() <-chan struct{} {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.more == nil {
		fs.more = make(chan struct{})
	}
	return fs.more
}

// changed tells who waits; fs.mu is held.
func (fs *frames) changed() {
	if fs.more != nil {
		close(fs.more)
		fs.more = nil
	}
}

// main returns the main frame.
func (fs *frames) main() *docFrame {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.byID {
		if f.number == 0 {
			return f
		}
	}
	return nil
}

// children returns the frames inside one, oldest first.
func (fs *frames) children(of *docFrame) []*docFrame {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var out []*docFrame
	for _, f := range fs.byID {
		if f.number != 0 && f.parent == of.id {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *docFrame) int { return a.number - b.number })
	return out
}

// all returns every frame, the main one first.
func (fs *frames) all() []*docFrame {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return slices.SortedFunc(maps.Values(fs.byID), func(a, b *docFrame) int { return a.number - b.number })
}

// of returns the frame of a ref: "e5" or "f2e5".
func (fs *frames) of(ref string) (*docFrame, bool) {
	number := 0
	rest := strings.TrimPrefix(ref, "@")
	if after, ok := strings.CutPrefix(rest, "f"); ok {
		digits, _, _ := strings.Cut(after, "e")
		number, _ = strconv.Atoi(digits)
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.byID {
		if f.number == number {
			return f, true
		}
	}
	return nil, false
}

// parentOf returns the frame that a frame stands in; nil for the main one.
func (fs *frames) parentOf(f *docFrame) *docFrame {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.byID[f.parent]
}

// numbered takes in how far a frame's refs are.
func (fs *frames) numbered(f *docFrame, next int) {
	fs.mu.Lock()
	f.next = max(f.next, next)
	fs.mu.Unlock()
	if f.number == 0 {
		fs.space.mu.Lock()
		fs.space.next = max(fs.space.next, next)
		fs.space.mu.Unlock()
	}
}

// base is the first number that a document of the frame may give.
func (fs *frames) base(f *docFrame) int {
	if f.number == 0 {
		fs.space.mu.Lock()
		defer fs.space.mu.Unlock()
		return max(1, fs.space.next)
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return f.next
}

// state returns what is needed to speak to a frame.
func (fs *frames) state(f *docFrame) (s *devtools.Session, context string) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return f.s, f.context
}

// ownerOf returns the ref of a frame's element in its parent's document.
func (p *page) ownerOf(ctx context.Context, f *docFrame) (string, error) {
	parent := p.frames.parentOf(f)
	if parent == nil {
		return "", errNoFrame
	}
	s, world, err := p.ready(ctx, parent)
	if err != nil {
		return "", err
	}
	p.frames.mu.Lock()
	owner, good, worldN := f.owner, f.ownerIn == world, parent.contextN
	p.frames.mu.Unlock()
	if good {
		return owner, nil
	}
	at, err := cdp.Call(ctx, s, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.id})
	if err != nil {
		return "", errors.Join(errNoFrame, err)
	}
	node, err := cdp.Call(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: at.BackendNodeID, ExecutionContextID: worldN})
	if err != nil || node.Object == nil {
		return "", errors.Join(errNoFrame, err)
	}
	byValue := true
	res, err := cdp.Call(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		ObjectID: node.Object.ObjectID, ReturnByValue: &byValue,
		FunctionDeclaration: fmt.Sprintf("function () { const page = globalThis.pilotfishPage; page.configure({ prefix: %q, base: %d }); return page.refOf(this); }", parent.prefix(), p.frames.base(parent)),
	})
	if err != nil || res.Result == nil {
		return "", errors.Join(errNoFrame, err)
	}
	if err := jsonv2.Unmarshal(res.Result.Value, &owner); err != nil {
		return "", fmt.Errorf("reading the ref of a frame: %w", err)
	}
	p.frames.mu.Lock()
	f.owner, f.ownerIn = owner, world
	p.frames.mu.Unlock()
	return owner, nil
}

// errNoFrame is returned for a frame that is not there (any more).
var errNoFrame = errors.New("the frame is gone")

// spaceOf returns the ref numbers of a tab.
func (b *Browser) spaceOf(id protocol.TabID) *space {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spaces == nil {
		b.spaces = make(map[protocol.TabID]*space)
	}
	if b.spaces[id] == nil {
		b.spaces[id] = &space{next: 1}
	}
	return b.spaces[id]
}
