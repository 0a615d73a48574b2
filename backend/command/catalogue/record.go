package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// recordings returns the commands of recordings and traces.
func (c *commands) recordings() []command.Command {
	act := protocol.ScopeAct
	return []command.Command{
		{Spec: command.Spec{
			Name: "record", Scope: act, Summary: "record what the user or commands do in the tab, as a routine, a Playwright test and a video",
			Help: "stop saves the routine under its name for `run`, and the test beside it. end keeps the recording instead, until discard: then save writes the routine and its test, or with --video only the video, in one form after another. Passwords are not saved: they become parameters. An agent that would replace a routine of somebody else waits for the user.",
			Args: []command.Arg{
				command.DoArg("status", "start", "stop", "end", "save", "discard"),
				{Name: "name", Type: command.String, Help: "for stop and save: the routine's name; the time if left out"},
				{Name: "video", Type: command.String, Flag: true, Choices: []string{"none", "webm", "avi", "gif"}, Default: "none", Help: "for start: also record a video (webm with the pointer and the steps as titles, avi with JPEG frames, or animated gif); for stop and save: its form"},
			},
			Returns:  "running, held, steps, video, routine, playwright",
			Examples: []string{"record start --video webm", "record stop login", "record", "record end", "record save --video gif", "record discard"},
		}, Tab: command.OwnTab, Replaces: c.replacesRoutine, Run: c.runRecord},
		{Spec: command.Spec{
			Name: "trace", Scope: act, Summary: "trace what the browser does in the tab, into a file for its performance panel",
			Needs: protocol.CapabilityTrace,
			Args:  []command.Arg{command.DoArg("status", "start", "stop")},
			Files: true, Returns: "running, or path and bytes", Examples: []string{"trace start", "trace stop"},
		}, Tab: command.OwnTab, Run: c.runTrace},
	}
}

var routineName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`) })

func (c *commands) runRecord(ctx context.Context, in *command.Invocation) (command.Result, error) {
	switch in.Args.Do("status") {
	case "start":
		if err := c.Browser.StartRecording(ctx, in.By(), in.Tab, videoForm(in)); err != nil {
			return command.Result{}, err
		}
		return command.Result{Text: string(in.Tab) + " is recorded; `record stop` ends it", Data: protocol.Recording{Running: true, Steps: []protocol.RecordedStep{}}}, nil
	case "stop":
		return c.stopRecord(ctx, in)
	case "end":
		r, err := c.Browser.EndRecording(ctx, in.By(), in.Tab)
		if err != nil {
			return command.Result{}, err
		}
		text := fmt.Sprintf("%s was recorded: %s", in.Tab, spelling.Plural(len(r.Steps), "step"))
		if r.Frames > 0 {
			text += ", " + spelling.Plural(r.Frames, "picture")
		}
		return command.Result{Text: text + "; `record save` writes it, `record discard` removes it", Data: r}, nil
	case "save":
		return c.saveRecord(ctx, in)
	case "discard":
		return command.Result{Text: "the recording of " + string(in.Tab) + " was removed", Data: protocol.Recording{Steps: []protocol.RecordedStep{}}}, c.Browser.DiscardRecording(ctx, in.Tab)
	}
	r, err := c.Browser.Recording(ctx, in.Tab)
	if err != nil {
		return command.Result{}, err
	}
	if !r.Running && !r.Held {
		return command.Result{Text: string(in.Tab) + " is not recorded", Data: r}, nil
	}
	return command.Result{Text: in.Foreign(in.Current(), listing.Last(stepLines(r.Steps), 0, "nothing was done yet")), Data: r}, nil
}

func (c *commands) stopRecord(ctx context.Context, in *command.Invocation) (command.Result, error) {
	name, err := newRoutineName(in)
	if err != nil {
		return command.Result{}, err
	}
	// It is removed after its routine is on disk: what cannot be saved is not lost.
	r, err := c.Browser.EndRecording(ctx, in.By(), in.Tab)
	if err != nil {
		return command.Result{}, err
	}
	return c.saveSteps(in, name, r, func() (protocol.Recording, error) {
		return c.Browser.StopRecording(ctx, in.By(), in.Tab, videoForm(in))
	})
}

// saveRecord saves a recording that has ended, or ends now, and keeps it.
func (c *commands) saveRecord(ctx context.Context, in *command.Invocation) (command.Result, error) {
	if form := videoForm(in); form != "" {
		if in.Args.Text("name") != "" {
			return command.Result{}, command.BadArgument("save takes a name or --video, not both", "save the routine and the video one after the other")
		}
		f, err := c.Browser.SaveVideo(ctx, in.By(), in.Tab, form)
		if err != nil {
			return command.Result{}, err
		}
		return command.Result{Text: fileText(f, "picture"), Data: protocol.RecordReply{Recording: protocol.Recording{Held: true, Steps: []protocol.RecordedStep{}, Video: &f}}}, nil
	}
	name, err := newRoutineName(in)
	if err != nil {
		return command.Result{}, err
	}
	r, err := c.Browser.EndRecording(ctx, in.By(), in.Tab)
	if err != nil {
		return command.Result{}, err
	}
	return c.saveSteps(in, name, r, func() (protocol.Recording, error) { return r, nil })
}

// newRoutineName returns the name for a routine that is saved.
func newRoutineName(in *command.Invocation) (string, error) {
	name := in.Args.Text("name")
	if name == "" {
		name = "routine-" + time.Now().UTC().Format("20060102-150405")
	}
	if !routineName().MatchString(name) {
		return "", command.BadArgument(fmt.Sprintf("%.80q is not a valid name for a routine", name), "use a to z, 0 to 9, _ and -")
	}
	return name, nil
}

// videoForm returns the form of the video that was asked for; empty for none.
func videoForm(in *command.Invocation) string {
	if form := in.Args.Text("video"); form != "none" {
		return form
	}
	return ""
}

// saveSteps saves the steps of a recording that has ended as a routine and as a test. It
// calls saved after that, for what the reply says of the recording.
func (c *commands) saveSteps(in *command.Invocation, name string, r protocol.Recording, saved func() (protocol.Recording, error)) (command.Result, error) {
	routine := routineOf(name, r.Steps)
	difference, err := c.setOwner(in, &routine)
	if err != nil {
		return command.Result{}, err
	}
	if !in.Shown(difference) {
		return command.Result{}, protocol.NewError(protocol.CodeRefused, "the recording or the routine "+name+" changed while the user was asked; nothing was saved", "the recording is kept: save it under another name, or discard it", protocol.Try("saves it", "record", "save", name+"-2"))
	}
	a, b, err := c.Browser.SaveRoutine(routine, playwrightTest(name, r.Steps))
	if err != nil {
		return command.Result{}, err
	}
	if r, err = saved(); err != nil {
		return command.Result{}, err
	}
	reply := protocol.RecordReply{Recording: r, Routine: &a, Playwright: &b}
	text := fmt.Sprintf("%s saved: %s\n%s\n%s", name, spelling.Plural(len(r.Steps), "step"), a.Path, b.Path)
	if r.Video != nil {
		text += "\n" + fileText(*r.Video, "picture")
	}
	if r.VideoError != nil {
		text += "\nno video: " + r.VideoError.Error()
	}
	if r.Dropped > 0 {
		text += fmt.Sprintf("\n(%d more steps were too many)", r.Dropped)
	}
	return command.Result{Text: text, Data: reply}, nil
}

func stepLines(steps []protocol.RecordedStep) []string {
	var lines []string
	for _, s := range routineOf("", steps).Steps {
		lines = append(lines, foreign.Line(s, 500))
	}
	return lines
}

// newParam adds a parameter, with a number if its name is taken, and returns
// its placeholder for a step.
func newParam(r *protocol.Routine, name string) string {
	param := name
	for n := 2; ; n++ {
		if _, taken := r.Params[param]; !taken {
			break
		}
		param = name + strconv.Itoa(n)
	}
	r.Params[param] = ""
	return `"${` + param + `}"`
}

// routineOf makes command lines from the recorded steps. A secret becomes a
// parameter.
func routineOf(name string, steps []protocol.RecordedStep) protocol.Routine {
	r := protocol.Routine{Version: 1, Name: name, Created: time.Now().UTC(), Params: map[string]string{}, Steps: []string{}}
	for _, s := range steps {
		target := command.QuoteWord(s.CSS)
		if s.Frame != "" && s.Sure { // its selector would be searched in the page first
			target = command.QuoteWord("role=" + s.Role + " name=" + jsString(noParam(s.Name)))
		}
		value := command.QuoteWord(noParam(s.Value))
		if strings.HasPrefix(s.Value, "-") {
			value = "-- " + value // without it, the value would be parsed as an option
		}
		if s.Secret {
			value = newParam(&r, "password")
		}
		if s.Do == "upload" {
			value = newParam(&r, "file")
		}
		switch s.Do {
		case "goto":
			r.Steps = append(r.Steps, "goto "+command.QuoteWord(noParam(s.URL)))
		case "fill", "select", "upload":
			r.Steps = append(r.Steps, s.Do+" "+target+" "+value)
		case "press":
			r.Steps = append(r.Steps, "press "+value)
		case "click", "dblclick", "check", "uncheck":
			r.Steps = append(r.Steps, s.Do+" "+target)
		case "rightclick":
			r.Steps = append(r.Steps, "click "+target+" --button right")
		}
	}
	return r
}

// noParam changes text of a page so that it is not parsed as a parameter.
func noParam(v string) string { return strings.ReplaceAll(v, "${", "$ {") }

// playwrightTest returns the steps as a Playwright test. It uses the selector of an
// element that role and name do not identify for certain.
func playwrightTest(name string, steps []protocol.RecordedStep) string {
	var b strings.Builder
	b.WriteString("import { test, expect } from '@playwright/test';\n\ntest(" + jsString(name) + ", async ({ page }) => {\n")
	secrets, files := 0, 0
	given := func(what string, n *int) string {
		*n++
		return "process.env." + what + map[bool]string{true: strconv.Itoa(*n)}[*n > 1] + " ?? ''"
	}
	for _, s := range steps {
		root := "page"
		if s.Frame != "" {
			root = "page.frame({ url: " + jsString(s.Frame) + " })!"
			b.WriteString("  await expect.poll(() => page.frame({ url: " + jsString(s.Frame) + " }) !== null).toBe(true);\n")
		}
		at := root + ".locator(" + jsString(s.CSS) + ")"
		if s.Sure {
			at = root + ".getByRole(" + jsString(s.Role) + ", { name: " + jsString(s.Name) + ", exact: true })"
		}
		value := jsString(s.Value)
		if s.Secret {
			value = given("PASSWORD", &secrets)
		}
		switch s.Do {
		case "goto":
			b.WriteString("  await page.goto(" + jsString(s.URL) + ");\n")
		case "click", "dblclick", "check", "uncheck":
			b.WriteString("  await " + at + "." + s.Do + "();\n")
		case "rightclick":
			b.WriteString("  await " + at + ".click({ button: 'right' });\n")
		case "fill":
			b.WriteString("  await " + at + ".fill(" + value + ");\n")
		case "select":
			b.WriteString("  await " + at + ".selectOption({ label: " + value + " });\n")
		case "press":
			b.WriteString("  await " + at + ".press(" + value + ");\n")
		case "upload":
			b.WriteString("  await " + at + ".setInputFiles((" + given("FILE", &files) + ").split(',')); // " + foreign.Line(s.Value, 200) + "\n")
		}
	}
	if len(steps) > 0 {
		b.WriteString("  await expect(page.locator('body')).toBeVisible();\n")
	}
	b.WriteString("});\n")
	return b.String()
}

// jsString returns a text as a JavaScript string literal.
func jsString(v string) string {
	b, err := json.Marshal(v)
	if err != nil {
		return `""` // cannot happen: every text can be encoded
	}
	return string(b)
}

func (c *commands) runTrace(ctx context.Context, in *command.Invocation) (command.Result, error) {
	switch in.Args.Do("status") {
	case "start":
		return command.Result{Text: string(in.Tab) + " is traced; `trace stop` ends it", Data: map[string]bool{"running": true}}, c.Browser.StartTrace(ctx, in.Tab)
	case "stop":
		f, err := c.Browser.StopTrace(ctx, in.Tab)
		return command.Result{Text: fileText(f, "entry"), Data: f}, err
	}
	running := c.Browser.Tracing(in.Tab)
	text := string(in.Tab) + " is not traced"
	if running {
		text = string(in.Tab) + " is traced"
	}
	return command.Result{Text: text, Data: map[string]bool{"running": running}}, nil
}

// fileText describes a file that was saved.
func fileText(f protocol.SavedFile, what string) string {
	text := fmt.Sprintf("%s\n%d KB", f.Path, (f.Bytes+1023)/1024)
	if f.Entries > 0 {
		text += ", " + spelling.Plural(f.Entries, what)
	}
	return text
}
