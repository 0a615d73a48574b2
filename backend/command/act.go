package command

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

func targetArg() Arg {
	return Arg{
		Name: "target", Type: String, Required: true,
		Help: `what to act on: a ref such as e5, a CSS selector, role=button name="Save", text=Save, label=Name, or a point x,y`,
	}
}

// actCommands are the commands that act on a page.
func actCommands() []command {
	act := protocol.ScopeAct
	value := func(help string) Arg { return Arg{Name: "value", Type: String, Help: help} }
	// What is typed may be a password: the activity does not keep it.
	typed := func(help string) Arg { return Arg{Name: "value", Type: String, Secret: true, typed: true, Help: help} }
	modifiers := Arg{Name: "modifiers", Type: String, Flag: true, Help: "keys held down: Shift+Control"}
	at := Arg{Name: "at", Type: String, Flag: true, Help: "a point inside it, x,y from its top left corner"}
	hold := Arg{Name: "hold", Type: Integer, Flag: true, Min: 1, Max: 60_000, Help: "milliseconds to hold it"}
	speed := Arg{Name: "speed", Type: Integer, Flag: true, Min: 1, Max: 100_000, Help: "pixels a second"}
	x := Arg{Name: "x", Type: Integer, Flag: true, Min: -1e6, Max: 1e6, Help: "pixels to the right"}
	y := Arg{Name: "y", Type: Integer, Flag: true, Min: -1e6, Max: 1e6, Help: "pixels down"}
	keyed := Arg{Name: "target", Type: String, Flag: true, Help: "the element to focus first; the focused one if left out"}
	count := Arg{Name: "count", Type: Integer, Flag: true, Min: 1, Max: 3, Default: "1", Help: "how many clicks"}
	button := Arg{Name: "button", Type: String, Flag: true, Choices: []string{"left", "right", "middle"}, Default: "left", Help: "the mouse button"}
	const returns = "hit, url, title, appeared, gone, changed, said, focus, value, navigated, status, tabs, dialog, downloads, errors, nothing, held, released, untrusted"
	one := func(name, summary, example string, kind protocol.ActKind, done string, args ...Arg) command {
		return command{Spec: Spec{
			Name: name, Scope: act, Summary: summary, Args: append([]Arg{targetArg()}, args...), Returns: returns, Examples: []string{example},
		}, tab: ownTab, run: acting(kind, done)}
	}
	press := one("press", "press keys", "press Enter", protocol.ActPress, "pressed")
	press.Args = []Arg{
		{Name: "key", Type: String, Required: true, Help: "a key such as Enter, ArrowDown or Control+A; several separated by spaces"},
		keyed,
	}
	keydown := one("keydown", "hold keys down", "keydown Shift", protocol.ActKeyDown, "pressed")
	keydown.Args = []Arg{{Name: "key", Type: String, Required: true, Help: "keys separated by spaces: Shift, a, KeyW"}, keyed}
	keydown.Help = "A key that is down applies to your later clicks and keys in the tab. keyup releases it; so does the end of your session, and the tab going to another page. Each reply lists what is down."
	keyup := one("keyup", "release keys", "keyup Shift", protocol.ActKeyUp, "released")
	keyup.Args = []Arg{{Name: "key", Type: String, Help: "keys separated by spaces; all keys and mouse buttons if left out"}, keyed}
	keyup.Examples = []string{"keyup Shift", "keyup"}
	mouse := one("mouse", "move the mouse, or press or release a button", "mouse move 120,80", protocol.ActMouse, "mouse")
	mouse.Args = []Arg{
		{Name: "action", Type: String, Required: true, Choices: []string{"move", "down", "up"}, Help: "what the mouse does"},
		{Name: "target", Type: String, Help: "where: a target or x,y; where the mouse is if left out"},
		button,
	}
	mouse.Examples = []string{"mouse move 120,80", "mouse down e5", "mouse up"}
	scroll := one("scroll", "scroll an element into view, or the page or an area by pixels", "scroll e12", protocol.ActScroll, "scrolled")
	scroll.Args = []Arg{
		{Name: "target", Type: String, Help: "what to bring into view, or the area to scroll; the page if left out"},
		x, y,
	}
	drag := one("drag", "drag one element to another", "drag e5 e9", protocol.ActDrag, "dragged",
		Arg{Name: "to", Type: String, Required: true, Help: "where to: a target"},
		Arg{Name: "via", Type: String, Flag: true, Help: "points or refs on the way, separated by spaces"}, speed)
	drag.Examples = []string{"drag e5 e9", `drag e5 400,300 --via "120,80 200,300" --speed 500`}
	swipe := one("swipe", "swipe with a finger from one element to another, or by pixels", "swipe e5 --x -200", protocol.ActSwipe, "swiped",
		Arg{Name: "to", Type: String, Help: "where to: a target"}, x, y, speed)
	upload := one("upload", "choose files in a file field, or for a button that opens a file chooser", "upload e7 report.pdf", protocol.ActUpload, "uploaded",
		Arg{Name: "files", Type: Paths, Required: true, Help: "paths of one or more files"})
	upload.Scope = protocol.ScopeSensitive
	upload.Examples = []string{"upload e7 report.pdf", `upload label=File "May, June.pdf" report.pdf`}
	upload.Help = "Over HTTP and MCP, files is a list of absolute paths. A single text with commas is one file if a file has that name, else several."
	double := one("dblclick", "double-click an element", "dblclick e5", protocol.ActClick, "double-clicked", modifiers, at)
	list := []command{
		one("click", "click an element and report what changed", "click e5", protocol.ActClick, "clicked", button, count, modifiers, at, hold),
		double,
		one("hover", "move the mouse over an element", "hover e5", protocol.ActHover, "hovered over", modifiers, at),
		one("fill", "replace the text of a field", `fill e3 "Ada Lovelace"`, protocol.ActFill, "filled", typed("the text; empty clears the field")),
		one("type", "type a text key by key at the end of a field", "type e3 hello", protocol.ActType, "typed into", typed("the text"),
			Arg{Name: "clear", Type: Boolean, Flag: true, Help: "replace the text that is there"}),
		press, keydown, keyup, mouse,
		one("select", "choose options of a list by label or value", "select e4 Berlin", protocol.ActSelect, "selected in", value("the option; several separated by line breaks")),
		one("check", "turn on a checkbox, radio button or switch", "check e6", protocol.ActCheck, "checked"),
		one("uncheck", "turn off a checkbox or switch", "uncheck e6", protocol.ActCheck, "unchecked"),
		one("focus", "focus an element", "focus e3", protocol.ActFocus, "focused"),
		drag, scroll,
		one("tap", "tap an element with a finger", "tap e5", protocol.ActTap, "tapped", Arg{Name: "count", Type: Integer, Flag: true, Min: 1, Max: 3, Default: "1", Help: "how many taps"}, at, hold),
		swipe,
		one("pinch", "move two fingers apart on an element, or together", "pinch e5 2", protocol.ActPinch, "pinched",
			Arg{Name: "scale", Type: String, Required: true, Help: "2 moves the fingers apart, 0.5 together"}),
		upload,
	}
	return append(append(list, downloadCommand()), waitCommands()...)
}

// acting is the handler of one kind of action.
func acting(kind protocol.ActKind, done string) func(context.Context, *invocation) (result, error) {
	return func(ctx context.Context, in *invocation) (result, error) {
		q := protocol.ActRequest{
			Kind: kind, Target: in.args.text("target"), To: in.args.text("to"), Text: in.args.text("value"), Clear: in.args.flag("clear"),
			Button: in.args.text("button"), Count: in.args.number("count"), Modifiers: in.args.text("modifiers"),
			Do: in.args.text("action"), HoldMS: in.args.number("hold"), Speed: float64(in.args.number("speed")), Via: strings.Fields(in.args.text("via")),
			On: done == "checked", DX: float64(in.args.number("x")), DY: float64(in.args.number("y")),
		}
		if done == "double-clicked" {
			q.Count = 2
		}
		if raw := in.args.text("at"); raw != "" {
			left, top, _ := strings.Cut(raw, ",")
			x, errX := strconv.ParseFloat(strings.TrimSpace(left), 64)
			y, errY := strconv.ParseFloat(strings.TrimSpace(top), 64)
			if errX != nil || errY != nil {
				return result{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("--at takes two numbers x,y, not %.40q", raw), "", protocol.With("", "--at", "10,5"))
			}
			q.At = &[2]float64{x, y}
		}
		if _, given := in.args["value"]; !given && (kind == protocol.ActFill || kind == protocol.ActType || kind == protocol.ActSelect) {
			return result{}, protocol.NewError(protocol.CodeBadArgument, "the value is missing", `write "" for an empty one`)
		}
		switch kind {
		case protocol.ActPress, protocol.ActKeyDown, protocol.ActKeyUp:
			q.Text = in.args.text("key")
		case protocol.ActPinch:
			scale, err := strconv.ParseFloat(strings.TrimSpace(in.args.text("scale")), 64)
			if err != nil {
				return result{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the scale is a number, not %.40q", in.args.text("scale")), "2 moves the fingers apart, 0.5 together")
			}
			q.Scale = scale
		case protocol.ActSelect:
			q.Values = strings.Split(q.Text, "\n")
		case protocol.ActUpload:
			for _, name := range in.args.paths("files") {
				if !filepath.IsAbs(name) {
					return result{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is not an absolute path", name), "give the whole path of the file, from / on")
				}
				q.Values = append(q.Values, name)
			}
		case protocol.ActScroll:
			if q.Target == "" && !in.args.given("x") && !in.args.given("y") {
				q.DY = scrollStep
			}
		}
		if err := in.readable(ctx); err != nil {
			return result{}, err
		}
		e, err := in.browser.Act(ctx, in.tab, q, in.allow())
		if err != nil {
			return result{}, in.blamed(e.URL, err, e.Hit != "")
		}
		for _, t := range e.Tabs {
			if policy.Agent(in.actor) {
				in.policy.Opened(in.actor, t)
			}
		}
		return in.told(said(done, &q), &e), nil
	}
}

// said is what was done, in words.
func said(done string, q *protocol.ActRequest) string {
	if q.Kind != protocol.ActMouse {
		return done
	}
	return map[string]string{"move": "moved the mouse", "down": "pressed the mouse button", "up": "released the mouse button"}[q.Do]
}

// scrollStep is how far `scroll` goes without a number: most of a screen.
const scrollStep = 600

// blamed puts an error that names things of the page into an agent's envelope:
// their names are the page's words. hit: the action had found its target, which
// whatever went wrong then may name.
func (in *invocation) blamed(url string, err error, hit bool) error {
	e := protocol.AsError(err)
	named := namesThings(e.Code) || e.Code == protocol.CodeDialog
	switch e.Code {
	case protocol.CodeNavigation, protocol.CodeBadArgument, protocol.CodeScript:
		named = hit
	}
	if named {
		if url == "" { // the action did not come so far as to know
			url = in.current()
		}
		said := e.Saying(in.foreign(url, e.Message))
		said.Hint, said.Page = line(e.Hint, 400), protocol.PageEnveloped
		return said
	}
	return err
}

// namesThings says whether an error of a code is about things of the page, by
// the names that it gives them.
func namesThings(code protocol.Code) bool {
	switch code {
	case protocol.CodeNoElement, protocol.CodeAmbiguous, protocol.CodeGone, protocol.CodeChanged, protocol.CodeDisabled, protocol.CodeHidden,
		protocol.CodeInert, protocol.CodeCovered, protocol.CodeNotActable:
		return true
	}
	return false
}

// waitCommands wait, answer dialogs and reach the clipboard.
func waitCommands() []command {
	return []command{
		{Spec: Spec{
			Name: "wait", Scope: protocol.ScopeRead, Summary: "wait for a text, an element, an address, a quiet network or a time",
			Help: "Goes on waiting while the tab loads other pages, at most --timeout.",
			Args: []Arg{
				{Name: "for", Type: String, Required: true, Choices: []string{"text", "element", "gone", "url", "load", "quiet", "function", "time"}, Help: "what to wait for; quiet: no network requests"},
				{Name: "value", Type: String, Help: "the text, target, address (a part of it, or a pattern with *), expression or milliseconds"},
			},
			Returns: "tab, url, title", Examples: []string{"wait text Saved", "wait gone #spinner", "wait url */done", "wait load", "wait time 500"},
		}, tab: ownTab, run: runWait},
		{Spec: Spec{
			Name: "dialog", Scope: protocol.ScopeAct, Summary: "answer the dialog that the page shows",
			Args: []Arg{
				{Name: "answer", Type: String, Required: true, Choices: []string{"accept", "dismiss"}, Help: "OK or Cancel"},
				{Name: "text", Type: String, Help: "the answer to a prompt"},
			},
			Returns: "type, message", Examples: []string{"dialog accept", "dialog accept Ada", "dialog dismiss"},
		}, tab: ownTab, run: runDialog},
		{Spec: Spec{
			Name: "clipboard", Scope: protocol.ScopeSensitive, Summary: "read the clipboard, or write to it",
			Args:    []Arg{{Name: "text", Type: String, Help: "the text to write; reads the clipboard if left out"}},
			Returns: "text", Examples: []string{"clipboard", "clipboard hello"},
		}, tab: ownTab, run: runClipboard},
	}
}

func runWait(ctx context.Context, in *invocation) (result, error) {
	q := protocol.WaitRequest{Kind: protocol.WaitKind(in.args.text("for")), Value: in.args.text("value")}
	switch q.Kind {
	case protocol.WaitForLoad, protocol.WaitForQuiet:
	case protocol.WaitForTime:
		if _, err := strconv.Atoi(q.Value); err != nil {
			return result{}, protocol.NewError(protocol.CodeBadArgument, "wait time needs a number of milliseconds", "", protocol.Example("wait", "time", "500"))
		}
	default:
		if q.Value == "" {
			return result{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("wait %s needs a value", q.Kind), "", protocol.Example("wait", "text", "Saved"))
		}
	}
	if q.Kind == protocol.WaitForFunction && policy.Agent(in.actor) {
		// It runs the page's code, as eval does, which an agent has to be given.
		return result{}, protocol.NewError(protocol.CodeForbidden, "agents may not run expressions in a page", "wait for a text or an element")
	}
	if err := in.readable(ctx); err != nil {
		return result{}, err
	}
	info, err := in.browser.Wait(ctx, in.tab, q)
	if err != nil {
		return result{}, in.blamed(info.URL, err, false)
	}
	place, said := in.place(info.URL)
	text := fmt.Sprintf("done waiting for %s; %s is at %s", q.Kind, in.tab, place)
	if len(said) > 0 {
		text += "\n" + in.foreign(info.URL, strings.Join(said, "\n"))
	}
	return result{text: text, data: info}, nil
}

func runDialog(ctx context.Context, in *invocation) (result, error) {
	var text *string
	if t, given := in.args["text"].(string); given {
		text = &t
	}
	accept := in.args.text("answer") == "accept"
	info, err := in.browser.Dialog(ctx, in.tab, accept, text)
	if err != nil {
		return result{}, err
	}
	how := "dismissed"
	if accept {
		how = "accepted"
	}
	return result{text: how + " the dialog: " + in.foreign("", line(info.Type+": "+info.Message, 300)), data: info}, nil
}

func runClipboard(ctx context.Context, in *invocation) (result, error) {
	var text *string
	if t, given := in.args["text"].(string); given {
		text = &t
	}
	got, err := in.browser.Clipboard(ctx, in.tab, text)
	if err != nil {
		return result{}, err
	}
	if text != nil {
		return result{text: "copied to the clipboard", data: map[string]string{"text": *text}}, nil
	}
	return result{text: in.foreign("", got), data: map[string]string{"text": got}}, nil
}
