package terminal

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/coder/websocket"
	"github.com/creack/pty"

	"pilotfish/backend/protocol"
)

// The scripts print their ready message in two parts, so that the echo of a command
// line cannot look like it.
const (
	rawCat = "stty raw -echo; printf RE; printf ADY; exec cat"
	ready  = "READY"
)

// barePTY runs a bash script in a pseudo terminal of this process.
func barePTY(ctx context.Context, script string) (*os.File, func(), error) {
	cmd := exec.CommandContext(ctx, "/bin/bash", "-c", script)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		return nil, nil, fmt.Errorf("starting the bare terminal: %w", err)
	}
	seen := []byte{}
	for b := make([]byte, 1); !bytes.HasSuffix(seen, []byte(ready)); {
		if _, err := f.Read(b); err != nil {
			return nil, nil, fmt.Errorf("starting the bare terminal: %w", err)
		}
		seen = append(seen, b[0])
	}
	return f, func() {
		_ = f.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}, nil
}

// terminalEcho types one key at a time, alternately into the terminal, a bare pseudo
// terminal and a bare WebSocket echo.
func terminalEcho(ctx context.Context, quick bool) (metrics, error) {
	b, err := startBackend(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.stop() }()
	v, err := openViewer(ctx, b, rawCat)
	if err != nil {
		return nil, err
	}
	if err := v.expectReady(ctx); err != nil {
		return nil, err
	}
	bare, end, err := barePTY(ctx, rawCat)
	if err != nil {
		return nil, err
	}
	defer end()
	echo, err := dialBench(ctx, b.url+"/echo")
	if err != nil {
		return nil, err
	}
	defer func() { _ = echo.CloseNow() }()

	buf := make([]byte, 64)
	turns := []func(key byte) (byte, error){
		func(key byte) (byte, error) {
			if err := v.send(ctx, []byte{key}); err != nil {
				return 0, err
			}
			p, err := v.recv(ctx)
			if err != nil {
				return 0, err
			}
			return p[0], v.draw(ctx, len(p))
		},
		func(key byte) (byte, error) {
			if _, err := bare.Write([]byte{key}); err != nil {
				return 0, err
			}
			_, err := bare.Read(buf)
			return buf[0], err
		},
		func(key byte) (byte, error) {
			if err := echo.Write(ctx, websocket.MessageBinary, []byte{key}); err != nil {
				return 0, err
			}
			_, p, err := echo.Read(ctx)
			if err != nil {
				return 0, err
			}
			return p[0], nil
		},
	}
	n, warm := 4000, 200
	if quick {
		n = 400
	}
	took := make([][]float64, len(turns))
	for i := range n + warm {
		key := byte('a' + i%26)
		for k := range turns {
			// Each of them follows each of the others equally often.
			j := (i + k) % len(turns)
			if i%2 == 1 {
				j = len(turns) - 1 - j
			}
			begin := time.Now()
			got, err := turns[j](key)
			if err != nil {
				return nil, err
			}
			if got != key {
				return nil, fmt.Errorf("typed %q, echoed %q", key, got)
			}
			if i >= warm {
				took[j] = append(took[j], inMS(time.Since(begin)))
			}
		}
	}
	return metrics{
		"terminal.echo": percentile(took[0], 0.5), "terminal.echo/p99": percentile(took[0], 0.99),
		"terminal.echo/reference": percentile(took[1], 0.5) + percentile(took[2], 0.5),
	}, nil
}

// colourFile writes n bytes of coloured text and returns its path and checksum.
func colourFile(dir string, n int) (path string, sum uint32, err error) {
	path = filepath.Join(dir, fmt.Sprintf("colours-%d", n))
	f, err := os.Create(path)
	if err != nil {
		return "", 0, err
	}
	h := crc32.New(castagnoli())
	w := bufio.NewWriterSize(io.MultiWriter(f, h), 1<<20)
	for i, left := 0, n; left > 0; i++ {
		line := fmt.Appendf(nil, "\x1b[38;5;%dm%08d\x1b[0m \x1b[1mlevel\x1b[22m=info \x1b[32mmsg\x1b[39m=\"request served\" path=/api/v1/items/%d\r\n", i%256, i, i%1000)
		line = line[:min(len(line), left)]
		left -= len(line)
		_, _ = w.Write(line) // Flush reports an error
	}
	err = errors.Join(w.Flush(), f.Close())
	return path, h.Sum32(), err
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// terminalThroughput prints a large file, alternately through the terminal and in a
// bare pseudo terminal, and checks every byte.
func terminalThroughput(ctx context.Context, quick bool) (metrics, error) {
	size, runs := 100_000_000, 7
	if quick {
		size, runs = 20_000_000, 3
	}
	dir, err := os.MkdirTemp("", "pilotfish-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file, want, err := colourFile(dir, size)
	if err != nil {
		return nil, err
	}
	b, err := startBackend(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.stop() }()
	// cat starts after one byte of input, so that the figure does not include the
	// start of cat.
	script := "stty raw -echo; printf RE; printf ADY; read -N1; exec cat " + file
	var ours, bare []float64
	for range runs {
		for _, r := range []struct {
			run func(context.Context, *backend, string, int) (time.Duration, uint32, error)
			to  *[]float64
		}{{throughputOfTerminal, &ours}, {throughputOfPTY, &bare}} {
			took, sum, err := r.run(ctx, b, script, size)
			if err != nil {
				return nil, err
			}
			if sum != want {
				return nil, errors.New("the output is not what was printed")
			}
			*r.to = append(*r.to, float64(size)/1e6/took.Seconds())
		}
	}
	// The best run on both sides counts: disturbances on a shared machine only make a
	// run slower.
	return metrics{"terminal.throughput": slices.Max(ours), "terminal.throughput/reference": slices.Max(bare)}, nil
}

func throughputOfTerminal(ctx context.Context, b *backend, script string, size int) (time.Duration, uint32, error) {
	v, err := openViewer(ctx, b, script)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = v.close(ctx) }()
	if err := v.expectReady(ctx); err != nil {
		return 0, 0, err
	}
	h := crc32.New(castagnoli())
	begin := time.Now()
	if err := v.send(ctx, []byte("g")); err != nil {
		return 0, 0, err
	}
	for n := 0; n < size; {
		p, err := v.recv(ctx)
		if err != nil {
			return 0, 0, fmt.Errorf("after %d of %d bytes: %w", n, size, err)
		}
		_, _ = h.Write(p)
		n += len(p)
		if err := v.draw(ctx, len(p)); err != nil {
			return 0, 0, err
		}
	}
	return time.Since(begin), h.Sum32(), nil
}

func throughputOfPTY(ctx context.Context, _ *backend, script string, size int) (time.Duration, uint32, error) {
	f, end, err := barePTY(ctx, script)
	if err != nil {
		return 0, 0, err
	}
	defer end()
	h := crc32.New(castagnoli())
	buf := make([]byte, protocol.MaxFrame)
	begin := time.Now()
	if _, err := f.WriteString("g"); err != nil {
		return 0, 0, err
	}
	for n := 0; n < size; {
		m, err := f.Read(buf)
		if err != nil {
			return 0, 0, fmt.Errorf("after %d of %d bytes: %w", n, size, err)
		}
		_, _ = h.Write(buf[:m])
		n += m
	}
	return time.Since(begin), h.Sum32(), nil
}
