// Package say prints the output of the command line.
package say

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"pilotfish/backend/protocol"
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

// Note prints one line beside the reply, on standard error.
func Note(out io.Writer, text string) {
	fmt.Fprintf(out, "pilotfish: %s\n", protocol.Visible(text))
}

// Part prints a part of a line, such as a question.
func Part(out io.Writer, text string) error {
	if _, err := io.WriteString(out, protocol.Visible(text)); err != nil {
		return fmt.Errorf("printing the reply: %w", err)
	}
	return nil
}

// Object prints one object as JSON on one line, for programs.
func Object(out io.Writer, v any) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	if err == nil {
		_, err = out.Write(protocol.VisibleJSON(line.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("printing the reply: %w", err)
	}
	return nil
}

// Failure prints what went wrong and what to do, and returns the exit code.
func Failure(out io.Writer, e *protocol.Error) int {
	message, note := forTerminal(out, e.Message)
	fmt.Fprintf(out, "%spilotfish: %s\n", note, message)
	if advice := Advice(e); advice != "" {
		fmt.Fprintf(out, "  %s\n", protocol.Visible(advice))
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
	Note(out, "waiting for your approval in the Pilotfish panel or window: "+OneLine(q.Sentence))
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
