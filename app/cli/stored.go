package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// stored lists what is stored, and deletes some.
func (p *program) stored(ctx context.Context, in syntax.Invocation) error {
	req := protocol.StoredRequest{Do: protocol.StoredMeasure, Kind: protocol.StoredKind(in.Values["kind"])}
	if in.Values["action"] == "delete" {
		req.Do, req.Session, req.Stop = protocol.StoredDelete, in.Session, in.Values["stop"] == "true"
		if req.Kind == "" {
			return protocol.NewError(protocol.CodeBadArgument, "which kind of data?", "", protocol.Try("lists them", "stored"))
		}
	}
	var reply protocol.StoredReply
	if err := p.post(ctx, in, "/stored", req, &reply); err != nil {
		return err
	}
	if in.JSON {
		return p.printJSON(reply)
	}
	if req.Do == protocol.StoredDelete {
		return p.print("deleted " + storedSize(reply.Freed) + " of " + string(req.Kind))
	}
	return p.print(storedLines(reply.Data))
}

// storedSpec declares the command stored.
func storedSpec() syntax.Spec {
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

// storedLines formats what is stored for a user: a line for each kind, and one for each
// session that has some.
func storedLines(list []protocol.StoredData) string {
	var b strings.Builder
	for _, data := range list {
		var bytes int64
		for _, part := range data.Parts {
			bytes += part.Bytes
		}
		fmt.Fprintf(&b, "%-13s  %8s  %s\n", data.Kind, storedSize(bytes), data.About)
		for _, part := range data.Parts {
			if part.Session == "" {
				continue
			}
			unit := string(data.Unit)
			if part.Count != 1 {
				unit += "s"
			}
			fmt.Fprintf(&b, "  %-11s  %8s  %d %s", part.Session, storedSize(part.Bytes), part.Count, unit)
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

// storedSize is a number of bytes in its largest unit.
func storedSize(bytes int64) string {
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
