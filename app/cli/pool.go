package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

const (
	// startsAtOnce is how many sessions of a pool start or stop at the same time: a browser
	// that starts keeps a processor busy for a second.
	startsAtOnce = 4
	// browserMegabytes is the memory that must be free for each browser on this machine, with
	// a page of usual size in it.
	browserMegabytes = 300
	// unknownRoom is how many browsers may start on a system that does not say how much
	// memory is free.
	unknownRoom = 8
)

// errFull ends the start of a session whose engine has no free browser.
var errFull = errors.New("the engine has no free browser")

// poolSpec declares the command pool.
func poolSpec() syntax.Spec {
	return syntax.Spec{
		Name: "pool", Summary: "start many sessions, and run commands in them for each row of a table", Group: syntax.GroupApp,
		Help: "The sessions of the pool crawl are crawl-1, crawl-2, …; start also takes the options of `pilotfish sessions start` and passes them on. " +
			"Without a running app the sessions have no windows. An engine that is full ends the start; the pool then has the sessions that run. " +
			"COMMANDS has commands of the browser, one a line; ${column} stands for a value of the row, and is always a part of one argument. " +
			"run gives each row, in the order of the file, to the next free session, in a tab of its own. Rows of one session share its cookies. " +
			"A row that failed because the page, the session or the connection did (navigation, timeout, crashed, not_running, busy) is repeated if it had only opened and read pages, after the other rows. " +
			"The journal OUT.journal says what was done: the same line resumes after an end of any kind. A row that was under way then is reported as interrupted, and repeated with --again only. " +
			"With an address, OUT is the last name of its path, in this folder; that file stays, and the same line sends it again. No redirect is followed, and what follows ? is kept nowhere, but other users of this machine see it while the command runs. " +
			"OUT, its journal and the screenshots have the values of the rows.",
		Args: append([]syntax.Arg{
			{Name: "action", Choices: []string{"list", "start", "run", "stop"}, Help: "what to do; list when it is left out"},
			{Name: "name", Help: "the pool"},
			{Name: "commands", Help: "run: the file with the commands"},
			{Name: "rows", Help: "run: the CSV file; its first row names the columns"},
			{Name: "size", Flag: true, Kind: syntax.KindInt, Help: "start: how many sessions"},
			{Name: "wait", Flag: true, Kind: syntax.KindBool, Help: "start: wait for a full engine as long as it says"},
			{Name: "out", Flag: true, Help: "run: the file for the results, in the order in which the rows end; or an https:// address that gets them by PUT when all rows have ended"},
			{Name: "format", Flag: true, Choices: []string{"jsonl", "csv"}, Help: "run: jsonl (when it is left out) has every reply of the row, csv the text of the last one"},
			{Name: "retries", Flag: true, Kind: syntax.KindInt, Help: "run: how often a row is repeated at most (2 when it is left out)"},
			{Name: "screenshots", Flag: true, Help: "run: a folder for a screenshot of each row that failed"},
			{Name: "again", Flag: true, Kind: syntax.KindBool, Help: "run: repeat the rows that were interrupted"},
		}, identityOptions()...),
		Examples: []string{
			"pilotfish pool start crawl --size 4 --profile temporary", "pilotfish pool start far --size 20 --browser grid+https://grid.example/",
			"pilotfish pool run crawl commands.txt urls.csv --out results.jsonl", "pilotfish pool stop crawl",
		},
	}
}

// pool starts, lists, uses and stops pools.
func (p *program) pool(ctx context.Context, in syntax.Invocation) error {
	action, name := in.Values["action"], in.Values["name"]
	if action == "" || action == "list" {
		return p.listPools(ctx, in)
	}
	if _, err := protocol.ParseSessionName(name); err != nil {
		return in.UsageError("NAME is missing: the pool to %s; it is of a-z, 0-9, _ and -", action)
	}
	switch action {
	case "start":
		return p.startPool(ctx, in, name)
	case "stop":
		return p.stopPool(ctx, in, name)
	}
	return p.runPool(ctx, in, name)
}

// poolOf returns the pool that a session belongs to by its name, and its number there; no
// pool for a session of another name.
func poolOf(session protocol.SessionName) (pool string, number int) {
	at := strings.LastIndexByte(string(session), '-')
	if at < 1 {
		return "", 0
	}
	number, err := strconv.Atoi(string(session[at+1:]))
	if err != nil || member(string(session[:at]), number) != session {
		return "", 0
	}
	return string(session[:at]), number
}

func member(pool string, number int) protocol.SessionName {
	return protocol.SessionName(fmt.Sprintf("%s-%d", pool, number))
}

// running returns the sessions of a pool that run or are about to, in their order.
func running(pool string, sessions []protocol.SessionInfo) []protocol.SessionName {
	var numbers []int
	for _, s := range sessions {
		over := s.State == protocol.SessionStopped || s.State == protocol.SessionStopping || s.State == protocol.SessionFailed
		if of, number := poolOf(s.Name); of == pool && !over {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	names := make([]protocol.SessionName, len(numbers))
	for i, number := range numbers {
		names[i] = member(pool, number)
	}
	return names
}

func (p *program) listPools(ctx context.Context, in syntax.Invocation) error {
	reply, err := p.ask(ctx, in, protocol.AppRequest{Action: protocol.AppStatus})
	if err != nil {
		return err
	}
	type pool struct {
		Sessions int `json:"sessions"`
		Running  int `json:"running"`
	}
	pools := map[string]pool{}
	for _, s := range reply.Sessions {
		if name, _ := poolOf(s.Name); name != "" {
			pools[name] = pool{pools[name].Sessions + 1, len(running(name, reply.Sessions))}
		}
	}
	if in.JSON {
		return p.printJSON(map[string]any{"pools": pools})
	}
	if len(pools) == 0 {
		return p.print("no pools; `pilotfish pool start NAME --size N` starts one")
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		fmt.Fprintf(&out, "%-16s %d of %d sessions run\n", name, pools[name].Running, pools[name].Sessions)
	}
	return p.print(out.String())
}

// room returns how many browsers the free memory is enough for, as /proc/meminfo says it.
func room(meminfo string) int {
	for line := range strings.Lines(meminfo) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "MemAvailable:" {
			if kilobytes, err := strconv.Atoi(fields[1]); err == nil {
				return kilobytes / 1024 / browserMegabytes
			}
		}
	}
	return unknownRoom
}

func (p *program) startPool(ctx context.Context, in syntax.Invocation, name string) error {
	size, err := strconv.Atoi(in.Values["size"])
	if err != nil || size < 1 {
		return in.UsageError("--size is the number of sessions, from 1")
	}
	if _, err := protocol.ParseSessionName(string(member(name, size))); err != nil {
		return err
	}
	id, err := identityOf(in)
	if err != nil {
		return err
	}
	elsewhere := id != nil && strings.Contains(id.Browser, "://")
	shares := in.Values["in"] != ""
	if id != nil && id.Browser != "" && !elsewhere && !shares {
		return in.UsageError("--browser of a pool is the address of an engine: each session has a browser of its own")
	}
	if _, err := client.FindOrStart(ctx, p.getenv); err != nil {
		return err
	}
	status, err := p.ask(ctx, in, protocol.AppRequest{Action: protocol.AppStatus})
	if err != nil {
		return err
	}
	before := running(name, status.Sessions)
	if !elsewhere && !shares {
		meminfo, _ := os.ReadFile("/proc/meminfo") // other systems have none
		if has, more := room(string(meminfo)), size-len(before); more > has {
			return protocol.NewError(protocol.CodeBusy, fmt.Sprintf("%d more browsers are too many for this machine's free memory, which is enough for %d (%d MB each)", more, has, browserMegabytes),
				"choose a smaller --size, or an engine elsewhere with --browser")
		}
	}
	waiting := func(a protocol.Attaching) error {
		if a.Step == protocol.AttachFull && in.Values["wait"] != "true" {
			return errFull
		}
		return nil
	}
	var names []protocol.SessionName
	for number := 1; number <= size; number++ {
		names = append(names, member(name, number))
	}
	began, failed := eachOf(names, func(session protocol.SessionName) error {
		_, err := p.asking(ctx, in, protocol.AppRequest{Action: protocol.AppStart, Session: session, Identity: id}, waiting)
		if errors.Is(err, errFull) {
			_, stopped := p.ask(ctx, in, protocol.AppRequest{Action: protocol.AppStop, Session: session})
			err = errors.Join(err, stopped)
		}
		return err
	})
	said := fmt.Sprintf("%s: %d of %d sessions run", name, began, size)
	if errors.Is(failed, errFull) {
		if began == 0 {
			return protocol.NewError(protocol.CodeBusy, errFull.Error(), "--wait waits for one")
		}
		failed = nil
		said += "; the engine has no more free browsers, and --wait waits for them"
	}
	switch {
	case in.JSON && failed == nil:
		return p.printJSON(map[string]any{"pool": name, "running": began, "size": size})
	case began > 0:
		err = p.print(said)
	}
	return errors.Join(failed, err)
}

func (p *program) stopPool(ctx context.Context, in syntax.Invocation, name string) error {
	status, err := p.ask(ctx, in, protocol.AppRequest{Action: protocol.AppStatus})
	if err != nil {
		return err
	}
	names := running(name, status.Sessions)
	ended, err := eachOf(names, func(session protocol.SessionName) error {
		_, err := p.ask(ctx, in, protocol.AppRequest{Action: protocol.AppStop, Session: session})
		return err
	})
	if err != nil {
		return err
	}
	if in.JSON {
		return p.printJSON(map[string]any{"pool": name, "stopped": ended})
	}
	return p.print(fmt.Sprintf("%s: %d sessions stopped", name, ended))
}

// eachOf does something for several sessions, some at a time, until one fails. It returns
// how many succeeded, and the first error.
func eachOf(names []protocol.SessionName, do func(protocol.SessionName) error) (succeeded int, failed error) {
	var mu sync.Mutex
	var workers sync.WaitGroup
	take := func() (name protocol.SessionName, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(names) == 0 || failed != nil {
			return "", false
		}
		name, names = names[0], names[1:]
		return name, true
	}
	for range startsAtOnce {
		workers.Go(func() {
			for name, ok := take(); ok; name, ok = take() {
				err := do(name)
				mu.Lock()
				if err == nil {
					succeeded++
				} else if failed == nil {
					failed = err
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return succeeded, failed
}
