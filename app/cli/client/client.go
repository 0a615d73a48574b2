// Package client is the way of the command line to the app: it finds the running
// app, or starts a session when there is none, and carries requests to it.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"pilotfish/app/cli/say"
	"pilotfish/backend/protocol"
)

// Client talks to the running app.
type Client struct {
	url   string
	token string
	// transport is used without an http.Client: the app has neither redirects nor
	// cookies, and a command starts faster without.
	transport http.RoundTripper
}

// maxReply bounds what is read of a reply, in bytes.
const maxReply = 256 << 20

// Find finds the app: inside an agent by the agent's own token, elsewhere by
// the file that only this user can read.
func Find(getenv func(string) string) (*Client, error) {
	base, token := getenv(protocol.EnvURL), getenv(protocol.EnvToken)
	if base == "" || token == "" {
		endpoint, err := endpoint(getenv)
		if err != nil {
			return nil, err
		}
		base, token = "http://127.0.0.1:"+strconv.Itoa(endpoint.Port), endpoint.Token
	}
	if err := loopback(base); err != nil {
		return nil, err
	}
	return &Client{url: base, token: token, transport: direct{}}, nil
}

// loopback refuses an address that would send the token to another machine.
func loopback(base string) error {
	u, err := url.Parse(base)
	if err == nil && u.Scheme == "http" && u.Port() != "" && u.User == nil {
		if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() {
			return nil
		}
	}
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s is %q, which is not an address of this machine", protocol.EnvURL, base), "open a new terminal in Pilotfish")
}

// Post sends a request and reads its reply. An error reply becomes its
// protocol.Error.
func (c *Client) Post(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("writing the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("writing the request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	return c.do(req, out)
}

// Get asks for a path; an error reply becomes its protocol.Error. The caller
// closes the body.
func (c *Client) Get(ctx context.Context, path string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("writing the request: %w", err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	return c.send(req)
}

// Fetch is Get for a reply of JSON.
func (c *Client) Fetch(ctx context.Context, path string, out any) error {
	resp, err := c.Get(ctx, path, nil)
	if err != nil {
		return err
	}
	return read(resp, out)
}

// send sends a request and returns a reply that is none of an error.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, Unreachable(err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return nil, Unreachable(err)
	}
	var failed struct {
		Error *protocol.Error `json:"error"`
	}
	if json.Unmarshal(text, &failed) == nil && failed.Error != nil {
		return nil, failed.Error
	}
	return nil, say.Status(resp.Status)
}

// Health asks the app how it is, which needs no token.
func (c *Client) Health(ctx context.Context) (protocol.Health, error) {
	var health protocol.Health
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/health", http.NoBody)
	if err == nil {
		err = c.do(req, &health)
	}
	return health, err
}

// Keep has the client keep its connection: for a caller of many commands, one
// after the other.
func (c *Client) Keep() { c.transport = &http.Transport{DisableCompression: true} }

// Close ends the connection of a client that keeps it.
func (c *Client) Close() { (&http.Client{Transport: c.transport}).CloseIdleConnections() }

func (c *Client) do(req *http.Request, out any) error {
	resp, err := c.send(req)
	if err != nil {
		return err
	}
	return read(resp, out)
}

// read reads a reply of JSON to its end.
func read(resp *http.Response, out any) error {
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return Unreachable(err)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return say.Unreadable(err.Error())
	}
	return nil
}

// Unreachable says what a failed connection means.
func Unreachable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return say.NoAnswer()
	}
	return say.NotRunning("Pilotfish does not answer: " + err.Error())
}

// Deadline is the one of a command, and a little more: the backend's own answer
// says more than our giving up.
func Deadline(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout == 0 {
		timeout = protocol.CommandTimeout
	}
	return context.WithTimeout(ctx, timeout+protocol.CLIMargin)
}

// Patience is how long a command may take of which the caller says nothing: it
// may have to wait for the person's word first.
func Patience(timeout time.Duration) time.Duration {
	if timeout == 0 {
		return protocol.CommandTimeout + protocol.ApprovalTimeout
	}
	return timeout
}
