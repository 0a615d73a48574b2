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

// maxReply bounds one line of a reply, in bytes.
const maxReply = 256 << 20

// patience is how long a command may take: the person may be asked first.
const patience = protocol.CommandTimeout + protocol.ApprovalTimeout + protocol.CLIMargin

// dial connects to a port of this machine. The connection blocks: one that is
// waited for by events costs threads and a quarter of a millisecond.
func dial(port int) (*os.File, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	syscall.CloseOnExec(fd) // it may still be handed over to the whole program
	limit := syscall.NsecToTimeval(int64(patience))
	err = errors.Join(
		os.NewSyscallError("setsockopt", syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &limit)),
		os.NewSyscallError("connect", syscall.Connect(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})),
	)
	if err != nil {
		_ = syscall.Close(fd) // nothing was written
		return nil, err
	}
	return os.NewFile(uintptr(fd), "the app"), nil
}

// ask sends a command and reads its reply: events, the last of which is the
// reply, or one object. HTTP 1.0 has no parts that would have to be put together,
// and its reply ends with the connection.
func ask(conn io.ReadWriter, port int, token string, request protocol.CommandRequest, waiting func(protocol.Waiting)) (protocol.CommandReply, error) {
	var reply protocol.CommandReply
	body, err := json.Marshal(request)
	if err != nil {
		return reply, fmt.Errorf("writing the request: %w", err)
	}
	head := fmt.Sprintf("POST /command HTTP/1.0\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Accept: text/event-stream, application/json\r\nContent-Length: %d\r\n\r\n", port, token, len(body))
	// An app that refuses a body answers before it has read all of it.
	_, written := conn.Write(append([]byte(head), body...))
	until := time.Now().Add(patience)
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, maxReply)
	status, events := header(lines)
	if status == "" {
		return reply, lost(errors.Join(lines.Err(), written), "Pilotfish does not answer")
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
