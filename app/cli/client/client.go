// Package client connects the command line to the app: it finds the running app,
// or starts a session when there is none, and sends requests to it.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"pilotfish/app/cli/say"
	"pilotfish/backend/protocol"
)

// Client sends requests to the running app.
type Client struct {
	host    string // with port
	token   string
	program string // protocol.HeaderProgram; empty for none
}

// longestProgram is how much of a program's name is sent, in characters.
const longestProgram = 100

// For returns a client that asks for another program; see protocol.HeaderProgram.
func (c *Client) For(id, program string) *Client {
	line := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, program)
	// The server takes no long headers, and shows no long names.
	if runes := []rune(line); len(runes) > longestProgram {
		line = string(runes[:longestProgram])
	}
	return &Client{host: c.host, token: c.token, program: id + " " + line}
}

// maxReply is the most that is read of a reply, in bytes.
const maxReply = 256 << 20

// Find finds the app: inside an agent with the agent's own token, elsewhere with
// the endpoint file, which only this user can read. Inside an agent without a token
// it returns CodeUnauthorized: an agent must not act with the rights of the user's
// shell.
func Find(getenv func(string) string) (*Client, error) {
	base, token := getenv(protocol.EnvURL), getenv(protocol.EnvToken)
	if base == "" || token == "" {
		if err := refuseInAgent(getenv); err != nil {
			return nil, err
		}
		endpoint, err := endpoint(getenv)
		if err != nil {
			return nil, err
		}
		base, token = "http://127.0.0.1:"+strconv.Itoa(endpoint.Port), endpoint.Token
	}
	host, err := loopback(base)
	if err != nil {
		return nil, err
	}
	return &Client{host: host, token: token}, nil
}

// refuseInAgent returns an error when this process was started by an agent, or by
// another program of Pilotfish: they carry a mark.
func refuseInAgent(getenv func(string) string) error {
	if getenv(protocol.EnvMark) == "" && getenv(protocol.EnvConfined) == "" {
		return nil
	}
	return protocol.NewError(protocol.CodeUnauthorized, "this program was started by an agent of Pilotfish and has no token",
		"an agent in Chat uses the browser's tools; elsewhere start a new terminal in Pilotfish")
}

// loopback returns the host of a URL. It returns an error for a URL that would
// send the token to another machine.
func loopback(base string) (string, error) {
	u, err := url.Parse(base)
	if err == nil && u.Scheme == "http" && u.Port() != "" && u.User == nil {
		if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() {
			return u.Host, nil
		}
	}
	return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s is %q, which is not an address of this machine", protocol.EnvURL, base), "open a new terminal in Pilotfish")
}

// Post sends a request and reads its reply. An error reply becomes its
// protocol.Error.
func (c *Client) Post(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("writing the request: %w", err)
	}
	reply, err := c.send(ctx, request{method: "POST", path: path, body: body})
	if err != nil {
		return err
	}
	return reply.read(out)
}

// Get requests a path with an Accept type; empty accepts any type. An error reply
// becomes its protocol.Error. The caller closes the reply.
func (c *Client) Get(ctx context.Context, path, accept string) (*Reply, error) {
	return c.send(ctx, request{method: "GET", path: path, accept: accept})
}

// Fetch is Get for a JSON reply, which it decodes.
func (c *Client) Fetch(ctx context.Context, path string, out any) error {
	reply, err := c.Get(ctx, path, "")
	if err != nil {
		return err
	}
	return reply.read(out)
}

// Health returns the app's state.
func (c *Client) Health(ctx context.Context) (protocol.Health, error) {
	var health protocol.Health
	err := c.Fetch(ctx, "/health", &health)
	return health, err
}

// send sends a request and returns its reply. An error reply becomes an error.
func (c *Client) send(ctx context.Context, r request) (*Reply, error) {
	reply, err := c.exchange(ctx, r)
	if err != nil {
		return nil, Unreachable(err)
	}
	if reply.status == "200 OK" {
		return reply, nil
	}
	defer reply.Close()
	text, err := io.ReadAll(io.LimitReader(reply, maxReply))
	if err != nil {
		return nil, Unreachable(err)
	}
	var failed struct {
		Error *protocol.Error `json:"error"`
	}
	if json.Unmarshal(text, &failed) == nil && failed.Error != nil {
		return nil, failed.Error
	}
	return nil, say.Status(reply.status)
}

// read reads a JSON reply to its end.
func (r *Reply) read(out any) error {
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxReply))
	if err != nil {
		return Unreachable(err)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return say.Unreadable(err.Error())
	}
	return nil
}

// Unreachable converts the error of a failed connection to one for the user.
func Unreachable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return say.NoAnswer()
	}
	return say.NotRunning("Pilotfish does not answer: " + err.Error())
}

// Deadline returns a context with the command's timeout and a margin: the
// backend's own timeout error says more than ours.
func Deadline(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout == 0 {
		timeout = protocol.CommandTimeout
	}
	return context.WithTimeout(ctx, timeout+protocol.CLIMargin)
}

// Patience returns the timeout of a command for which the caller gave none: it
// may first have to wait for the user's approval.
func Patience(timeout time.Duration) time.Duration {
	if timeout == 0 {
		return protocol.CommandTimeout + protocol.ApprovalTimeout
	}
	return timeout
}
