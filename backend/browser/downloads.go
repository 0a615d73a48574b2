package browser

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// downloads are those of a run, the newest last.
type downloads struct {
	mu   sync.Mutex
	list []download
	last int
	more chan struct{}
}

type download struct {
	protocol.Download
	guid string
}

// watch follows the browser's word on downloads.
func (d *downloads) watch(ctx context.Context, r *run, events *devtools.Subscription) {
	defer events.Cancel()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-events.C:
			if !ok {
				return
			}
			d.event(r, e)
		}
	}
}

func (d *downloads) event(r *run, e devtools.Event) {
	switch e.Method {
	case browser.DownloadWillBegin.Method:
		v, ok := devtools.Decode(e, browser.DownloadWillBegin)
		if !ok {
			return
		}
		t, _ := r.b.tabs.Find(func(t *tabs.Entry) bool { return t.Target == target.ID(v.FrameID) })
		d.mu.Lock()
		defer d.mu.Unlock()
		d.last++
		d.list = append(d.list, download{guid: v.GUID, Download: protocol.Download{
			ID: fmt.Sprintf("d%d", d.last), Tab: t.ID, URL: v.URL, Name: v.SuggestedFilename, State: "running", At: time.Now().UTC(),
		}})
		if len(d.list) > downloadRing {
			d.list = slices.Delete(d.list, 0, len(d.list)-downloadRing)
		}
		d.wake()
	case browser.DownloadProgress.Method:
		v, ok := devtools.Decode(e, browser.DownloadProgress)
		if !ok {
			return
		}
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
				o.State, o.Path = "done", v.FilePath
				if dir := r.b.config.DownloadDir; o.Path == "" && dir != "" {
					o.Path = filepath.Join(dir, filepath.Base(o.Name))
				}
			case browser.DownloadProgressStateCanceled:
				o.State = "canceled"
			case browser.DownloadProgressStateInProgress:
			}
		}
		d.wake()
	}
}

// wake tells the waiters; d.mu is held.
func (d *downloads) wake() {
	if d.more != nil {
		close(d.more)
		d.more = nil
	}
}

// snapshot returns the downloads and a channel that is closed at the next
// change.
func (d *downloads) snapshot() ([]protocol.Download, <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.more == nil {
		d.more = make(chan struct{})
	}
	out := make([]protocol.Download, len(d.list))
	for i := range d.list {
		out[i] = d.list[i].Download
	}
	return out, d.more
}

// Downloads returns the downloads since the browser started, oldest first.
func (b *Browser) Downloads() []protocol.Download {
	r, err := b.running()
	if err != nil {
		return nil
	}
	list, _ := r.downloads.snapshot()
	return list
}

// WaitDownload waits until a download has ended: the one of an id, or else the
// newest of a tab, or else the next of it.
func (b *Browser) WaitDownload(ctx context.Context, id string, tab protocol.TabID) (protocol.Download, error) {
	r, err := b.running()
	if err != nil {
		return protocol.Download{}, err
	}
	for {
		list, more := r.downloads.snapshot()
		var found *protocol.Download
		for i := range list {
			if list[i].ID == id || (id == "" && (list[i].Tab == tab || list[i].Tab == "")) {
				found = &list[i]
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
		case <-r.conn.Done:
			return protocol.Download{}, page.TabError(ctx, tab, "waiting for the download", nil, devtools.ErrPipeEnded)
		case <-ctx.Done():
			if found != nil {
				return *found, protocol.NewError(protocol.CodeTimeout, fmt.Sprintf("download %s is at %d of %d bytes", found.ID, found.Received, found.Total), "", protocol.MoreTime())
			}
			return protocol.Download{}, protocol.NewError(protocol.CodeTimeout, "no download started in time", "start it first", protocol.Try("then waits for it", "downloads", "wait"))
		}
	}
}

// NextDownload waits until a download of a tab that is not among the known ones
// (by their ids) has ended. It returns CodeNotActable when none begins: whoever
// asks has just done what should start one.
func (b *Browser) NextDownload(ctx context.Context, tab protocol.TabID, known map[string]bool) (protocol.Download, error) {
	r, err := b.running()
	if err != nil {
		return protocol.Download{}, err
	}
	overdue := time.NewTimer(windowWait)
	defer overdue.Stop()
	for {
		list, more := r.downloads.snapshot()
		for _, d := range list {
			if !known[d.ID] && (d.Tab == tab || d.Tab == "") {
				return b.WaitDownload(ctx, d.ID, tab)
			}
		}
		select {
		case <-more:
		case <-r.conn.Done:
			return protocol.Download{}, page.TabError(ctx, tab, "waiting for the download", nil, devtools.ErrPipeEnded)
		case <-overdue.C:
			return protocol.Download{}, protocol.NewError(protocol.CodeNotActable, "it was clicked, but no download started", "", protocol.Try("shows what happened instead", "snapshot", "--delta"))
		case <-ctx.Done():
			return protocol.Download{}, protocol.NewError(protocol.CodeTimeout, "no download started in time", "", protocol.MoreTime())
		}
	}
}
