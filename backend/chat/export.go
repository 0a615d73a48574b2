package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"pilotfish/backend/protocol"
)

// exportVersion is the version of the JSON format.
const exportVersion = 1

// exported is the JSON format.
type exported struct {
	Version int                   `json:"version"`
	Head    protocol.Conversation `json:"conversation"`
	Entries []protocol.ChatEntry  `json:"entries"`
}

// exportConversation returns a conversation with its entries, oldest first, as a
// document. format is "markdown" (the default, also for "") or "json".
func exportConversation(head protocol.Conversation, entries []protocol.ChatEntry, format string) (protocol.ChatExportReply, error) {
	name := exportFileName(head.Title)
	switch format {
	case "", "markdown":
		return protocol.ChatExportReply{Name: name + ".md", Text: exportMarkdown(head, entries)}, nil
	case "json":
		if entries == nil {
			entries = []protocol.ChatEntry{}
		}
		data, err := json.MarshalIndent(exported{exportVersion, head, entries}, "", "  ")
		return protocol.ChatExportReply{Name: name + ".json", Text: string(data) + "\n"}, err
	}
	return protocol.ChatExportReply{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a format", format), "use markdown or json")
}

// exportFileName makes a file name from a title that is valid on every system.
func exportFileName(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name := strings.Trim(b.String(), "-")
	if len(name) > 60 {
		name = strings.Trim(name[:60], "-")
	}
	if name == "" {
		name = "conversation"
	}
	return name
}

// exportMarkdown writes a conversation for a user.
func exportMarkdown(head protocol.Conversation, entries []protocol.ChatEntry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s, %s\n", head.Title, head.AgentName, head.Created.Format("2 January 2006"))
	for _, e := range entries {
		switch e.Kind {
		case protocol.EntryUser:
			fmt.Fprintf(&b, "\n## You\n\n%s\n", e.Text)
			for _, a := range e.Attachments {
				fmt.Fprintf(&b, "\n- %s: %s\n", a.Kind, a.Name)
			}
		case protocol.EntryText:
			fmt.Fprintf(&b, "\n%s\n", e.Text)
			for _, image := range e.Images {
				fmt.Fprintf(&b, "\n%s: `%s`\n", image.Name, image.Path)
			}
			if e.Which != nil {
				b.WriteByte('\n')
				for _, one := range e.Which.Elements {
					fmt.Fprintf(&b, "- %s\n", strings.Join(strings.Fields(one.Name+" "+one.Kind+" "+one.Where), " "))
				}
			}
		case protocol.EntryThought:
			fmt.Fprintf(&b, "\n> %s\n", strings.ReplaceAll(e.Text, "\n", "\n> "))
		case protocol.EntryTool:
			line := e.Tool.Line
			if line == "" {
				line = e.Tool.Title
			}
			fmt.Fprintf(&b, "\n- %s (%s)\n", line, e.Tool.Status)
		case protocol.EntryPlan:
			b.WriteByte('\n')
			for _, p := range e.Plan {
				mark := " "
				if p.Status == "completed" {
					mark = "x"
				}
				fmt.Fprintf(&b, "- [%s] %s\n", mark, p.Text)
			}
		case protocol.EntryPermission:
			fmt.Fprintf(&b, "\n- Asked: %s: %s\n", e.Permission.Subject.Title, e.Permission.Outcome)
		case protocol.EntryNotice:
			fmt.Fprintf(&b, "\n*%s*\n", e.Text)
		case protocol.EntryEnd:
			if e.End.Reason != protocol.EndDone {
				fmt.Fprintf(&b, "\n*The turn ended: %s.*\n", e.End.Reason)
			}
		}
	}
	return b.String()
}
