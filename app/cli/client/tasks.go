package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"pilotfish/app/cli/say"
	"pilotfish/backend/protocol"
)

// FollowTask reads a task's pages until the task is over, or interrupted and not
// resumed in time.
func (c *Client) FollowTask(ctx context.Context, id protocol.TaskID, after uint64, query url.Values, take func(protocol.TaskPage) error) error {
	stream := url.Values{"task": {string(id)}, "after": {fmt.Sprint(after)}}
	for name, values := range query {
		stream[name] = values
	}
	pages, err := c.Get(ctx, "/task/stream?"+stream.Encode(), "text/event-stream")
	if err != nil {
		return err
	}
	defer pages.Close()
	// When a task's panel is gone, wait: it may only have lost its connection.
	lost := time.AfterFunc(protocol.TaskLostWait, pages.Close)
	lost.Stop()
	defer lost.Stop()
	var head protocol.Task
	lines := bufio.NewReader(pages)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case head.State.Over(), head.State == protocol.TaskInterrupted:
				return nil
			}
			return protocol.NewError(protocol.CodeNotRunning, "the app ended", "start it again: the task is kept, and can be resumed in the panel")
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var page protocol.TaskPage
		if err := json.Unmarshal([]byte(data), &page); err != nil {
			return say.Unreadable(err.Error())
		}
		head = page.Head
		if head.State == protocol.TaskInterrupted {
			lost.Reset(protocol.TaskLostWait)
		} else {
			lost.Stop()
		}
		if err := take(page); err != nil {
			return err
		}
		if head.State.Over() && len(page.Events) < protocol.TaskPageSize {
			return nil
		}
	}
}
