package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"pilotfish/app/cli/say"
	"pilotfish/backend/protocol"
)

// Command sends a command and returns its reply. It calls waiting as soon as the
// app reports that the command waits for the user.
func (c *Client) Command(ctx context.Context, command protocol.CommandRequest, waiting func(protocol.Waiting)) (protocol.CommandReply, error) {
	var reply protocol.CommandReply
	body, err := json.Marshal(command)
	if err != nil {
		return reply, fmt.Errorf("writing the request: %w", err)
	}
	answer, err := c.send(ctx, request{method: "POST", path: "/command", accept: "text/event-stream, application/json", body: body})
	if err != nil {
		return reply, err
	}
	if !strings.HasPrefix(answer.Type, "text/event-stream") {
		err := answer.read(&reply) // an app that sends no events
		return reply, err
	}
	defer answer.Close()
	lines := bufio.NewScanner(answer)
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
