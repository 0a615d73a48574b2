package catalogue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// snapshots returns the commands that show a page with refs.
func (c *commands) snapshots() []command.Command {
	flag := func(name, help string) command.Arg {
		return command.Arg{Name: name, Type: command.Boolean, Flag: true, Help: help}
	}
	return []command.Command{
		{Spec: command.Spec{
			Name: "snapshot", Aliases: []string{"snap", "look"}, Scope: protocol.ScopeRead,
			Summary: "show the page as text: one line per element, with a ref (e5) that other commands take",
			Help: "A line has: ref, role, name, [states], =value, →link target. A ref stays with its element and is never used for another one. " +
				"\"… 12 more h3\" stands for lines that were left out: snapshot -s h3 shows them; so with a frame, \"… 1 more frame f2\".",
			Args: []command.Arg{
				{Name: "scope", Type: command.String, Flag: true, Help: "only this part: a ref, a frame (f2), CSS, or a handle (h3)"},
				{Name: "find", Type: command.String, Flag: true, Help: "only lines with this text, or that match /this/i"},
				{Name: "max", Type: command.Integer, Flag: true, Min: 200, Max: protocol.TextLimit, Help: "at most so many characters"},
				{Name: "depth", Type: command.Integer, Flag: true, Min: 1, Max: 100, Help: "levels of nesting"},
				flag("interactive", "only what can be acted on, with what tells look-alikes apart"), flag("compact", "without link targets, long names cut"),
				flag("near", "only what is in view, and half a screen around it"), flag("full", "the whole page; this is the default"),
				flag("delta", "only what has changed since your last snapshot"), flag("boxes", "with positions and sizes"),
				flag("items", "the elements as data, too"),
				flag("news", "also background events: script errors, downloads, answered dialogs since your last --news"),
			},
			Returns: "url, title, text, refs, more, items, news", Examples: []string{"snapshot", "snapshot --interactive --max 4000", "snapshot --find Save", "snapshot --delta"},
		}, Tab: command.OwnTab, ByPage: true, Run: c.runSnapshot},
	}
}

func (c *commands) runSnapshot(ctx context.Context, in *command.Invocation) (command.Result, error) {
	if in.Args.Flag("near") && in.Args.Flag("full") {
		return command.Result{}, protocol.NewError(protocol.CodeBadArgument, "snapshot takes --near or --full, not both", "", protocol.Example("snapshot", "--near"))
	}
	snap, err := c.Browser.Snapshot(ctx, in.By(), in.Tab, protocol.SnapshotRequest{
		Scope: in.Args.Text("scope"), Find: in.Args.Text("find"), Max: in.Args.Number("max"), Depth: in.Args.Number("depth"),
		Interactive: in.Args.Flag("interactive"), Compact: in.Args.Flag("compact"), Near: in.Args.Flag("near"),
		Delta: in.Args.Flag("delta"), Boxes: in.Args.Flag("boxes"), JSON: in.Args.Flag("items"), News: in.Args.Flag("news"),
	}, command.MayShow(in))
	if err != nil {
		return command.Result{}, err
	}
	snap.Secrets = command.SecretNames(in, snap.URL)
	text := in.Foreign(snap.URL, snap.Text)
	switch {
	case snap.Text != "":
	case in.Args.Flag("delta"):
		text = "nothing changed since your last look"
	case in.Args.Text("find") != "":
		text = fmt.Sprintf("nothing matches %.80q", in.Args.Text("find"))
	default:
		text = "the page shows nothing"
	}
	if len(snap.News) > 0 {
		news := make([]string, len(snap.News))
		for i, one := range snap.News {
			news[i] = foreign.Line(one, backgroundShown)
		}
		text += "\nMeanwhile, by itself:\n" + in.Foreign(snap.URL, strings.Join(news, "\n"))
	}
	return command.Result{Text: text, Data: snap}, nil
}

// backgroundShown is the limit of one line of background events, in characters.
const backgroundShown = 300

// valueShown is how many characters of a field's value are shown.
const valueShown = 200

// quotedValue returns a value in quotes, including its spaces and line breaks.
func quotedValue(value string) string {
	value = foreign.Clean(value)
	if r := []rune(value); len(r) > valueShown {
		return fmt.Sprintf("%q and %d more characters", string(r[:valueShown]), len(r)-valueShown)
	}
	return fmt.Sprintf("%q", value)
}

// describeEffect describes an effect: first what was done and on what, then what the page shows of
// it. The element is text of the page, so an agent gets it in the envelope that follows.
func describeEffect(in *command.Invocation, q *protocol.ActRequest, done string, e *protocol.Effect) command.Result {
	var page []string
	add := func(mark string, lines []string) {
		for _, l := range lines {
			page = append(page, mark+foreign.Line(l, 300))
		}
	}
	head, hit, changed := done, "", e.Changed
	if q.Target != "" {
		hit, changed = hitLine(q, e)
		if in.Agent() {
			page = append(page, hit)
		} else {
			head = strings.TrimSpace(head + " " + hit)
		}
	}
	if e.Moved != nil {
		head += fmt.Sprintf(" by %.0f,%.0f; above %.0f, below %.0f", e.Moved[0], e.Moved[1], e.Moved[2], e.Moved[3])
	}
	if e.Dialog != nil {
		head += "; " + command.DialogOpened(in.Tab, e.Dialog)
		add("dialog: ", []string{e.Dialog.Message})
	}
	place, full := in.Place(e.URL)
	if e.Loading || e.Navigated || e.Within {
		page = append(page, full...)
	}
	switch {
	case e.Loading:
		head += "; the tab went to another page, which is still loading: " + place
	case e.Navigated:
		head += "; the tab went to " + place
		if e.Status != 0 && (e.Status < 200 || e.Status > 299) {
			head += fmt.Sprintf(" (HTTP %d)", e.Status)
		}
	case e.Within:
		head += "; the address is now " + place
	}
	switch {
	case e.FrameGone:
		head += "; its frame is gone from the page"
	case e.Frame != "":
		at, full := in.Place(e.Frame)
		head += "; its frame loads " + at
		page = append(page, full...)
	}
	if e.Closed != "" {
		head += "; it closed " + string(e.Closed)
	}
	for _, t := range e.Opened {
		at, full := in.Place(t.URL)
		if t.Again {
			head += fmt.Sprintf("; %s, which it had opened before, loads %s", t.Tab, at)
		} else {
			head += fmt.Sprintf("; it opened %s at %s", t.Tab, at)
		}
		for _, address := range full {
			page = append(page, string(t.Tab)+": "+address)
		}
		switch {
		case t.Front && !in.Agent() && in.Own == "":
			head += ", which is in front now: the next command acts there"
		case t.Front:
			head += ", which is in front now"
		}
	}
	if n := len(e.Downloads); n > 0 {
		head += "; it downloads " + spelling.Plural(n, "file")
		add("download: ", e.Downloads)
	}
	if e.Nothing && e.Dialog == nil && e.Value == nil && e.Moved == nil {
		head += "; no change was seen"
	}
	if e.Untrusted {
		head += "; set by script: the page can see that no user did it (untrusted events)"
	}
	if len(e.Held) > 0 {
		head += "; held down: " + strings.Join(e.Held, ", ")
	}
	if len(e.Released) > 0 {
		head += "; released, because the tab went to another page: " + strings.Join(e.Released, ", ")
	}
	if e.Accept != "" {
		head += "; the field asks for files of another kind"
		add("accepts: ", []string{e.Accept})
	}
	if title := foreign.Title(e.Title, e.URL); e.Navigated && title != "" {
		add("title: ", []string{title})
	}
	add("says: ", e.Said)
	add("+ ", e.Appeared)
	add("~ ", changed)
	add("- ", e.Gone)
	if e.More > 0 {
		page = append(page, fmt.Sprintf("… %d more changes are not listed", e.More))
	}
	ref, _, _ := strings.Cut(e.Focus, " ")
	shown := strings.HasPrefix(hit, ref+" ") && strings.Contains(hit, "[focused]") || strings.Contains(strings.Join(page, "\n"), e.Focus)
	if e.Focus != "" && !shown {
		page = append(page, "focus: "+foreign.Line(e.Focus, 200))
	}
	add("console error: ", e.Errors)
	if len(page) > 0 {
		head += "\n" + in.Foreign(e.URL, strings.Join(page, "\n"))
	}
	return command.Result{Text: head, Data: e}
}

// hitLine returns the line of the element that was acted on, as it is after the action,
// and the changes without that line.
func hitLine(q *protocol.ActRequest, e *protocol.Effect) (line string, others []string) {
	value := ""
	switch {
	case e.Value == nil:
	case q.Kind == protocol.ActFill:
		value = " with " + quotedValue(*e.Value)
	default:
		value = ", which now has " + quotedValue(*e.Value)
	}
	line, others = e.Hit, e.Changed
	ref, _, _ := strings.Cut(e.Hit, " ")
	at := slices.IndexFunc(e.Changed, func(l string) bool { return strings.HasPrefix(l, ref+" ") })
	if at < 0 || q.To != "" { // a drag names two elements in its line
		return foreign.Line(line, 200) + value, others
	}
	now := e.Changed[at]
	if e.Value != nil {
		// A line that does not end with the value says more than the value: both stay.
		now, _ = strings.CutSuffix(now, fmt.Sprintf(" =%q", *e.Value))
	}
	if e.Value == nil || now != e.Changed[at] {
		line, others = now, slices.Delete(slices.Clone(e.Changed), at, at+1)
	}
	return foreign.Line(line, 200) + value, others
}
