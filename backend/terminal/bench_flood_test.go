package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

const (
	// drawRate is how many bytes per second a good terminal in a browser draws.
	drawRate = 20e6
	// pasteSize is the size in bytes of a very large paste, which nobody makes by
	// accident.
	pasteSize = 10 << 20
)

// floodScript prints a file again and again until Ctrl-C.
const floodScript = `stty -echo -onlcr; trap 'printf ST; printf OP; exec sleep 60' INT; printf RE; printf ADY; while :; do cat %s; done`

// terminalFlood runs a program that prints as fast as it can to a viewer that draws
// 20 MB/s, and interrupts it.
func terminalFlood(ctx context.Context, quick bool) (metrics, error) {
	runs := 7
	if quick {
		runs = 3
	}
	dir, err := os.MkdirTemp("", "pilotfish-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file, _, err := colourFile(dir, 10_000_000)
	if err != nil {
		return nil, err
	}
	b, err := startBackend(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.stop() }()
	var backlogs, interrupts, growths []float64
	for range runs {
		f, err := floodOnce(ctx, b, file)
		if err != nil {
			return nil, err
		}
		backlogs = append(backlogs, f.backlog)
		interrupts = append(interrupts, f.interrupt)
		growths = append(growths, f.growth)
	}
	return metrics{
		"terminal.backlog": slices.Max(backlogs), "terminal.memory": slices.Max(growths),
		"terminal.interrupt": percentile(interrupts, 0.5), "terminal.interrupt/p99": slices.Max(interrupts),
	}, nil
}

// flood holds the figures of one run.
type flood struct{ backlog, interrupt, growth float64 }

func floodOnce(ctx context.Context, b *backend, file string) (flood, error) {
	before, err := b.resident()
	if err != nil {
		return flood{}, err
	}
	v, err := openViewer(ctx, b, fmt.Sprintf(floodScript, file))
	if err != nil {
		return flood{}, err
	}
	defer func() { _ = v.close(ctx) }()
	if err := v.expectReady(ctx); err != nil {
		return flood{}, err
	}
	screen := newSlowScreen(v, drawRate)
	drawing, cancel := context.WithCancel(ctx)
	defer cancel()
	go screen.run(drawing)

	peak := before
	begin := time.Now()
	var pressed time.Time
	var last []byte
	for {
		p, err := v.recv(ctx)
		if err != nil {
			return flood{}, err
		}
		if err := screen.take(len(p)); err != nil {
			return flood{}, err
		}
		if now, err := b.resident(); err == nil {
			peak = max(peak, now)
		}
		if pressed.IsZero() {
			if time.Since(begin) > time.Second {
				pressed = time.Now()
				if err := v.send(ctx, []byte{0x03}); err != nil {
					return flood{}, err
				}
			}
			continue
		}
		last = append(last[max(0, len(last)-3):], p...)
		if bytes.Contains(last, []byte("STOP")) {
			break
		}
		if time.Since(pressed) > 10*time.Second {
			return flood{}, errors.New("Ctrl-C does nothing")
		}
	}
	if err := screen.drain(); err != nil {
		return flood{}, err
	}
	return flood{backlog: float64(screen.backlog) / 1e6, interrupt: inMS(time.Since(pressed)), growth: peak - before}, nil
}

// terminalPaste pastes 10 MB into a program that echoes, in one frame and in small
// frames. The result is how many bytes came back unchanged.
func terminalPaste(ctx context.Context, _ bool) (metrics, error) {
	b, err := startBackend(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.stop() }()
	paste := make([]byte, pasteSize)
	for i := range paste {
		paste[i] = "abcdefghijklmnopqrstuvwxyz\n"[i%27]
	}
	least := pasteSize
	for _, frame := range []int{pasteSize, 16 << 10} {
		intact, err := pasteOnce(ctx, b, paste, frame)
		if err != nil {
			return nil, err
		}
		least = min(least, intact)
	}
	return metrics{"terminal.paste": float64(least) / (1 << 20)}, nil
}

// pasteOnce returns how many bytes came back as they were sent.
func pasteOnce(ctx context.Context, b *backend, paste []byte, frame int) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	v, err := openViewer(ctx, b, rawCat)
	if err != nil {
		return 0, err
	}
	defer func() { _ = v.close(context.WithoutCancel(ctx)) }()
	if err := v.expectReady(ctx); err != nil {
		return 0, err
	}
	sent := make(chan error, 1)
	go func() {
		for p := range slices.Chunk(paste, frame) {
			if err := v.send(ctx, p); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	n := 0
	for n < len(paste) {
		p, err := v.recv(ctx)
		if err != nil {
			return n, fmt.Errorf("after %d of %d bytes: %w", n, len(paste), err)
		}
		if !bytes.Equal(p, paste[n:min(len(paste), n+len(p))]) {
			return n, <-sent
		}
		n += len(p)
		if err := v.draw(ctx, len(p)); err != nil {
			return n, err
		}
	}
	return n, <-sent
}
