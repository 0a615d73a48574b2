package page

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
)

// WorldName names our isolated world in every frame.
const WorldName = "pilotfish-page"

// Frame is one frame of a tab with our world in its document. frames.mu guards
// its fields.
type Frame struct {
	ID     cdp.FrameID
	parent cdp.FrameID // empty for the main frame

	world // in the process that renders it
	// around is our world as the parent's process reports it while the frame has
	// a process of its own. Answers to what was asked there before the frame
	// moved arrive late, and events about the document that it will show after
	// moving back arrive early.
	around world

	Number int // 0 is the main frame; the prefix of other frames contains it
	next   int // the first free ref number

	owner     string // ref of its element in the parent's document
	ownerIn   string // the world in which owner is valid
	doc       runtime.RemoteObjectID
	docIn     string
	known     map[cdp.BackendNodeID]bool // nodes that the world has received already
	knownIn   string
	Counted   Counted         // the renderer's counters when all nodes of its session were known
	shownTo   map[string]bool // callers to which it was shown
	lastIndex int             // its position among its siblings
}

// world is our isolated world in a frame's document.
type world struct {
	s        *devtools.Session // of the process that has the document
	context  string            // its unique context id; empty while unknown
	ContextN runtime.ExecutionContextID
}

// isOwn reports whether a session is that of the frame's own process; for the
// main frame, that of the page.
func (f *Frame) isOwn(s *devtools.Session) bool { return s != nil && cdp.FrameID(s.Target) == f.ID }

// in returns the world of the frame to which a session's events apply. A session
// of the frame's own process determines the frame until that session ends.
func (f *Frame) in(s *devtools.Session) *world {
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

// Prefix is what the frame's refs begin with.
func (f *Frame) Prefix() string {
	if f.Number == 0 {
		return "e"
	}
	return "f" + strconv.Itoa(f.Number) + "e"
}

// Name is what the refs of the frame begin with: "f2", or "page" for the page.
func (f *Frame) Name() string {
	if f.Number == 0 {
		return "page"
	}
	return "f" + strconv.Itoa(f.Number)
}

// Space assigns the ref numbers of one tab. It outlives the page's session, so
// that a number is never assigned twice while the tab exists.
type Space struct {
	mu     sync.Mutex
	Next   int // the next number for the main frame's documents
	frames int // number of child frames so far
}

// frames are the frames of a page. The connection's reader itself updates them,
// so that all events before an answer have been applied when the answer arrives.
type frames struct {
	mu    sync.Mutex
	space *Space
	byID  map[cdp.FrameID]*Frame
	order int
	more  chan struct{} // closed at the next change; nil while nothing waits
	// The sessions on which our world is being installed, until the commands were
	// sent.
	installs map[*devtools.Session]chan struct{}
}

func newFrames(sp *Space, main *devtools.Session) *frames {
	fs := &frames{space: sp, byID: make(map[cdp.FrameID]*Frame), installs: make(map[*devtools.Session]chan struct{})}
	fs.byID[cdp.FrameID(main.Target)] = &Frame{ID: cdp.FrameID(main.Target), world: world{s: main}, next: 1}
	return fs
}

// Changes returns a channel that is closed when a frame is added, removed or gets
// another document.
func (fs *frames) Changes() <-chan struct{} {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.more == nil {
		fs.more = make(chan struct{})
	}
	return fs.more
}

// changed wakes everything that waits on Changes; fs.mu is held.
func (fs *frames) changed() {
	if fs.more != nil {
		close(fs.more)
		fs.more = nil
	}
}

// Main returns the main frame.
func (fs *frames) Main() *Frame {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.byID {
		if f.Number == 0 {
			return f
		}
	}
	return nil
}

// Children returns the frames inside one, oldest first.
func (fs *frames) Children(of *Frame) []*Frame {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var out []*Frame
	for _, f := range fs.byID {
		if f.Number != 0 && f.parent == of.ID {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *Frame) int { return a.Number - b.Number })
	return out
}

// All returns every frame, the main one first.
func (fs *frames) All() []*Frame {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return slices.SortedFunc(maps.Values(fs.byID), func(a, b *Frame) int { return a.Number - b.Number })
}

// Of returns the frame of a ref: "e5" or "f2e5".
func (fs *frames) Of(ref string) (*Frame, bool) {
	number := 0
	rest := strings.TrimPrefix(ref, "@")
	if after, ok := strings.CutPrefix(rest, "f"); ok {
		digits, _, _ := strings.Cut(after, "e")
		number, _ = strconv.Atoi(digits)
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.byID {
		if f.Number == number {
			return f, true
		}
	}
	return nil, false
}

// ParentOf returns the frame that contains f; nil for the main frame.
func (fs *frames) ParentOf(f *Frame) *Frame {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.byID[f.parent]
}

// Numbered records the next free ref number of a frame.
func (fs *frames) Numbered(f *Frame, next int) {
	fs.mu.Lock()
	f.next = max(f.next, next)
	fs.mu.Unlock()
	if f.Number == 0 {
		fs.space.mu.Lock()
		fs.space.Next = max(fs.space.Next, next)
		fs.space.mu.Unlock()
	}
}

// Base returns the first ref number that a document of the frame may assign.
func (fs *frames) Base(f *Frame) int {
	if f.Number == 0 {
		fs.space.mu.Lock()
		defer fs.space.mu.Unlock()
		return max(1, fs.space.Next)
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return f.next
}

// State returns the session and world through which a frame is called.
func (fs *frames) State(f *Frame) (s *devtools.Session, context string) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return f.s, f.context
}

// OwnerOf returns the ref of a frame's element in its parent's document.
func OwnerOf(ctx context.Context, p *Page, f *Frame) (string, error) {
	parent := p.Frames.ParentOf(f)
	if parent == nil {
		return "", ErrNoFrame
	}
	s, world, err := p.Ready(ctx, parent)
	if err != nil {
		return "", err
	}
	p.Frames.mu.Lock()
	owner, good, worldN := f.owner, f.ownerIn == world, parent.ContextN
	p.Frames.mu.Unlock()
	if good {
		return owner, nil
	}
	at, err := cdp.Call(ctx, s, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.ID})
	if err != nil {
		return "", errors.Join(ErrNoFrame, err)
	}
	node, err := cdp.Call(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: at.BackendNodeID, ExecutionContextID: worldN})
	if err != nil || node.Object == nil {
		return "", errors.Join(ErrNoFrame, err)
	}
	byValue := true
	res, err := cdp.Call(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		ObjectID: node.Object.ObjectID, ReturnByValue: &byValue,
		FunctionDeclaration: fmt.Sprintf("function () { const page = globalThis.pilotfishPage; page.configure({ prefix: %q, base: %d }); return page.refOf(this); }", parent.Prefix(), p.Frames.Base(parent)),
	})
	if err != nil || res.Result == nil {
		return "", errors.Join(ErrNoFrame, err)
	}
	if err := jsonv2.Unmarshal(res.Result.Value, &owner); err != nil {
		return "", fmt.Errorf("reading the ref of a frame: %w", err)
	}
	p.Frames.mu.Lock()
	f.owner, f.ownerIn = owner, world
	p.Frames.mu.Unlock()
	return owner, nil
}

// ErrNoFrame is returned for a frame that does not exist, or no longer does.
var ErrNoFrame = errors.New("the frame is gone")

// Has reports whether a frame belongs to the page.
func (fs *frames) Has(id cdp.FrameID) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.byID[id] != nil
}

// ContextOf returns the context id of our world in a frame.
func (fs *frames) ContextOf(f *Frame) runtime.ExecutionContextID {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return f.ContextN
}

// Seen reports whether a frame was shown to a caller.
func (fs *frames) Seen(f *Frame, caller string) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return f.shownTo[caller]
}

// Show records that a frame was shown to a caller.
func (fs *frames) Show(f *Frame, caller string) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.shownTo == nil {
		f.shownTo = make(map[string]bool)
	}
	f.shownTo[caller] = true
}
