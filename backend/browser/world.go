package browser

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
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
	"pilotfish/extension"
)

//go:embed world.js
var worldScript string

//go:embed hold.js
var holdScript string

// pageScript is what every document gets in our world.
func pageScript() (string, error) {
	script, err := extension.PageScript()
	if err != nil {
		return "", protocol.NewError(protocol.CodeInternal, "this build has no page script: the extension was not built before the app", "run make build")
	}
	return holdScript + script + "\n" + worldScript, nil
}

// errReplaced is returned when the document that was asked went away meanwhile.
var errReplaced = errors.New("the document was replaced meanwhile")

// opening is one try to open a page.
type opening struct {
	done chan struct{} // closed when it is over
	err  error         // good then
}

// open makes a page ready for looks and actions, once: its frames are followed
// and each document, now and later, gets our world. After a try that failed the
// next caller tries again; the frames are followed from the first one on.
func (p *page) open(ctx context.Context, id protocol.TabID) error {
	p.mu.Lock()
	if o := p.opened; o != nil {
		p.mu.Unlock()
		select {
		case <-o.done:
			if ctx.Err() == nil && (errors.Is(o.err, context.DeadlineExceeded) || errors.Is(o.err, context.Canceled)) {
				return p.open(ctx, id) // its caller gave up; this one has not
			}
			return o.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	o := &opening{done: make(chan struct{})}
	p.opened = o
	first := p.frames == nil
	if first {
		p.frames = newFrames(p.r.b.spaceOf(id), p.Session)
	}
	p.mu.Unlock()
	defer close(o.done)
	if first {
		p.hook(p.Session) //nolint:contextcheck // it lives as long as its session
	}
	if o.err = p.equip(ctx, p.Session, false); o.err != nil {
		p.mu.Lock()
		p.opened = nil
		p.mu.Unlock()
	}
	return o.err
}

// equip installs our world in the documents of a session.
func (p *page) equip(ctx context.Context, s *devtools.Session, child bool) error {
	script, err := pageScript()
	if err != nil {
		return err
	}
	yes := true
	if child {
		err = devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{})
	}
	err = errors.Join(
		err,
		devtools.Post(ctx, s, runtime.Enable, cdp.Empty{}),
		devtools.Post(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: keyBinding, ExecutionContextName: worldName}),
		devtools.Post(ctx, s, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
			Source: script, WorldName: worldName, RunImmediately: &yes,
		}),
		// A tab in the back must believe to be looked at, or it draws nothing and
		// takes no focus; the person's tab stays in front.
		devtools.Post(ctx, s, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
		devtools.Post(ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{
			AutoAttach: true, Flatten: &yes, Filter: target.Filter{{Type: "iframe"}, {Exclude: true}},
		}),
	)
	if err != nil {
		return err
	}
	if err := p.readTree(ctx, s); err != nil {
		return err
	}
	return p.joined(ctx, s)
}

// ready returns a frame's session and world, making the world if need be.
func (p *page) ready(ctx context.Context, f *docFrame) (*devtools.Session, string, error) {
	s, world := p.frames.state(f)
	if world != "" {
		return s, world, nil
	}
	_, err := cdp.Call(ctx, s, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: f.id, WorldName: worldName})
	if err != nil {
		if _, isMethod := errors.AsType[*devtools.MethodError](err); isMethod {
			return nil, "", fmt.Errorf("%w: %w", errReplaced, err)
		}
		return nil, "", err
	}
	// Its event came before the answer.
	if s, world = p.frames.state(f); world == "" {
		return nil, "", errReplaced
	}
	return s, world, nil
}

// answer is what world.js answers with.
type answer struct {
	Value json.RawMessage `json:"value"`
	Next  int             `json:"next"`
	Error *struct {
		Name    string `json:"name"`
		Message string `json:"message"`
	} `json:"error"`
}

// ask runs a function of world.js in a frame. It returns errReplaced when the
// document went away before it answered.
func (p *page) ask(ctx context.Context, f *docFrame, name string, args, into any) error {
	return p.askMeanwhile(ctx, f, name, args, into, nil)
}

// askMeanwhile is ask, with something that is done when the question is on its
// way; nil is nothing.
func (p *page) askMeanwhile(ctx context.Context, f *docFrame, name string, args, into any, meanwhile func(context.Context) error) error {
	for try := 0; ; try++ {
		err := p.askOnce(ctx, f, name, args, into, meanwhile)
		// The world that we knew was gone before it was asked: the document has
		// another one.
		if errors.Is(err, errStale) && try < 3 {
			continue
		}
		if errors.Is(err, errStale) {
			return errReplaced
		}
		return err
	}
}

// errStale: nothing ran, because the world is not there any more.
var errStale = errors.New("the world is not there any more")

func (p *page) askOnce(ctx context.Context, f *docFrame, name string, args, into any, meanwhile func(context.Context) error) error {
	s, world, err := p.ready(ctx, f)
	if err != nil {
		return err
	}
	expression, err := p.expression(ctx, f, name, args)
	if err != nil {
		return err
	}
	q := &asked{s: s}
	if err := q.send(ctx, runtime.Evaluate.Method, evaluateParams(expression, world)); err != nil {
		return p.worldError(f, world, err)
	}
	if meanwhile != nil {
		if err := meanwhile(ctx); err != nil {
			return err
		}
	}
	var res runtime.EvaluateResult
	err = q.await(ctx, 0, &res)
	return p.answered(ctx, f, s, world, name, res, err, into)
}

// expression is the call of a function of world.js.
func (p *page) expression(ctx context.Context, f *docFrame, name string, args any) (string, error) {
	if args == nil {
		args = struct{}{}
	}
	data, err := json.Marshal(args)
	if err != nil {
		return "", fmt.Errorf("encoding what is asked of the page: %w", err)
	}
	return fmt.Sprintf("globalThis.pilotfishDo ? pilotfishDo(%q, %q, %d, %q, %s) : 'none'", name, f.prefix(), p.frames.base(f), protocol.CallerOf(ctx), data), nil
}

func evaluateParams(expression, world string) runtime.EvaluateParams {
	yes := true
	return runtime.EvaluateParams{Expression: expression, UniqueContextID: world, AwaitPromise: &yes, ReturnByValue: &yes}
}

// answered reads the answer of world.js.
func (p *page) answered(ctx context.Context, f *docFrame, s *devtools.Session, world, name string, res runtime.EvaluateResult, err error, into any) error {
	if err != nil {
		return p.worldError(f, world, err)
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
	if text == "none" { // a world without the script
		script, err := pageScript()
		if err != nil {
			return err
		}
		if _, err := cdp.Call(ctx, s, runtime.Evaluate, evaluateParams(script+"\n;0", world)); err != nil {
			return p.worldError(f, world, err)
		}
		return errStale
	}
	var a answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return fmt.Errorf("reading the page's answer to %s: %w", name, err)
	}
	p.frames.numbered(f, a.Next)
	if a.Error != nil {
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

// worldError tells the ends of a document from other faults.
func (p *page) worldError(f *docFrame, world string, err error) error {
	m, ok := errors.AsType[*devtools.MethodError](err)
	if !ok {
		// The session of a frame that went to another process ended.
		if errors.Is(err, devtools.ErrSessionEnded) && !p.ended() {
			return errReplaced
		}
		return err
	}
	switch {
	case strings.Contains(m.Message, "uniqueContextId"), strings.Contains(m.Message, "Cannot find context"):
		p.frames.mu.Lock()
		if f.context == world {
			f.context = ""
		}
		p.frames.mu.Unlock()
		return errStale
	case strings.Contains(m.Message, "context was destroyed"), strings.Contains(m.Message, "navigated or closed"), strings.Contains(m.Message, "Promise was collected"):
		return errReplaced
	}
	return err
}
