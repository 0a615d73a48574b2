package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// activity shows what was done in a session. With --follow it continues until it
// is interrupted.
func (p *program) activity(ctx context.Context, in syntax.Invocation) error {
	c, err := client.Find(p.getenv)
	if err != nil {
		return err
	}
	query := url.Values{}
	if in.Session != "" {
		query.Set("session", string(in.Session))
	}
	if after := in.Values["after"]; after != "" {
		query.Set("after", after)
	}
	if in.Values["follow"] == "true" {
		return p.followActivity(ctx, c, query)
	}
	if selectsActivity(in) {
		ctx, cancel := client.Deadline(ctx, in.Timeout)
		defer cancel()
		return p.searchActivity(ctx, c, in, time.Now())
	}
	if limit := in.Values["limit"]; limit != "" {
		query.Set("limit", limit)
	}
	ctx, cancel := client.Deadline(ctx, in.Timeout)
	defer cancel()
	if in.Values["after"] == "" { // show the newest entries
		if err := newest(ctx, c, query); err != nil {
			return err
		}
	}
	var page protocol.ActivityPage
	if err := c.Fetch(ctx, "/activity/history?"+query.Encode(), &page); err != nil {
		return err
	}
	if in.JSON {
		return p.printJSON(page)
	}
	var out strings.Builder
	if in.Values["after"] == "" && query.Get("after") != "" {
		fmt.Fprintf(&out, "(%s before these; --after 0 shows them from the first on)\n", query.Get("after"))
	}
	for _, gap := range page.Gaps {
		out.WriteString(activityGap(gap))
	}
	for _, e := range page.Entries {
		out.WriteString(activityLine(e))
	}
	if page.Next < page.Last {
		fmt.Fprintf(&out, "(%d more; --after %d shows them)\n", page.Last-page.Next, page.Next)
	}
	return p.print(out.String())
}

// newest sets the start of the query so that it returns the newest entries.
func newest(ctx context.Context, c *client.Client, query url.Values) error {
	ask := maps.Clone(query)
	ask.Set("limit", "1")
	var page protocol.ActivityPage
	if err := c.Fetch(ctx, "/activity/history?"+ask.Encode(), &page); err != nil {
		return err
	}
	limit := uint64(protocol.ActivityPageSize)
	if n, err := strconv.ParseUint(query.Get("limit"), 10, 32); err == nil {
		limit = n
	}
	if page.Last > limit {
		query.Set("after", strconv.FormatUint(page.Last-limit, 10))
	}
	return nil
}

// followActivity prints each event of the stream as it arrives.
func (p *program) followActivity(ctx context.Context, c *client.Client, query url.Values) error {
	stream, err := c.Get(ctx, "/activity/stream?"+query.Encode(), "text/event-stream")
	if err != nil {
		return err
	}
	defer stream.Close()
	in := bufio.NewScanner(stream)
	in.Buffer(nil, 1<<20)
	event := ""
	for in.Scan() {
		name, value, _ := strings.Cut(in.Text(), ": ")
		switch name {
		case "event":
			event = value
		case "data":
			if err := p.printEvent(event, []byte(value)); err != nil {
				return err
			}
		}
	}
	if err := in.Err(); err != nil {
		return client.Unreachable(err)
	}
	return say.NotRunning("Pilotfish has ended")
}

func (p *program) printEvent(event string, data []byte) error {
	var entry protocol.ActivityEntry
	var gap protocol.ActivityGap
	switch {
	case (event == protocol.ActivityEventEntry || event == protocol.ActivityEventWaiting) && json.Unmarshal(data, &entry) == nil:
		return p.print(activityLine(entry))
	case event == protocol.ActivityEventGap && json.Unmarshal(data, &gap) == nil:
		return p.print(activityGap(gap))
	}
	return nil
}
