package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"pilotfish/app/cli/activity"
	"pilotfish/app/cli/client"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// searchActivity prints the entries that the arguments select, oldest first: the
// newest ones up to the limit, or all of them for an export.
func (p *program) searchActivity(ctx context.Context, c *client.Client, in syntax.Invocation, now time.Time) error {
	q, err := activity.Query(in, now)
	if err != nil {
		return err
	}
	path := "/activity/search"
	if in.Session != "" {
		path += "?" + url.Values{"session": {string(in.Session)}}.Encode()
	}
	limit, export := q.Limit, in.Values["export"]
	if export != "" {
		q.Limit, q.Markdown = protocol.ActivityPageMax, export == "md"
	}
	var pages []protocol.ActivityFound // newest first
	count := 0
	for {
		var found protocol.ActivityFound
		if err := c.Post(ctx, path, q, &found); err != nil {
			return err
		}
		pages, count = append(pages, found), count+len(found.Entries)
		if found.Before == 0 || (export == "" && count >= limit) {
			break
		}
		q.Before = found.Before
		if export == "" {
			q.Limit = limit - count
		}
	}
	slices.Reverse(pages)
	entries := []protocol.ActivityEntry{}
	var out strings.Builder
	for _, page := range pages {
		entries = append(entries, page.Entries...)
		out.WriteString(page.Markdown)
		for _, gap := range page.Gaps {
			if export == "" {
				out.WriteString(activity.Gap(gap))
			}
		}
	}
	switch {
	case export == "md":
		return p.print("# Activity\n\n" + out.String())
	case export == "json":
		data, err := json.MarshalIndent(entries, "", "  ")
		if err != nil {
			return fmt.Errorf("encoding the activity: %w", err)
		}
		return p.print(string(data) + "\n")
	case in.JSON:
		return p.printJSON(entries)
	}
	for _, e := range entries {
		out.WriteString(activity.Entry(e))
	}
	if len(entries) == 0 {
		out.WriteString("(nothing was found)\n")
	}
	return p.print(out.String())
}
