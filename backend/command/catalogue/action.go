package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

func targetArg() command.Arg {
	return command.Arg{
		Name: "target", Type: command.String, Required: true,
		Help: `what to act on: a ref such as e5, a CSS selector, role=button name="Save", text=Save, label=Name, or a point x,y`,
	}
}

// actions returns the commands that act on the elements of a page.
func (c *commands) actions() []command.Command {
	act := protocol.ScopeAct
	value := func(help string) command.Arg { return command.Arg{Name: "value", Type: command.String, Help: help} }
	// Typed text may be a password, so the activity does not record it.
	typed := func(help string) command.Arg {
		return command.Arg{Name: "value", Type: command.String, Secret: true, Typed: true, Help: help}
	}
	secret := command.Arg{Name: "secret", Type: command.String, Flag: true, Help: "name of the user's secret, to enter in place of a value; its value is never shown"}
	modifiers := command.Arg{Name: "modifiers", Type: command.String, Flag: true, Help: "keys held down: Shift+Control"}
	at := command.Arg{Name: "at", Type: command.String, Flag: true, Help: "a point inside it, x,y from its top left corner"}
	hold := command.Arg{Name: "hold", Type: command.Integer, Flag: true, Min: 1, Max: 60_000, Help: "milliseconds to hold it"}
	speed := command.Arg{Name: "speed", Type: command.Integer, Flag: true, Min: 1, Max: 100_000, Help: "pixels a second"}
	x := command.Arg{Name: "x", Type: command.Integer, Flag: true, Min: -1e6, Max: 1e6, Help: "pixels to the right"}
	y := command.Arg{Name: "y", Type: command.Integer, Flag: true, Min: -1e6, Max: 1e6, Help: "pixels down"}
	keyed := command.Arg{Name: "target", Type: command.String, Flag: true, Help: "the element to focus first; the focused one if left out"}
	count := command.Arg{Name: "count", Type: command.Integer, Flag: true, Min: 1, Max: 3, Default: "1", Help: "how many clicks"}
	button := command.Arg{Name: "button", Type: command.String, Flag: true, Choices: []string{"left", "right", "middle"}, Default: "left", Help: "the mouse button"}
	const returns = "hit, url, title, appeared, gone, changed, said, focus, value, navigated, status, tabs, dialog, downloads, errors, nothing, closed, held, released, untrusted"
	byPage := []string{"click", "hover", "fill", "type", "select", "check", "uncheck", "scroll", "press", "drag"}
	one := func(name, summary, example string, kind protocol.ActKind, done string, args ...command.Arg) command.Command {
		return command.Command{Spec: command.Spec{
			Name: name, Scope: act, Summary: summary, Args: append([]command.Arg{targetArg()}, args...), Returns: returns, Examples: []string{example},
		}, Tab: command.OwnTab, ByPage: slices.Contains(byPage, name), Secrets: name == "fill" || name == "type", Doing: c.doing(kind), Run: c.acting(kind, done)}
	}
	press := one("press", "press keys", "press Enter", protocol.ActPress, "pressed")
	press.Args = []command.Arg{
		{Name: "key", Type: command.String, Required: true, Help: "a key such as Enter, ArrowDown or Control+A; several separated by spaces"},
		keyed,
	}
	keydown := one("keydown", "hold keys down", "keydown Shift", protocol.ActKeyDown, "pressed")
	keydown.Args = []command.Arg{{Name: "key", Type: command.String, Required: true, Help: "keys separated by spaces: Shift, a, KeyW"}, keyed}
	keydown.Help = "A key that is down applies to your later clicks and keys in the tab. keyup releases it; so does the end of your session, and the tab going to another page. Each reply lists what is down."
	keyup := one("keyup", "release keys", "keyup Shift", protocol.ActKeyUp, "released")
	keyup.Args = []command.Arg{{Name: "key", Type: command.String, Help: "keys separated by spaces; all keys and mouse buttons if left out"}, keyed}
	keyup.Examples = []string{"keyup Shift", "keyup"}
	mouse := one("mouse", "move the mouse, or press or release a button", "mouse move 120,80", protocol.ActMouse, "mouse")
	mouse.Args = []command.Arg{
		{Name: "action", Type: command.String, Required: true, Choices: []string{"move", "down", "up"}, Help: "what the mouse does"},
		{Name: "target", Type: command.String, Help: "where: a target or x,y; where the mouse is if left out"},
		button,
	}
	mouse.Examples = []string{"mouse move 120,80", "mouse down e5", "mouse up"}
	scroll := one("scroll", "scroll an element into view, or the page or an area by pixels", "scroll e12", protocol.ActScroll, "scrolled")
	scroll.Args = []command.Arg{
		{Name: "target", Type: command.String, Help: "what to bring into view, or the area to scroll; the page if left out"},
		x, y,
	}
	drag := one("drag", "drag one element to another", "drag e5 e9", protocol.ActDrag, "dragged",
		command.Arg{Name: "to", Type: command.String, Required: true, Help: "where to: a target"},
		command.Arg{Name: "via", Type: command.String, Flag: true, Help: "points or refs on the way, separated by spaces"}, speed)
	drag.Examples = []string{"drag e5 e9", `drag e5 400,300 --via "120,80 200,300" --speed 500`}
	swipe := one("swipe", "swipe with a finger from one element to another, or by pixels", "swipe e5 --x -200", protocol.ActSwipe, "swiped",
		command.Arg{Name: "to", Type: command.String, Help: "where to: a target"}, x, y, speed)
	upload := one("upload", "choose files in a file field, or for a button that opens a file chooser, or drop them on an element", "upload e7 report.pdf", protocol.ActUpload, "uploaded",
		command.Arg{Name: "files", Type: command.Paths, Required: true, Help: "paths of one or more files, or of a folder"})
	upload.Scope, upload.Kind = protocol.ScopeSensitive, protocol.ActionUpload
	upload.First = c.realFiles
	upload.Returns += ", dropped, accept"
	upload.Examples = []string{"upload e7 report.pdf", `upload label=File "May, June.pdf" report.pdf`}
	upload.Help = "A place for drops without a field gets the files by a drop. A field for a folder takes one folder, with all files in it. Over HTTP and MCP, files is a list of absolute paths. A single text with commas is one file if a file has that name, else several."
	double := one("dblclick", "double-click an element", "dblclick e5", protocol.ActClick, "double-clicked", modifiers, at)
	return []command.Command{
		one("click", "click an element and report what changed", "click e5", protocol.ActClick, "clicked", button, count, modifiers, at, hold),
		double,
		one("hover", "move the mouse over an element", "hover e5", protocol.ActHover, "hovered over", modifiers, at),
		one("fill", "replace the text of a field", `fill e3 "Ada Lovelace"`, protocol.ActFill, "filled", typed("the text; empty clears the field"), secret),
		one("type", "type a text key by key at the end of a field", "type e3 hello", protocol.ActType, "typed into", typed("the text; a tab in it is typed into the field"),
			command.Arg{Name: "clear", Type: command.Boolean, Flag: true, Help: "replace the text in it"}, secret),
		press, keydown, keyup, mouse,
		one("select", "choose options of a list by label or value", "select e4 Berlin", protocol.ActSelect, "selected in", value(`the option; several separated by line breaks; "" chooses none of a list that takes several`)),
		one("check", "turn on a checkbox, radio button or switch", "check e6", protocol.ActCheck, "checked"),
		one("uncheck", "turn off a checkbox or switch", "uncheck e6", protocol.ActCheck, "unchecked"),
		one("focus", "focus an element", "focus e3", protocol.ActFocus, "focused"),
		drag, scroll,
		one("tap", "tap an element with a finger", "tap e5", protocol.ActTap, "tapped", command.Arg{Name: "count", Type: command.Integer, Flag: true, Min: 1, Max: 3, Default: "1", Help: "how many taps"}, at, hold),
		swipe,
		one("pinch", "move two fingers apart on an element, or together", "pinch e5 2", protocol.ActPinch, "pinched",
			command.Arg{Name: "scale", Type: command.String, Required: true, Help: "2 moves the fingers apart, 0.5 together"}),
		upload,
		c.downloadCommand(),
	}
}

// realFiles replaces the links among the files that an agent uploads by what they lead to,
// which the user is asked about, and refuses what agents give to no page.
func (c *commands) realFiles(in *command.Invocation) error {
	names := slices.Clone(in.Args.Paths("files"))
	for i, name := range names {
		if !filepath.IsAbs(name) {
			return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is not an absolute path", name), "give the whole path of the file, from / on")
		}
		if !in.Agent() || c.Uploads.Dir == "" {
			continue
		}
		var err error
		if names[i], err = c.Uploads.real(name); err != nil {
			return err
		}
	}
	if !in.Agent() {
		return nil
	}
	return in.Means("files", names)
}

// acting returns the handler of one kind of action.
func (c *commands) acting(kind protocol.ActKind, done string) func(context.Context, *command.Invocation) (command.Result, error) {
	return func(ctx context.Context, in *command.Invocation) (command.Result, error) {
		q := protocol.ActRequest{
			Kind: kind, Target: in.Args.Text("target"), To: in.Args.Text("to"), Text: in.Args.Text("value"), Clear: in.Args.Flag("clear"),
			Button: in.Args.Text("button"), Count: in.Args.Number("count"), Modifiers: in.Args.Text("modifiers"),
			Do: in.Args.Text("action"), HoldMS: in.Args.Number("hold"), Speed: float64(in.Args.Number("speed")), Via: strings.Fields(in.Args.Text("via")),
			On: done == "checked", DX: float64(in.Args.Number("x")), DY: float64(in.Args.Number("y")),
		}
		if done == "double-clicked" {
			q.Count = 2
		}
		if raw := in.Args.Text("at"); raw != "" {
			left, top, _ := strings.Cut(raw, ",")
			x, errX := strconv.ParseFloat(strings.TrimSpace(left), 64)
			y, errY := strconv.ParseFloat(strings.TrimSpace(top), 64)
			if errX != nil || errY != nil {
				return command.Result{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("--at takes two numbers x,y, not %.40q", raw), "", protocol.With("", "--at", "10,5"))
			}
			q.At = &[2]float64{x, y}
		}
		secret, origin, err := in.Secret(ctx)
		if err != nil {
			return command.Result{}, err
		}
		if origin != "" {
			q.Text, q.Origin = secret, origin
		} else if !in.Args.Given("value") && (kind == protocol.ActFill || kind == protocol.ActType || kind == protocol.ActSelect) {
			return command.Result{}, protocol.NewError(protocol.CodeBadArgument, "the value is missing", `write "" for an empty one`)
		}
		switch kind {
		case protocol.ActPress, protocol.ActKeyDown, protocol.ActKeyUp:
			q.Text = in.Args.Text("key")
		case protocol.ActPinch:
			scale, err := strconv.ParseFloat(strings.TrimSpace(in.Args.Text("scale")), 64)
			if err != nil {
				return command.Result{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the scale is a number, not %.40q", in.Args.Text("scale")), "2 moves the fingers apart, 0.5 together")
			}
			q.Scale = scale
		case protocol.ActSelect:
			q.Values = strings.Split(q.Text, "\n")
		case protocol.ActUpload:
			q.Values = in.Args.Paths("files")
		case protocol.ActScroll:
			if q.Target == "" && !in.Args.Given("x") && !in.Args.Given("y") {
				q.DY = scrollStep
			}
		}
		if err := in.Readable(ctx); err != nil {
			return command.Result{}, err
		}
		if kind == protocol.ActUpload && in.Agent() {
			if q.Values, err = c.Uploads.copies(q.Values); err != nil {
				return command.Result{}, err
			}
		}
		e, err := c.Browser.Act(ctx, in.By(), in.Tab, q, in.Allow())
		if err != nil {
			return command.Result{}, blamed(in, e.URL, err, e.Hit != "")
		}
		for _, t := range e.Tabs {
			if in.Agent() {
				in.Opened(t)
			}
		}
		return describeEffect(in, &q, doneText(done, &q, &e), &e), nil
	}
}

// doneText returns what was done, in words, up to the element that it was done on. Without
// a target there is none, and the words are whole.
func doneText(done string, q *protocol.ActRequest, e *protocol.Effect) string {
	none := q.Target == ""
	switch q.Kind {
	case protocol.ActMouse:
		done = map[string]string{"move": "moved the mouse to", "down": "pressed the mouse button on", "up": "released the mouse button on"}[q.Do]
		if at, known := strings.CutPrefix(e.Hit, "the mouse "); none && known {
			done = strings.TrimSuffix(done, " on") + " " + at
		}
	case protocol.ActPress, protocol.ActKeyDown, protocol.ActKeyUp:
		done += " " + cmp.Or(foreign.Field(q.Text), "all keys")
		if !none {
			done += " in"
		}
	case protocol.ActScroll:
		switch {
		case none:
			done += " the page"
		case e.Moved == nil:
			done = "scrolled into view:"
		}
	case protocol.ActUpload:
		if e.Dropped {
			done = "uploaded by dropping " + spelling.Plural(len(q.Values), "file") + " on"
		} else {
			done += " to"
		}
	}
	return done
}

// scrollStep is how far `scroll` goes without a number, in pixels: most of a
// screen.
const scrollStep = 600

// blamed puts an error that names elements of the page into an agent's
// envelope, because the page wrote those names. hit is true when the action had
// found its target: then any error may name it.
func blamed(in *command.Invocation, url string, err error, hit bool) error {
	e := protocol.AsError(err)
	named := foreign.Names(e.Code) || e.Code == protocol.CodeDialog
	switch e.Code {
	case protocol.CodeNavigation, protocol.CodeBadArgument, protocol.CodeScript:
		named = hit
	}
	if named {
		if url == "" { // the action did not come so far as to know
			url = in.Acted()
		}
		said := e.Saying(in.Foreign(url, e.Message))
		said.Hint, said.Page = foreign.Line(e.Hint, 400), protocol.PageEnveloped
		return said
	}
	return err
}

// waits returns the commands that wait, answer dialogs and use the
// clipboard.
func (c *commands) waits() []command.Command {
	return []command.Command{
		{Spec: command.Spec{
			Name: "wait", Scope: protocol.ScopeRead, Summary: "wait for a text, an element, an address, a quiet network or a time",
			Help: "Goes on waiting while the tab loads other pages, at most --timeout.",
			Args: []command.Arg{
				{Name: "for", Type: command.String, Required: true, Choices: []string{"text", "element", "gone", "url", "load", "quiet", "function", "time"}, Help: "what to wait for; quiet: no network requests"},
				{Name: "value", Type: command.String, Help: "the text, target, address (a part of it, or a pattern with *), expression or milliseconds"},
			},
			Returns: "tab, url, title", Examples: []string{"wait text Saved", "wait gone #spinner", "wait url */done", "wait load", "wait time 500"},
		}, Tab: command.OwnTab, ByPage: true, Run: c.runWait},
		{Spec: command.Spec{
			Name: "dialog", Scope: protocol.ScopeAct, Summary: "answer the dialog that the page shows",
			Args: []command.Arg{
				{Name: "answer", Type: command.String, Required: true, Choices: []string{"accept", "dismiss"}, Help: "OK or Cancel"},
				{Name: "text", Type: command.String, Help: "the answer to a prompt"},
			},
			Returns: "type, message, next, closed", Examples: []string{"dialog accept", "dialog accept Ada", "dialog dismiss"},
		}, Tab: command.OwnTab, Doing: command.Giving(func(args command.Values) bool { return args.Text("text") != "" }), Run: c.runDialog},
		{Spec: command.Spec{
			Name: "clipboard", Scope: protocol.ScopeSensitive, Summary: "read the clipboard, or write to it",
			Args:    []command.Arg{{Name: "text", Type: command.String, Help: "the text to write; reads the clipboard if left out"}},
			Returns: "text", Examples: []string{"clipboard", "clipboard hello"},
		}, Tab: command.OwnTab, Kind: protocol.ActionClipboard, Run: c.runClipboard},
	}
}

func (c *commands) runWait(ctx context.Context, in *command.Invocation) (command.Result, error) {
	q := protocol.WaitRequest{Kind: protocol.WaitKind(in.Args.Text("for")), Value: in.Args.Text("value")}
	switch q.Kind {
	case protocol.WaitForLoad, protocol.WaitForQuiet:
	case protocol.WaitForTime:
		if _, err := strconv.Atoi(q.Value); err != nil {
			return command.Result{}, protocol.NewError(protocol.CodeBadArgument, "wait time needs a number of milliseconds", "", protocol.Example("wait", "time", "500"))
		}
	default:
		if q.Value == "" {
			return command.Result{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("wait %s needs a value", q.Kind), "", protocol.Example("wait", "text", "Saved"))
		}
	}
	if q.Kind == protocol.WaitForFunction && in.Agent() {
		// It runs code in the page, as eval does, and an agent needs permission for
		// that.
		return command.Result{}, protocol.NewError(protocol.CodeForbidden, "agents may not run expressions in a page", "wait for a text or an element")
	}
	if err := in.Readable(ctx); err != nil {
		return command.Result{}, err
	}
	info, err := c.Browser.Wait(ctx, in.By(), in.Tab, q)
	if err != nil {
		return command.Result{}, blamed(in, info.URL, err, false)
	}
	place, said := in.Place(info.URL)
	text := fmt.Sprintf("done waiting for %s; %s is at %s", q.Kind, in.Tab, place)
	if len(said) > 0 {
		text += "\n" + in.Foreign(info.URL, strings.Join(said, "\n"))
	}
	return command.Result{Text: text, Data: info}, nil
}

func (c *commands) runDialog(ctx context.Context, in *command.Invocation) (command.Result, error) {
	var answer *string
	if t, given := in.Args["text"].(string); given {
		answer = &t
	}
	accept := in.Args.Text("answer") == "accept"
	info, err := c.Browser.Dialog(ctx, in.By(), in.Tab, accept, answer)
	if err != nil {
		return command.Result{}, err
	}
	text := "dismissed"
	if accept {
		text = "accepted"
	}
	text += " the " + cmp.Or(foreign.Line(info.Type, 20), "dialog")
	if info.Closed != "" {
		text += ", and it closed " + string(info.Closed)
	}
	text += ": " + in.Foreign("", foreign.Line(info.Message, 300))
	if info.Next != nil {
		text += "\n" + command.DialogOpened(in.Tab, info.Next) + "\n" + in.Foreign("", foreign.Line("dialog: "+info.Next.Message, 300))
	}
	return command.Result{Text: text, Data: info}, nil
}

func (c *commands) runClipboard(ctx context.Context, in *command.Invocation) (command.Result, error) {
	var text *string
	if t, given := in.Args["text"].(string); given {
		text = &t
	}
	got, err := c.Browser.Clipboard(ctx, in.By(), in.Tab, text)
	if err != nil {
		return command.Result{}, err
	}
	if text != nil {
		return command.Result{Text: "copied to the clipboard", Data: map[string]string{"text": *text}}, nil
	}
	return command.Result{Text: in.Foreign("", got), Data: map[string]string{"text": got}}, nil
}
