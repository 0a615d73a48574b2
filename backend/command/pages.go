package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Pages is what the commands about pages need of a browser. element is a
// target: a ref, CSS, `role=button name="Save"`, `text=…`, `label=…`.
type Pages interface {
	Markdown(ctx context.Context, tab protocol.TabID, element string, limit int) (protocol.PageText, error)
	HTML(ctx context.Context, tab protocol.TabID, element string, inner bool, limit int) (protocol.PageText, error)
	Links(ctx context.Context, tab protocol.TabID) (url string, links []protocol.Link, err error)
	Forms(ctx context.Context, tab protocol.TabID) (url string, forms []protocol.Form, err error)
	Tables(ctx context.Context, tab protocol.TabID) (url string, tables []protocol.Table, err error)
	Media(ctx context.Context, tab protocol.TabID) (url string, media []protocol.Medium, err error)
	Data(ctx context.Context, tab protocol.TabID) (protocol.PageData, error)
	Search(ctx context.Context, tab protocol.TabID, what string, limit int) (protocol.Matches, error)
	Frames(ctx context.Context, tab protocol.TabID) ([]protocol.Frame, error)

	PDF(ctx context.Context, tab protocol.TabID, q protocol.PDFRequest) (protocol.PageFile, error)
	Archive(ctx context.Context, tab protocol.TabID) (protocol.PageFile, error)
	Responsive(ctx context.Context, tab protocol.TabID, widths []int, q protocol.ScreenshotRequest) ([]protocol.Screenshot, error)
	Mark(ctx context.Context, tab protocol.TabID, full bool) (protocol.PageText, error)
	Compare(ctx context.Context, tab, other protocol.TabID, full, pixels bool) (before, now protocol.PageText, diff *protocol.PixelDiff, err error)

	Evaluate(ctx context.Context, tab protocol.TabID, expression string) (protocol.Evaluated, error)
	Style(ctx context.Context, tab protocol.TabID, element string, properties []string) (protocol.ElementStyle, error)
	Inspect(ctx context.Context, tab protocol.TabID, element string) (protocol.Inspection, error)
	EditStyle(ctx context.Context, tab protocol.TabID, element, property, value string) (protocol.StyleEdit, error)
	UndoStyle(ctx context.Context, tab protocol.TabID, all bool) ([]protocol.StyleEdit, error)
	StyleHistory(ctx context.Context, tab protocol.TabID) ([]protocol.StyleEdit, error)
	AXTree(ctx context.Context, tab protocol.TabID, element string) (protocol.PageText, error)
	Audit(ctx context.Context, tab protocol.TabID, level string) (protocol.Audit, error)
	Performance(ctx context.Context, tab protocol.TabID) (protocol.Performance, error)
	Trace(ctx context.Context, tab protocol.TabID, length time.Duration, reload bool) (protocol.PageFile, error)
}

// pageCommands are the commands about what a page is: its text, its parts, its
// pictures, its styles and its speed.
func pageCommands() []command {
	return append(append(partCommands(), pictureCommands()...), workbenchCommands()...)
}

func budgetArg() Arg {
	return Arg{
		Name: "max", Type: Integer, Flag: true, Min: 200, Max: protocol.TextLimit, Default: fmt.Sprint(replyLimit),
		Help: "at most so many characters; the reply counts the rest",
	}
}

func elementArg(help string) Arg { return Arg{Name: "element", Type: String, Help: help} }

// requiredElement is for commands that are about one element.
func requiredElement() Arg {
	return Arg{Name: "element", Type: String, Required: true, Help: "a ref (e5), CSS, role=button name=\"Save\", text=… or label=…"}
}

// limit is the caller's budget.
func (in *invocation) limit() int {
	if n := in.args.number("max"); n > 0 {
		return n
	}
	return replyLimit
}

// reading guards a command that shows what a page says: before it, and with the
// address that the answer came from, for a page can go elsewhere in between.
func reading(run func(ctx context.Context, in *invocation) (url string, res result, err error)) func(context.Context, *invocation) (result, error) {
	return func(ctx context.Context, in *invocation) (result, error) {
		if err := in.readable(ctx); err != nil {
			return result{}, err
		}
		url, res, err := run(ctx, in)
		if err != nil {
			return result{}, err
		}
		if policy.Agent(in.actor) && url != "" {
			if err := in.policy.URL(in.actor, url); err != nil {
				return result{}, err
			}
		}
		return res, nil
	}
}

// listed joins lines until the budget is spent and counts the rest.
func (in *invocation) listed(url string, lines []string, what string) string {
	if len(lines) == 0 {
		return "no " + what + " on this page"
	}
	used, shown := 0, 0
	for shown < len(lines) {
		used += len([]rune(lines[shown])) + 1
		if used > in.limit() && shown > 0 {
			break
		}
		shown++
	}
	text := in.foreign(url, strings.Join(lines[:shown], "\n"))
	if left := len(lines) - shown; left > 0 {
		text += fmt.Sprintf("\n… %d more %s (--max shows more)", left, what)
	}
	return text
}

// written is a text with what was cut of it counted.
func (in *invocation) written(page protocol.PageText) string {
	text := in.foreign(page.URL, page.Text)
	if left := page.Length - len([]rune(page.Text)); left > 0 {
		text += fmt.Sprintf("\n… %d more characters (--max shows more)", left)
	}
	return text
}

// limited cuts a text that came whole.
func (in *invocation) limited(page protocol.PageText) protocol.PageText {
	if runes := []rune(page.Text); len(runes) > in.limit() {
		page.Text, page.Length = string(runes[:in.limit()]), len(runes)
	}
	return page
}

// field is one line's worth of foreign text.
func field(s string) string { return line(s, 300) }
