// Package background collects the background events of a tab, and returns to each
// caller those that it does not know yet.
package background

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/downloads"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

const feature = "news"

// kept is how many background events of a tab are kept, and reportedOnce is how many
// lines of them one snapshot reports.
const (
	kept         = 50
	reportedOnce = 10
)

// Events are the background events of a browser's tabs.
type Events struct {
	source    watch.Source
	downloads *downloads.Waits
}

// New returns the background events of a browser's tabs; files are the
// browser's downloads.
func New(source watch.Source, files *downloads.Waits) *Events {
	return &Events{source: source, downloads: files}
}

// watcher collects the background events of one tab, and records what each caller
// knows of them.
type watcher struct {
	mu    sync.Mutex
	ring  watch.Ring[item]
	last  int
	since time.Time // when watching began; the browser then repeats earlier console events, which are ignored
	open  string    // text about the open dialog
	known map[string]*known
}

// item is one background event as text.
type item struct {
	n    int
	text string
}

// known is what a caller has received: up to which item and which download, and
// what its own actions have reported to it since.
type known struct {
	last     int
	download int
	reported []string
}

func newWatcher() *watcher {
	return &watcher{since: time.Now(), ring: watch.Ring[item]{Limit: kept}, known: map[string]*known{}}
}

func (w *watcher) Begin(ctx context.Context, s *devtools.Session, child bool) error {
	if !child { // the tab's own session receives the dialog events of its frames
		if err := devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{}); err != nil {
			return err
		}
	}
	return devtools.Post(ctx, s, runtime.Enable, cdp.Empty{})
}

// End disables nothing, because other features of the tab use the same events.
func (w *watcher) End(context.Context, *devtools.Session) {}

func (w *watcher) Event(_ context.Context, _ *devtools.Session, e devtools.Event) {
	switch e.Method {
	case cdppage.JavascriptDialogOpening.Method:
		if v, ok := devtools.Decode(e, cdppage.JavascriptDialogOpening); ok && v.Type != cdppage.DialogTypeBeforeunload {
			w.mu.Lock()
			w.open = dialogEvents(string(v.Type), v.Message)
			w.mu.Unlock()
		}
	case cdppage.JavascriptDialogClosed.Method:
		w.mu.Lock()
		text := w.open
		w.open = ""
		w.mu.Unlock()
		if text != "" {
			w.add(text)
		}
	case runtime.ExceptionThrown.Method, runtime.ConsoleAPICalled.Method:
		if text, at, ok := FaultOf(e); ok && !at.Before(w.since) {
			w.add(faultEvents(text))
		}
	}
}

func (w *watcher) add(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	w.ring.Add(item{w.last, text})
}

// caller returns what a caller knows; w.mu is held. A caller that asks for the
// first time does not get earlier events.
func (w *watcher) caller(name string, downloads int) *known {
	k := w.known[name]
	if k == nil {
		k = &known{last: w.last, download: downloads}
		w.known[name] = k
	}
	return k
}

// The texts of background events. What a caller's own action has reported to it
// is recognised by the same text and left out.
func faultEvents(text string) string    { return "console error: " + text }
func downloadEvents(name string) string { return "download: " + page.Plain(name) }
func dialogEvents(kind, words string) string {
	return "a dialog was answered: " + kind + ": " + page.Plain(words)
}

// Tell returns the background events of a tab since the caller last asked, and
// begins to watch the tab.
func (n *Events) Tell(ctx context.Context, by protocol.Caller, id protocol.TabID) ([]string, error) {
	k, err := n.source.Of(ctx, id)
	if err != nil {
		return nil, err
	}
	w, err := watch.Use(ctx, k, feature, newWatcher)
	if err != nil {
		return nil, err
	}
	if err := k.CatchUp(ctx); err != nil {
		return nil, n.source.Explain(ctx, id, err)
	}
	files := n.downloads.Downloads()
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.caller(by.Name, lastDownload(files))
	var out []string
	add := func(text string) {
		if at := slices.Index(known.reported, text); at >= 0 {
			known.reported = slices.Delete(known.reported, at, at+1)
			return
		}
		out = append(out, text)
	}
	for _, item := range w.ring.Items {
		if item.n > known.last {
			add(item.text)
		}
	}
	for _, file := range files {
		if numberOf(file) > known.download && (file.Tab == id || file.Tab == "") {
			add(downloadEvents(file.Name))
		}
	}
	known.last, known.download, known.reported = w.last, max(known.download, lastDownload(files)), nil
	if more := len(out) - reportedOnce; more > 0 {
		out = append(out[:reportedOnce], fmt.Sprintf("and %d more", more))
	}
	return out, nil
}

// knows records what a caller learned about a tab in another way.
func (n *Events) knows(by protocol.Caller, id protocol.TabID, reported ...string) {
	w, ok := watch.Get[*watcher](n.source.Kept(id), feature)
	if !ok || len(reported) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if known := w.known[by.Name]; known != nil {
		known.reported = append(known.reported, reported...)
	}
}

// KnowsEffect records what the effect of an action reports to its caller.
func (n *Events) KnowsEffect(by protocol.Caller, e *protocol.Effect) {
	reported := make([]string, 0, len(e.Errors)+len(e.Downloads))
	for _, text := range e.Errors {
		reported = append(reported, faultEvents(text))
	}
	for _, name := range e.Downloads {
		reported = append(reported, downloadEvents(name))
	}
	n.knows(by, e.Tab, reported...)
}

// KnowsDialog records that a caller answered a dialog itself.
func (n *Events) KnowsDialog(by protocol.Caller, id protocol.TabID, kind, words string) {
	n.knows(by, id, dialogEvents(kind, words))
}

func numberOf(file protocol.Download) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(file.ID, "d"))
	return n
}

func lastDownload(files []protocol.Download) int {
	if len(files) == 0 {
		return 0
	}
	return numberOf(files[len(files)-1])
}

// FaultOf returns the text and time of an exception that a script threw, or of an
// error that it wrote to the console. ok is false for any other event.
func FaultOf(e devtools.Event) (text string, at time.Time, ok bool) {
	switch e.Method {
	case runtime.ExceptionThrown.Method:
		v, read := devtools.Decode(e, runtime.ExceptionThrown)
		if !read || v.ExceptionDetails == nil {
			return "", at, false
		}
		text = v.ExceptionDetails.Text
		if x := v.ExceptionDetails.Exception; x != nil && x.Description != "" {
			text = x.Description
		}
		return page.Plain(text), time.UnixMicro(int64(float64(v.Timestamp) * 1000)).UTC(), true
	case runtime.ConsoleAPICalled.Method:
		v, read := devtools.Decode(e, runtime.ConsoleAPICalled)
		if !read || v.Type != runtime.ConsoleAPICalledTypeError || len(v.Args) == 0 || v.Args[0] == nil {
			return "", at, false
		}
		if text = v.Args[0].Description; text == "" {
			text = string(v.Args[0].Value)
		}
		return page.Plain(text), time.UnixMicro(int64(float64(v.Timestamp) * 1000)).UTC(), true
	}
	return "", at, false
}
