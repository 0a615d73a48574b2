package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pilotfish/backend/browser/remote/standin"
)

// A pool of two sessions, all that the engine gives, works on twelve rows. Row 3 fails. The
// run is killed while rows 6 and 7 are under way, and resumed: each row has one result, and
// no page is acted on twice.
func TestAPoolIsKilledAndResumed(t *testing.T) {
	const rows, fails = 12, "/row/3"
	var mu sync.Mutex
	acted := map[string]int{}
	reached, release := make(chan string, 2), make(chan struct{})
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			mu.Lock()
			acted[r.URL.Path]++
			mu.Unlock()
			return
		}
		if r.URL.Path == "/row/6" || r.URL.Path == "/row/7" {
			select {
			case reached <- r.URL.Path:
			default:
			}
			<-release
		}
		button := `<button onclick="window.open('/popup'); fetch('', {method: 'POST'}).then(() => document.body.append('sent'))">Send</button>`
		if r.URL.Path == fails {
			button += button // which of them is meant?
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<title>" + html.EscapeString(r.URL.Path) + "</title>" + button))
	}))
	t.Cleanup(pages.Close)
	e := standin.New(t)
	e.Refuse(standin.Refusal{Status: http.StatusServiceUnavailable, RetryAfter: "60"})
	r := install(t, "1m")
	if out := r.run("pool", "start", "crawl", "--size", "3", "--browser", e.Address()); !strings.Contains(out, "crawl: 2 of 3 sessions run; the engine has no more") {
		t.Fatal(out)
	}

	dir := t.TempDir()
	table := "page\n"
	for row := range rows {
		table += fmt.Sprintf("row/%d\n", row+1)
	}
	for name, text := range map[string]string{"commands.txt": "# each row\ngoto " + pages.URL + "/${page}\nclick role=button\nwait text sent\ntitle\n", "rows.csv": table} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "results.jsonl")
	args := []string{"pool", "run", "crawl", filepath.Join(dir, "commands.txt"), filepath.Join(dir, "rows.csv"), "--out", out, "--screenshots", filepath.Join(dir, "failed")}
	killed := r.command(t.Context(), args...)
	var said bytes.Buffer
	killed.Stderr = &said
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		select {
		case <-reached:
		case <-t.Context().Done():
			t.Fatal(said.String())
		}
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // it was killed
	close(release)

	type result struct {
		Row         int
		OK          bool
		Interrupted bool
		Screenshot  string
		Replies     []struct{ Text string }
	}
	results := func() (all map[int]result) {
		t.Helper()
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		all = map[int]result{}
		for line := range bytes.Lines(data) {
			var one result
			if err := json.Unmarshal(line, &one); err != nil {
				t.Fatal(err)
			}
			if _, twice := all[one.Row]; twice {
				t.Errorf("row %d has two results", one.Row)
			}
			all[one.Row] = one
		}
		return all
	}
	if all := results(); len(all) != 5 || all[3].OK || !all[5].OK {
		t.Errorf("before the kill: %+v, %s", all, said.String())
	}
	text, err := r.command(t.Context(), args...).CombinedOutput()
	all := results()
	if err == nil || !strings.Contains(string(text), "9 done, 1 failed, 0 left, 2 interrupted before") || len(all) != rows || !all[6].Interrupted || !all[7].Interrupted {
		t.Errorf("resumed: %s, %+v", text, all)
	}
	if picture, err := os.ReadFile(all[3].Screenshot); err != nil || !bytes.HasPrefix(picture, []byte("\x89PNG")) {
		t.Error("there is no screenshot of row 3", err)
	}
	text, err = r.command(t.Context(), append(args, "--again")...).CombinedOutput()
	all = results()
	if err == nil || !strings.Contains(string(text), "11 done, 1 failed, 0 left") || len(all) != rows {
		t.Errorf("again: %s, %+v", text, all)
	}
	for row, one := range all {
		if last := len(one.Replies) - 1; one.OK != (row != 3) || one.OK && !strings.Contains(one.Replies[last].Text, fmt.Sprintf("/row/%d", row)) {
			t.Errorf("%+v", one)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	want := map[string]int{}
	for row := range rows {
		if page := fmt.Sprintf("/row/%d", row+1); page != fails {
			want[page] = 1
		}
	}
	if !maps.Equal(acted, want) {
		t.Errorf("acted on %v", acted)
	}
	for _, session := range []string{"crawl-1", "crawl-2", "crawl-3"} { // one of them does not run
		if tabs, err := r.command(t.Context(), "--session", session, "tabs").CombinedOutput(); err == nil && strings.Contains(string(tabs), "/popup") {
			t.Errorf("a tab that a row opened stays: %s", tabs)
		}
	}
	// THREATS 71: the same results go to a signed address, whose signature is nowhere.
	var sent []byte
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sent, _ = io.ReadAll(r.Body); r.URL.Query().Get("sig") != "s3cret" { // an error shows as other results
			http.Error(w, r.URL.String(), http.StatusForbidden)
		}
	}))
	t.Cleanup(store.Close)
	for sig, want := range map[string]string{"0ld-s3cret": "has not got the file: status 403; it is in results.jsonl", "s3cret": strings.TrimPrefix(store.URL, "http://") + " has got them"} {
		send := r.command(t.Context(), "pool", "run", "crawl", args[3], args[4], "--out", store.URL+"/bucket/results.jsonl?sig="+sig)
		send.Dir = dir
		text, _ := send.CombinedOutput() // a row failed
		kept, err := os.ReadFile(out)
		if err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), "s3cret") || !bytes.Equal(kept, sent) {
			t.Errorf("%s, %v", text, err)
		}
	}
	r.hasNot("s3cret")
	if out := r.run("pool", "stop", "crawl"); !strings.Contains(out, "2 sessions stopped") {
		t.Error(out)
	}
	e.Refuse(standin.Refusal{Status: http.StatusTooManyRequests, RetryAfter: "1"})
	if out := r.run("pool", "start", "crawl", "--size", "1", "--browser", e.Address(), "--wait"); !strings.Contains(out, "crawl: 1 of 1 sessions run\n") {
		t.Error(out)
	}
}
