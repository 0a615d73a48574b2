package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"

	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
)

// fileSite serves a page with a link for each name, which saves a file under it. Each
// file contains the number of its link.
func fileSite(t *testing.T, names ...string) string {
	t.Helper()
	links := ""
	for i, name := range names {
		links += fmt.Sprintf("<a id=a%d href='/file/%[1]d?%s'>file</a> ", i, url.QueryEscape(name))
	}
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, is := strings.CutPrefix(r.URL.Path, "/file/"); is {
			name, err := url.QueryUnescape(r.URL.RawQuery)
			if err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(name))
			fmt.Fprint(w, "file "+n) //nolint:gosec // a page of the test's own site
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>files</title>%s
			<button onclick="for (const n of [0, 1, 2]) { const a = document.createElement('a'); a.href = 'data:text/plain,' + n; a.download = 'made.txt'; a.click() }">Made</button>`, links)
	})).URL
}

// downloaded waits for the downloads after the first n, and returns what is in their
// files, by their names.
func (f *fixture) downloaded(t *testing.T, n int) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, d := range f.Downloads()[n:] {
		d, err := f.WaitDownload(deadline(t), d.ID, "")
		if err != nil || d.State != "done" || filepath.Base(d.Path) != d.Name {
			t.Errorf("the download is %+v, %v", d, err)
			continue
		}
		raw, err := os.ReadFile(d.Path)
		if err != nil || out[d.Name] != "" {
			t.Errorf("%s of %s: %v", d.Path, d.Name, err)
		}
		out[d.Name] = string(raw)
	}
	return out
}

// clearDownloads removes what the test has saved, when it has ended.
func (f *fixture) clearDownloads(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		for _, name := range saved(t, f.config.DownloadDir) {
			_ = os.Remove(filepath.Join(f.config.DownloadDir, name))
		}
	})
}

// Every download has a file of its own, and the records tell its path: with a window and
// without.
func TestEveryDownloadHasItsFile(t *testing.T) {
	for _, windowless := range modes(t) {
		t.Run(fmt.Sprintf("headless %v", windowless), func(t *testing.T) {
			f := share(t, windowless)
			f.clearDownloads(t)
			dir := f.config.DownloadDir
			long, wide := strings.Repeat("L", 300)+".txt", strings.Repeat("報告", 150)+".tar.gz"
			site := fileSite(t, "report.csv", "report.csv", "report.csv", "mine.txt", long, long, wide, "../../up.txt", ".hidden", "nul.txt", "run.sh")
			id := f.first(t)
			f.open(t, id, site)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("before"), 0o600); err != nil {
				t.Fatal(err)
			}
			n := len(f.Downloads())
			clickOn := func(target string) []string {
				t.Helper()
				e, err := f.Act(deadline(t), nobody, id, click(target), nil)
				if err != nil {
					t.Fatal(err)
				}
				return e.Downloads
			}
			for i := range 11 {
				if files := clickOn(fmt.Sprintf("#a%d", i)); len(files) != 1 || i == 0 && files[0] != "report.csv" || i == 1 && files[0] != "report (1).csv" {
					t.Errorf("%d downloads %q", i, files)
				}
			}
			got := f.downloaded(t, n)
			for name, want := range map[string]string{
				"report.csv": "file 0", "report (1).csv": "file 1", "report (2).csv": "file 2", "mine (1).txt": "file 3",
				strings.Repeat("L", 251) + ".txt": "file 4", strings.Repeat("L", 247) + " (1).txt": "file 5", strings.Repeat("報告", 41) + ".tar.gz": "file 6",
				"_nul.txt": "file 9", "run.sh": "file 10",
			} {
				if got[name] != want {
					t.Errorf("%s is %q", name, got[name])
				}
			}
			if len(got) != 11 {
				t.Errorf("the files are %q", got)
			}
			if raw, err := os.ReadFile(filepath.Join(dir, "mine.txt")); err != nil || string(raw) != "before" {
				t.Errorf("what was there before is %q, %v", raw, err)
			}
			n = len(f.Downloads())
			clickOn("text=Made")
			f.until(t, "three files begin", func() bool { return len(f.Downloads()) == n+3 })
			// Which of them begins first is the browser's choice.
			made := f.downloaded(t, n)
			if all := []string{made["made.txt"], made["made (1).txt"], made["made (2).txt"]}; !slices.Equal(slices.Sorted(slices.Values(all)), []string{"0", "1", "2"}) {
				t.Errorf("the files of the page are %q", made)
			}
		})
	}
}

// What a user downloads in a window is named by the browser, whose own list then shows
// the right names. It is in the same folder.
func TestUserDownloadsInAWindow(t *testing.T) {
	f := windowed(t)
	f.clearDownloads(t)
	id := f.first(t)
	f.open(t, id, fileSite(t, "report.csv", "report.csv"))
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	n := len(f.Downloads())
	for i := range 2 {
		yes := true // as some seconds after a command
		err = devtools.Post(deadline(t), r.conn.Root, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDefault, EventsEnabled: &yes})
		if err != nil {
			t.Fatal(err)
		}
		err = f.besideTab(deadline(t), nobody, id, true, func(ctx context.Context, p *page.Page) error {
			_, err := devtools.Evaluate[bool](ctx, p.Session, fmt.Sprintf("a%d.click(), true", i), 0)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		f.wait(t, "the download", func() bool { all := f.Downloads(); return len(all) == n+i+1 && all[n+i].State != "running" })
	}
	if got := f.downloaded(t, n); got["report.csv"] != "file 0" || got["report (1).csv"] != "file 1" {
		t.Errorf("the files are %q", got)
	}
	if d := f.Downloads()[n]; filepath.Dir(d.Path) != f.config.DownloadDir {
		t.Errorf("it is saved as %s", d.Path)
	}
}

// The user's choice of a folder for downloads stays, and so does the rest of the profile.
func TestSavesInto(t *testing.T) {
	profile := t.TempDir()
	path := filepath.Join(profile, "Default", "Preferences")
	read := func() string {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	if !chromium.SavesInto(profile, "/ours") || read() != `{"download":{"default_directory":"/ours"}}` {
		t.Error(read())
	}
	for _, given := range []string{`{"download":{"default_directory":"/mine"},"n":12345678901234567890}`, `{"n":12345678901234567890}`} {
		if err := os.WriteFile(path, []byte(given), 0o600); err != nil {
			t.Fatal(err)
		}
		if !chromium.SavesInto(profile, "/ours") || !strings.Contains(read(), `"n":12345678901234567890`) || strings.Contains(given, "/mine") != strings.Contains(read(), "/mine") {
			t.Error(read())
		}
	}
	if err := os.WriteFile(path, []byte("not JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	if chromium.SavesInto(profile, "/ours") {
		t.Error("a profile that cannot be read saves there")
	}
}
