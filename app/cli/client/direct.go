package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// direct carries one request over a connection of its own, and nothing more:
// net/http's transport starts goroutines and pools, of which a command that sends
// one request pays half a millisecond and has no use. It knows no proxy, either: a
// token must not leave this machine.
type direct struct{}

// RoundTrip sends a request and returns its reply, whose body ends the connection
// when it is closed. A reply to HTTP 1.0 comes in one part and ends with the
// connection.
func (direct) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", req.URL.Host)
	if err != nil {
		return nil, err
	}
	// Whoever gives up ends what the connection waits for.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	var request bytes.Buffer
	fmt.Fprintf(&request, "%s %s HTTP/1.0\r\nHost: %s\r\nContent-Length: %d\r\n", req.Method, req.URL.RequestURI(), req.URL.Host, req.ContentLength)
	_ = req.Header.Write(&request) // no write to a buffer fails
	request.WriteString("\r\n")
	_, _ = request.ReadFrom(req.Body) // nor a read of what is in memory
	// An app that refuses a body answers before it has read all of it.
	_, written := conn.Write(request.Bytes())
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		if written != nil {
			err = written
		}
		stop()
		_ = conn.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("asking the app: %w", err)
	}
	resp.Body = &lastBody{ReadCloser: resp.Body, ctx: ctx, conn: conn, stop: stop}
	return resp, nil
}

// lastBody is the body of the one reply of a connection.
type lastBody struct {
	io.ReadCloser

	ctx  context.Context
	conn net.Conn
	stop func() bool
}

// Read reads on; its error is that of the caller's context once that has ended.
func (b *lastBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && b.ctx.Err() != nil {
		err = b.ctx.Err()
	}
	return n, err
}

// Close ends the connection, whatever of the reply was not read.
func (b *lastBody) Close() error {
	b.stop()
	return b.conn.Close()
}
