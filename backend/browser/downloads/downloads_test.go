package downloads

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// source is a browser with one run.
type source struct{ list *List }

func (s source) Files() (*List, error) {
	if s.list == nil {
		return nil, errors.New("it does not run")
	}
	return s.list, nil
}

func newList() *List {
	return NewList(Config{Dir: "/to", Ended: make(chan struct{}), Tab: func(shown target.ID) protocol.TabID {
		if shown == "T1" {
			return "t1"
		}
		return ""
	}})
}

func (d *List) tell(method, params string) {
	e := devtools.Event{Method: method, Params: jsonv2.Value(params)}
	d.Begin(e)
	d.event(e)
}

// WaitDownload and NextDownload return once the download has ended.
func TestWaitDownload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newList()
		w := New(source{d})
		done := make(chan protocol.Download, 1)
		go func() {
			got, err := w.NextDownload(t.Context(), "t1", nil)
			if err != nil {
				t.Error(err)
			}
			done <- got
		}()
		synctest.Wait()
		d.tell(browser.DownloadWillBegin.Method, `{"frameId":"T2","guid":"b","url":"https://example.com/b","suggestedFilename":"b.txt"}`)
		d.tell(browser.DownloadWillBegin.Method, `{"frameId":"T1","guid":"a","url":"https://example.com/a","suggestedFilename":"a.txt"}`)
		d.tell(browser.DownloadProgress.Method, `{"guid":"a","state":"inProgress","receivedBytes":3,"totalBytes":9}`)
		d.tell(browser.DownloadProgress.Method, `{"guid":"b","state":"canceled","receivedBytes":0,"totalBytes":0}`)
		d.tell(browser.DownloadProgress.Method, `{"guid":"a","state":"completed","receivedBytes":9,"totalBytes":9}`)
		got := <-done
		if got.ID != "d1" || got.State != "canceled" { // its tab is not known, so it may belong to this one
			t.Errorf("the next download is %+v", got)
		}
		if got, err := w.WaitDownload(t.Context(), "d2", ""); err != nil || got.State != "done" || got.Tab != "t1" || got.Path != "/to/a.txt" || got.Received != 9 {
			t.Errorf("it is %+v, %v", got, err)
		}
		if what, err := w.AwaitDownload(t.Context(), "t1", "a.*"); err != nil || what != "d2 /to/a.txt" {
			t.Errorf("%q is awaited, %v", what, err)
		}
	})
}

// A download that has to wait for its decision is stopped, and its file is removed,
// also when it was faster.
func TestStoppedDownload(t *testing.T) {
	dir, stopped := t.TempDir(), make(chan string, 4)
	d := NewList(Config{
		Dir: dir, Tab: func(target.ID) protocol.TabID { return "t1" }, Stop: func(guid string) { stopped <- guid },
		Begins: func(_ cdp.FrameID, address, _ string, stop func()) {
			if address == "https://example.com/a" {
				stop()
			}
		},
	})
	for _, name := range []string{"a", "b"} {
		file := filepath.Join(dir, name+".txt")
		if err := os.WriteFile(file, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		d.tell(browser.DownloadWillBegin.Method, `{"frameId":"T1","guid":"`+name+`","url":"https://example.com/`+name+`","suggestedFilename":"`+name+`.txt"}`)
		d.tell(browser.DownloadProgress.Method, `{"guid":"`+name+`","state":"completed","receivedBytes":1,"totalBytes":1}`)
	}
	if got := <-stopped; got != "a" || len(stopped) > 0 {
		t.Errorf("stopped is %s, and %d more", got, len(stopped))
	}
	list := New(source{d}).Downloads()
	if len(list) != 2 || list[0].State != "canceled" || list[0].Path != "" || list[1].State != "done" {
		t.Errorf("the downloads are %+v", list)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "b.txt" {
		t.Errorf("the files are %v, %v", left, err)
	}
}

// When no download begins after a click, the wait ends soon.
func TestNoDownload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := New(source{newList()}).NextDownload(t.Context(), "t1", nil)
		if protocol.AsError(err).Code != protocol.CodeNotActable {
			t.Error(err)
		}
	})
	if got := New(source{}).Downloads(); got != nil {
		t.Errorf("a browser that does not run has %v", got)
	}
}

// The oldest downloads are dropped, and the others keep their ids.
func TestRing(t *testing.T) {
	d := newList()
	for range ring + 5 {
		d.tell(browser.DownloadWillBegin.Method, `{"frameId":"T1","guid":"a","url":"https://example.com/a","suggestedFilename":"a.txt"}`)
	}
	if list, _ := d.snapshot(); len(list) != ring || list[0].ID != "d6" {
		t.Errorf("%d are kept, the first is %s", len(list), list[0].ID)
	}
}
