package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// pictureCommands make pictures and files of a page.
func pictureCommands() []command {
	read := protocol.ScopeRead
	return []command{
		{Spec: Spec{
			Name: "screenshot", Aliases: []string{"shot"}, Scope: read,
			Summary: "save a screenshot of the tab and print its path; the tab may be in the background",
			Help:    "--annotated labels each element that can be acted on with its ref; the page does not notice. --slices cuts a tall page into parts that a model can read.",
			Args: []Arg{
				{Name: "full", Type: Boolean, Flag: true, Help: "the whole page, not only what is in view"},
				{Name: "element", Type: String, Flag: true, Help: "only this element: a ref, CSS, text=…"},
				{Name: "clip", Type: ClipArg, Flag: true, Help: "a part of the page: x,y,width,height in CSS pixels"},
				{Name: "annotated", Type: Boolean, Flag: true, Help: "with refs drawn on it"},
				{Name: "slices", Type: Boolean, Flag: true, Help: "the whole page, in several files"},
				{Name: "format", Type: String, Flag: true, Choices: []string{"png", "jpeg", "webp"}, Default: "png", Help: "the file format"},
				{Name: "quality", Type: Integer, Flag: true, Min: 1, Max: 100, Help: "for jpeg and webp"},
			},
			Files: true, Returns: "path, format, width, height, bytes, url, slices, labels",
			Examples: []string{"screenshot", "screenshot --full --format jpeg --quality 70", "screenshot --element e5", "screenshot --full --annotated", "screenshot --clip 0,0,400,300"},
		}, tab: ownTab, run: reading(runScreenshot)},
		{Spec: Spec{
			Name: "pdf", Aliases: []string{"print"}, Scope: read, Summary: "save the page as PDF and print its path",
			Args: []Arg{
				{Name: "paper", Type: String, Flag: true, Choices: []string{"a4", "a3", "a5", "letter", "legal", "tabloid"}, Default: "a4", Help: "the size of a sheet"},
				{Name: "landscape", Type: Boolean, Flag: true, Help: "wider than high"},
				{Name: "margin", Type: String, Flag: true, Default: "1", Help: "centimetres on every side"},
				{Name: "background", Type: Boolean, Flag: true, Help: "with background colours and images"},
			},
			Files: true, Returns: "path, bytes, url", Examples: []string{"pdf", "pdf --paper letter --landscape --margin 0.5 --background"},
		}, tab: ownTab, run: reading(runPDF)},
		{Spec: Spec{
			Name: "archive", Aliases: []string{"mhtml"}, Scope: read, Summary: "save the page with all that it shows as one MHTML file and print its path",
			Files: true, Returns: "path, bytes, url", Examples: []string{"archive"},
		}, tab: ownTab, run: reading(runArchive)},
		{Spec: Spec{
			Name: "responsive", Scope: protocol.ScopeAct, Summary: "save screenshots of the page at several widths",
			Help: "The page is resized for each screenshot and then gets its own size back. `device` imitates a phone.",
			Args: []Arg{
				{Name: "widths", Type: String, Default: "390,768,1280", Help: "widths in CSS pixels, with commas between"},
				{Name: "full", Type: Boolean, Flag: true, Help: "the whole page, not only what is in view"},
				{Name: "format", Type: String, Flag: true, Choices: []string{"png", "jpeg", "webp"}, Default: "png", Help: "the file format"},
			},
			Files: true, Returns: "path, format, width, height, bytes and url of each", Examples: []string{"responsive", "responsive 320,1920 --full"},
		}, tab: ownTab, run: reading(runResponsive)},
		{Spec: Spec{
			Name: "diff", Aliases: []string{"compare"}, Scope: read, Summary: "show how the page differs from a marked state, or from another tab",
			Help: "`diff --mark` remembers the page as it is now. --pixels also compares screenshots and saves one with the differences in red.",
			Args: []Arg{
				{Name: "mark", Type: Boolean, Flag: true, Help: "remember the page instead of comparing"},
				{Name: "with", Type: TabArg, Flag: true, Help: "compare with this tab instead of the mark"},
				{Name: "pixels", Type: Boolean, Flag: true, Help: "compare screenshots, too"},
				{Name: "full", Type: Boolean, Flag: true, Help: "screenshots of the whole page; also needed with --mark"},
				budgetArg(),
			},
			Files: true, Returns: "same, diff and pixels (path, changed, total, share, area, sizes)", Examples: []string{"diff --mark", "diff --pixels", "diff --with t2"},
		}, tab: ownTab, run: reading(runDiff)},
	}
}

func runScreenshot(ctx context.Context, in *invocation) (string, result, error) {
	q := protocol.ScreenshotRequest{
		Format: in.format(), Quality: in.args.number("quality"), Full: in.args.flag("full"), Clip: in.args.clip("clip"),
		Element: in.args.text("element"), Annotated: in.args.flag("annotated"), Slices: in.args.flag("slices"),
	}
	parts := 0
	for _, given := range []bool{q.Full || q.Slices, q.Clip != nil, q.Element != ""} {
		if given {
			parts++
		}
	}
	switch {
	case parts > 1:
		return "", result{}, protocol.NewError(protocol.CodeBadArgument, "screenshot takes one of --full, --clip, --element and --slices, not both", "", protocol.Example("screenshot", "--full"))
	case q.Quality > 0 && q.Format == "png":
		return "", result{}, protocol.NewError(protocol.CodeBadArgument, "a png has no quality", "", protocol.With("", "--format", "jpeg"))
	}
	shot, err := in.browser.Screenshot(ctx, in.tab, q)
	if err != nil {
		return "", result{}, err
	}
	text := pictureLine(shot)
	if len(shot.Slices) > 1 {
		text = fmt.Sprintf("%s\n%d slices of %d × %d, %d KB", strings.Join(shot.Slices, "\n"), len(shot.Slices), shot.Width, shot.Height, (shot.Bytes+1023)/1024)
	}
	if q.Annotated {
		text += fmt.Sprintf(", %d refs", shot.Labels)
	}
	return shot.URL, result{text: text, data: shot}, nil
}

func pictureLine(shot protocol.Screenshot) string {
	return fmt.Sprintf("%s\n%d × %d, %d KB", shot.Path, shot.Width, shot.Height, (shot.Bytes+1023)/1024)
}

func (in *invocation) format() string {
	if f := in.args.text("format"); f != "" {
		return f
	}
	return "png"
}

func runPDF(ctx context.Context, in *invocation) (string, result, error) {
	q := protocol.PDFRequest{Paper: in.args.text("paper"), Landscape: in.args.flag("landscape"), Background: in.args.flag("background"), Margin: 1}
	if m := strings.TrimSpace(in.args.text("margin")); m != "" {
		margin, err := strconv.ParseFloat(strings.TrimSuffix(m, "cm"), 64)
		if err != nil || !(margin >= 0 && margin < 50) {
			return "", result{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a margin is a number of centimetres, not %.40q", m), "", protocol.Example("pdf", "--margin", "1.5"))
		}
		q.Margin = margin
	}
	file, err := in.browser.PDF(ctx, in.tab, q)
	return file.URL, savedResult(file), err
}

func savedResult(file protocol.PageFile) result {
	return result{text: fmt.Sprintf("%s\n%d KB", file.Path, (file.Bytes+1023)/1024), data: file}
}

func runArchive(ctx context.Context, in *invocation) (string, result, error) {
	file, err := in.browser.Archive(ctx, in.tab)
	return file.URL, savedResult(file), err
}

func runResponsive(ctx context.Context, in *invocation) (string, result, error) {
	list := in.args.text("widths")
	if strings.TrimSpace(list) == "" {
		list = "390,768,1280"
	}
	var widths []int
	for _, w := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(w))
		if err != nil || n < 50 || n > 8000 {
			return "", result{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a width is a number from 50 to 8000, not %.40q", w), "", protocol.Example("responsive", "390,768,1280"))
		}
		widths = append(widths, n)
	}
	if len(widths) > maxResponsive {
		return "", result{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("responsive takes at most %d widths", maxResponsive), "", protocol.Example("responsive", "390,768,1280"))
	}
	shots, err := in.browser.Responsive(ctx, in.tab, widths, protocol.ScreenshotRequest{Format: in.format(), Full: in.args.flag("full")})
	if err != nil {
		return "", result{}, err
	}
	lines := make([]string, len(shots))
	for i, s := range shots {
		lines[i] = fmt.Sprintf("%d: %s", widths[i], strings.ReplaceAll(pictureLine(s), "\n", ", "))
	}
	return shots[0].URL, result{text: strings.Join(lines, "\n"), data: shots}, nil
}

func runDiff(ctx context.Context, in *invocation) (string, result, error) {
	other, full := protocol.TabID(in.args.text("with")), in.args.flag("full")
	if in.args.flag("mark") {
		if other != "" {
			return "", result{}, protocol.NewError(protocol.CodeBadArgument, "diff takes --mark or --with, not both", "", protocol.Example("diff", "--mark"))
		}
		page, err := in.browser.Mark(ctx, in.tab, full)
		return page.URL, result{text: fmt.Sprintf("%s is remembered as it is now, %d characters", in.tab, page.Length), data: map[string]bool{"marked": true}}, err
	}
	if other != "" {
		if err := in.mayRead(ctx, other); err != nil {
			return "", result{}, err
		}
	}
	before, now, pixels, err := in.browser.Compare(ctx, in.tab, other, full, in.args.flag("pixels"))
	if err != nil {
		return "", result{}, err
	}
	if policy.Agent(in.actor) {
		if err := in.policy.URL(in.actor, before.URL); err != nil {
			return "", result{}, err
		}
	}
	name := "before"
	if other != "" {
		name = string(other)
	}
	text := string(diff.Diff(name, []byte(before.Text+"\n"), string(in.tab), []byte(now.Text+"\n")))
	out := struct {
		Same   bool                `json:"same"`
		Diff   string              `json:"diff"`
		Pixels *protocol.PixelDiff `json:"pixels,omitempty"`
	}{text == "", text, pixels}
	shown := "the text is the same"
	if text != "" {
		shown = in.listed(now.URL, strings.Split(strings.TrimSpace(text), "\n"), "lines")
	}
	if pixels != nil {
		shown += "\n" + pixelLine(pixels)
	}
	return now.URL, result{text: shown, data: out}, nil
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

// mayRead says whether the caller may read another tab, too.
func (in *invocation) mayRead(ctx context.Context, tab protocol.TabID) error {
	if !in.open(tab) {
		return protocol.NewError(protocol.CodeUnknownTab, "there is no tab "+string(tab), "", protocol.Try("lists the tabs", "tabs"))
	}
	if err := in.policy.Tab(in.actor, in.own, tab, in.browser.Tabs()); err != nil {
		return err
	}
	there := *in
	there.tab = tab
	return there.readable(ctx)
}
