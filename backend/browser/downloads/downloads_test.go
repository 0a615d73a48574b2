package downloads

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/devtools/fake"
	"pilotfish/backend/browser/tabs"
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

// newList returns the list of a browser with one tab, t1, which shows T1.
func newList(t *testing.T, c Config) (*fake.Browser, *List) {
	t.Helper()
	b, conn := fake.Connect(t, nil)
	c.Conn, c.Open = conn, tabs.New(0)
	c.Open.TargetInfo(&target.Info{TargetID: "T1", Type: "page", URL: "https://example.com/"})
	return b, NewList(c)
}

func (d *List) hears(method, params string) {
	e := devtools.Event{Method: method, Params: jsonv2.Value(params)}
	d.Begin(e)
	d.event(e)
}

// saves writes what the browser has saved of a download, under its id.
func saves(t *testing.T, dir, guid, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, guid), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (d *List) begins(guid, name string) {
	d.hears(browser.DownloadWillBegin.Method, fmt.Sprintf(`{"frameId":"T1","guid":%q,"url":"https://example.com/%[1]s","suggestedFilename":%q}`, guid, name))
}

func (d *List) completes(guid, path string) {
	d.hears(browser.DownloadProgress.Method, fmt.Sprintf(`{"guid":%q,"state":"completed","receivedBytes":1,"totalBytes":1,"filePath":%q}`, guid, path))
}

// WaitDownload and NextDownload return once the download has ended.
func TestWaitDownload(t *testing.T) {
	dir := t.TempDir()
	saves(t, dir, "a", "a")
	synctest.Test(t, func(t *testing.T) {
		_, d := newList(t, Config{Dir: dir})
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
		d.hears(browser.DownloadWillBegin.Method, `{"frameId":"T2","guid":"b","url":"https://example.com/b","suggestedFilename":"b.txt"}`)
		d.hears(browser.DownloadWillBegin.Method, `{"frameId":"T1","guid":"a","url":"https://example.com/a","suggestedFilename":"a.txt"}`)
		d.hears(browser.DownloadProgress.Method, `{"guid":"a","state":"inProgress","receivedBytes":3,"totalBytes":9}`)
		d.hears(browser.DownloadProgress.Method, `{"guid":"b","state":"canceled","receivedBytes":0,"totalBytes":0}`)
		d.hears(browser.DownloadProgress.Method, `{"guid":"a","state":"completed","receivedBytes":9,"totalBytes":9}`)
		got := <-done
		if got.ID != "d1" || got.State != "canceled" { // its tab is not known, so it may belong to this one
			t.Errorf("the next download is %+v", got)
		}
		if got, err := w.WaitDownload(t.Context(), "d2", ""); err != nil || got.State != "done" || got.Tab != "t1" || got.Path != filepath.Join(dir, "a.txt") || got.Received != 9 {
			t.Errorf("it is %+v, %v", got, err)
		}
		if what, err := w.AwaitDownload(t.Context(), "t1", "a.*"); err != nil || what != "d2 "+filepath.Join(dir, "a.txt") {
			t.Errorf("%q is awaited, %v", what, err)
		}
	})
}

// A download that has to wait for its decision is stopped, and its file is removed,
// also when it was faster.
func TestStoppedDownload(t *testing.T) {
	dir := t.TempDir()
	b, d := newList(t, Config{
		Dir: dir,
		Begins: func(_ cdp.FrameID, address, _ string, stop func()) {
			if address == "https://example.com/a" {
				stop()
			}
		},
	})
	stopped := b.Await(t, browser.CancelDownload.Method)
	for _, name := range []string{"a", "b"} {
		saves(t, dir, name, name)
		d.hears(browser.DownloadWillBegin.Method, `{"frameId":"T1","guid":"`+name+`","url":"https://example.com/`+name+`","suggestedFilename":"`+name+`.txt"}`)
		d.hears(browser.DownloadProgress.Method, `{"guid":"`+name+`","state":"completed","receivedBytes":1,"totalBytes":1}`)
	}
	if got := stopped(); string(got.Params) != `{"guid":"a"}` {
		t.Errorf("stopped is %s", got.Params)
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
		_, d := newList(t, Config{Dir: t.TempDir()})
		_, err := New(source{d}).NextDownload(t.Context(), "t1", nil)
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
	_, d := newList(t, Config{Dir: t.TempDir()})
	for range ring + 5 {
		d.hears(browser.DownloadWillBegin.Method, `{"frameId":"T1","guid":"a","url":"https://example.com/a","suggestedFilename":"a.txt"}`)
	}
	if list, _ := d.snapshot(); len(list) != ring || list[0].ID != "d6" {
		t.Errorf("%d are kept, the first is %s", len(list), list[0].ID)
	}
}

// Downloads of one name get files of their own, in whatever order they end. A file that
// was there before is not touched, nor is one that comes meanwhile.
func TestSameNames(t *testing.T) {
	dir := t.TempDir()
	_, d := newList(t, Config{Dir: dir})
	saves(t, dir, "report.csv", "before")
	for _, guid := range []string{"a", "b", "c"} {
		d.begins(guid, "report.csv")
		saves(t, dir, guid, guid)
	}
	if got := []string{d.Name("a"), d.Name("b"), d.Name("c")}; !slices.Equal(got, []string{"report (1).csv", "report (2).csv", "report (3).csv"}) {
		t.Errorf("they are to be called %q", got)
	}
	saves(t, dir, "report (2).csv", "meanwhile")
	for _, guid := range []string{"c", "a", "b"} {
		d.completes(guid, filepath.Join(dir, guid))
	}
	want := map[string]string{
		"report.csv": "before", "report (1).csv": "a", "report (2).csv": "meanwhile", "report (3).csv": "c", "report (4).csv": "b",
	}
	if got := contents(t, dir); !maps.Equal(got, want) {
		t.Errorf("the files are %q", got)
	}
	for i, name := range []string{"report (1).csv", "report (4).csv", "report (3).csv"} {
		if got := New(source{d}).Downloads()[i]; got.Name != name || got.Path != filepath.Join(dir, name) {
			t.Errorf("the record is %+v", got)
		}
	}
	// What the browser has named by itself keeps that name.
	d.begins("own", "report.csv")
	saves(t, dir, "mine.csv", "own")
	d.completes("own", filepath.Join(dir, "mine.csv"))
	if got := New(source{d}).Downloads()[3]; got.Name != "mine.csv" || got.Path != filepath.Join(dir, "mine.csv") {
		t.Errorf("the record is %+v", got)
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, one := range all {
		raw, err := os.ReadFile(filepath.Join(dir, one.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[one.Name()] = string(raw)
	}
	return out
}

// Every name that a page suggests becomes one that file systems take, and keeps its
// extension.
func TestNames(t *testing.T) {
	for suggested, want := range map[string]string{
		"report.csv": "report.csv", "a/b\\c.txt": "a_b_c.txt", "../../escape.txt": "_.._escape.txt", ".bashrc": "bashrc", "..": "download", "": "download",
		" . ": "download", "con.txt": "_con.txt", "COM1": "_COM1", "console.txt": "console.txt", "a\x00\n\tb.txt": "ab.txt", "x\u202egpj.exe": "xgpj.exe",
		"end. . ": "end", "a:b*?.txt": "a_b__.txt", "\xff.txt": "_.txt", "a\u00a0b.txt": "a\u00a0b.txt",
	} {
		if got := safeName(suggested); got != want {
			t.Errorf("%q becomes %q, not %q", suggested, got, want)
		}
	}
	dir := t.TempDir()
	for _, c := range []struct{ name, end string }{
		{strings.Repeat("L", 300) + ".txt", "L.txt"},
		{strings.Repeat("é", 300) + ".csv", "é.csv"},
		{strings.Repeat("漢", 300) + ".tar.gz", "漢.tar.gz"},
		{strings.Repeat("🙂", 300) + ".pdf", "🙂.pdf"},
		{strings.Repeat("x", 300), "x"},
		{"a." + strings.Repeat("x", 300), "x"},
		{strings.Repeat(".x", 300), "x.x"},
	} {
		_, d := newList(t, Config{Dir: dir})
		for n, guid := range []string{"a", "b"} {
			saves(t, dir, guid, guid)
			d.begins(guid, c.name)
			d.completes(guid, filepath.Join(dir, guid))
			got := New(source{d}).Downloads()[n]
			end := c.end
			if n > 0 {
				end = strings.TrimSuffix(c.end, extension(c.end))
				end = end[len(end)-1:] + " (1)" + extension(c.end)
			}
			if raw, err := os.ReadFile(got.Path); err != nil || string(raw) != guid || !utf8.ValidString(got.Name) || len(got.Name) > longest || !strings.HasSuffix(got.Name, end) {
				t.Errorf("%.20q… becomes %q: %q, %v", c.name, got.Name, raw, err)
			}
		}
	}
}

// Where the browser names the files of its user, we do it while a command acts, and some
// time longer.
func TestWhoNamesTheFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := 0
		notified := func(b *fake.Browser, want ...bool) {
			t.Helper()
			synctest.Wait()
			var got []bool
			for _, call := range b.Calls() {
				got = append(got, strings.Contains(string(call.Params), `"allowAndName"`))
			}
			if got = got[seen:]; !slices.Equal(got, want) {
				t.Errorf("the browser got %v, want %v", got, want)
			}
			seen += len(got)
		}
		b, d := newList(t, Config{Dir: "/to", Shared: true})
		d.Begun()
		one, two := d.Hold(), d.Hold()
		one()
		time.Sleep(2 * afterCommand)
		two()
		time.Sleep(afterCommand / 2)
		d.Hold()()
		time.Sleep(afterCommand - 1)
		notified(b, false, true)
		time.Sleep(2 * time.Nanosecond)
		notified(b, false)
		d.Hold()()
		notified(b, true)
		time.Sleep(2 * afterCommand)
		notified(b, false)
		b, alone := newList(t, Config{Dir: "/to"})
		seen = 0
		alone.Begun()
		alone.Hold()()
		time.Sleep(2 * afterCommand)
		notified(b, true)
	})
}

// What a crash left incomplete is removed, and nothing else.
func TestTidy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if err := Tidy(dir); err != nil {
		t.Fatal(err)
	}
	const id = "9d560a6a-ac39-4698-9bd0-18c93014ce0b"
	for _, name := range []string{id, id + ".crdownload", "report.csv", "mine.crdownload"} {
		saves(t, dir, name, name)
	}
	if err := Tidy(dir); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, dir); len(got) != 3 || got[id+".crdownload"] != "" {
		t.Errorf("left are %q", got)
	}
}
