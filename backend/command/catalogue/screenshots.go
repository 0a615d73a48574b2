package catalogue

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/protocol"
)

// maxWidths is how many widths `responsive` accepts in one call.
const maxWidths = 12

// screenshots returns the commands that make screenshots and files of a page.
func (c *commands) screenshots() []command.Command {
	read := protocol.ScopeRead
	return []command.Command{
		{Spec: command.Spec{
			Name: "screenshot", Aliases: []string{"shot"}, Scope: read,
			Summary: "save a screenshot of the tab and print its path; the tab may be in the background",
			Help:    "--annotated labels each element that can be acted on with its ref; the page does not notice. --slices cuts a tall page into parts that a model can read. --full also has what is out of view in an element that the page scrolls in, such as main, where that grows with the window; else the reply says what is missing.",
			Args: []command.Arg{
				{Name: "full", Type: command.Boolean, Flag: true, Help: "the whole page, not only what is in view"},
				{Name: "element", Type: command.String, Flag: true, Help: "only this element: a ref, CSS, text=…"},
				{Name: "clip", Type: command.ClipArg, Flag: true, Help: "a part of the page: x,y,width,height in CSS pixels"},
				{Name: "annotated", Type: command.Boolean, Flag: true, Help: "with refs drawn on it"},
				{Name: "slices", Type: command.Boolean, Flag: true, Help: "the whole page, in several files"},
				{Name: "format", Type: command.String, Flag: true, Choices: []string{"png", "jpeg", "webp"}, Default: "png", Help: "the file format"},
				{Name: "quality", Type: command.Integer, Flag: true, Min: 1, Max: 100, Help: "for jpeg and webp"},
			},
			Files: true, Returns: "path, format, width, height, bytes, url, slices, labels, scroller, hidden",
			Examples: []string{"screenshot", "screenshot --full --format jpeg --quality 70", "screenshot --element e5", "screenshot --full --annotated", "screenshot --clip 0,0,400,300"},
		}, Tab: command.OwnTab, Run: reading(c.runScreenshot)},
		{Spec: command.Spec{
			Name: "pdf", Aliases: []string{"print"}, Scope: read, Summary: "save the page as PDF and print its path",
			Args: []command.Arg{
				{Name: "paper", Type: command.String, Flag: true, Choices: []string{"a4", "a3", "a5", "letter", "legal", "tabloid"}, Default: "a4", Help: "the size of a sheet"},
				{Name: "landscape", Type: command.Boolean, Flag: true, Help: "wider than high"},
				{Name: "margin", Type: command.String, Flag: true, Default: "1", Help: "centimetres on every side"},
				{Name: "background", Type: command.Boolean, Flag: true, Help: "with background colours and images"},
			},
			Files: true, Returns: "path, bytes, url", Examples: []string{"pdf", "pdf --paper letter --landscape --margin 0.5 --background"},
		}, Tab: command.OwnTab, Run: reading(c.runPDF)},
		{Spec: command.Spec{
			Name: "archive", Aliases: []string{"mhtml"}, Scope: read, Summary: "save the page with all that it shows as one MHTML file and print its path",
			Files: true, Returns: "path, bytes, url", Examples: []string{"archive"},
		}, Tab: command.OwnTab, Run: reading(c.runArchive)},
		{Spec: command.Spec{
			Name: "responsive", Scope: protocol.ScopeAct, Summary: "save screenshots of the page at several widths",
			Help: "The page is resized for each screenshot and then gets its own size back. `device` imitates a phone.",
			Args: []command.Arg{
				{Name: "widths", Type: command.String, Default: "390,768,1280", Help: "widths in CSS pixels, with commas between"},
				{Name: "full", Type: command.Boolean, Flag: true, Help: "the whole page, not only what is in view"},
				{Name: "format", Type: command.String, Flag: true, Choices: []string{"png", "jpeg", "webp"}, Default: "png", Help: "the file format"},
			},
			Files: true, Returns: "path, format, width, height, bytes and url of each", Examples: []string{"responsive", "responsive 320,1920 --full"},
		}, Tab: command.OwnTab, Run: reading(c.runResponsive)},
		{Spec: command.Spec{
			Name: "diff", Aliases: []string{"compare"}, Scope: read, Summary: "show how the page differs from a marked state, or from another tab",
			Help: "`diff --mark` remembers the page as it is now. --pixels also compares screenshots and saves one with the differences in red.",
			Args: []command.Arg{
				{Name: "mark", Type: command.Boolean, Flag: true, Help: "remember the page instead of comparing"},
				{Name: "with", Type: command.TabArg, Flag: true, Help: "compare with this tab instead of the mark"},
				{Name: "pixels", Type: command.Boolean, Flag: true, Help: "compare screenshots, too"},
				{Name: "full", Type: command.Boolean, Flag: true, Help: "screenshots of the whole page; also needed with --mark"},
				listing.BudgetArg(),
			},
			Files: true, Returns: "same, diff and pixels (path, changed, total, share, area, sizes)", Examples: []string{"diff --mark", "diff --pixels", "diff --with t2"},
		}, Tab: command.OwnTab, Run: reading(c.runDiff)},
	}
}

func (c *commands) runScreenshot(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	q := protocol.ScreenshotRequest{
		Format: screenshotFormat(in), Quality: in.Args.Number("quality"), Full: in.Args.Flag("full"), Clip: in.Args.Clip("clip"),
		Element: in.Args.Text("element"), Annotated: in.Args.Flag("annotated"), Slices: in.Args.Flag("slices"),
		BesideSnapshots: in.BesideSnapshots(),
	}
	parts := 0
	for _, given := range []bool{q.Full || q.Slices, q.Clip != nil, q.Element != ""} {
		if given {
			parts++
		}
	}
	switch {
	case parts > 1:
		return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, "screenshot takes one of --full, --clip, --element and --slices, not both", "", protocol.Example("screenshot", "--full"))
	case q.Quality > 0 && q.Format == "png":
		return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, "a png has no quality", "", protocol.With("", "--format", "jpeg"))
	}
	shot, err := c.Browser.Screenshot(ctx, in.By(), in.Tab, q)
	if err != nil {
		return "", command.Result{}, err
	}
	text := screenshotLine(shot)
	if len(shot.Slices) > 1 {
		text = fmt.Sprintf("%s\n%d slices of %d × %d, %d KB", strings.Join(shot.Slices, "\n"), len(shot.Slices), shot.Width, shot.Height, (shot.Bytes+1023)/1024)
	}
	if q.Annotated {
		text += fmt.Sprintf(", %d refs", shot.Labels)
	}
	text += hiddenLine(in, shot)
	return shot.URL, command.Result{Text: text, Data: shot}, nil
}

func screenshotLine(shot protocol.Screenshot) string {
	return fmt.Sprintf("%s\n%d × %d, %d KB", shot.Path, shot.Width, shot.Height, (shot.Bytes+1023)/1024)
}

// hiddenLine says what a screenshot of the whole page does not have.
func hiddenLine(in *command.Invocation, shot protocol.Screenshot) string {
	if shot.Hidden == 0 {
		return ""
	}
	return fmt.Sprintf("\nit has only what is in view of an element that scrolls, without %d more pixels: ", shot.Hidden) + in.Foreign(shot.URL, foreign.Field(shot.Scroller))
}

func screenshotFormat(in *command.Invocation) string {
	if f := in.Args.Text("format"); f != "" {
		return f
	}
	return "png"
}

func (c *commands) runPDF(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	q := protocol.PDFRequest{Paper: in.Args.Text("paper"), Landscape: in.Args.Flag("landscape"), Background: in.Args.Flag("background"), Margin: 1}
	if m := strings.TrimSpace(in.Args.Text("margin")); m != "" {
		margin, err := strconv.ParseFloat(strings.TrimSuffix(m, "cm"), 64)
		if err != nil || !(margin >= 0 && margin < 50) {
			return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a margin is a number of centimetres, not %.40q", m), "", protocol.Example("pdf", "--margin", "1.5"))
		}
		q.Margin = margin
	}
	file, err := c.Browser.PDF(ctx, in.By(), in.Tab, q)
	return file.URL, savedResult(file), err
}

func savedResult(file protocol.PageFile) command.Result {
	return command.Result{Text: fmt.Sprintf("%s\n%d KB", file.Path, (file.Bytes+1023)/1024), Data: file}
}

func (c *commands) runArchive(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	file, err := c.Browser.Archive(ctx, in.By(), in.Tab)
	return file.URL, savedResult(file), err
}

func (c *commands) runResponsive(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	list := in.Args.Text("widths")
	if strings.TrimSpace(list) == "" {
		list = "390,768,1280"
	}
	var widths []int
	for _, w := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(w))
		if err != nil || n < 50 || n > 8000 {
			return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a width is a number from 50 to 8000, not %.40q", w), "", protocol.Example("responsive", "390,768,1280"))
		}
		widths = append(widths, n)
	}
	if len(widths) > maxWidths {
		return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("responsive takes at most %d widths", maxWidths), "", protocol.Example("responsive", "390,768,1280"))
	}
	shots, err := c.Browser.Responsive(ctx, in.By(), in.Tab, widths, protocol.ScreenshotRequest{Format: screenshotFormat(in), Full: in.Args.Flag("full")})
	if err != nil {
		return "", command.Result{}, err
	}
	lines := make([]string, len(shots))
	for i, s := range shots {
		lines[i] = fmt.Sprintf("%d: %s", widths[i], strings.ReplaceAll(screenshotLine(s), "\n", ", ")) + hiddenLine(in, s)
	}
	return shots[0].URL, command.Result{Text: strings.Join(lines, "\n"), Data: shots}, nil
}

func (c *commands) runDiff(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	other, full := protocol.TabID(in.Args.Text("with")), in.Args.Flag("full")
	if in.Args.Flag("mark") {
		if other != "" {
			return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, "diff takes --mark or --with, not both", "", protocol.Example("diff", "--mark"))
		}
		page, err := c.Browser.Mark(ctx, in.By(), in.Tab, full)
		return page.URL, command.Result{Text: fmt.Sprintf("%s is remembered as it is now, %d characters", in.Tab, page.Length), Data: map[string]bool{"marked": true}}, err
	}
	if other != "" {
		if err := in.MayRead(ctx, other); err != nil {
			return "", command.Result{}, err
		}
	}
	before, now, pixels, err := c.Browser.Compare(ctx, in.By(), in.Tab, other, full, in.Args.Flag("pixels"))
	if err != nil {
		return "", command.Result{}, err
	}
	if in.Agent() {
		if err := in.MayOpen(before.URL); err != nil {
			return "", command.Result{}, err
		}
	}
	name := "before"
	if other != "" {
		name = string(other)
	}
	text := string(diff.Diff(name, []byte(before.Text+"\n"), string(in.Tab), []byte(now.Text+"\n")))
	out := struct {
		Same   bool                `json:"same"`
		Diff   string              `json:"diff"`
		Pixels *protocol.PixelDiff `json:"pixels,omitempty"`
	}{text == "", text, pixels}
	shown := "the text is the same"
	if text != "" {
		shown = listing.First(in, now.URL, strings.Split(strings.TrimSpace(text), "\n"), "lines")
	}
	if pixels != nil {
		shown += "\n" + pixelLine(pixels)
	}
	return now.URL, command.Result{Text: shown, Data: out}, nil
}

func pixelLine(d *protocol.PixelDiff) string {
	if d.Changed == 0 {
		return "the screenshots are the same: " + d.Path
	}
	text := fmt.Sprintf("%d of %d pixels differ (%.2f %%), all in %.0f,%.0f,%.0f,%.0f: %s", d.Changed, d.Total, d.Share*100, d.Area.X, d.Area.Y, d.Area.Width, d.Area.Height, d.Path)
	if len(d.Sizes) == 2 {
		text += fmt.Sprintf("\nthe sizes differ: %s and %s", d.Sizes[0], d.Sizes[1])
	}
	return text
}
