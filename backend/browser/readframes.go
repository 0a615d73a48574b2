package browser

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/protocol"
)

// Reading a page: its closed shadow roots are opened to the page script first,
// and each frame that is drawn is read in its own process.

// read runs a function of ours, `(page, args) => …`, in a frame's world, and
// again when the document has closed roots that the world did not know.
func (p *page) read(ctx context.Context, f *docFrame, function string, args, into any) error {
	data, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("encoding what is asked of the page: %w", err)
	}
	for try := 0; ; try++ {
		again, err := p.readOnce(ctx, f, function, data, into)
		switch {
		case errors.Is(err, errStale) && try < 3, err == nil && again && try < 3:
			continue
		case errors.Is(err, errStale):
			return errReplaced
		}
		return err
	}
}

func (p *page) readOnce(ctx context.Context, f *docFrame, function string, data []byte, into any) (again bool, err error) {
	s, world, err := p.ready(ctx, f)
	if err != nil {
		return false, err
	}
	doc, err := p.document(ctx, f, s, world)
	if err != nil {
		return false, err
	}
	count, err := p.census(ctx, f, s)
	if err != nil {
		return false, p.worldError(f, world, err)
	}
	q := &asked{s: s}
	if err := q.send(ctx, runtime.Evaluate.Method, evaluateParams(p.function(ctx, f, function, data), world)); err != nil {
		return false, p.worldError(f, world, err)
	}
	fresh, err := p.reveal(ctx, f, s, world, doc, count.complete(ctx), nil)
	if err != nil {
		return false, p.worldError(f, world, err)
	}
	var res runtime.EvaluateResult
	err = q.await(ctx, 0, &res)
	if err == nil && fresh {
		return true, nil
	}
	return false, p.answered(ctx, f, s, world, "a part of it", res, err, into)
}

// function is the call of a function of ours with the page script.
func (p *page) function(ctx context.Context, f *docFrame, function string, args []byte) string {
	return fmt.Sprintf(`globalThis.pilotfishPage ? (async (page, args) => {
		page.configure({ prefix: %q, base: %d, caller: %q });
		try { const value = await (%s)(page, args); return JSON.stringify({ value: value ?? null, next: page.next() }); }
		catch (error) { return JSON.stringify({ error: { name: String(error?.name), message: String(error?.message) }, next: page.next() }); }
	})(pilotfishPage, %s) : 'none'`, f.prefix(), p.frames.base(f), protocol.CallerOf(ctx), function, args)
}

// leftOut says whether a frame is to be left out for an error: it went away
// meanwhile, or is not drawn. Without the page's own there is nothing.
func leftOut(f *docFrame, err error) bool {
	return f.number != 0 && (errors.Is(err, errReplaced) || errors.Is(err, errNoFrame))
}

// drawn returns the frames that a person sees, the page's own first, each
// before those in it.
func (p *page) drawn(ctx context.Context) ([]*docFrame, error) {
	var out []*docFrame
	var add func(f *docFrame) error
	add = func(f *docFrame) error {
		out = append(out, f)
		byRef := p.ownersOf(ctx, f)
		if len(byRef) == 0 {
			return nil
		}
		refs := make([]string, 0, len(byRef))
		for _, c := range p.frames.children(f) { // in their order
			for ref, owned := range byRef {
				if owned == c {
					refs = append(refs, ref)
				}
			}
		}
		var shown []string
		err := p.read(ctx, f, `(page, refs) => refs.filter((ref) => page.element(ref)?.checkVisibility({ visibilityProperty: true, opacityProperty: true }))`, refs, &shown)
		if err != nil {
			return err
		}
		for _, ref := range shown {
			if err := add(byRef[ref]); err != nil && !leftOut(byRef[ref], err) {
				return err
			}
		}
		return nil
	}
	return out, add(p.frames.main())
}

// ownersOf finds the frames inside one by the refs of their elements.
func (p *page) ownersOf(ctx context.Context, f *docFrame) map[string]*docFrame {
	inner := p.frames.children(f)
	out := make(map[string]*docFrame, len(inner))
	for _, c := range inner {
		if owner, err := p.ownerOf(ctx, c); err == nil {
			out[owner] = c
		}
	}
	return out
}

// eachDrawn runs f for every frame that is drawn, the page's own first.
func (p *page) eachDrawn(ctx context.Context, do func(f *docFrame) error) error {
	frames, err := p.drawn(ctx)
	if err != nil {
		return err
	}
	for _, f := range frames {
		if err := do(f); err != nil && !leftOut(f, err) {
			return err
		}
	}
	return nil
}

// prose reads a text of a frame, or of an element in it, with the text of each
// frame that is drawn there in its place. found is false when the element is
// gone.
func (p *page) prose(ctx context.Context, f *docFrame, method, ref string) (text string, found bool, err error) {
	nonce := make([]byte, 8)
	// rand.Read never fails; it ends the program rather than being guessable.
	_, _ = rand.Read(nonce)
	mark := "frame-" + hex.EncodeToString(nonce)
	var got *string
	err = p.read(ctx, f, `(page, { method, ref, mark }) => ref && !page.element(ref) ? null : page[method](ref || undefined, mark)`,
		map[string]string{"method": method, "ref": ref, "mark": mark}, &got)
	if err != nil || got == nil {
		return "", false, err
	}
	marks := regexp.MustCompile(`<` + mark + ` (f?[0-9]*e[0-9]+)>`)
	if !marks.MatchString(*got) {
		return *got, true, nil
	}
	inner := p.ownersOf(ctx, f)
	var fault error
	text = marks.ReplaceAllStringFunc(*got, func(m string) string {
		child := inner[marks.FindStringSubmatch(m)[1]]
		if child == nil || fault != nil {
			return ""
		}
		text, _, err := p.prose(ctx, child, method, "")
		if err != nil && !leftOut(child, err) {
			fault = err
		}
		return text
	})
	return strings.TrimSpace(blankLines().ReplaceAllString(text, "\n\n")), true, fault
}

// blankLines are what an empty frame leaves behind.
var blankLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n{3,}`) })
