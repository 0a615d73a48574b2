// Package say prints the output of the command line.
package say

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
)

// Text prints text for a user or a model, with a line break at its end.
func Text(out io.Writer, text string) error {
	if text == "" {
		return nil
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	safe, note := forTerminal(out, text)
	if _, err := io.WriteString(out, note+safe); err != nil {
		return fmt.Errorf("printing the reply: %w", err)
	}
	return nil
}

// Object prints one object as JSON on one line, for programs.
func Object(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("printing the reply: %w", err)
	}
	return nil
}

// Failure prints what went wrong and what to do, and returns the exit code.
func Failure(out io.Writer, e *protocol.Error) int {
	message, note := forTerminal(out, e.Message)
	fmt.Fprintf(out, "%spilotfish: %s\n", note, message)
	if advice := Advice(e); advice != "" {
		fmt.Fprintf(out, "  %s\n", Clean(out, advice))
	}
	return e.Code.ExitCode()
}

// Advice returns what to do next, with commands as lines to type.
func Advice(e *protocol.Error) string {
	return e.Advice(func(s protocol.Suggestion) string {
		switch {
		case s.Command == "":
			return "`" + s.Line() + "`"
		case s.Does == "":
			return "pilotfish " + s.Line()
		}
		return "`pilotfish " + s.Line() + "`"
	})
}

// Waiting prints that the user is asked, at once and beside the reply.
func Waiting(out io.Writer, q protocol.Waiting) {
	fmt.Fprintf(out, "pilotfish: waiting for your approval in the Pilotfish panel or window: %s\n", Clean(out, OneLine(question.Sentence(q.Approval()))))
}

// OneLine puts a text on one line and shortens it, so that a page's title cannot
// look like further lines of ours.
func OneLine(s string) string {
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) > 100 {
		return string(runes[:99]) + "…"
	}
	return string(runes)
}

// Clean makes untrusted text safe for a terminal: a page's title may contain
// control sequences that type, copy or hide something. For a pipe the text stays
// unchanged.
func Clean(out io.Writer, text string) string {
	file, ok := out.(*os.File)
	if !ok {
		return text
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return text
	}
	return printable(text)
}

// printable replaces control characters, except line ends and tabs, and
// characters that change the text direction.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20 || r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return '�'
		}
		return r
	}, text)
}

// NotRunning is the error for an app that cannot be reached.
func NotRunning(message string) *protocol.Error {
	return protocol.NewError(protocol.CodeNotRunning, message, "start Pilotfish from the menu of programs, or run `pilotfish serve --headless` on a machine without a screen")
}

// NoAnswer is the error for an app that takes too long.
func NoAnswer() *protocol.Error {
	return protocol.NewError(protocol.CodeTimeout, "the app did not answer in time", "--timeout gives a command more; `pilotfish doctor` says whether the app is well")
}

// Unreadable is the error for an answer that cannot be parsed.
func Unreadable(why string) *protocol.Error {
	return protocol.NewError(protocol.CodeInternal, "the app's answer cannot be read: "+why, "the app and this command may be of different versions; `pilotfish doctor` compares them")
}

// Status is the error for an HTTP status without further information.
func Status(status string) *protocol.Error {
	return protocol.NewError(protocol.CodeInternal, "the app answered "+status, "the app and this command may be of different versions; `pilotfish doctor` compares them")
}

// Version prints the version of the command line.
func Version(out io.Writer, version string) error { return Text(out, "pilotfish "+version) }

// Failed returns the error of a failed reply.
func Failed(reply protocol.CommandReply) *protocol.Error {
	if reply.Error == nil {
		return protocol.NewError(protocol.CodeInternal, "the command failed without saying why", "")
	}
	return reply.Error
}
