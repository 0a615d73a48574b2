// Package stored declares `pilotfish stored`, and writes what is stored as lines.
package stored

import (
	"fmt"
	"strings"
	"time"

	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// Spec declares the command stored.
func Spec() syntax.Spec {
	return syntax.Spec{
		Name: "stored", Summary: "list what Pilotfish has stored on this computer, by kind, and delete some", Group: syntax.GroupApp,
		Help: "delete removes what all sessions have of a kind; with --session, what one has. It cannot be undone. A session that runs uses its data: stop it first, or add --stop.",
		Args: []syntax.Arg{
			{Name: "action", Choices: []string{"list", "delete"}, Help: "what to do; list when it is left out"},
			{Name: "kind", Help: "the kind, as list shows it"},
			{Name: "stop", Flag: true, Kind: syntax.KindBool, Help: "delete: stop running sessions, and start them again afterwards"},
		},
		Examples: []string{"pilotfish stored", "pilotfish stored delete caches --stop", "pilotfish stored delete conversations --session work"},
	}
}

// Lines formats what is stored for a user: a line for each kind, and one for each
// session that has some.
func Lines(list []protocol.StoredData) string {
	var b strings.Builder
	for _, data := range list {
		var bytes int64
		for _, part := range data.Parts {
			bytes += part.Bytes
		}
		fmt.Fprintf(&b, "%-13s  %8s  %s\n", data.Kind, Size(bytes), data.About)
		for _, part := range data.Parts {
			if part.Session == "" {
				continue
			}
			unit := string(data.Unit)
			if part.Count != 1 {
				unit += "s"
			}
			fmt.Fprintf(&b, "  %-11s  %8s  %d %s", part.Session, Size(part.Bytes), part.Count, unit)
			if part.Oldest != nil {
				fmt.Fprintf(&b, ", since %s", part.Oldest.Local().Format(time.DateOnly))
			}
			if part.InUse {
				b.WriteString(", in use")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// Size is a number of bytes in its largest unit.
func Size(bytes int64) string {
	switch {
	case bytes >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
	case bytes >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	case bytes >= 1e3:
		return fmt.Sprintf("%.0f kB", float64(bytes)/1e3)
	default:
		return fmt.Sprintf("%d B", bytes)
	}
}
