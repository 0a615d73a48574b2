package page

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
	"pilotfish/extension"
)

// KeyBinding is the binding that our world calls with each key that it catches
// during a press; see hold.js.
const KeyBinding = "pilotfishKey"

// shownBinding is the binding that our world calls with the address and the title of a
// document that has loaded; see hold.js.
const shownBinding = "pilotfishShown"

//go:embed world.js
var worldScript string

//go:embed hold.js
var holdScript string

// pageScript returns the script that runs in our world in every document.
func pageScript() (string, error) {
	script, err := extension.PageScript()
	if err != nil {
		return "", protocol.NewError(protocol.CodeInternal, "this build has no page script: the extension was not built before the app", "run make build")
	}
	return holdScript + script + "\n" + worldScript, nil
}

// ErrReplaced is returned when the document that was called was replaced
// meanwhile.
var ErrReplaced = errors.New("the document was replaced meanwhile")

// opening is one attempt to open a page.
type opening struct {
	done chan struct{} // closed when the attempt has ended
	err  error         // valid then
}

// Open prepares a page for snapshots and actions, once: its frames are followed,
// and every present and future document gets our world. After a failed attempt
// the next caller tries again; the frames are followed from the first attempt on.
func (p *Page) Open(ctx context.Context, id protocol.TabID) error {
	p.mu.Lock()
	if o := p.opened; o != nil {
		p.mu.Unlock()
		select {
		case <-o.done:
			if ctx.Err() == nil && (errors.Is(o.err, context.DeadlineExceeded) || errors.Is(o.err, context.Canceled)) {
				return p.Open(ctx, id) // the caller of that attempt gave up; this caller has not
			}
			return o.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	o := &opening{done: make(chan struct{})}
	p.opened = o
	first := p.Frames == nil
	early := p.early
	if first {
		p.Frames = newFrames(p.host.Space(id), p.Session)
		p.early = nil
	}
	p.mu.Unlock()
	defer close(o.done)
	if first {
		for child, info := range early {
			p.adopt(child, info, false) //nolint:contextcheck // it lives as long as its session
		}
	}
	if o.err = p.equip(ctx, p.Session, false); o.err != nil {
		p.mu.Lock()
		p.opened = nil
		p.mu.Unlock()
	}
	return o.err
}

// IsOpen reports whether the page's frames are followed.
func (p *Page) IsOpen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Frames != nil
}

// equip installs our world in the documents of a session and reads its frames.
func (p *Page) equip(ctx context.Context, s *devtools.Session, child bool) error {
	if err := install(ctx, s, child); err != nil {
		return err
	}
	return p.join(ctx, s)
}

// install sends the commands that install our world in the documents of a
// session.
func install(ctx context.Context, s *devtools.Session, child bool) error {
	script, err := pageScript()
	if err != nil {
		return err
	}
	yes := true
	if child {
		err = devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{})
	}
	return errors.Join(
		err,
		devtools.Post(ctx, s, runtime.Enable, cdp.Empty{}),
		devtools.Post(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: KeyBinding, ExecutionContextName: WorldName}),
		devtools.Post(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: shownBinding, ExecutionContextName: WorldName}),
		devtools.Post(ctx, s, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
			Source: script, WorldName: WorldName, RunImmediately: &yes,
		}),
		// A background tab must behave as if it had the focus, or it renders
		// nothing and accepts no focus. The user's tab stays in front.
		devtools.Post(ctx, s, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
	)
}

// join reads the frames of a session on which our world is installed.
func (p *Page) join(ctx context.Context, s *devtools.Session) error {
	if err := p.readTree(ctx, s); err != nil {
		return err
	}
	return p.host.Equipped(ctx, s)
}

// Ready returns a frame's session and world. It makes the world if there is none.
func (p *Page) Ready(ctx context.Context, f *Frame) (*devtools.Session, string, error) {
	s, world := p.Frames.State(f)
	if world != "" {
		return s, world, nil
	}
	// Until runtime events are enabled on a session, no event would report a
	// world that is made here.
	if err := p.Frames.awaitInstalled(ctx, s); err != nil {
		return nil, "", err
	}
	_, err := cdp.Call(ctx, s, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: f.ID, WorldName: WorldName})
	if err != nil {
		if _, isMethod := errors.AsType[*devtools.MethodError](err); isMethod {
			return nil, "", fmt.Errorf("%w: %w", ErrReplaced, err)
		}
		return nil, "", err
	}
	// The event about the world was read before the answer.
	if s, world = p.Frames.State(f); world == "" {
		return nil, "", ErrReplaced
	}
	return s, world, nil
}

// answer is the form of the answers of world.js.
type answer struct {
	Value json.RawMessage `json:"value"`
	Next  int             `json:"next"`
	Error *struct {
		Name    string `json:"name"`
		Message string `json:"message"`
	} `json:"error"`
}

// Ask calls a function of world.js in a frame. It returns ErrReplaced when the
// document went away before it answered.
func (p *Page) Ask(ctx context.Context, f *Frame, name string, args, into any) error {
	return p.askMeanwhile(ctx, f, name, args, into, nil)
}

// askMeanwhile is Ask, with a function that runs after the call was sent and
// before its answer is read; nil for none.
func (p *Page) askMeanwhile(ctx context.Context, f *Frame, name string, args, into any, meanwhile func(context.Context) error) error {
	for try := 0; ; try++ {
		err := p.askOnce(ctx, f, name, args, into, meanwhile)
		// The known world was gone before the call: the document has another
		// world.
		if errors.Is(err, ErrStale) && try < 3 {
			continue
		}
		if errors.Is(err, ErrStale) {
			return ErrReplaced
		}
		return err
	}
}

// ErrStale says that nothing ran, because the world no longer exists.
var ErrStale = errors.New("the world is not there any more")

func (p *Page) askOnce(ctx context.Context, f *Frame, name string, args, into any, meanwhile func(context.Context) error) error {
	s, world, err := p.Ready(ctx, f)
	if err != nil {
		return err
	}
	expression, err := p.Expression(f, name, args)
	if err != nil {
		return err
	}
	q := &Calls{s: s}
	if err := q.Send(ctx, runtime.Evaluate.Method, EvaluateParams(expression, world)); err != nil {
		return p.WorldError(f, world, err)
	}
	if meanwhile != nil {
		if err := meanwhile(ctx); err != nil {
			return err
		}
	}
	var res runtime.EvaluateResult
	err = q.Await(ctx, 0, &res)
	return p.Answered(ctx, f, s, world, name, res, err, into)
}

// Expression returns the expression that calls a function of world.js.
func (p *Page) Expression(f *Frame, name string, args any) (string, error) {
	if args == nil {
		args = struct{}{}
	}
	data, err := json.Marshal(args)
	if err != nil {
		return "", fmt.Errorf("encoding what is asked of the page: %w", err)
	}
	return fmt.Sprintf("globalThis.pilotfishDo ? pilotfishDo(%q, %q, %d, %q, %s) : 'none'", name, f.Prefix(), p.Frames.Base(f), p.by.Name, data), nil
}

// EvaluateParams returns the parameters that evaluate an expression in a world
// and return its value as JSON.
func EvaluateParams(expression, world string) runtime.EvaluateParams {
	yes := true
	return runtime.EvaluateParams{Expression: expression, UniqueContextID: world, AwaitPromise: &yes, ReturnByValue: &yes}
}

// Answered decodes the answer of a call to world.js.
func (p *Page) Answered(ctx context.Context, f *Frame, s *devtools.Session, world, name string, res runtime.EvaluateResult, err error, into any) error {
	if err != nil {
		return p.WorldError(f, world, err)
	}
	if d := res.ExceptionDetails; d != nil {
		text := d.Text
		if d.Exception != nil {
			text = d.Exception.Description
		}
		return fmt.Errorf("asking the page for %s: %s", name, text)
	}
	var text string
	if res.Result == nil || jsonv2.Unmarshal(res.Result.Value, &text) != nil {
		return fmt.Errorf("asking the page for %s: no answer", name)
	}
	if text == "none" { // a world in which the script has not run
		script, err := pageScript()
		if err != nil {
			return err
		}
		if _, err := cdp.Call(ctx, s, runtime.Evaluate, EvaluateParams(script+"\n;0", world)); err != nil {
			return p.WorldError(f, world, err)
		}
		return ErrStale
	}
	var a answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return fmt.Errorf("reading the page's answer to %s: %w", name, err)
	}
	p.Frames.Numbered(f, a.Next)
	if a.Error != nil {
		if a.Error.Name == "PDFError" {
			return ErrPDF
		}
		if a.Error.Name == "SyntaxError" {
			return protocol.NewError(protocol.CodeBadArgument, "this is not valid: "+a.Error.Message, "a selector is CSS, an expression is /text/flags")
		}
		return fmt.Errorf("asking the page for %s: %s: %s", name, a.Error.Name, a.Error.Message)
	}
	if into == nil || len(a.Value) == 0 {
		return nil
	}
	if err := json.Unmarshal(a.Value, into); err != nil {
		return fmt.Errorf("reading the page's answer to %s: %w", name, err)
	}
	return nil
}

// WorldError turns errors that mean the end of a document into ErrStale or
// ErrReplaced, and returns other errors as they are.
func (p *Page) WorldError(f *Frame, world string, err error) error {
	m, ok := errors.AsType[*devtools.MethodError](err)
	if !ok {
		// A frame moved to another process, and its session ended.
		if errors.Is(err, devtools.ErrSessionEnded) && !p.Ended() {
			return ErrReplaced
		}
		return err
	}
	switch {
	case strings.Contains(m.Message, "uniqueContextId"), strings.Contains(m.Message, "Cannot find context"):
		p.Frames.mu.Lock()
		if f.context == world {
			f.context = ""
		}
		p.Frames.mu.Unlock()
		return ErrStale
	case strings.Contains(m.Message, "context was destroyed"), strings.Contains(m.Message, "navigated or closed"), strings.Contains(m.Message, "Promise was collected"):
		return ErrReplaced
	}
	return err
}

// PlainWorld makes an isolated world without our scripts in the page's main
// frame. It shares the document with the page's scripts, and nothing else.
func (p *Page) PlainWorld(ctx context.Context) (runtime.ExecutionContextID, error) {
	res, err := cdp.Call(ctx, p.Session, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{
		FrameID: cdp.FrameID(p.Target), WorldName: "pilotfish",
	})
	return res.ExecutionContextID, err
}

// Tell calls a function of world.js and does not wait for the answer.
func Tell(ctx context.Context, p *Page, f *Frame, s *devtools.Session, world, name string) error {
	expression, err := p.Expression(f, name, nil)
	if err != nil {
		return err
	}
	return devtools.Post(ctx, s, runtime.Evaluate, EvaluateParams(expression, world))
}
