package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

const memoryTabs20 = 120 // MB

// firstBenches measure beginnings and what many tabs take.
func firstBenches() []bench {
	return []bench{
		{rows: []string{"cli.first"}, run: cliFirst},
		{rows: []string{"memory.tabs20"}, run: memoryTabs},
	}
}

// cliFirst measures the first command when nothing runs: a page is opened, and
// the app or daemon and the browser with it.
func cliFirst(ctx context.Context, o options) ([]row, error) {
	runs := 25
	if o.quick {
		runs = 5
	}
	s := newSite()
	defer s.Close()
	took := samples{}
	var missing []string
	for i := range runs {
		for _, e := range []entrant{peerProgram(), ourProgram()} {
			if len(missing) > 0 && e.name != ours {
				continue
			}
			ms, err := firstCommand(ctx, e, s.act(e.name, i))
			if err != nil && e.name == ours {
				return nil, err
			}
			if err != nil {
				missing = append(missing, fmt.Sprintf("%s is left out: %v", e.name, err))
				delete(took, e.name)
				continue
			}
			took.add(e.name, ms)
		}
	}
	r := took.row("cli.first", "ms").atMost(1)
	r.Notes = missing
	return []row{r}, nil
}

// firstCommand starts a program with an empty home, has it open a page, and
// ends what it started: the next run must not share the machine with its end.
func firstCommand(ctx context.Context, e entrant, url string) (took float64, err error) {
	p, err := newPeers(ctx)
	if err != nil && e.name != ours {
		return 0, err
	}
	if p != nil {
		defer func() { err = errors.Join(err, p.close()) }()
	}
	d, err := e.make(ctx, p)
	if err != nil {
		return 0, err
	}
	took, err = d.open(ctx, url)
	return took, errors.Join(err, d.close())
}

// waitForLock returns when nobody holds a lock.
func waitForLock(path string) error {
	lock, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening the lock: %w", err)
	}
	defer lock.Close()
	for {
		if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// memoryTabs measures the backend with twenty tabs that were looked at.
func memoryTabs(ctx context.Context, _ options) (rows []row, err error) {
	s := newSite()
	defer s.Close()
	p, err := newProgram()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }() //nolint:contextcheck // it ends after ctx has, too
	for i := range 20 {
		args := []string{"newtab", s.URL + "/1000"}
		if i == 0 {
			args[0] = "goto"
		}
		if _, _, err := p.run(ctx, args...); err != nil {
			return nil, err
		}
		if _, _, err := p.run(ctx, "snapshot", "--tab", fmt.Sprintf("t%d", i+1)); err != nil {
			return nil, err
		}
	}
	raw, err := os.ReadFile(filepath.Join(p.dir, "state", "pilotfish.json"))
	if err != nil {
		return nil, fmt.Errorf("finding the backend: %w", err)
	}
	var at protocol.Endpoint
	if err := json.Unmarshal(raw, &at); err != nil {
		return nil, fmt.Errorf("finding the backend: %w", err)
	}
	size, err := residentOf(at.PID)
	if err != nil {
		return nil, err
	}
	return []row{{Name: "memory.tabs20", Unit: "MB", Value: size, Limit: memoryTabs20, Rule: valueAtMost}}, nil
}
