package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"pilotfish/backend/protocol"
)

// Resolution is the state of a ref: the page script's type Resolution, or
// Reached.
type Resolution struct {
	State string     `json:"state"`
	Ref   string     `json:"ref"`
	Line  string     `json:"line"`
	Bare  string     `json:"bare"` // the line without a field's value
	Was   string     `json:"was"`
	From  string     `json:"from"`
	To    string     `json:"to"`
	Why   string     `json:"why"`
	By    string     `json:"by"`
	ByRef string     `json:"byRef"`
	Point Point      `json:"point"`
	Box   [4]float64 `json:"box"`
	// Dialog: an open dialog makes the target inert.
	Dialog bool `json:"dialog"`
	// Scrolled: the target was scrolled into view.
	Scrolled bool `json:"scrolled"`
	// Moving: the element is moving, and the point is where it will be in a
	// moment.
	Moving bool `json:"moving"`
}

// Name returns the line without a field's value.
func (r *Resolution) Name() string { return cmp.Or(r.Bare, r.Line) }

// Point is a position in a frame's viewport, in CSS pixels.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Located is the page script's type Located.
type Located struct {
	State      string               `json:"state"`
	Target     string               `json:"target"`
	Ref        string               `json:"ref"`
	Line       string               `json:"line"`
	Why        string               `json:"why"`
	Count      int                  `json:"count"`
	Near       []protocol.Candidate `json:"near"`
	Candidates []protocol.Candidate `json:"candidates"`
}

// Aimed is the result of reaching a target.
type Aimed struct {
	Located *Located    `json:"located"`
	Reached *Resolution `json:"reached"`
	To      *Resolution `json:"to"`
	// Facts describe the target, where they were asked for.
	Facts  *protocol.TargetFacts `json:"facts"`
	Filled *struct {
		State    string   `json:"state"`
		Value    string   `json:"value"`
		Selected bool     `json:"selected"`
		Text     bool     `json:"text"`    // it is a field or an editor with lines of text
		Key      string   `json:"key"`     // the key that chooses an option
		Told     bool     `json:"told"`    // the change was reported to the page by synthetic events
		Code     string   `json:"code"`    // why it was refused: the page script's Unfit
		Why      string   `json:"why"`     // the same in words
		Options  []string `json:"options"` // labels, or refs to be clicked
		Toggles  bool     `json:"toggles"` // each click takes an option out of the selection
		Alike    []Option `json:"alike"`   // the options that a label means
		Field    Field    `json:"field"`   // the field that has another form of value
	} `json:"filled"`
}

// Option is an option of a list.
type Option struct {
	Label string `json:"label"`
	Value string `json:"value"`
	Group string `json:"group"`
}

// Field says which values a field takes: its type, and the range of a slider.
type Field struct {
	Type string `json:"type"`
	Min  string `json:"min"`
	Max  string `json:"max"`
	Step string `json:"step"`
}

// SnapshotAgain suggests a snapshot after a ref or a frame that has changed.
func SnapshotAgain() protocol.Suggestion {
	return protocol.Try("shows what is there now", "snapshot")
}

// Refusal returns the error that says why a ref cannot be acted on.
func (r *Resolution) Refusal() error {
	what := Plain(r.Line)
	if what == "" {
		what = Plain(r.Ref)
	}
	switch r.State {
	case "unknown":
		return protocol.NewError(protocol.CodeNoElement, "there is no element "+Plain(r.Ref)+" on this page", "", SnapshotAgain())
	case "gone":
		return protocol.NewError(protocol.CodeGone, fmt.Sprintf("%s is no longer on the page%s", Plain(r.Ref), was(r.Was)), "", SnapshotAgain())
	case "changed":
		return protocol.NewError(protocol.CodeChanged, fmt.Sprintf("%s was %s and is now %s", Plain(r.Ref), Plain(r.From), Plain(r.To)), "act on it again if that is the element you mean", SnapshotAgain())
	case "disabled":
		return protocol.NewError(protocol.CodeDisabled, what+" is disabled", "something else must be done first", protocol.Try("shows when it is enabled", "snapshot"))
	case "hidden":
		return protocol.NewError(protocol.CodeHidden, what+" is not visible ("+Plain(r.Why)+")", "", SnapshotAgain())
	case "inert":
		if r.Dialog {
			return protocol.NewError(protocol.CodeInert, what+" cannot be used while a modal dialog is open", "close the dialog first")
		}
		return protocol.NewError(protocol.CodeInert, what+" cannot be used: the page has made that part inert", "something else must be done first", protocol.Try("shows what can be used", "snapshot"))
	case "covered":
		by := Plain(r.By)
		if r.ByRef != "" {
			by = r.ByRef + " " + by
		}
		return protocol.NewError(protocol.CodeCovered, what+" is covered by "+by, "close or move what covers it first")
	case "outside":
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the point is outside %s, which measures %.0f × %.0f", what, r.Box[2], r.Box[3]), "give x,y from its top left corner", protocol.With("", "--at", "10,5"))
	case "off-screen":
		return protocol.NewError(protocol.CodeHidden, what+" cannot be scrolled into view", "scroll the area around it, or choose another target")
	}
	return protocol.NewError(protocol.CodeInternal, what+" is "+r.State, "")
}

func was(line string) string {
	if line == "" {
		return ""
	}
	return " (it was " + Plain(line) + ")"
}

// Plain makes page text safe for a message: one line of at most 200 characters,
// without control characters that a terminal would interpret.
func Plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, s)
	if r := []rune(s); len(r) > 200 {
		s = string(r[:199]) + "…"
	}
	return s
}

// Refusal returns the error that says why a target does not mean exactly one
// element.
func (l *Located) Refusal() error {
	list := func(all []protocol.Candidate) string {
		lines := make([]string, len(all))
		for i, c := range all {
			lines[i] = Plain(c.Line)
			if c.Context != "" {
				lines[i] += fmt.Sprintf(" in %q", Plain(c.Context))
			}
			if c.Which != "" {
				lines[i] += " (" + Plain(c.Which) + ")"
			}
		}
		return strings.Join(lines, "; ")
	}
	switch l.State {
	case "many":
		message := fmt.Sprintf("%d elements match %s: %s", l.Count, Plain(l.Target), list(l.Candidates))
		if l.Count > len(l.Candidates) {
			message += "; …"
		}
		return protocol.NewError(protocol.CodeAmbiguous, message, "use the ref of one of them", protocol.With("takes the first", "nth=1"))
	case "bad":
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the target %s is not valid: %s", Plain(l.Target), Plain(l.Why)), `for example e5, #save, role=button name="Save", text=Save, label=Name, 120,80`)
	}
	message, hint := "nothing on the page matches "+Plain(l.Target), ""
	if wordsTarget().MatchString(l.Target) {
		hint = "it was read as a CSS selector; text=" + l.Target + " means the text"
	}
	if len(l.Near) > 0 {
		message += "; there is " + list(l.Near)
	}
	return protocol.NewError(protocol.CodeNoElement, message, hint, SnapshotAgain())
}

// wordsTarget matches a target that is a selector of tags, and was more likely meant as a text.
var wordsTarget = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\p{L}[\p{L}\d ]{0,60}$`) })

// FrameOf returns the frame in which a target is looked for first, and whether it
// can only be there.
func (p *Page) FrameOf(target string) (*Frame, bool, error) {
	if !RefScope().MatchString(target) {
		return p.Frames.Main(), false, nil
	}
	f, ok := p.Frames.Of(target)
	if !ok {
		return nil, false, protocol.NewError(protocol.CodeGone, "the frame of "+target+" is gone", "", SnapshotAgain())
	}
	return f, true, nil
}

// Aim calls a function of world.js that takes a target, in the frame that
// contains the target. A target that is not a ref is looked for in the main frame
// first and then in the others.
func Aim(ctx context.Context, p *Page, target, name string, args map[string]any) (*Frame, Aimed, error) {
	return AimMeanwhile(ctx, p, target, name, args, nil)
}

// AimMeanwhile is Aim, with a function that runs while the page works on its
// answer; nil for none.
func AimMeanwhile(ctx context.Context, p *Page, target, name string, args map[string]any, meanwhile func(context.Context) error) (*Frame, Aimed, error) {
	target = strings.TrimSpace(target)
	f, certain, err := p.FrameOf(target)
	if err != nil {
		return nil, Aimed{}, err
	}
	args["target"] = target
	// The page is asked and judged at once: the world of the frame is known before the
	// browser is asked for the address, so what answers is of the page judged here, or
	// of one before it.
	both := func(ctx context.Context) error {
		if err := MayAct(ctx, p); err != nil || meanwhile == nil {
			return err
		}
		return meanwhile(ctx)
	}
	ask := func(ctx context.Context, f *Frame, name string, args, into any) error {
		return p.askMeanwhile(ctx, f, name, args, into, both)
	}
	if !certain {
		p.Frames.mu.Lock()
		fresh := f.context == "" || f.knownIn != f.context
		p.Frames.mu.Unlock()
		if fresh { // no snapshot was taken yet, so closed roots are not known
			if err := p.AskWithRoots(ctx, f, "url", nil, nil); err != nil {
				return nil, Aimed{}, err
			}
		}
	}
	var a Aimed
	if err := ask(ctx, f, name, args, &a); err != nil {
		return nil, Aimed{}, err
	}
	if !certain && a.Located != nil && a.Located.State == "none" && a.Located.Target == target {
		want, _ := args["want"].(string)
		if want == "" && (name == "take" || name == "set") {
			want = "field"
		}
		other, err := elsewhere(ctx, p, target, want)
		if err != nil {
			return nil, Aimed{}, err
		}
		if other != nil {
			f, a = other, Aimed{}
			if err := ask(ctx, f, name, args, &a); err != nil {
				return nil, Aimed{}, err
			}
		}
	}
	if certain && a.Located != nil && a.Located.State == "none" && a.Located.Target == target {
		a.Located, a.Reached = nil, &Resolution{State: "unknown", Ref: target}
	}
	switch {
	case a.Located != nil:
		return nil, a, a.Located.Refusal()
	case a.Reached == nil:
		return nil, a, errors.New("the page did not say what it reached")
	case a.Reached.State == "unknown":
		digits := a.Reached.Ref[strings.LastIndexByte(a.Reached.Ref, 'e')+1:]
		if n, _ := strconv.Atoi(digits); n > 0 && n < p.Frames.Base(f) {
			a.Reached.State = "gone" // it belonged to an earlier document
		}
		return nil, a, a.Reached.Refusal()
	case a.Reached.State != "ok":
		return nil, a, a.Reached.Refusal()
	}
	return f, a, nil
}

// elsewhere looks for a target in the child frames and returns the frame that
// contains it; nil when none does.
func elsewhere(ctx context.Context, p *Page, target, want string) (*Frame, error) {
	if PointTarget().MatchString(target) {
		return nil, nil
	}
	var at *Frame
	sum := Located{State: "many", Target: target}
	for _, f := range p.Frames.All()[1:] {
		var l Located
		err := p.AskWithRoots(ctx, f, "locate", map[string]string{"target": target, "want": want}, &l)
		if errors.Is(err, ErrReplaced) {
			continue
		}
		if err != nil {
			return nil, err
		}
		switch l.State {
		case "one":
			at = f
			sum.Count++
			sum.Candidates = append(sum.Candidates, protocol.Candidate{Ref: l.Ref, Line: l.Line})
		case "many":
			sum.Count += l.Count
			sum.Candidates = append(sum.Candidates, l.Candidates...)
		}
	}
	switch sum.Count {
	case 0:
		return nil, nil
	case 1:
		return at, nil
	}
	return nil, sum.Refusal()
}

// Outward converts the point of what was reached in a frame into a point of the
// tab's viewport, and scrolls on the way until a pointer there hits the frame. With
// a guard, an event that misses the frame does not reach the pages around it.
func Outward(ctx context.Context, p *Page, f *Frame, reached *Resolution, g Guard) (Point, []*Frame, error) {
	place, err := Placed(ctx, p, f, reached, g)
	return place.Point, place.Way, err
}

// Place is a point of a frame as a point of the tab's viewport.
type Place struct {
	Point
	// Inner is the same point for the process that renders the frame: in the viewport of
	// the outermost of the frames around it that the process renders.
	Inner Point
	// Way are the frames around the frame, from the inside out.
	Way []*Frame
}

// Placed is Outward with everything that is known of the point.
func Placed(ctx context.Context, p *Page, f *Frame, reached *Resolution, g Guard) (Place, error) {
	own, _ := p.Frames.State(f)
	out := Place{Point: reached.Point}
	scrolled := reached.Scrolled
	for {
		if s, _ := p.Frames.State(f); s == own {
			out.Inner = out.Point
		}
		parent := p.Frames.ParentOf(f)
		if parent == nil {
			return out, nil
		}
		owner, err := OwnerOf(ctx, p, f)
		if err != nil {
			return out, err
		}
		var next struct {
			Point
			By       string `json:"by"`
			Scrolled bool   `json:"scrolled"`
		}
		args := map[string]any{"ref": owner, "x": out.X, "y": out.Y, "scrolled": scrolled, "guard": g, "watch": true}
		if err := p.Ask(ctx, parent, "outer", args, &next); err != nil {
			return out, err
		}
		if next.By != "" {
			return out, (&Resolution{State: "covered", Line: reached.Line, By: next.By}).Refusal()
		}
		out.Way = append(out.Way, parent)
		out.Point, f, scrolled = next.Point, parent, scrolled || next.Scrolled
	}
}

// PointTarget matches a point of the tab's viewport: "120,80" or "point=120,80".
var PointTarget = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:point=)?\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*$`)
})

// Guard names the kinds of event that a page receives only where they hit the
// target of an input.
type Guard string

// The guards, by the input that is dispatched.
const (
	NoGuard    Guard = ""
	GuardHover Guard = "hover"
	GuardPress Guard = "press"
	GuardTouch Guard = "touch"
)

// Pressed returns the guard for the frames around the target's frame: a pointer
// that only moves may pass over them.
func (g Guard) Pressed() Guard {
	if g == GuardHover {
		return NoGuard
	}
	return g
}

// RefScope matches a ref, which names its frame.
var RefScope = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@?(?:f[1-9]\d*)?e[1-9]\d*$`) })
