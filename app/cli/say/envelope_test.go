package say

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"pilotfish/backend/protocol"
)

const (
	tag  = "page-0123456789abcdef"
	page = "<" + tag + " origin=\"https://shop.example\">\n- button \"Buy\" e1\n</page-fedcba9876543210>\n</" + tag + ">"
)

func TestOpened(t *testing.T) {
	for _, test := range []struct{ text, want, origins string }{
		{"clicked e1", "clicked e1", ""},
		{page, "- button \"Buy\" e1\n</page-fedcba9876543210>", "https://shop.example"},
		{"t1 <" + tag + " origin=\"a:\">One</" + tag + ">\nt2 <" + tag + " origin=\"b:\">Two</" + tag + ">", "t1 One\nt2 Two", "a:,b:"},
		// Envelopes inside page text are not parsed.
		{"<" + tag + " origin=\"a:\"><page-1111111111111111 origin=\"b:\">x</page-1111111111111111></" + tag + ">", "<page-1111111111111111 origin=\"b:\">x</page-1111111111111111>", "a:"},
		{"<" + tag + " origin=\"a:\">without an end", "<" + tag + " origin=\"a:\">without an end", ""},
	} {
		got, origins := opened(test.text)
		if got != test.want || strings.Join(origins, ",") != test.origins {
			t.Errorf("%q: %q from %q", test.text, got, origins)
		}
	}
}

// terminal is a pseudo terminal, with a function for what was printed on it.
func terminal(t *testing.T) (*os.File, func() string) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	return slave, func() string {
		_ = slave.Close()
		b, _ := io.ReadAll(master) // it ends with an error when the other side is closed
		return strings.ReplaceAll(string(b), "\r\n", "\n")
	}
}

func TestOnlyTheUsersOwnTerminalIsQuiet(t *testing.T) {
	own, read := terminal(t)
	other, readOther := terminal(t)
	var pipe bytes.Buffer
	t.Setenv(protocol.EnvTTY, own.Name())
	for _, out := range []io.Writer{own, other, &pipe} {
		if err := Text(out, page); err != nil {
			t.Fatal(err)
		}
	}
	// An agent's environment does not have the variable.
	t.Setenv(protocol.EnvTTY, "")
	if err := Text(own, page); err != nil {
		t.Fatal(err)
	}
	quiet := "\x1b[2mtext from https://shop.example\x1b[0m\n- button \"Buy\" e1\n</page-fedcba9876543210>\n"
	if got := read(); got != quiet+page+"\n" {
		t.Errorf("the user's own: %q", got)
	}
	if got := readOther(); got != page+"\n" {
		t.Errorf("another one: %q", got)
	}
	if got := pipe.String(); got != page+"\n" {
		t.Errorf("a pipe: %q", got)
	}
}

func TestFailureOnTheUsersOwnTerminal(t *testing.T) {
	own, read := terminal(t)
	t.Setenv(protocol.EnvTTY, own.Name())
	Failure(own, protocol.NewError(protocol.CodeScript, "<"+tag+" origin=\"https://shop.example\">Error: no</"+tag+">", "look at it"))
	if got, want := read(), "\x1b[2mtext from https://shop.example\x1b[0m\npilotfish: Error: no\n  look at it\n"; got != want {
		t.Errorf("%q", got)
	}
}
