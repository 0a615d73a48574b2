// Package downloads lists the downloads of a browser, gives their files their names, and
// waits for them.
//
// The browser overwrites a file of the same name when it saves into a folder that we
// set. So we let it call each file by an id, and move the file to a name that is free
// once it is complete. In a window that would put ids into the browser's own list of
// downloads, whose files it would not find. There the browser names the files by itself,
// as for any user, except while commands act: it asks the user about long names, and
// no command may wait for that.
package downloads

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

// Source provides the list of downloads, which is new for each run of the browser
// process.
type Source interface {
	Files() (*List, error)
}

// Waits lists the downloads of a browser and waits for them.
type Waits struct{ source Source }

// New returns the downloads of a browser.
func New(source Source) *Waits { return &Waits{source: source} }

const (
	// ring is how many downloads are kept; the oldest are dropped first.
	ring = 200
	// beginWait is how long a download that is expected after an action may take
	// to begin.
	beginWait = 3 * time.Second
	// afterCommand is how long after a command a download counts as caused by it.
	afterCommand = 5 * time.Second
)

// elsewhereDir is where the files of a context are on another machine. Chromium makes it.
const elsewhereDir = "/tmp/pilotfish-downloads"

// Config is what a list of downloads needs from its browser.
type Config struct {
	Conn *devtools.Conn
	// Open is the registry of tabs.
	Open *tabs.Registry
	// Dir is the folder for downloads; empty for the browser's default.
	Dir string
	// Shared: the browser names the files while no command acts.
	Shared bool
	// Elsewhere: the browser is on another machine. It names its files by itself, and a
	// complete one is copied into Dir.
	Elsewhere bool
	// Context: the browser is a browser context. Elsewhere, too, it is given a folder then:
	// Chromium 156 cancels each download of a context that has none.
	Context bool
	// Begins judges a file that a frame has begun to save, and calls stop when it may
	// not be saved now. It does not block. nil saves everything.
	Begins func(frame cdp.FrameID, address, name string, stop func())
	// Events receives each download that has begun or ended; nil for no events.
	Events *hub.Hub[any]
	Log    *slog.Logger
}

// List holds the downloads of one run of the browser, oldest first.
type List struct {
	config Config
	ctx    context.Context // of what is sent to the browser: it ends with the connection

	mu    sync.Mutex
	list  []download
	last  int
	limit int // how many bytes a name has at most
	more  chan struct{}

	holding sync.Mutex // guards the fields below, and orders the calls of tell
	holds   int        // how many commands act now
	ours    bool
	back    *time.Timer // ends ours
}

// NewList returns an empty list.
func NewList(c Config) *List {
	d := &List{config: c, ctx: context.Background(), limit: longest, ours: !c.Shared}
	if d.ours {
		d.holds = 1 // for good
	}
	return d
}

type download struct {
	protocol.Download
	guid      string
	suggested string // by the page
	stopped   bool
}

// Begun tells a new browser who names the files.
func (d *List) Begun() {
	d.holding.Lock()
	defer d.holding.Unlock()
	d.tell()
}

// tell tells the browser whether we name the files of downloads that begin from now on, and
// that it reports downloads. It does not wait for an answer: what is sent later finds it done.
// d.holding is held.
func (d *List) tell() {
	yes := true
	params := browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDefault, EventsEnabled: &yes}
	if d.ours && d.config.Dir != "" && (!d.config.Elsewhere || d.config.Context) {
		params.Behavior, params.DownloadPath = browser.SetDownloadBehaviorBehaviorAllowAndName, d.config.Dir
		if d.config.Elsewhere {
			params.DownloadPath = elsewhereDir
		}
	}
	if err := devtools.Post(d.ctx, d.config.Conn.Root, browser.SetDownloadBehavior, params); err != nil {
		d.config.Log.Debug("who names downloads was not said", "error", err)
	}
}

// Hold makes us name the files of the downloads that a command causes, until some time
// after release was called.
func (d *List) Hold() (release func()) {
	d.holding.Lock()
	defer d.holding.Unlock()
	if d.holds++; !d.ours {
		d.ours = true
		d.tell()
	}
	return func() {
		d.holding.Lock()
		defer d.holding.Unlock()
		if d.holds--; d.holds > 0 {
			return
		}
		if d.back != nil {
			d.back.Stop()
		}
		d.back = time.AfterFunc(afterCommand, d.leave)
	}
}

// leave lets the browser name the files again.
func (d *List) leave() {
	d.holding.Lock()
	defer d.holding.Unlock()
	if d.holds == 0 && d.ours {
		d.ours = false
		d.tell()
	}
}

// Name returns the name under which a download of the browser is saved.
func (d *List) Name(guid string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.list {
		if d.list[i].guid == guid {
			return d.list[i].Name
		}
	}
	return ""
}

// free returns the first name for a suggested one that neither a file nor a running
// download has; d.mu is held.
func (d *List) free(suggested string) string {
	if d.config.Dir == "" {
		return suggested // the browser names it
	}
	for n := 0; ; n++ {
		name := numbered(safeName(suggested), n, d.limit)
		_, err := os.Lstat(filepath.Join(d.config.Dir, name))
		running := slices.ContainsFunc(d.list, func(o download) bool { return o.Name == name && o.State == "running" })
		if err != nil && !running {
			return name
		}
	}
}

// Follow applies the browser's download events until ctx or the events end.
func (d *List) Follow(ctx context.Context, events *devtools.Subscription) {
	defer events.Cancel()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-events.C:
			if !ok {
				return
			}
			d.event(e)
		}
	}
}

func (d *List) event(e devtools.Event) {
	if e.Method == browser.DownloadProgress.Method {
		if v, ok := devtools.Decode(e, browser.DownloadProgress); ok {
			d.progress(&v)
		}
	}
}

// Begin adds a download that begins, and stops it if it has to wait for a decision.
// The connection's reader calls it, so that it is judged before anybody else hears
// of it.
func (d *List) Begin(e devtools.Event) {
	v, ok := devtools.Decode(e, browser.DownloadWillBegin)
	if e.Method != browser.DownloadWillBegin.Method || !ok {
		return
	}
	tab, _ := d.config.Open.Find(func(t *tabs.Entry) bool { return t.Target == target.ID(v.FrameID) })
	d.mu.Lock()
	d.last++
	d.list = append(d.list, download{guid: v.GUID, Download: protocol.Download{
		ID: fmt.Sprintf("d%d", d.last), Tab: tab.ID, URL: v.URL, Name: d.free(v.SuggestedFilename), State: "running", At: time.Now().UTC(),
	}, suggested: v.SuggestedFilename})
	if len(d.list) > ring {
		d.list = slices.Delete(d.list, 0, len(d.list)-ring)
	}
	begun := d.list[len(d.list)-1].Download
	d.wake()
	d.mu.Unlock()
	d.changed(begun)
	if d.config.Begins != nil {
		d.config.Begins(v.FrameID, v.URL, v.SuggestedFilename, func() { d.stop(v.GUID) })
	}
}

// stop ends a download. Its file is removed, also when it is complete already.
func (d *List) stop(guid string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.list {
		if o := &d.list[i]; o.guid == guid {
			o.stopped = true
			o.remove()
		}
	}
	d.wake()
	go func() { // the connection's reader may be here, which must not wait to write
		if err := devtools.Post(d.ctx, d.config.Conn.Root, browser.CancelDownload, browser.CancelDownloadParams{GUID: guid}); err != nil {
			d.config.Log.Warn("a download was not stopped", "error", err)
		}
	}()
}

// remove removes the file of a download that was faster than its end.
func (o *download) remove() {
	if o.stopped && o.State == "done" {
		_ = os.Remove(o.Path)
		o.State, o.Path = "canceled", ""
	}
}

func (d *List) progress(v *browser.EventDownloadProgress) {
	if done := d.progressed(v); done != nil {
		d.changed(*done)
	}
}

// index returns the place of a download; d.mu is held.
func (d *List) index(guid string) int {
	return slices.IndexFunc(d.list, func(o download) bool { return o.guid == guid })
}

// changed passes on that a download has begun or ended.
func (d *List) changed(o protocol.Download) {
	d.config.Events.Report(o)
}

// progressed applies an event, and returns the download if it has ended with it.
func (d *List) progressed(v *browser.EventDownloadProgress) (done *protocol.Download) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.list {
		o := &d.list[i]
		if o.guid != v.GUID {
			continue
		}
		o.Received, o.Total = int64(v.ReceivedBytes), int64(v.TotalBytes)
		switch v.State {
		case browser.DownloadProgressStateCompleted:
			if d.config.Elsewhere && !o.stopped && v.FilePath != "" {
				go d.bring(*o, v.FilePath) // ends with the connection
				return nil
			}
			o.State, o.Path = "done", v.FilePath
			d.settle(o)
			o.remove()
		case browser.DownloadProgressStateCanceled:
			o.State = "canceled"
		case browser.DownloadProgressStateInProgress:
		}
		if o.State != "running" {
			ended := o.Download
			done = &ended
		}
	}
	d.wake()
	return done
}

// settle records the file of a complete download. If the browser called it by the id, it
// gets its name; d.mu is held.
func (d *List) settle(o *download) {
	if dir := d.config.Dir; o.Path == "" && dir != "" { // an older browser does not tell it
		o.Path = filepath.Join(dir, o.guid)
	}
	if filepath.Base(o.Path) == o.guid && !o.stopped {
		_ = d.place(o) // or it keeps the id, and is not lost
	}
	if o.Path != "" {
		o.Name = filepath.Base(o.Path)
	}
}

// place moves the file of a download to its name, or to another one if that was taken
// meanwhile; d.mu is held.
func (d *List) place(o *download) error {
	for {
		path := filepath.Join(filepath.Dir(o.Path), o.Name)
		// The empty file keeps others from taking the name. It is replaced as a whole.
		held, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		switch {
		case err == nil:
			_ = held.Close()
			if err := os.Rename(o.Path, path); err != nil {
				return errors.Join(err, os.Remove(path))
			}
			o.Path = path
			return nil
		case errors.Is(err, syscall.ENAMETOOLONG) && d.limit > shortest: // an encrypted folder, for example
			d.limit -= 16
		case !errors.Is(err, fs.ErrExist):
			return err
		}
		o.Name = d.free(o.suggested)
	}
}

// wake wakes everything that waits for a change; d.mu is held.
func (d *List) wake() {
	if d.more != nil {
		close(d.more)
		d.more = nil
	}
}

// snapshot returns the downloads and a channel that is closed at the next
// change.
func (d *List) snapshot() ([]download, <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.more == nil {
		d.more = make(chan struct{})
	}
	return slices.Clone(d.list), d.more
}

// Downloads returns the downloads since the browser started, oldest first.
func (w *Waits) Downloads() []protocol.Download {
	all, err := w.source.Files()
	if err != nil {
		return nil
	}
	list, _ := all.snapshot()
	out := make([]protocol.Download, len(list))
	for i := range list {
		out[i] = list[i].Download
	}
	return out
}

// FileName returns the name under which a download is saved; empty while the browser is
// not running.
func (w *Waits) FileName(guid string) string {
	all, err := w.source.Files()
	if err != nil {
		return ""
	}
	return all.Name(guid)
}

// WaitDownload waits until a download has ended: the one with an id; without an
// id, the newest download of a tab, or its next one if it has none.
func (w *Waits) WaitDownload(ctx context.Context, id string, tab protocol.TabID) (protocol.Download, error) {
	all, err := w.source.Files()
	if err != nil {
		return protocol.Download{}, err
	}
	defer all.Hold()()
	for {
		list, more := all.snapshot()
		var found *protocol.Download
		for i := range list {
			if list[i].ID == id || (id == "" && (list[i].Tab == tab || list[i].Tab == "")) {
				found = &list[i].Download
			}
		}
		if found == nil && id != "" {
			return protocol.Download{}, protocol.NewError(protocol.CodeBadArgument, "there is no download "+id, "", protocol.Try("lists them", "downloads"))
		}
		if found != nil && found.State != "running" {
			return *found, nil
		}
		select {
		case <-more:
		case <-all.config.Conn.Done:
			return protocol.Download{}, page.TabError(ctx, tab, "waiting for the download", nil, devtools.ErrPipeEnded)
		case <-ctx.Done():
			if found != nil {
				return *found, protocol.NewError(protocol.CodeTimeout, fmt.Sprintf("download %s is at %d of %d bytes", found.ID, found.Received, found.Total), "", protocol.MoreTime())
			}
			return protocol.Download{}, protocol.NewError(protocol.CodeTimeout, "no download started in time", "start it first", protocol.Try("then waits for it", "downloads", "wait"))
		}
	}
}

// NextDownload waits until a new download of a tab has ended, that is, one whose
// id is not in known. The caller has just done what should start a download. It
// returns CodeNotActable when none begins within beginWait.
func (w *Waits) NextDownload(ctx context.Context, tab protocol.TabID, known map[string]bool) (protocol.Download, error) {
	all, err := w.source.Files()
	if err != nil {
		return protocol.Download{}, err
	}
	defer all.Hold()()
	overdue := time.NewTimer(beginWait)
	defer overdue.Stop()
	for {
		list, more := all.snapshot()
		for _, d := range list {
			if !known[d.ID] && (d.Tab == tab || d.Tab == "") {
				return w.WaitDownload(ctx, d.ID, tab)
			}
		}
		select {
		case <-more:
		case <-all.config.Conn.Done:
			return protocol.Download{}, page.TabError(ctx, tab, "waiting for the download", nil, devtools.ErrPipeEnded)
		case <-overdue.C:
			return protocol.Download{}, protocol.NewError(protocol.CodeNotActable, "it was clicked, but no download started", "", protocol.Try("shows what happened instead", "snapshot", "--delta"))
		case <-ctx.Done():
			return protocol.Download{}, protocol.NewError(protocol.CodeTimeout, "no download started in time", "", protocol.MoreTime())
		}
	}
}

// AwaitDownload waits until a tab has a complete download whose name or URL
// matches a pattern, and returns its id and path.
func (w *Waits) AwaitDownload(ctx context.Context, id protocol.TabID, pattern string) (string, error) {
	all, err := w.source.Files()
	if err != nil {
		return "", err
	}
	defer all.Hold()()
	for {
		list, more := all.snapshot()
		for _, d := range list {
			if d.State == "done" && (d.Tab == id || d.Tab == "") && (page.Glob(pattern, d.Name) || page.Glob(pattern, d.suggested) || page.Glob(pattern, d.URL)) {
				return d.ID + " " + d.Path, nil
			}
		}
		select {
		case <-more:
		case <-all.config.Conn.Done:
			return "", devtools.ErrPipeEnded
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}
