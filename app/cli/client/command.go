package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"pilotfish/app/cli/say"
	"pilotfish/backend/protocol"
)

// Command sends a command and returns its reply. waiting is told as soon as the
// app says that the command waits for the person.
func (c *Client) Command(ctx context.Context, request protocol.CommandRequest, waiting func(protocol.Waiting)) (protocol.CommandReply, error) {
	var reply protocol.CommandReply
	body, err := json.Marshal(request)
	if err != nil {
		return reply, fmt.Errorf("writing the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/command", bytes.NewReader(body))
	if err != nil {
		return reply, fmt.Errorf("writing the request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	resp, err := c.send(req)
	if err != nil {
		return reply, err
	}
	if kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || kind != "text/event-stream" {
		err := read(resp, &reply) // an app that knows no events
		return reply, err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxReply)
	event := ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "event":
			event = value
		case name != "data":
		case event == protocol.CommandEventReply:
			if err := json.Unmarshal([]byte(value), &reply); err != nil {
				return reply, say.Unreadable(err.Error())
			}
			return reply, nil
		case event == protocol.CommandEventWaiting:
			var q protocol.Waiting
			if json.Unmarshal([]byte(value), &q) == nil && waiting != nil {
				waiting(q)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return reply, Unreachable(err)
	}
	return reply, say.NotRunning("Pilotfish has ended before the command had")
}
