// Package quick is the whole program's side of the short way of the command line.
// What a shell or an agent starts is a small program in C (start/pilotfish.c): the
// commands that an agent gives all day, as they are mostly written, go to the
// running app by it. A reply that has more to say than that all went well is handed
// over to the whole program as it came.
package quick

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"pilotfish/app/cli/say"
	"pilotfish/backend/protocol"
)

// Whole is the name of the whole program, which lies beside the small one.
const Whole = "pilotfish-whole"

// EnvReply is how a reply is handed over: the descriptors of what was read of it and
// of the connection, and the error with which that ended (0 for none yet).
const EnvReply = "PILOTFISH_REPLY"

// maxReply bounds one line of a reply, in bytes.
const maxReply = 256 << 20

// patience is how long a command may take: the person may be asked first.
const patience = protocol.CommandTimeout + protocol.ApprovalTimeout + protocol.CLIMargin

// Resume prints a reply that was handed over, and returns the exit code.
func Resume(told string, stdout, stderr io.Writer) int {
	var read, conn uintptr
	var failed syscall.Errno
	if _, err := fmt.Sscanf(told, "%d,%d,%d", &read, &conn, &failed); err != nil {
		return say.Failure(stderr, protocol.NewError(protocol.CodeBadArgument, EnvReply+" is "+told+", which names no reply", "unset it"))
	}
	rest := io.Reader(os.NewFile(conn, "the app"))
	if failed != 0 {
		rest = ended{failed}
	}
	reply, err := answer(io.MultiReader(os.NewFile(read, "the reply"), rest), func(q protocol.Waiting) { say.Waiting(stderr, q) })
	return end(stdout, stderr, reply, err)
}

// ended is a connection that has ended with an error.
type ended struct{ err error }

func (e ended) Read([]byte) (int, error) { return 0, e.err }

// end prints a reply, or why there is none, and returns the exit code.
func end(stdout, stderr io.Writer, reply protocol.CommandReply, err error) int {
	// What was done before it failed is told, too.
	if err == nil && (reply.OK || len(reply.Data) > 0) {
		err = say.Text(stdout, reply.Text)
	}
	if err == nil && !reply.OK {
		err = say.Failed(reply)
	}
	if err != nil {
		return say.Failure(stderr, protocol.AsError(err))
	}
	return 0
}

// answer reads the reply to a command: events, the last of which is the reply, or
// one object. HTTP 1.0 has no parts that would have to be put together, and its
// reply ends with the connection.
func answer(conn io.Reader, waiting func(protocol.Waiting)) (protocol.CommandReply, error) {
	var reply protocol.CommandReply
	until := time.Now().Add(patience)
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, maxReply)
	status, events := header(lines)
	if status == "" {
		return reply, lost(lines.Err(), "Pilotfish does not answer")
	}
	if status != "200" || !events {
		return whole(lines, status)
	}
	event := ""
	for lines.Scan() {
		if time.Now().After(until) { // though it is told that the app is alive
			return reply, say.NoAnswer()
		}
		name, value, _ := bytes.Cut(lines.Bytes(), []byte(": "))
		switch {
		case string(name) == "event":
			event = string(value)
		case string(name) != "data":
		case event == protocol.CommandEventReply:
			if err := json.Unmarshal(value, &reply); err != nil {
				return reply, say.Unreadable(err.Error())
			}
			return reply, nil
		case event == protocol.CommandEventWaiting:
			var q protocol.Waiting
			if json.Unmarshal(value, &q) == nil {
				waiting(q)
			}
		}
	}
	return reply, lost(lines.Err(), "Pilotfish has ended before the command had")
}

// header reads a reply up to its body: its status, empty when there is none, and
// whether events follow.
func header(lines *bufio.Scanner) (status string, events bool) {
	if !lines.Scan() {
		return "", false
	}
	version, rest, _ := strings.Cut(lines.Text(), " ")
	if !strings.HasPrefix(version, "HTTP/1.") || len(rest) < 3 {
		return "", false
	}
	status = rest[:3]
	for lines.Scan() && lines.Text() != "" {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		if strings.EqualFold(name, "Content-Type") {
			events = strings.HasPrefix(value, "text/event-stream")
		}
	}
	return status, events
}

// whole reads a reply of one object: that of an app that knows no events, or why
// the request was refused.
func whole(lines *bufio.Scanner, status string) (reply protocol.CommandReply, err error) {
	var text []byte
	for lines.Scan() {
		text = append(append(text, lines.Bytes()...), '\n')
	}
	if err := lines.Err(); err != nil {
		return reply, lost(err, "Pilotfish has ended before the command had")
	}
	if status != "200" {
		var failed protocol.ErrorReply
		if json.Unmarshal(text, &failed) == nil && failed.Error != nil {
			return reply, failed.Error
		}
		return reply, say.Status(status)
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return reply, say.Unreadable(err.Error())
	}
	return reply, nil
}

// lost says what a connection means that ended too early; err may be nil.
func lost(err error, message string) error {
	if errors.Is(err, syscall.EAGAIN) {
		return say.NoAnswer()
	}
	if err != nil {
		message += ": " + err.Error()
	}
	return say.NotRunning(message)
}
