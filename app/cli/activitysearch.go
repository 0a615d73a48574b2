package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// searchActivity prints the entries that the arguments select, oldest first: the
// newest ones up to the limit, or all of them for an export.
func (p *program) searchActivity(ctx context.Context, c *client.Client, in syntax.Invocation, now time.Time) error {
	q, err := activityQuery(in, now)
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
				out.WriteString(activityGap(gap))
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
		out.WriteString(activityLine(e))
	}
	if len(entries) == 0 {
		out.WriteString("(nothing was found)\n")
	}
	return p.print(out.String())
}

// selectsActivity reports whether a call of activity selects entries or exports them.
func selectsActivity(in syntax.Invocation) bool {
	return in.Tab != "" || slices.ContainsFunc([]string{"find", "kind", "actor", "since", "until", "export"}, func(name string) bool { return in.Values[name] != "" })
}

// activityQuery reads which entries are selected.
func activityQuery(in syntax.Invocation, now time.Time) (protocol.ActivityQuery, error) {
	q := protocol.ActivityQuery{Limit: protocol.ActivityPageSize, Text: in.Values["find"], Actor: in.Values["actor"], Tab: in.Tab}
	if kind := in.Values["kind"]; kind != "" {
		q.Kinds = []protocol.ActivityKind{protocol.ActivityKind(kind)}
	}
	if text := in.Values["limit"]; text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > protocol.ActivityPageMax {
			return q, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("--limit is from 1 to %d", protocol.ActivityPageMax), "")
		}
		q.Limit = n
	}
	for name, at := range map[string]**time.Time{"since": &q.Since, "until": &q.Until} {
		if text := in.Values[name]; text != "" {
			when, err := activityMoment(text, now)
			if err != nil {
				return q, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("--%s is a time, not %.40q", name, text), "use 30m, 2h, 3d, 2026-03-04 or 2026-03-04T15:04:05Z")
			}
			*at = &when
		}
	}
	return q, nil
}

// activityMoment reads a time: how long ago it was ("2h", "3d"), a local day, or a full time.
func activityMoment(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		return now.AddDate(0, 0, -n), err //nolint:wrapcheck // the caller says what a time is
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago), nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day, nil
	}
	return time.Parse(time.RFC3339, text) //nolint:wrapcheck // the caller says what a time is
}

// activityKinds are the kinds of entry, as choices of an argument.
func activityKinds() []string {
	var names []string
	for _, kind := range protocol.ActivityKinds() {
		names = append(names, string(kind))
	}
	return names
}

// activityGap writes which entries are no longer kept.
func activityGap(g protocol.ActivityGap) string {
	return fmt.Sprintf("(%d to %d are not kept any more)\n", g.From, g.To)
}

// activityLine writes one line: time, actor, tab, command, and result.
func activityLine(e protocol.ActivityEntry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %s", e.Index, e.Time.Local().Format("15:04:05"), inLine(e.Actor.Name))
	if e.Tab != "" {
		fmt.Fprintf(&b, " %s", e.Tab)
	}
	fmt.Fprintf(&b, " %s", e.Command)
	for _, name := range slices.Sorted(maps.Keys(e.Args)) {
		fmt.Fprintf(&b, " %s=%q", name, e.Args[name])
	}
	if e.Parent != 0 {
		fmt.Fprintf(&b, " (of %d)", e.Parent)
	}
	if e.Phase != "" {
		fmt.Fprintf(&b, ": %s: %s\n", e.Phase, inLine(e.Summary))
		return b.String()
	}
	if e.Kind != "" && e.OK {
		fmt.Fprintf(&b, ": %s\n", inLine(e.Summary))
		return b.String()
	}
	result := "ok"
	if !e.OK {
		result = string(e.Code)
	}
	fmt.Fprintf(&b, ": %s, %.0f ms", result, e.DurationMS)
	if !e.OK && e.Summary != "" {
		fmt.Fprintf(&b, ": %s", inLine(e.Summary))
	}
	b.WriteByte('\n')
	return b.String()
}
