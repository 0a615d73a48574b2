package command

import (
	"context"
	"fmt"
	"strings"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// actBrowser is what looking and acting need of a browser.
type actBrowser interface {
	Snapshot(ctx context.Context, tab protocol.TabID, q protocol.LookRequest) (protocol.Look, error)
	Facts(ctx context.Context, tab protocol.TabID, target string) (protocol.TargetFacts, error)
	// Pointer is where the caller of ctx moved the mouse to, as x,y; empty for nowhere.
	Pointer(ctx context.Context, tab protocol.TabID) string
	Act(ctx context.Context, tab protocol.TabID, q protocol.ActRequest, allow func(url string) error) (protocol.Effect, error)
	Wait(ctx context.Context, tab protocol.TabID, q protocol.WaitRequest) (protocol.PageInfo, error)
	Dialog(ctx context.Context, tab protocol.TabID, accept bool, text *string) (protocol.DialogInfo, error)
	Clipboard(ctx context.Context, tab protocol.TabID, text *string) (string, error)
}

// lookCommands are the commands that show a page with refs.
func lookCommands() []command {
	flag := func(name, help string) Arg { return Arg{Name: name, Type: Boolean, Flag: true, Help: help} }
	return []command{
		{Spec: Spec{
			Name: "snapshot", Aliases: []string{"snap", "look"}, Scope: protocol.ScopeRead,
			Summary: "show the page as text: one line per element, with a ref (e5) that other commands take",
			Help: "A line has: ref, role, name, [states], =value, →link target. A ref stays with its element and is never used for another one. " +
				"\"… 12 more h3\" stands for lines that were left out: snapshot -s h3 shows them; so with a frame, \"… 1 more frame f2\".",
			Args: []Arg{
				{Name: "scope", Type: String, Flag: true, Help: "only this part: a ref, a frame (f2), CSS, or a handle (h3)"},
				{Name: "find", Type: String, Flag: true, Help: "only lines with this text, or that match /this/i"},
				{Name: "max", Type: Integer, Flag: true, Min: 200, Max: protocol.TextLimit, Help: "at most so many characters"},
				{Name: "depth", Type: Integer, Flag: true, Min: 1, Max: 100, Help: "levels of nesting"},
				flag("interactive", "only what can be acted on, with what tells look-alikes apart"), flag("compact", "without link targets, long names cut"),
				flag("near", "only what is in view, and half a screen around it"), flag("full", "the whole page; this is the default"),
				flag("delta", "only changes since your last snapshot"), flag("boxes", "with positions and sizes"),
				flag("items", "the elements as data, too"),
				flag("news", "also background events: script errors, downloads, answered dialogs since your last --news"),
			},
			Returns: "url, title, text, refs, more, items, news", Examples: []string{"snapshot", "snapshot --interactive --max 4000", "snapshot --find Save", "snapshot --delta"},
		}, tab: ownTab, run: runSnapshot},
	}
}

// caller names who looks: what it saw last is remembered under this.
func (in *invocation) caller() string { return CallerName(in.actor) }

// CallerName is the name under which a browser remembers what an actor was shown
// and what it holds down.
func CallerName(a protocol.Actor) string { return string(a.Kind) + ":" + a.ID }

func runSnapshot(ctx context.Context, in *invocation) (result, error) {
	if err := in.readable(ctx); err != nil {
		return result{}, err
	}
	if in.args.flag("near") && in.args.flag("full") {
		return result{}, protocol.NewError(protocol.CodeBadArgument, "snapshot takes --near or --full, not both", "", protocol.Example("snapshot", "--near"))
	}
	look, err := in.browser.Snapshot(ctx, in.tab, protocol.LookRequest{
		Caller: in.caller(), Scope: in.args.text("scope"), Find: in.args.text("find"), Max: in.args.number("max"), Depth: in.args.number("depth"),
		Interactive: in.args.flag("interactive"), Compact: in.args.flag("compact"), Near: in.args.flag("near"),
		Delta: in.args.flag("delta"), Boxes: in.args.flag("boxes"), JSON: in.args.flag("items"), News: in.args.flag("news"),
	})
	if err != nil {
		return result{}, err
	}
	// It may have gone elsewhere between the two questions.
	if policy.Agent(in.actor) {
		if err := in.policy.URL(in.actor, look.URL); err != nil {
			return result{}, err
		}
	}
	text := in.foreign(look.URL, look.Text)
	switch {
	case look.Text != "":
	case in.args.flag("delta"):
		text = "nothing changed since your last look"
	case in.args.text("find") != "":
		text = fmt.Sprintf("nothing matches %.80q", in.args.text("find"))
	default:
		text = "the page shows nothing"
	}
	if len(look.News) > 0 {
		news := make([]string, len(look.News))
		for i, one := range look.News {
			news[i] = line(one, newsShown)
		}
		text += "\nMeanwhile, by itself:\n" + in.foreign(look.URL, strings.Join(news, "\n"))
	}
	return result{text: text, data: look}, nil
}

// newsShown is how many characters one line of news has.
const newsShown = 300

// opened tells of a dialog that came of an action.
func opened(d *protocol.DialogInfo) string {
	article := "a"
	if d.Type == "alert" {
		article = "an"
	}
	if d.Answered != "" {
		return fmt.Sprintf("%s %s dialog came, and the tab's policy answered it: %s", article, d.Type, d.Answered)
	}
	return fmt.Sprintf("%s %s dialog is open and waits for an answer: accept or dismiss", article, d.Type)
}

// valueShown is how many characters of a field's value are told.
const valueShown = 200

// held is a value as it is, its spaces and line ends too.
func held(value string) string {
	value = clean(value)
	if r := []rune(value); len(r) > valueShown {
		return fmt.Sprintf("%q and %d more characters", string(r[:valueShown]), len(r)-valueShown)
	}
	return fmt.Sprintf("%q", value)
}

// told puts an effect into words: what was done first, then what the page says
// of it.
func (in *invocation) told(done string, e *protocol.Effect) result {
	var page []string
	add := func(mark string, lines []string) {
		for _, l := range lines {
			page = append(page, mark+line(l, 300))
		}
	}
	head := done
	if e.Dialog != nil {
		head += "; " + opened(e.Dialog)
		add("dialog: ", []string{e.Dialog.Message})
	}
	place, full := in.place(e.URL)
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
		head += "; the address changed"
		if len(full) == 0 {
			page = append(page, line(e.URL, urlShown))
		}
	}
	for _, t := range e.Tabs {
		head += "; it opened " + string(t)
	}
	if n := len(e.Downloads); n > 0 {
		head += "; it downloads " + plural(n, "file")
		add("download: ", e.Downloads)
	}
	if e.Moved != nil {
		head += fmt.Sprintf(" by %.0f,%.0f; above %.0f, below %.0f", e.Moved[0], e.Moved[1], e.Moved[2], e.Moved[3])
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
	hit := line(e.Hit, 200)
	if e.Value != nil {
		hit += " with " + held(*e.Value)
	}
	page = append(page, hit)
	if e.Navigated {
		add("title: ", []string{e.Title})
	}
	add("says: ", e.Said)
	add("+ ", e.Appeared)
	add("~ ", e.Changed)
	add("- ", e.Gone)
	if e.More > 0 {
		page = append(page, fmt.Sprintf("… %d more changes are not listed", e.More))
	}
	if e.Focus != "" && !strings.Contains(strings.Join(page, "\n"), e.Focus) {
		page = append(page, "focus: "+line(e.Focus, 200))
	}
	add("console error: ", e.Errors)
	return result{text: head + "\n" + in.foreign(e.URL, strings.Join(page, "\n")), data: e}
}
