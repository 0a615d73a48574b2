package claude

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// describe describes a tool call. A call without an input is only announced.
func describe(call, name string, input json.RawMessage) *driver.ToolUpdate {
	kind, title, content, paths := "other", title(name), []protocol.ToolContent(nil), []string(nil)
	var in struct {
		Command     string `json:"command"`
		Path        string `json:"file_path"`
		Notebook    string `json:"notebook_path"`
		Old         string `json:"old_string"`
		New         string `json:"new_string"`
		Content     string `json:"content"`
		Pattern     string `json:"pattern"`
		URL         string `json:"url"`
		Query       string `json:"query"`
		Description string `json:"description"`
		Plan        string `json:"plan"`
		Edits       []struct {
			Old string `json:"old_string"`
			New string `json:"new_string"`
		} `json:"edits"`
	}
	_ = json.Unmarshal(input, &in) // an input that cannot be read is shown as it is
	if in.Path == "" {
		in.Path = in.Notebook
	}
	if in.Path != "" {
		paths = []string{in.Path}
	}
	file := filepath.Base(in.Path)
	diff := func(old, changed string, fresh bool) protocol.ToolContent {
		return protocol.ToolContent{Kind: protocol.ContentDiff, Path: in.Path, Old: old, New: changed, Fresh: fresh}
	}
	switch name {
	case "Bash", "BashOutput", "KillShell":
		kind = "execute"
		if in.Command != "" {
			title = in.Command
		}
	case "Read", "NotebookRead":
		kind = "read"
		if in.Path != "" {
			title = "Read " + file
		}
	case "Edit", "MultiEdit", "NotebookEdit", "Write":
		kind = "edit"
		if in.Path == "" {
			break
		}
		title = "Edit " + file
		switch name {
		case "Write":
			title = "Write " + file
			old, there := before(in.Path)
			content = append(content, diff(old, in.Content, !there))
		case "Edit":
			content = append(content, diff(in.Old, in.New, false))
		}
		for _, e := range in.Edits {
			content = append(content, diff(e.Old, e.New, false))
		}
	case "Glob", "Grep":
		kind = "search"
		if in.Pattern != "" {
			title = "Search for " + in.Pattern
		}
	case "WebFetch":
		kind = "fetch"
		if in.URL != "" {
			title = "Fetch " + in.URL
		}
	case "WebSearch":
		kind = "fetch"
		if in.Query != "" {
			title = "Search the web for " + in.Query
		}
	case "Task", "Agent", "TodoWrite":
		kind = "think"
		if in.Description != "" {
			title = in.Description
		}
	case "ExitPlanMode":
		kind, title = "switch_mode", "Carry out the plan"
		if in.Plan != "" {
			content = append(content, protocol.ToolContent{Kind: protocol.ContentText, Text: in.Plan})
		}
	}
	u := &driver.ToolUpdate{Call: call, Name: name, Title: &title, Kind: &kind, Content: content, Paths: paths}
	if len(input) > 0 {
		u.Input = bytes.ToValidUTF8(input, []byte("\uFFFD")) // it is stored and shown as it is
	} else {
		u.Status = new(protocol.ToolPending)
	}
	return u
}

// mostOld is the largest file, in bytes, whose old content is shown.
const mostOld = 1 << 20

// before returns the content of a file that claude is about to write, and
// whether the file exists.
func before(path string) (text string, there bool) {
	info, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	if !info.Mode().IsRegular() || info.Size() > mostOld {
		return "", true
	}
	raw, err := os.ReadFile(path) // the user's own file, named by the user's own agent
	if err != nil || !utf8.Valid(raw) {
		return "", true
	}
	return string(raw), true
}

// title returns a tool's name for the user. The name of an MCP server's tool is
// followed by the server's name.
func title(name string) string {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if server, tool, ok := strings.Cut(rest, "__"); ok {
			return strings.ReplaceAll(tool, "_", " ") + " (" + server + ")"
		}
	}
	return name
}
