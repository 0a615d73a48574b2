// Package page has the commands about the content of a page: its text, its
// parts, screenshots, its styles and its speed.
package page

import (
	"context"
	"slices"
	"time"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// Browser is the part of the browser that the commands about pages use. element
// is a target: a ref, CSS, `role=button name="Save"`, `text=…`, `label=…`.
type Browser interface {
	Markdown(ctx context.Context, by protocol.Caller, tab protocol.TabID, element string, limit int) (protocol.PageText, error)
	HTML(ctx context.Context, by protocol.Caller, tab protocol.TabID, element string, inner bool, limit int) (protocol.PageText, error)
	Links(ctx context.Context, by protocol.Caller, tab protocol.TabID) (url string, links []protocol.Link, err error)
	Forms(ctx context.Context, by protocol.Caller, tab protocol.TabID) (url string, forms []protocol.Form, err error)
	Tables(ctx context.Context, by protocol.Caller, tab protocol.TabID) (url string, tables []protocol.Table, err error)
	Media(ctx context.Context, by protocol.Caller, tab protocol.TabID) (url string, media []protocol.Medium, err error)
	Data(ctx context.Context, by protocol.Caller, tab protocol.TabID) (protocol.PageData, error)
	Search(ctx context.Context, by protocol.Caller, tab protocol.TabID, what string, limit int) (protocol.Matches, error)
	Frames(ctx context.Context, by protocol.Caller, tab protocol.TabID) ([]protocol.Frame, error)

	Page(ctx context.Context, by protocol.Caller, tab protocol.TabID) (protocol.PageInfo, error)
	Screenshot(ctx context.Context, by protocol.Caller, tab protocol.TabID, q protocol.ScreenshotRequest) (protocol.Screenshot, error)
	PDF(ctx context.Context, by protocol.Caller, tab protocol.TabID, q protocol.PDFRequest) (protocol.PageFile, error)
	Archive(ctx context.Context, by protocol.Caller, tab protocol.TabID) (protocol.PageFile, error)
	Responsive(ctx context.Context, by protocol.Caller, tab protocol.TabID, widths []int, q protocol.ScreenshotRequest) ([]protocol.Screenshot, error)
	Mark(ctx context.Context, by protocol.Caller, tab protocol.TabID, full bool) (protocol.PageText, error)
	Compare(ctx context.Context, by protocol.Caller, tab, other protocol.TabID, full, pixels bool) (before, now protocol.PageText, diff *protocol.PixelDiff, err error)

	Evaluate(ctx context.Context, by protocol.Caller, tab protocol.TabID, expression string) (protocol.Evaluated, error)
	RunInPage(ctx context.Context, by protocol.Caller, tab protocol.TabID, script string) (protocol.PageRun, error)
	Style(ctx context.Context, by protocol.Caller, tab protocol.TabID, element string, properties []string) (protocol.ElementStyle, error)
	Inspect(ctx context.Context, by protocol.Caller, tab protocol.TabID, element string) (protocol.Inspection, error)
	EditStyle(ctx context.Context, by protocol.Caller, tab protocol.TabID, element, property, value string) (protocol.StyleEdit, error)
	UndoStyle(ctx context.Context, by protocol.Caller, tab protocol.TabID, all bool) ([]protocol.StyleEdit, error)
	StyleHistory(ctx context.Context, by protocol.Caller, tab protocol.TabID) ([]protocol.StyleEdit, error)
	AXTree(ctx context.Context, by protocol.Caller, tab protocol.TabID, element string) (protocol.PageText, error)
	Audit(ctx context.Context, by protocol.Caller, tab protocol.TabID, level string) (protocol.Audit, error)
	Performance(ctx context.Context, by protocol.Caller, tab protocol.TabID) (protocol.Performance, error)
	Trace(ctx context.Context, by protocol.Caller, tab protocol.TabID, length time.Duration, reload bool) (protocol.PageFile, error)
}

// commands holds the browser for the handlers.
type commands struct{ browser Browser }

// Commands returns the commands about the content of a page.
func Commands(b Browser) []command.Command {
	c := commands{b}
	return slices.Concat(c.parts(), c.pictures(), c.workbench())
}

func elementArg(help string) command.Arg {
	return command.Arg{Name: "element", Type: command.String, Help: help}
}

// requiredElement is the argument of commands about one element.
func requiredElement() command.Arg {
	return command.Arg{Name: "element", Type: command.String, Required: true, Help: "a ref (e5), CSS, role=button name=\"Save\", text=… or label=…"}
}

// reading guards a command that shows content of a page. It checks the address
// before the command, and the address that the content came from after it,
// because the page can navigate in between.
func reading(run func(ctx context.Context, in *command.Invocation) (url string, res command.Result, err error)) func(context.Context, *command.Invocation) (command.Result, error) {
	return func(ctx context.Context, in *command.Invocation) (command.Result, error) {
		if err := in.Readable(ctx); err != nil {
			return command.Result{}, err
		}
		url, res, err := run(ctx, in)
		if err != nil {
			return command.Result{}, err
		}
		if in.Agent() && url != "" {
			if err := in.MayOpen(url); err != nil {
				return command.Result{}, err
			}
		}
		return res, nil
	}
}
