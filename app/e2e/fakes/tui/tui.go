// Package tui is a fake of an agent's command line program, for the whole-product
// tests. It behaves as such programs do: alternate screen, mouse reports,
// bracketed paste, queries that the terminal answers, a full redraw on resize. A
// typed line that begins with "run " is executed, and any other line is echoed.
package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// screen is what the program shows; it is redrawn completely each time.
type screen struct {
	mu     sync.Mutex
	out    io.Writer
	cols   int
	rows   int
	log    []string
	input  string
	device string // the terminal's answer to the device query
}

// Run takes over the terminal on stdin and stdout until "quit" is typed, the
// input ends or ctx ends. It returns the process's exit code.
func Run(ctx context.Context) int {
	fd := int(os.Stdin.Fd())
	before, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tui-agent: stdin is not a terminal:", err)
		return 1
	}
	raw := *before
	raw.Iflag &^= unix.IXON | unix.ICRNL | unix.BRKINT
	raw.Lflag &^= unix.ECHO | unix.ICANON | unix.ISIG | unix.IEXTEN
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &raw); err != nil {
		fmt.Fprintln(os.Stderr, "tui-agent: setting raw mode:", err)
		return 1
	}
	defer unix.IoctlSetTermios(fd, unix.TCSETS, before) //nolint:errcheck // the terminal is going away with us

	s := &screen{out: os.Stdout}
	s.resize(fd)
	fmt.Fprint(s.out, "\x1b[?1049h\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b]0;tui-agent\x07\x1b[c")
	defer fmt.Fprint(s.out, "\x1b[?1006l\x1b[?1002l\x1b[?2004l\x1b[?1049l")
	s.say("tui-agent ready")
	s.say("tab " + os.Getenv("PILOTFISH_TAB"))
	s.draw()

	resized := make(chan os.Signal, 1)
	signal.Notify(resized, unix.SIGWINCH)
	defer signal.Stop(resized)
	keys := make(chan []byte)
	go func() {
		defer close(keys)
		for {
			buf := make([]byte, 64<<10)
			n, err := os.Stdin.Read(buf)
			if err != nil {
				return
			}
			keys <- buf[:n]
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return 0
		case <-resized:
			s.resize(fd)
			s.draw()
		case chunk, ok := <-keys:
			if !ok {
				return 0
			}
			if s.take(ctx, chunk) {
				return 0
			}
			s.draw()
		}
	}
}

// take handles input and reports whether the program must end.
func (s *screen) take(ctx context.Context, chunk []byte) (quit bool) {
	for len(chunk) > 0 {
		switch {
		case bytes.HasPrefix(chunk, []byte("\x1b[200~")):
			text, rest, _ := bytes.Cut(chunk[6:], []byte("\x1b[201~"))
			s.input += strings.ReplaceAll(string(text), "\r", "⏎")
			chunk = rest
		case bytes.HasPrefix(chunk, []byte("\x1b[?")):
			reply, rest, _ := bytes.Cut(chunk, []byte("c"))
			s.device = string(reply[2:])
			s.say("terminal answered " + s.device)
			chunk = rest
		case chunk[0] == 0x1b:
			chunk = chunk[len(chunk):] // a key or mouse report without a meaning here
		case chunk[0] == '\r':
			line := s.input
			s.input = ""
			if line == "quit" {
				return true
			}
			s.obey(ctx, line)
			chunk = chunk[1:]
		case chunk[0] == 0x7f:
			if s.input != "" {
				s.input = s.input[:len(s.input)-1]
			}
			chunk = chunk[1:]
		case chunk[0] == 0x03:
			s.say("interrupted")
			chunk = chunk[1:]
		default:
			s.input += string(chunk[:1])
			chunk = chunk[1:]
		}
	}
	return false
}

// obey executes a line, or echoes it.
func (s *screen) obey(ctx context.Context, line string) {
	command, ok := strings.CutPrefix(line, "run ")
	if !ok {
		s.say("you said: " + line)
		return
	}
	s.say("$ " + command)
	out, err := exec.CommandContext(ctx, "/bin/sh", "-c", command).CombinedOutput()
	for l := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		s.say(l)
	}
	if err != nil {
		s.say("ended: " + err.Error())
	}
	s.say("done")
}

func (s *screen) say(line string) { s.log = append(s.log, line) }

func (s *screen) resize(fd int) {
	s.cols, s.rows = 80, 24
	if size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ); err == nil && size.Col > 0 && size.Row > 1 {
		s.cols, s.rows = int(size.Col), int(size.Row)
	}
}

// draw paints the whole screen: the newest lines, and the input at the bottom.
func (s *screen) draw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	b.WriteString("\x1b[?2026h\x1b[H\x1b[2J\x1b[7m tui-agent \x1b[0m\r\n")
	first := max(0, len(s.log)-(s.rows-2))
	for _, line := range s.log[first:] {
		if len(line) > s.cols {
			line = line[:s.cols]
		}
		b.WriteString(line + "\r\n")
	}
	fmt.Fprintf(&b, "\x1b[%d;1H\x1b[2K> %s\x1b[?2026l", s.rows, s.input)
	fmt.Fprint(s.out, b.String())
}
