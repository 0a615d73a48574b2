package browser

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
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

const featureNews = "news"

// newsWatch keeps what happens on a tab by itself, between two things that are
// done to it, and what each caller knows of that.
type newsWatch struct {
	mu    sync.Mutex
	ring  watch.Ring[newsItem]
	last  int
	since time.Time // what was said before it is repeated when watching begins
	open  string    // the dialog that is shown
	known map[string]*newsKnown
}

// newsItem is one thing that happened, in words.
type newsItem struct {
	n    int
	text string
}

// newsKnown is what a caller has been told: up to which item and which download,
// and what its own actions have told it since.
type newsKnown struct {
	last     int
	download int
	told     []string
}

func newNewsWatch() *newsWatch {
	return &newsWatch{since: time.Now(), ring: watch.Ring[newsItem]{Limit: newsRing}, known: map[string]*newsKnown{}}
}

func (w *newsWatch) Begin(ctx context.Context, s *devtools.Session, child bool) error {
	if !child { // the tab's own session hears of the dialogs of its frames
		if err := devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{}); err != nil {
			return err
		}
	}
	return devtools.Post(ctx, s, runtime.Enable, cdp.Empty{})
}

// What is switched on stays: other features of the tab listen to it.
func (w *newsWatch) End(context.Context, *devtools.Session) {}

func (w *newsWatch) Event(_ context.Context, _ *devtools.Session, e devtools.Event) {
	switch e.Method {
	case cdppage.JavascriptDialogOpening.Method:
		if v, ok := devtools.Decode(e, cdppage.JavascriptDialogOpening); ok && v.Type != cdppage.DialogTypeBeforeunload {
			w.mu.Lock()
			w.open = dialogNews(string(v.Type), v.Message)
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
		if text, at, ok := faultOf(e); ok && !at.Before(w.since) {
			w.add(faultNews(text))
		}
	}
}

func (w *newsWatch) add(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	w.ring.Add(newsItem{w.last, text})
}

// caller is what a caller knows; w.mu is held. Who asks first knows all that
// happened before.
func (w *newsWatch) caller(name string, downloads int) *newsKnown {
	k := w.known[name]
	if k == nil {
		k = &newsKnown{last: w.last, download: downloads}
		w.known[name] = k
	}
	return k
}

// The words for what happened; what a caller's own action told it is left out by
// them.
func faultNews(text string) string    { return "console error: " + text }
func downloadNews(name string) string { return "download: " + page.Plain(name) }
func dialogNews(kind, words string) string {
	return "a dialog was answered: " + kind + ": " + page.Plain(words)
}

// news tells a caller what happened on a tab by itself since it was told last,
// and begins to watch the tab.
func (b *Browser) news(ctx context.Context, id protocol.TabID, name string) ([]string, error) {
	k, err := b.keeper(ctx, id)
	if err != nil {
		return nil, err
	}
	w, err := watch.Use(ctx, k, featureNews, newNewsWatch)
	if err != nil {
		return nil, err
	}
	if err := k.CatchUp(ctx); err != nil {
		return nil, b.explain(ctx, id, nil, err)
	}
	files := b.Downloads()
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.caller(name, lastDownload(files))
	var out []string
	add := func(text string) {
		if at := slices.Index(known.told, text); at >= 0 {
			known.told = slices.Delete(known.told, at, at+1)
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
			add(downloadNews(file.Name))
		}
	}
	known.last, known.download, known.told = w.last, max(known.download, lastDownload(files)), nil
	if more := len(out) - newsTold; more > 0 {
		out = append(out[:newsTold], fmt.Sprintf("and %d more", more))
	}
	return out, nil
}

// knows notes what a caller was told of a tab otherwise.
func (b *Browser) knows(ctx context.Context, id protocol.TabID, told ...string) {
	w, ok := watch.Get[*newsWatch](b.kept(id), featureNews)
	if !ok || len(told) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if known := w.known[protocol.CallerOf(ctx)]; known != nil {
		known.told = append(known.told, told...)
	}
}

// knowsEffect notes what the effect of an action tells its caller.
func (b *Browser) knowsEffect(ctx context.Context, e *protocol.Effect) {
	told := make([]string, 0, len(e.Errors)+len(e.Downloads))
	for _, text := range e.Errors {
		told = append(told, faultNews(text))
	}
	for _, name := range e.Downloads {
		told = append(told, downloadNews(name))
	}
	b.knows(ctx, e.Tab, told...)
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

// faultOf is what a script threw or wrote to the console as an error, and when.
func faultOf(e devtools.Event) (text string, at time.Time, ok bool) {
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
