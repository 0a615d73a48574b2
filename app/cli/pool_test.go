package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pilotfish/app/cli/fakes"
	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// crawl is a folder with commands and rows, and a pool of two sessions.
type crawl struct {
	t       *testing.T
	backend *fakes.Backend
	dir     string
	out     *output // of the next program; nil for a new one
}

func newCrawl(t *testing.T, commands, rows string) *crawl {
	t.Helper()
	c := &crawl{t: t, backend: fakes.New(), dir: t.TempDir()}
	t.Cleanup(c.backend.Close)
	for name, text := range map[string]string{"commands.txt": commands, "rows.csv": rows} {
		if err := os.WriteFile(c.file(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, out := c.pilotfish("pool", "start", "crawl", "--size", "2", "--browser", "wss://engine.test/"); code != 0 {
		t.Fatal(out)
	}
	return c
}

func (c *crawl) file(name string) string { return filepath.Join(c.dir, name) }

func (c *crawl) pilotfish(args ...string) (code int, said string) {
	out := c.out
	if out == nil {
		out = new(output)
	}
	p := &program{stdout: out, stderr: out, getenv: func(name string) string {
		return map[string]string{protocol.EnvURL: c.backend.URL(), protocol.EnvToken: fakes.Token}[name]
	}}
	code = p.run(args)
	return code, out.text.String()
}

// output is written by several goroutines, as a file may be.
type output struct {
	wrote chan struct{} // receives with each text, if there is one
	mu    sync.Mutex
	text  bytes.Buffer
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.wrote <- struct{}{}:
	default:
	}
	return o.text.Write(text)
}

// run runs the commands for the rows.
func (c *crawl) run(more ...string) (code int, said string) {
	c.t.Helper()
	return c.pilotfish(append([]string{"pool", "run", "crawl", c.file("commands.txt"), c.file("rows.csv"), "--out", c.file("out")}, more...)...)
}

// results returns the results in the order of the file.
func (c *crawl) results() (all []rowResult) {
	c.t.Helper()
	data, err := os.ReadFile(c.file("out"))
	if err != nil {
		c.t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var one rowResult
		if err := json.Unmarshal(line, &one); err != nil {
			c.t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// The other session goes on with all rows while one is slow, and each row runs once.
func TestPoolRowsGoToTheFreeSession(t *testing.T) {
	c := newCrawl(t, "goto ${url}\ntitle", "url\nfirst.test\na.test\nb.test\nc.test\nlast.test\n")
	code, said := c.run()
	all := c.results()
	if code != 0 || len(all) != 5 || !strings.Contains(said, "5 done, 0 failed, 0 left") {
		t.Fatal(code, said, all)
	}
	for i, one := range all {
		if want := []int{2, 3, 4, 5, 1}[i]; i < 3 && one.Row != want || !one.OK || one.Attempts != 1 || len(one.Replies) != 2 || c.backend.Seen(one.Values["url"]) != 1 {
			t.Errorf("%d: %+v", i, one)
		}
	}
	if code, said = c.run(); code != 0 || c.backend.Seen("a.test") != 1 {
		t.Error("it ran again", code, said)
	}
	if code, said = c.run("--format", "csv"); code != 0 {
		t.Error(said)
	}
	if table, err := os.ReadFile(c.file("out")); err != nil || !strings.HasPrefix(string(table), "row,url,ok,reply,error,duration_ms,attempts,session,screenshot\n2,a.test,true,\"title in crawl-") {
		t.Error(string(table), err)
	}
}

// Only a row that has opened and read pages, and nothing else, is repeated.
func TestPoolRetries(t *testing.T) {
	c := newCrawl(t, "goto ${url}\nclick ${target}", "url,target\nonce.test,\nbroken.test,x\nok.test,y\n")
	code, said := c.run("--retries", "1")
	if code != 1 || !strings.Contains(said, "0 done, 3 failed") {
		t.Fatal(code, said)
	}
	for _, one := range c.results() {
		attempts, failed := 1, protocol.CodeTimeout // of click
		if one.Row < 3 {
			attempts = 2
		}
		if one.Row == 2 {
			failed = protocol.CodeNavigation
		}
		if one.Attempts != attempts || one.Error == nil || one.Error.Code != failed || c.backend.Seen(one.Values["url"]) != attempts {
			t.Errorf("%+v", one)
		}
	}
}

// A session that was stopped gets no more rows, and its row runs elsewhere. Without sessions
// the run ends, and resumes when there are some.
func TestPoolLosesSessions(t *testing.T) {
	c := newCrawl(t, "goto ${url}", "url\nends.test\na.test\n")
	if code, said := c.run(); code != 0 || c.backend.Seen("ends.test") != 2 {
		t.Error(code, said)
	}
	c = newCrawl(t, "goto ${url}\npress Enter", "url\nends.test\na.test\nb.test\n")
	if code, said := c.pilotfish("pool", "stop", "crawl"); code != 0 || !strings.Contains(said, "2 sessions stopped") {
		t.Error(code, said)
	}
	if code, said := c.run(); code != 3 || !strings.Contains(said, "no session of the pool crawl runs") {
		t.Error(code, said)
	}
	c.pilotfish("pool", "start", "crawl", "--size", "1", "--browser", "wss://engine.test/")
	if code, said := c.run("--retries", "0"); code != 3 || !strings.Contains(said, "no session of the pool is left, and 2 rows are") {
		t.Error(code, said)
	}
	c.pilotfish("pool", "start", "crawl", "--size", "1", "--browser", "wss://engine.test/")
	if code, said := c.run(); code != 1 || !strings.Contains(said, "2 done, 1 failed, 0 left") || c.backend.Seen("ends.test") != 1 {
		t.Error(code, said)
	}
}

// What ended is not repeated, what had begun is reported, and repeated on demand.
func TestPoolResumes(t *testing.T) {
	c := newCrawl(t, "goto ${url}", "url\na.test\nb.test\nc.test\n")
	c.run()
	log, err := journal.OpenLog(journal.LogConfig{Dir: c.file("out.journal"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	items, err := log.Read(0, 100)
	if err != nil || len(items) != 7 {
		t.Fatal(items, err)
	}
	c = newCrawl(t, "goto ${url}", "url\na.test\nb.test\nc.test\n")
	killed, err := journal.OpenLog(journal.LogConfig{Dir: c.file("out.journal"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range [][]byte{items[0].Data, []byte(`{"begun":1}`), []byte(`{"begun":2}`), []byte(`{"ended":{"row":2,"values":{"url":"b.test"},"ok":true}}`)} {
		if _, err := killed.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	if code, said := c.run(); code != 1 || !strings.Contains(said, "2 done, 0 failed, 0 left, 1 interrupted") {
		t.Error(code, said)
	}
	all := c.results()
	if len(all) != 3 || !all[1].Interrupted || all[1].Row != 1 || c.backend.Seen("a.test")+c.backend.Seen("b.test") != 0 || c.backend.Seen("c.test") != 1 {
		t.Error(all)
	}
	if code, said := c.run("--again"); code != 0 || len(c.results()) != 3 || c.backend.Seen("a.test") != 1 || c.backend.Seen("c.test") != 1 {
		t.Error(code, said)
	}
	if err := os.WriteFile(c.file("rows.csv"), []byte("url\nd.test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := c.run(); code != 2 || !strings.Contains(said, "other commands or rows") {
		t.Error(code, said)
	}
}

// A value never becomes a command, an option or more than one argument.
func TestPoolValues(t *testing.T) {
	hostile := `--secret "x" 'y' , ["a","b"] ${other}` + "\nsecond"
	for line, want := range map[string]string{
		"fill #a ${a}":             `{"target":"#a","value":$}`,
		"fill #a ${a} --secret s":  `{"secret":"s","target":"#a","value":$}`,
		"run login a=${a} b=c":     `{"name":"login","params":["a="+$,"b=c"]}`,
		"upload #a /x/${a}":        `{"files":["/x/"+$],"target":"#a"}`,
		"upload #a /x/${a}@/y /z/": `{"files":["/x/"+$+"@/y","/z"],"target":"#a"}`,
	} {
		l, err := readLine(line, []string{"a", "other"})
		if err != nil {
			t.Fatal(line, err)
		}
		req, err := l.request(map[string]string{"a": hostile, "other": "nested"})
		if err != nil {
			t.Fatal(line, err)
		}
		got, err := json.Marshal(req.Args)
		if err != nil {
			t.Fatal(err)
		}
		value, err := json.Marshal(hostile)
		if err != nil {
			t.Fatal(err)
		}
		want = strings.NewReplacer(`"+$+"`, strings.Trim(string(value), `"`), `"+$`, strings.Trim(string(value), `"`)+`"`, "$", string(value)).Replace(want)
		if string(got) != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	for line, want := range map[string]string{
		"fill #a ${b}": "no column", "chain 'goto ${a}'": "runs other commands", "${a} x": "no command", "goto": "URL is missing",
		"goto ${a} --far": "needs a value", "goto ${a} --far x": "no option --far", "pool list": "no command of the browser", "goto x --session s": "of its own",
	} {
		if _, err := readLine(line, []string{"a"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
	for text, want := range map[string]string{"a,a\n1,2": "column 2", "a,\n1,2": "column 2", "a": "no rows", "a,b\n1": "line 2", "a\n\xff": "UTF-8"} {
		if _, _, err := readTable([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if room("MemTotal: 9 kB\nMemAvailable:    1000000 kB\n") != 3 || room("") != unknownRoom {
		t.Error("the room is wrong")
	}
	if cell("=1+1") != "'=1+1" || cell("a") != "a" {
		t.Error("a cell is wrong")
	}
}
