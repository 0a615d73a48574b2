package main

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

// client talks to the running app.
type client struct {
	url   string
	token string
	// transport is used without an http.Client: the app has neither redirects nor
	// cookies, and a command starts faster without.
	transport http.RoundTripper
}

// maxReply bounds what is read of a reply, in bytes.
const maxReply = 256 << 20

// connect finds the app: inside an agent by the agent's own token, elsewhere by
// the file that only this user can read.
func (p *program) connect() (*client, error) {
	base, token := p.getenv(protocol.EnvURL), p.getenv(protocol.EnvToken)
	if base == "" || token == "" {
		endpoint, err := p.endpoint()
		if err != nil {
			return nil, err
		}
		base, token = "http://127.0.0.1:"+strconv.Itoa(endpoint.Port), endpoint.Token
	}
	if err := loopback(base); err != nil {
		return nil, err
	}
	return &client{url: base, token: token, transport: direct{}}, nil
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

// post sends a request and reads its reply. An error reply becomes its
// protocol.Error.
func (c *client) post(ctx context.Context, path string, in, out any) error {
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

// get asks for a path; an error reply becomes its protocol.Error. The caller
// closes the body.
func (c *client) get(ctx context.Context, path string, header http.Header) (*http.Response, error) {
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

// fetch is get for a reply of JSON.
func (c *client) fetch(ctx context.Context, path string, out any) error {
	resp, err := c.get(ctx, path, nil)
	if err != nil {
		return err
	}
	return read(resp, out)
}

// send sends a request and returns a reply that is none of an error.
func (c *client) send(req *http.Request) (*http.Response, error) {
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, unreachable(err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return nil, unreachable(err)
	}
	var failed struct {
		Error *protocol.Error `json:"error"`
	}
	if json.Unmarshal(text, &failed) == nil && failed.Error != nil {
		return nil, failed.Error
	}
	return nil, say.Status(resp.Status)
}

func (c *client) do(req *http.Request, out any) error {
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
		return unreachable(err)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return say.Unreadable(err.Error())
	}
	return nil
}

// unreachable says what a failed connection means.
func unreachable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return say.NoAnswer()
	}
	return say.NotRunning("Pilotfish does not answer: " + err.Error())
}

// deadline is the one of a command, and a little more: the backend's own answer
// says more than our giving up.
func deadline(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout == 0 {
		timeout = protocol.CommandTimeout
	}
	return context.WithTimeout(ctx, timeout+protocol.CLIMargin)
}

// patience is how long a command may take of which the caller says nothing: it
// may have to wait for the person's word first.
func patience(timeout time.Duration) time.Duration {
	if timeout == 0 {
		return protocol.CommandTimeout + protocol.ApprovalTimeout
	}
	return timeout
}

// command sends a command of the browser.
func (p *program) command(ctx context.Context, in invocation) error {
	args, err := in.payload()
	if err != nil {
		return err
	}
	c, err := p.connectOrStart(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := deadline(ctx, patience(in.timeout))
	defer cancel()
	reply, err := c.command(ctx, protocol.CommandRequest{
		Command: in.spec.name, Args: args, Tab: in.tab, Session: in.session, TimeoutMS: int(in.timeout.Milliseconds()),
	}, p.waiting)
	if err != nil {
		return err
	}
	if !reply.OK {
		reply.Error = say.Failed(reply)
		if len(reply.Data) > 0 && !in.json { // what was done before it failed
			if err := p.print(cut(reply.Text, in.max)); err != nil {
				return err
			}
		}
		return &replyError{reply}
	}
	if in.json {
		return p.printJSON(reply)
	}
	return p.print(cut(reply.Text, in.max))
}

// replyError is the error of a command with the whole reply, for a program.
type replyError struct{ reply protocol.CommandReply }

// Error says what went wrong and what to do.
func (e *replyError) Error() string { return e.reply.Error.Error() }

// Unwrap returns the *protocol.Error.
func (e *replyError) Unwrap() error { return e.reply.Error }

// waiting says at once, beside the reply, that the person is asked.
func (p *program) waiting(q protocol.Waiting) { say.Waiting(p.stderr, q) }

// cut shortens a reply to so many characters, and says so; 0 leaves it.
func cut(text string, limit int) string {
	runes := []rune(text)
	if limit == 0 || len(runes) <= limit {
		return text
	}
	return fmt.Sprintf("%s\n(%d of %d characters; --max %d shows all)", string(runes[:limit]), limit, len(runes), len(runes))
}
