package connect

import (
	"slices"
	"strings"

	"pilotfish/backend/connect/edit"
)

// Other is an MCP server in a program's settings that is not ours.
type Other struct {
	Name string
	Server
	// Env are its variables; their values may be secrets.
	Env map[string]string
	// URL is the address of one that is not started as a program; the others have a
	// Command. Headers are sent there; their values may be secrets.
	URL     string
	Headers map[string]string
	// Skipped says why it cannot be taken over; empty for one that can.
	Skipped string
}

// Others returns the other MCP servers that a program has, in the order of their names. A
// program without settings has none.
func (c *Connections) Others(program string) ([]Other, error) {
	p, err := c.find(program)
	if err != nil {
		return nil, err
	}
	text, err := read(c.file(p))
	if err != nil || len(text) == 0 {
		return nil, err
	}
	last := len(p.place.Path) - 1
	table, err := edit.Place{Format: p.place.Format, Path: p.place.Path[:last], Name: p.place.Path[last]}.Get(text)
	if err != nil {
		return nil, unsafe(c.file(p), err)
	}
	entries, _ := table.(map[string]any)
	var others []Other
	for name, entry := range entries {
		if name == serverName {
			continue
		}
		other := Other{Name: name}
		var ok bool
		if other.Server, ok = p.read(entry); !ok || other.Command == "" {
			other.Server = Server{}
			other.URL, other.Headers, other.Skipped = address(entry)
		} else if other.Env, ok = variables(entry); !ok {
			other.Skipped = "its variables are not in a form that is known"
		}
		others = append(others, other)
	}
	slices.SortFunc(others, func(a, b Other) int { return strings.Compare(a.Name, b.Name) })
	return others, nil
}

// address returns the address and the headers of an entry; programs call both
// differently. skipped says why it cannot be taken over.
func address(entry any) (url string, headers map[string]string, skipped string) {
	fields, _ := entry.(map[string]any)
	text := func(names ...string) string {
		for _, name := range names {
			if value, _ := fields[name].(string); value != "" {
				return value
			}
		}
		return ""
	}
	kind := text("type", "transport")
	switch url = text("httpUrl", "url", "serverUrl", "uri"); {
	case url == "":
		return "", nil, "it is neither started as a program nor at an address"
	case kind == "sse" || fields["httpUrl"] == nil && strings.HasSuffix(strings.TrimRight(url, "/"), "/sse"):
		return "", nil, "it speaks the old transport SSE, which is not supported"
	case text("bearer_token_env_var") != "" || fields["env_http_headers"] != nil:
		return "", nil, "its login is in a variable of that program; add it with a header"
	}
	for _, name := range []string{"headers", "http_headers"} {
		if fields[name] == nil {
			continue
		}
		table, ok := fields[name].(map[string]any)
		headers = make(map[string]string, len(table))
		for key, value := range table {
			line, is := value.(string)
			// Only the other program can replace a variable such as ${TOKEN} by its value.
			if !ok || !is || strings.Contains(line, "${") || strings.Contains(line, "{env:") {
				return "", nil, "its headers are not in a form that is known"
			}
			headers[key] = line
		}
	}
	return url, headers, ""
}

// variables returns the environment of an entry; programs call it differently.
func variables(entry any) (map[string]string, bool) {
	fields, _ := entry.(map[string]any)
	for _, name := range []string{"env", "environment", "envs"} {
		if fields[name] == nil {
			continue
		}
		table, ok := fields[name].(map[string]any)
		env := make(map[string]string, len(table))
		for key, value := range table {
			text, is := value.(string)
			ok = ok && is
			env[key] = text
		}
		return env, ok
	}
	return nil, true
}
