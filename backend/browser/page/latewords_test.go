package page

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
)

// A frame that another process renders belongs to that process, whatever late or
// early events the parent's process sends. The events below are in an order that
// was observed.
func TestLateWordsOfFrames(t *testing.T) {
	main := devtools.NewSession(nil, "S", "MAIN", nil)
	fs := newFrames(&Space{Next: 1}, main)
	say := func(s *devtools.Session, method, params string) {
		fs.event(s, devtools.Event{Method: method, Params: jsonv2.Value(params)})
	}
	world := func(s *devtools.Session, name string) {
		say(s, "Runtime.executionContextCreated", fmt.Sprintf(`{"context":{"id":1,"name":%q,"uniqueId":%q,"auxData":{"frameId":"FRAME"}}}`, WorldName, name))
	}
	own := func(id target.SessionID) *devtools.Session {
		s := devtools.NewSession(nil, id, "FRAME", main)
		fs.attached(s, &target.Info{TargetID: "FRAME", ParentFrameID: "MAIN"})
		return s
	}
	is := func(when string, s *devtools.Session, context string) {
		t.Helper()
		f := fs.byID["FRAME"]
		if f == nil {
			t.Fatalf("%s: it is gone", when)
		}
		if gotS, got := fs.State(f); gotS != s || got != context || f.parent != "MAIN" {
			t.Errorf("%s: in %s with %q, in %s; not in %s with %q", when, gotS.ID, got, f.parent, s.ID, context)
		}
	}
	say(main, "Page.frameAttached", `{"frameId":"FRAME","parentFrameId":"MAIN"}`)
	world(main, "first")
	is("in the page's process", main, "first")
	far := own("FAR")
	is("in a process of its own", far, "")
	world(far, "far")
	world(main, "asked for before it moved")
	say(main, "Page.frameDetached", `{"frameId":"FRAME","reason":"swap"}`)
	is("after a late word", far, "far")
	say(main, "Runtime.executionContextDestroyed", `{"executionContextUniqueId":"asked for before it moved"}`)
	say(main, "Runtime.executionContextsCleared", `{}`)
	is("after the end of what was late", far, "far")
	say(far, "Page.frameAttached", `{"frameId":"INSIDE","parentFrameId":"FRAME"}`)
	say(main, "Page.frameAttached", `{"frameId":"FRAME","parentFrameId":"MAIN"}`)
	world(main, "back")
	is("before it has moved back", far, "far")
	fs.detached(far, main)
	is("back in the page's process", main, "back")
	if fs.byID["INSIDE"] != nil {
		t.Error("what was inside it is still there")
	}
	again := own("AGAIN")
	world(again, "again")
	fs.detached(far, main) // late
	is("in a third process", again, "again")
	fs.detached(again, main)
	is("before it is back", main, "back")
	say(main, "Runtime.executionContextsCleared", `{}`)
	is("after the end of the document", main, "")
	say(main, "Page.frameNavigated", `{"frame":{"id":"MAIN","url":"http://127.0.0.1/","loaderId":"L","securityOrigin":"","mimeType":"text/html","domainAndRegistry":"","secureContextType":"Secure","crossOriginIsolatedContextType":"NotIsolated","gatedAPIFeatures":[]},"type":"Navigation"}`)
	if len(fs.All()) != 1 {
		t.Errorf("%d frames after the page went elsewhere", len(fs.All()))
	}
}
