package main

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/instance"
	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

const (
	// mostResult is the most that is kept of one row, in bytes.
	mostResult = 16 << 20
	// progressEvery is how often the progress is said at most.
	progressEvery = 5 * time.Second
	// opens is how often a session is asked for a tab, while its browser starts again.
	opens = 20
)

// poolRun gives rows to the sessions of a pool. The journal is the record of what was done,
// and the file of the results is made from it.
type poolRun struct {
	p           *program
	c           *client.Client
	columns     []string
	rows        [][]string // row 1 is rows[0]
	lines       []poolLine
	retries     int
	screenshots string // a folder; empty for none
	log         *journal.Log
	queue       chan int // row numbers; closed when every row has ended
	attempts    []int    // by row number; used by the session that has the row

	mu                              sync.Mutex // guards what is below, and the standard error
	out                             *os.File
	csv                             *csv.Writer // nil for JSON Lines
	done, failed, interrupted, left int
	ended                           int // in this run
	began, said                     time.Time
	err                             error // of journal or results; the first one
}

// poolRecord is a record of the journal; one of the fields is set. The first record has Of.
type poolRecord struct {
	// Of is the hash of commands and rows.
	Of string `json:"of,omitempty"`
	// Begun is a row whose commands begin.
	Begun int        `json:"begun,omitempty"`
	Ended *rowResult `json:"ended,omitempty"`
}

// rowResult is how a row ended.
type rowResult struct {
	Row    int               `json:"row"`
	Values map[string]string `json:"values"`
	OK     bool              `json:"ok"`
	// Replies are those of the commands that ran, the failed one included.
	Replies []protocol.CommandReply `json:"replies,omitempty"`
	Error   *protocol.Error         `json:"error,omitempty"`
	// Interrupted: the run ended while the row was under way; what it did is not known.
	Interrupted bool                 `json:"interrupted,omitempty"`
	Session     protocol.SessionName `json:"session,omitempty"`
	Attempts    int                  `json:"attempts"`
	DurationMS  int64                `json:"durationMs"`
	Screenshot  string               `json:"screenshot,omitempty"`
}

// runPool runs commands for each row, until all rows have ended, no session is left, or the
// user interrupts it.
func (p *program) runPool(ctx context.Context, in syntax.Invocation, name string) error {
	r := &poolRun{p: p, retries: 2, screenshots: in.Values["screenshots"], began: time.Now(), said: time.Now()}
	if in.Values["commands"] == "" || in.Values["rows"] == "" || in.Values["out"] == "" {
		return in.UsageError("run needs COMMANDS, ROWS and --out: the file for the results")
	}
	to, err := destinationOf(in.Values["out"])
	if err != nil {
		return err
	}
	out := to.file
	if text := in.Values["retries"]; text != "" {
		var err error
		if r.retries, err = strconv.Atoi(text); err != nil || r.retries < 0 {
			return in.UsageError("--retries is a number from 0")
		}
	}
	var files [2][]byte
	for i, arg := range []string{"commands", "rows"} {
		if files[i], err = os.ReadFile(in.Values[arg]); err != nil {
			return syntax.Bad("reading the %s: %v", arg, err)
		}
	}
	if r.columns, r.rows, err = readTable(files[1]); err != nil {
		return err
	}
	if r.lines, err = readLines(string(files[0]), r.columns); err != nil {
		return err
	}
	status, err := p.ask(ctx, in, protocol.AppRequest{Action: protocol.AppStatus})
	if err != nil {
		return err
	}
	sessions := running(name, status.Sessions)
	if len(sessions) == 0 {
		return protocol.NewError(protocol.CodeNotRunning, "no session of the pool "+name+" runs", "", protocol.Try("starts it", "pool", "start", name, "--size", "4"))
	}
	if r.c, err = client.Find(p.getenv); err != nil {
		return err
	}
	if r.screenshots != "" {
		if err := os.MkdirAll(r.screenshots, 0o700); err != nil {
			return journal.NotWritable(r.screenshots, err, "")
		}
	}
	hash := sha256.Sum256(slices.Concat(files[0], []byte{0}, files[1]))
	lock, err := r.open(out, hex.EncodeToString(hash[:]))
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }() // nothing is written any more
	err = r.resume(out, in.Values["format"] == "csv", in.Values["again"] == "true")
	if err == nil {
		err = r.run(ctx, sessions)
	}
	if err := errors.Join(err, r.close()); err != nil {
		return err
	}
	if r.left == 0 {
		if err := to.deliver(ctx); err != nil {
			return err
		}
	}
	return r.report(in, name, to)
}

// open opens the journal, which is of these commands and rows. Only one run may have it.
func (r *poolRun) open(out, hash string) (*instance.Lock, error) {
	dir := out + ".journal"
	_, err := os.Lstat(dir)
	if _, there := os.Lstat(out); errors.Is(err, fs.ErrNotExist) && there == nil {
		return nil, protocol.NewError(protocol.CodeBadArgument, out+" exists, and is of no run that can be resumed", "choose another --out")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, journal.NotWritable(dir, err, ", or choose another --out")
	}
	lock, err := instance.Acquire(filepath.Join(dir, "lock"))
	if errors.Is(err, instance.ErrRunning) {
		return nil, protocol.NewError(protocol.CodeBusy, "another run writes to "+out, "wait for its end")
	}
	if err != nil {
		return nil, err
	}
	// No record may be lost, so the log has one file.
	r.log, err = journal.OpenLog(journal.LogConfig{Dir: dir, FileSize: math.MaxInt64, MaxRecord: mostResult, Sync: true, Logger: slog.New(slog.DiscardHandler)})
	if err == nil && r.log.Last() == 0 {
		err = r.note(poolRecord{Of: hash})
	}
	if err == nil {
		var first poolRecord
		var items []journal.Item
		if items, err = r.log.Read(0, 1); err == nil {
			err = json.Unmarshal(items[0].Data, &first)
		}
		if err == nil && first.Of != hash {
			err = protocol.NewError(protocol.CodeBadArgument, out+" has the results of other commands or rows", "choose another --out")
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return lock, nil
}

// note writes a record, and returns when it is on the disk.
func (r *poolRun) note(record poolRecord) error {
	data, err := json.Marshal(record)
	if err == nil {
		_, err = r.log.Append(data)
	}
	return err
}

// resume writes the results so far, and makes the queue of what is left to do. Rows that had
// begun and not ended are in it only with again.
func (r *poolRun) resume(out string, table, again bool) error {
	var err error
	if r.out, err = os.OpenFile(out, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600); err != nil {
		return journal.NotWritable(out, err, "")
	}
	if table {
		r.csv = csv.NewWriter(r.out)
		header := slices.Concat([]string{"row"}, r.columns, []string{"ok", "reply", "error", "duration_ms", "attempts", "session", "screenshot"})
		if err := r.csv.Write(header); err != nil {
			return err
		}
	}
	const unknown, begun, ended = 0, 1, 2
	states := make([]int, len(r.rows)+1)
	for after := uint64(0); after < r.log.Last(); {
		items, err := r.log.Read(after, 100)
		if err != nil {
			return err
		}
		for _, item := range items {
			var record poolRecord
			if err := json.Unmarshal(item.Data, &record); err != nil {
				return fmt.Errorf("reading the journal: %w", err)
			}
			after = item.Index
			if record.Begun > 0 {
				states[record.Begun] = begun
			}
			if record.Ended != nil {
				states[record.Ended.Row] = ended
				if err := r.write(*record.Ended); err != nil {
					return err
				}
			}
		}
	}
	r.queue, r.attempts = make(chan int, len(r.rows)), make([]int, len(r.rows)+1)
	for row := 1; row <= len(r.rows); row++ {
		switch {
		case states[row] == unknown || states[row] == begun && again:
			r.left++
			r.queue <- row
		case states[row] == begun:
			e := protocol.NewError(protocol.CodeNotRunning, "the run ended while this row was under way; what it did is not known", "--again repeats it")
			if err := r.write(rowResult{Row: row, Values: r.values(row), Error: e, Interrupted: true}); err != nil {
				return err
			}
		}
	}
	if r.left == 0 {
		close(r.queue)
	}
	return nil
}

func (r *poolRun) values(row int) map[string]string {
	values := make(map[string]string, len(r.columns))
	for i, name := range r.columns {
		values[name] = r.rows[row-1][i]
	}
	return values
}

// write counts a result and appends it to the file. Its caller has mu, or is alone.
func (r *poolRun) write(res rowResult) error {
	switch {
	case res.OK:
		r.done++
	case res.Interrupted:
		r.interrupted++
	default:
		r.failed++
	}
	if r.csv == nil {
		return say.Object(r.out, res)
	}
	cells := slices.Concat([]string{strconv.Itoa(res.Row)}, r.rows[res.Row-1], []string{strconv.FormatBool(res.OK)})
	last, failed := "", ""
	if n := len(res.Replies); n > 0 {
		last = say.Inner(res.Replies[n-1].Text)
	}
	if res.Error != nil {
		failed = res.Error.Error()
	}
	cells = append(cells, cell(last), cell(failed), strconv.FormatInt(res.DurationMS, 10), strconv.Itoa(res.Attempts), string(res.Session), res.Screenshot)
	if err := r.csv.Write(cells); err != nil {
		return err
	}
	r.csv.Flush()
	return r.csv.Error()
}

// cell returns a page's text for a table. Spreadsheets take what begins with these
// characters for a formula, which can send data away.
func cell(text string) string {
	text = protocol.Visible(text)
	if text != "" && strings.ContainsAny(text[:1], "=+-@\t\r") {
		return "'" + text
	}
	return text
}

// run gives the rows to the sessions. An interrupt lets the rows under way end; the next one
// ends the program.
func (r *poolRun) run(ctx context.Context, sessions []protocol.SessionName) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	defer context.AfterFunc(ctx, func() {
		stop()
		r.tell("no more rows begin; Ctrl-C again does not wait for those under way")
	})()
	ctx, fail := context.WithCancel(ctx)
	defer fail()
	var workers sync.WaitGroup
	for _, session := range sessions {
		workers.Go(func() {
			if err := r.work(ctx, session); err != nil {
				r.mu.Lock()
				r.err = errors.Join(r.err, err)
				r.mu.Unlock()
				fail()
			}
		})
	}
	workers.Wait()
	if r.err == nil && r.left > 0 && ctx.Err() == nil {
		return protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("no session of the pool is left, and %d rows are", r.left), "start the pool again; the same line resumes")
	}
	return r.err
}

// tell says something beside the reply.
func (r *poolRun) tell(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	say.Note(r.p.stderr, text)
}

// work gives rows to one session, until all have ended, ctx has, or the session does not run.
// Its error is one of the journal or of the results.
func (r *poolRun) work(ctx context.Context, session protocol.SessionName) error {
	for ctx.Err() == nil {
		var row int
		select {
		case <-ctx.Done():
			return nil
		case row = <-r.queue:
		}
		if row == 0 { // closed
			return nil
		}
		tab, err := r.tab(ctx, session)
		if err != nil {
			r.queue <- row // nothing was done
			if ctx.Err() == nil {
				r.tell(fmt.Sprintf("%s gets no more rows: %v", session, err))
			}
			return nil
		}
		if err := r.row(ctx, session, tab, row); err != nil {
			return err
		}
	}
	return nil
}

// send runs a command in a session.
func (r *poolRun) send(ctx context.Context, session protocol.SessionName, req protocol.CommandRequest) (protocol.CommandReply, *protocol.Error) {
	req.Session = session
	// A row that has begun ends, also when the run does.
	ctx, cancel := client.Deadline(context.WithoutCancel(ctx), client.Patience(time.Duration(req.TimeoutMS)*time.Millisecond))
	defer cancel()
	reply, err := r.c.Command(ctx, req, func(q protocol.Waiting) {
		r.mu.Lock()
		defer r.mu.Unlock()
		say.Waiting(r.p.stderr, q)
	})
	if err == nil && !reply.OK {
		err = say.Failed(reply)
	}
	if err != nil {
		reply.Error = protocol.AsError(err)
	}
	return reply, reply.Error
}

// tab opens a tab for a row. A browser that ended starts again by itself, and is waited for.
func (r *poolRun) tab(ctx context.Context, session protocol.SessionName) (protocol.TabID, error) {
	for try := 1; ; try++ {
		reply, failed := r.send(ctx, session, protocol.CommandRequest{Command: "newtab", Args: map[string]json.RawMessage{"front": json.RawMessage("false")}})
		if failed == nil {
			return reply.Tab, nil
		}
		if try == opens || !passing(failed.Code) {
			return "", failed
		}
		var status protocol.AppReply
		if err := r.c.Post(ctx, "/app", protocol.AppRequest{Action: protocol.AppStatus}, &status); err != nil {
			return "", err
		}
		pool, _ := poolOf(session)
		if !slices.Contains(running(pool, status.Sessions), session) {
			return "", failed // it was stopped
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(statusEvery):
		}
	}
}

// passing reports whether an error comes from page, session or connection, and not from what
// was asked.
func passing(code protocol.Code) bool {
	return slices.Contains([]protocol.Code{protocol.CodeNavigation, protocol.CodeTimeout, protocol.CodeCrashed, protocol.CodeNotRunning, protocol.CodeBusy}, code)
}

// row runs the commands for a row, and writes how it ended, or puts it back to be repeated.
func (r *poolRun) row(ctx context.Context, session protocol.SessionName, tab protocol.TabID, row int) error {
	defer r.closeTabs(ctx, session, tab)
	if r.attempts[row]++; r.attempts[row] == 1 {
		if err := r.note(poolRecord{Begun: row}); err != nil {
			return err
		}
	}
	res := rowResult{Row: row, Values: r.values(row), Session: session, Attempts: r.attempts[row]}
	began, acted := time.Now(), false
	for _, line := range r.lines {
		req, err := line.request(res.Values)
		if err != nil {
			res.Error = protocol.AsError(err)
			break
		}
		req.Tab = tab
		acted = acted || !line.readsOnly()
		var reply protocol.CommandReply
		reply, res.Error = r.send(ctx, session, req)
		res.Replies = append(res.Replies, reply)
		if res.Error != nil {
			break
		}
	}
	res.OK, res.DurationMS = res.Error == nil, time.Since(began).Milliseconds()
	if !res.OK && !acted && passing(res.Error.Code) && res.Attempts <= r.retries {
		r.queue <- row // behind the others
		return nil
	}
	if !res.OK && r.screenshots != "" {
		res.Screenshot = r.screenshot(ctx, session, tab, row)
	}
	err := r.note(poolRecord{Ended: &res})
	if errors.Is(err, journal.ErrTooLarge) {
		res.Replies, res.OK = nil, false
		res.Error = protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("the commands ran, and their replies have more than %d MB", mostResult>>20), "ask for less")
		err = r.note(poolRecord{Ended: &res})
	}
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err = r.write(res)
	r.ended++
	if r.left--; r.left == 0 {
		close(r.queue)
	}
	if time.Since(r.said) > progressEvery && r.left > 0 {
		r.said = time.Now()
		say.Note(r.p.stderr, r.progress())
	}
	return err
}

// closeTabs closes the tab of a row, and those that its pages opened. They may be closed already.
func (r *poolRun) closeTabs(ctx context.Context, session protocol.SessionName, tab protocol.TabID) {
	reply, _ := r.send(ctx, session, protocol.CommandRequest{Command: "tabs"})
	var open []protocol.Tab
	_ = json.Unmarshal(reply.Data, &open) // a session that has ended has none
	tabs := []protocol.TabID{tab}
	for _, t := range open {
		if slices.Contains(tabs, t.Opener) {
			tabs = append(tabs, t.ID)
		}
	}
	for _, tab := range tabs {
		_, _ = r.send(ctx, session, protocol.CommandRequest{Command: "closetab", Tab: tab})
	}
}

// screenshot saves how the page looks after a failure, and returns the file; empty for none.
func (r *poolRun) screenshot(ctx context.Context, session protocol.SessionName, tab protocol.TabID, row int) string {
	reply, failed := r.send(ctx, session, protocol.CommandRequest{Command: "screenshot", Tab: tab})
	if failed != nil {
		return ""
	}
	var taken struct {
		Path string `json:"path"`
	}
	err := json.Unmarshal(reply.Data, &taken)
	var data []byte
	if err == nil {
		data, err = os.ReadFile(taken.Path)
	}
	path := filepath.Join(r.screenshots, fmt.Sprintf("row-%d.png", row))
	if err == nil {
		err = journal.WriteFile(path, data, 0o600)
	}
	if err != nil {
		r.tell("no screenshot of row " + strconv.Itoa(row) + ": " + err.Error())
		return ""
	}
	return path
}

// progress says how far the run is. Its caller has mu, or is alone.
func (r *poolRun) progress() string {
	text := fmt.Sprintf("%d done, %d failed, %d left", r.done, r.failed, r.left)
	if r.interrupted > 0 {
		text += fmt.Sprintf(", %d interrupted before", r.interrupted)
	}
	if rate := float64(r.ended) / time.Since(r.began).Seconds(); r.left > 0 && r.ended > 0 {
		text += fmt.Sprintf("; %.1f rows a second, %s to go", rate, time.Duration(float64(r.left)/rate*float64(time.Second)).Round(time.Second))
	}
	return text
}

func (r *poolRun) close() error {
	err := r.log.Close()
	if r.out != nil {
		err = errors.Join(err, r.out.Close())
	}
	return err
}

// report says how the run ended. It is an error unless all rows are done.
func (r *poolRun) report(in syntax.Invocation, name string, to destination) error {
	var err error
	host := "" // that has the results
	if to.to != nil && r.left == 0 {
		host = to.to.Host
	}
	if in.JSON {
		err = r.p.printJSON(map[string]any{"pool": name, "rows": len(r.rows), "done": r.done, "failed": r.failed, "interrupted": r.interrupted, "left": r.left, "out": to.file, "sentTo": host})
	} else {
		text := fmt.Sprintf("%s: of %d rows %s; the results are in %s", name, len(r.rows), r.progress(), to.file)
		if host != "" {
			text += ", and " + host + " has got them"
		}
		if r.interrupted > 0 {
			text += "\n--again repeats the interrupted rows"
		}
		if r.left > 0 {
			text += "\nthe same line resumes"
		}
		err = r.p.print(text)
	}
	if err == nil && r.done < len(r.rows) {
		err = exitError(1)
	}
	return err
}
