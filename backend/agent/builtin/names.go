package builtin

import (
	"slices"

	"pilotfish/backend/agent/builtin/markdown"
	"pilotfish/backend/agent/builtin/match"
	"pilotfish/backend/protocol"
)

// label returns an element's name as a user would say it.
func label(item *protocol.SnapshotItem) string {
	name, role := markdown.Cut(markdown.OneLine(item.Name), 60), roleName(item.Role)
	switch {
	case name == "" && role == "":
		return item.Ref
	case name == "":
		return "the " + role + " " + item.Ref
	case item.Role == "button", item.Role == "link", role == "":
		return name
	}
	return name
}

// roleName returns a role as a user would call it.
func roleName(role string) string {
	switch role {
	case "textbox", "spinbutton":
		return "field"
	case "searchbox":
		return "search field"
	case "combobox", "listbox":
		return "list"
	case "img":
		return "picture"
	case "menuitem", "menuitemcheckbox", "menuitemradio":
		return "menu item"
	case "main":
		return "main part"
	case "banner":
		return "header"
	case "contentinfo":
		return "footer"
	case "complementary":
		return "sidebar"
	case "element", "generic", "text":
		return ""
	case "summary":
		return "disclosure"
	}
	return role
}

// place describes what an element is in; empty if that is of no use.
func place(s match.Thing) string {
	if s.Context != "" {
		return "“" + markdown.Cut(markdown.OneLine(s.Context), 40) + "”"
	}
	for _, p := range slices.Backward(s.Parents) {
		switch p.Role {
		case "region", "form", "dialog", "alertdialog", "group", "article", "row", "table", "navigation", "banner", "contentinfo", "complementary", "main":
			if p.Name != "" {
				return "“" + markdown.Cut(markdown.OneLine(p.Name), 40) + "”"
			}
			if p.Role != "group" && p.Role != "article" && p.Role != "row" {
				return "the " + roleName(p.Role)
			}
		}
	}
	return ""
}
