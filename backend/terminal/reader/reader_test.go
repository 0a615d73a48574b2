//go:build unix

package reader

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
	"pilotfish/backend/terminal"
)

// program starts a shell script in a real terminal.
func program(t *testing.T, script string) (Terminals, protocol.TerminalID) {
	t.Helper()
	m, err := terminal.New(terminal.Config{
		Session: "default",
		Launch: func(context.Context, terminal.Request) (terminal.Launch, error) {
			return terminal.Launch{Path: "/bin/sh", Args: []string{"-c", script}, Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}, Kind: protocol.AgentCustom, Name: "script"}, nil
		},
		Grace: func() time.Duration { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = m.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	info, err := m.Start(ctx, protocol.PtySessionRequest{Tab: "t1", Cols: 40, Rows: 10})
	if err != nil {
		t.Fatal(err)
	}
	return New(m), info.ID
}

// limit ends a wait that hangs. A flood takes half a minute on a machine that is busy.
const limit = 2 * time.Minute

func wait(t *testing.T, terminals Terminals, id protocol.TerminalID, q protocol.TerminalWait) (protocol.TerminalText, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	q.Lines = 20
	return terminals.Wait(ctx, id, q)
}

func TestReadSendWait(t *testing.T) {
	terminals, id := program(t, `printf '\033[31mready\033[0m\n'; while read -r line; do [ "$line" = end ] && exit 3; echo "got <$line>"; done`)
	if _, err := wait(t, terminals, id, protocol.TerminalWait{For: protocol.WaitText, Text: "ready"}); err != nil {
		t.Fatal(err)
	}
	if err := terminals.Send(id, "hello  world", []protocol.TerminalKey{protocol.KeyEnter}); err != nil {
		t.Fatal(err)
	}
	said, err := wait(t, terminals, id, protocol.TerminalWait{For: protocol.WaitText, Text: "got <hello world>"}) // one space is as good as two
	if err != nil || !slices.Contains(said.Lines, "got <hello  world>") || said.Terminal.ID != id {
		t.Fatalf("%q %v", said.Lines, err)
	}
	quiet, err := wait(t, terminals, id, protocol.TerminalWait{For: protocol.WaitQuiet, Quiet: 50 * time.Millisecond})
	if err != nil || !slices.Equal(quiet.Lines, said.Lines) {
		t.Errorf("quiet: %q %v", quiet.Lines, err)
	}
	if read, err := terminals.Read(id, 1); err != nil || !slices.Equal(read.Lines, []string{"got <hello  world>"}) {
		t.Errorf("the last line: %q %v", read.Lines, err)
	}
	ended := make(chan error, 1)
	go func() {
		said, err := wait(t, terminals, id, protocol.TerminalWait{For: protocol.WaitExit})
		if err == nil && (said.Terminal.Exit == nil || said.Terminal.Exit.Code != 3) {
			t.Errorf("ended as %+v", said.Terminal.Exit)
		}
		ended <- err
	}()
	if err := terminals.Send(id, "end\n", nil); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if _, err := wait(t, terminals, id, protocol.TerminalWait{For: protocol.WaitQuiet, Quiet: time.Hour}); err != nil {
		t.Errorf("what has ended is quiet: %v", err)
	}
	_, err = wait(t, terminals, id, protocol.TerminalWait{For: protocol.WaitText, Text: "never"})
	if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeNotRunning {
		t.Errorf("a text that cannot come: %v", err)
	}
	if e := protocol.AsError(terminals.Send(id, "x", nil)); e == nil || e.Code != protocol.CodeNotRunning {
		t.Errorf("typed into nothing: %v", e)
	}
}

// Several lines are a paste for a program that asked to know of one, and lines elsewhere.
func TestSeveralLines(t *testing.T) {
	for script, want := range map[string]string{
		`stty raw -echo; printf '\033[?2004hready\r\n'; head -c 19 | od -An -c`:            `033 [ 2 0 0 ~ a \r b 033 [ 2 0 1 ~`,
		`stty raw -echo; printf '\033[?2004h\033[?2004lready\r\n'; head -c 3 | od -An -c`:  `a \r b`,
		`stty raw -echo; printf 'ready\r\n'; head -c 3 | od -An -c`:                        `a \r b`,
		`stty raw -echo; printf '\033[?2004h\033[?1049hready\r\n'; head -c 19 | od -An -c`: `a \r b 033 [ 2 0 1 ~`,
	} {
		terminals, id := program(t, script)
		if _, err := wait(t, terminals, id, protocol.TerminalWait{For: protocol.WaitText, Text: "ready"}); err != nil {
			t.Fatal(err)
		}
		if err := terminals.Send(id, "a\nb", []protocol.TerminalKey{"Ctrl+A", "Ctrl+B", "Ctrl+C", "Ctrl+D"}); err != nil {
			t.Fatal(err)
		}
		if _, err := wait(t, terminals, id, protocol.TerminalWait{For: protocol.WaitText, Text: want}); err != nil {
			t.Errorf("%s: %v", script, err)
		}
	}
}

// A text is found as a reader sees it, wherever it is wrapped and however it is encoded.
func TestWaitForWrittenText(t *testing.T) {
	for _, c := range [][2]string{
		{`printf '%039d'; printf '漢字の文が折り返されています'`, "漢字の文が折り返されています"},
		{`printf '日本語の文\nが続く'`, "日本語の文が続く"},
		{`printf 'caf\145\314\201 au lait'`, "café au lait"},
		{`printf 'café au lait'`, "cafe\u0301 au lait"},
		{`printf '1\357\270\217\342\203\243 first'`, "1\ufe0f\u20e3 first"},
		{"printf '👨\u200d👩\u200d👧 family'", "👨\u200d👩\u200d👧 family"},
		{"printf 'می\u200cشود'", "می\u200cشود"},
		{`printf '%035d the end'`, "00000 the end"},
	} {
		terminals, id := program(t, c[0]+"; cat")
		if said, err := wait(t, terminals, id, protocol.TerminalWait{For: protocol.WaitText, Text: c[1]}); err != nil {
			t.Errorf("%q: %q, %v", c[1], said.Lines, err)
		}
	}
}

func TestWaitEndsWithItsCaller(t *testing.T) {
	terminals, id := program(t, `echo up; cat`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := terminals.Wait(ctx, id, protocol.TerminalWait{For: protocol.WaitText, Text: "never"}); err == nil {
		t.Error("it waited for nothing")
	}
	for _, err := range []error{
		func() error { _, err := terminals.Read("none", 1); return err }(),
		func() error { _, err := terminals.Wait(t.Context(), "none", protocol.TerminalWait{}); return err }(),
		terminals.Send("none", "x", nil),
	} {
		if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeUnknownTerminal {
			t.Errorf("%v", err)
		}
	}
}

// A flood that drops what was read before does not stop a reader.
func TestAFlood(t *testing.T) {
	terminals, id := program(t, `i=0; while [ $i -lt 10 ]; do head -c 1000000 /dev/zero | tr '\0' x; i=$((i+1)); done; printf '\nthe end\n'; cat`)
	said, err := wait(t, terminals, id, protocol.TerminalWait{For: protocol.WaitText, Text: "the end"})
	if err != nil || said.Lines[len(said.Lines)-1] != "the end" {
		t.Errorf("%d lines, %v", len(said.Lines), err)
	}
}

func TestKeys(t *testing.T) {
	for key, want := range map[protocol.TerminalKey]string{protocol.KeyUp: "\x1b[A", protocol.KeyEnter: "\r", "Ctrl+C": "\x03", protocol.KeyBackTab: "\x1b[Z"} {
		if got := sequence(key, false); got != want {
			t.Errorf("%s sends %q", key, got)
		}
	}
	if got := sequence(protocol.KeyUp, true); got != "\x1bOA" {
		t.Errorf("in an application: %q", got)
	}
	for _, key := range protocol.TerminalKeys() {
		if parsed, ok := protocol.ParseTerminalKey(strings.ToLower(string(key))); !ok || parsed != key || sequence(key, false) == "" {
			t.Errorf("%s: %s", key, parsed)
		}
	}
	for _, name := range []string{"", "Ctrl+", "Ctrl+1", "F99", "Ctrl+CC"} {
		if key, ok := protocol.ParseTerminalKey(name); ok {
			t.Errorf("%q is %s", name, key)
		}
	}
}

// What a program prints just before it ends is read before its end counts.
func TestTheLastWords(t *testing.T) {
	for range 15 {
		terminals, id := program(t, `printf '%s\n' 1 2 3 4 5 6 7 8; printf 'last words'`)
		said, err := wait(t, terminals, id, protocol.TerminalWait{For: protocol.WaitExit})
		if err != nil || !slices.Contains(said.Lines, "last words") {
			t.Fatalf("%q %v", said.Lines, err)
		}
	}
}
