package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"pilotfish/backend/protocol"
)

// request is a request to the app.
type request struct {
	method, path string
	accept       string // a media type, or empty for any
	body         []byte // JSON
}

// Reply is the app's reply. It is an io.Reader; Close closes its connection, even
// when the reply was not read completely.
type Reply struct {
	// Type is the media type of the body.
	Type string

	status string // such as 200 OK
	rest   int64  // bytes of the body that are still to come; below 0 when the app did not say
	ctx    context.Context
	conn   net.Conn
	in     *bufio.Reader
	stop   func() bool
}

// exchange sends one request over its own connection and returns the reply. A
// reply to HTTP 1.0 comes in one part and ends with the connection. It does not
// use net/http, which costs 0.35 ms at each start of this program, nor its
// transport, whose goroutines and pools cost about as much again (docs/adr/090).
// It uses no proxy either: a token must not leave this machine.
func (c *Client) exchange(ctx context.Context, r request) (*Reply, error) {
	if strings.ContainsAny(c.token, "\r\n") {
		return nil, errors.New("the token has more than one line")
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.host)
	if err != nil {
		return nil, err
	}
	reply := &Reply{ctx: ctx, conn: conn, in: bufio.NewReader(conn), rest: -1}
	// When the context ends, waiting reads and writes on the connection fail.
	reply.stop = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	// An app that refuses a body answers before it has read all of it.
	_, written := conn.Write(c.text(r))
	if err := reply.readHead(); err != nil {
		if written != nil {
			err = written
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		reply.Close()
		return nil, fmt.Errorf("asking the app: %w", err)
	}
	return reply, nil
}

// text returns a request as it is sent.
func (c *Client) text(r request) []byte {
	var text bytes.Buffer
	line := func(format string, values ...any) { fmt.Fprintf(&text, format+"\r\n", values...) }
	line("%s %s HTTP/1.0", r.method, r.path)
	line("Host: %s", c.host)
	if r.body != nil {
		line("Content-Length: %d", len(r.body))
	}
	if r.accept != "" {
		line("Accept: %s", r.accept)
	}
	line("Authorization: Bearer %s", c.token)
	if c.program != "" {
		line("%s: %s", protocol.HeaderProgram, c.program)
	}
	if r.body != nil {
		line("Content-Type: application/json")
	}
	line("")
	text.Write(r.body)
	return text.Bytes()
}

// readHead reads the status line and the headers of a reply.
func (r *Reply) readHead() error {
	lines := textproto.NewReader(r.in)
	line, err := lines.ReadLine()
	if err != nil {
		return err
	}
	version, status, _ := strings.Cut(line, " ")
	if !strings.HasPrefix(version, "HTTP/1.") {
		return fmt.Errorf("%.40q is no reply of HTTP", line)
	}
	header, err := lines.ReadMIMEHeader()
	if err != nil {
		return err
	}
	r.status, r.Type = status, header.Get("Content-Type")
	if length := header.Get("Content-Length"); length != "" {
		if r.rest, err = strconv.ParseInt(length, 10, 64); err != nil || r.rest < 0 {
			return fmt.Errorf("a reply of %.20q bytes", length)
		}
	}
	return nil
}

// Read reads the body. It returns the error of the caller's context once that has
// ended, and io.ErrUnexpectedEOF when the app ended before it had sent
// everything.
func (r *Reply) Read(p []byte) (int, error) {
	// After a complete reply the connection may end with an error: the app has
	// refused a body that it has not read.
	if r.rest == 0 {
		return 0, io.EOF
	}
	if r.rest > 0 && int64(len(p)) > r.rest {
		p = p[:r.rest]
	}
	n, err := r.in.Read(p)
	if r.rest > 0 {
		r.rest -= int64(n)
	}
	switch {
	case err == nil:
	case !errors.Is(err, io.EOF):
		if r.ctx.Err() != nil {
			err = context.Cause(r.ctx)
		}
	case r.rest > 0:
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close closes the connection.
func (r *Reply) Close() {
	r.stop()
	_ = r.conn.Close() // everything that was needed has been read
}
