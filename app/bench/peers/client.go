package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Client drives a browser through an MCP server over standard input and output.
type Client struct {
	called  string
	session *sdk.ClientSession
	calls   calls
	end     func() error
}

// calls are the tool calls of a server.
type calls struct {
	open    func(url string) toolCall
	snap    toolCall
	click   func(ref string) toolCall
	fill    func(ref, value string) toolCall
	picture func(full bool) toolCall
}

type toolCall struct {
	tool string
	args map[string]any
}

type object = map[string]any

// callsOf returns the tool calls of each measured server.
func callsOf(name, dir string) calls {
	switch name {
	case Playwright:
		return calls{
			open:  func(url string) toolCall { return toolCall{"browser_navigate", object{"url": url}} },
			snap:  toolCall{"browser_snapshot", object{}},
			click: func(ref string) toolCall { return toolCall{"browser_click", object{"element": "it", "target": ref}} },
			fill: func(ref, value string) toolCall {
				return toolCall{"browser_type", object{"element": "it", "target": ref, "text": value}}
			},
			picture: func(full bool) toolCall {
				return toolCall{"browser_take_screenshot", object{"type": "png", "fullPage": full}}
			},
		}
	case Devtools:
		return calls{
			open:  func(url string) toolCall { return toolCall{"navigate_page", object{"pageId": 1, "url": url}} },
			snap:  toolCall{"take_snapshot", object{"pageId": 1}},
			click: func(ref string) toolCall { return toolCall{"click", object{"pageId": 1, "uid": ref}} },
			fill: func(ref, value string) toolCall {
				return toolCall{"fill", object{"pageId": 1, "uid": ref, "value": value}}
			},
			picture: func(full bool) toolCall {
				return toolCall{"take_screenshot", object{"pageId": 1, "fullPage": full, "filePath": filepath.Join(dir, "devtools.png")}}
			},
		}
	case AgentBrowser:
		return calls{
			open:  func(url string) toolCall { return toolCall{"agent_browser_open", object{"url": url}} },
			snap:  toolCall{"agent_browser_snapshot", object{}},
			click: func(ref string) toolCall { return toolCall{"agent_browser_click", object{"selector": "@" + ref}} },
			fill: func(ref, value string) toolCall {
				return toolCall{"agent_browser_fill", object{"selector": "@" + ref, "text": value}}
			},
			picture: func(full bool) toolCall {
				return toolCall{"agent_browser_screenshot", object{"fullPage": full, "path": filepath.Join(dir, "agent.png")}}
			},
		}
	}
	step := func(args object) toolCall { return toolCall{"browser_act", object{"steps": []object{args}}} }
	return calls{
		open:    func(url string) toolCall { return toolCall{"browser_navigate", object{"url": url}} },
		snap:    toolCall{"browser_snapshot", object{}},
		click:   func(ref string) toolCall { return step(object{"do": "click", "target": ref}) },
		fill:    func(ref, value string) toolCall { return step(object{"do": "fill", "target": ref, "value": value}) },
		picture: func(full bool) toolCall { return toolCall{"browser_screenshot", object{"full": full}} },
	}
}

// newClient starts our server with an app of its own.
func newClient(ctx context.Context) (*Client, error) {
	p, err := NewProgram()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, p.path, "mcp")
	cmd.Env = p.env
	c, err := connect(ctx, Ours, cmd, p.Home)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(p.Home))
	}
	c.end = p.Close
	return c, nil
}

// client starts a peer's server.
func (p *Peers) client(ctx context.Context, name string) (*Client, error) {
	cmd, err := p.command(ctx, name)
	if err != nil {
		return nil, err
	}
	c, err := connect(ctx, name, cmd, p.dir)
	if err != nil {
		return nil, err
	}
	c.end = func() error { return nil }
	if name == AgentBrowser { // its browser does not end with its server
		a, err := p.program()
		if err != nil {
			return nil, errors.Join(err, c.session.Close())
		}
		c.end = a.Close
	}
	return c, nil
}

func connect(ctx context.Context, name string, cmd *exec.Cmd, dir string) (*Client, error) {
	session, err := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return nil, fmt.Errorf("starting the server of %s: %w", name, err)
	}
	return &Client{called: name, session: session, calls: callsOf(name, dir)}, nil
}

// Name returns the name in the results.
func (c *Client) Name() string { return c.called }

// Close ends the server, and everything that would outlive it.
func (c *Client) Close() error {
	_ = c.session.Close() // the server's exit error does not matter
	return c.end()
}

// Run runs commands with the browser_run tool of our server.
func (c *Client) Run(ctx context.Context, commands ...string) error {
	_, _, err := c.call(ctx, toolCall{"browser_run", object{"commands": commands}})
	return err
}

// Tools returns the list of tools as a client receives it.
func (c *Client) Tools(ctx context.Context) (*sdk.ListToolsResult, error) {
	return c.session.ListTools(ctx, nil)
}

// call calls a tool and returns the text of its result and the time, in ms.
func (c *Client) call(ctx context.Context, t toolCall) (string, float64, error) {
	start := time.Now()
	result, err := c.session.CallTool(ctx, &sdk.CallToolParams{Name: t.tool, Arguments: t.args})
	took := ms(time.Since(start))
	if err != nil {
		return "", took, fmt.Errorf("%s: %s: %w", c.called, t.tool, err)
	}
	var text strings.Builder
	for _, part := range result.Content {
		if t, ok := part.(*sdk.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if result.IsError {
		return "", took, fmt.Errorf("%s: %s: %.300s", c.called, t.tool, text.String())
	}
	return text.String(), took, nil
}

// Open loads a page.
func (c *Client) Open(ctx context.Context, url string) (float64, error) {
	_, took, err := c.call(ctx, c.calls.open(url))
	return took, err
}

// Snapshot returns the text that a model would receive.
func (c *Client) Snapshot(ctx context.Context) (string, float64, error) {
	return c.call(ctx, c.calls.snap)
}

// Click clicks a ref.
func (c *Client) Click(ctx context.Context, ref string) (float64, error) {
	_, took, err := c.call(ctx, c.calls.click(ref))
	return took, err
}

// Fill writes a value into a ref.
func (c *Client) Fill(ctx context.Context, ref, value string) (float64, error) {
	_, took, err := c.call(ctx, c.calls.fill(ref, value))
	return took, err
}

// Screenshot takes a screenshot.
func (c *Client) Screenshot(ctx context.Context, full, _ bool) (float64, error) {
	_, took, err := c.call(ctx, c.calls.picture(full))
	return took, err
}
