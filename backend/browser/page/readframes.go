package page

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
)

// Reading a page: the page script first receives the closed shadow roots, and
// each rendered frame is read in its own process.

// Read runs one of our functions, `(page, args) => …`, in a frame's world. It
// runs it again when the document has closed shadow roots that the world did not
// know.
func Read(ctx context.Context, p *Page, f *Frame, function string, args, into any) error {
	data, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("encoding what is asked of the page: %w", err)
	}
	return untilFresh(func() (bool, error) { return readOnce(ctx, p, f, function, data, into) })
}

func readOnce(ctx context.Context, p *Page, f *Frame, function string, data []byte, into any) (again bool, err error) {
	s, world, err := p.Ready(ctx, f)
	if err != nil {
		return false, err
	}
	doc, err := documentOf(ctx, p, f, s, world)
	if err != nil {
		return false, err
	}
	count, err := takeCensus(ctx, p, f, s)
	if err != nil {
		return false, p.WorldError(f, world, err)
	}
	q := &Calls{s: s}
	if err := q.Send(ctx, runtime.Evaluate.Method, EvaluateParams(p.Function(f, function, data), world)); err != nil {
		return false, p.WorldError(f, world, err)
	}
	fresh, err := passShadowRoots(ctx, p, f, s, world, doc, count.complete(ctx), nil)
	if err != nil {
		return false, p.WorldError(f, world, err)
	}
	var res runtime.EvaluateResult
	err = q.Await(ctx, 0, &res)
	if err == nil && fresh {
		return true, nil
	}
	return false, p.Answered(ctx, f, s, world, "a part of it", res, err, into)
}

// Function returns the expression that calls one of our functions with the page
// script.
func (p *Page) Function(f *Frame, function string, args []byte) string {
	return fmt.Sprintf(`globalThis.pilotfishPage ? (async (page, args) => {
		page.configure({ prefix: %q, base: %d, caller: %q });
		try { const value = await (%s)(page, args); return JSON.stringify({ value: value ?? null, next: page.next() }); }
		catch (error) { return JSON.stringify({ error: { name: String(error?.name), message: String(error?.message) }, next: page.next() }); }
	})(pilotfishPage, %s) : 'none'`, f.Prefix(), p.Frames.Base(f), p.by.Name, function, args)
}

// leftOut reports whether a frame is skipped because of an error: it went away
// meanwhile, is not rendered, or cannot be read. The main frame is never skipped.
func leftOut(f *Frame, err error) bool {
	return f.Number != 0 && (errors.Is(err, ErrReplaced) || errors.Is(err, ErrNoFrame) || errors.Is(err, ErrPDF))
}

// drawnFrames returns the frames that a user sees, the main frame first and each
// frame before those inside it.
func drawnFrames(ctx context.Context, p *Page) ([]*Frame, error) {
	var out []*Frame
	var add func(f *Frame) error
	add = func(f *Frame) error {
		out = append(out, f)
		byRef := ownersOf(ctx, p, f)
		if len(byRef) == 0 {
			return nil
		}
		refs := make([]string, 0, len(byRef))
		for _, c := range p.Frames.Children(f) { // in their order
			for ref, owned := range byRef {
				if owned == c {
					refs = append(refs, ref)
				}
			}
		}
		var shown []string
		err := Read(ctx, p, f, `(page, refs) => refs.filter((ref) => page.element(ref)?.checkVisibility({ visibilityProperty: true, opacityProperty: true }))`, refs, &shown)
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
	return out, add(p.Frames.Main())
}

// ownersOf returns the frames inside f by the refs of their elements.
func ownersOf(ctx context.Context, p *Page, f *Frame) map[string]*Frame {
	inner := p.Frames.Children(f)
	out := make(map[string]*Frame, len(inner))
	for _, c := range inner {
		if owner, err := OwnerOf(ctx, p, c); err == nil {
			out[owner] = c
		}
	}
	return out
}

// EachDrawn runs f for every rendered frame, the main frame first.
func EachDrawn(ctx context.Context, p *Page, do func(f *Frame) error) error {
	frames, err := drawnFrames(ctx, p)
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

// Prose reads the text of a frame, or of an element in it, and inserts the text
// of each rendered frame in its place. found is false when the element is gone.
func Prose(ctx context.Context, p *Page, f *Frame, method, ref string) (text string, found bool, err error) {
	nonce := make([]byte, 8)
	// rand.Read never returns an error: it ends the program instead.
	_, _ = rand.Read(nonce)
	mark := "frame-" + hex.EncodeToString(nonce)
	var got *string
	err = Read(ctx, p, f, `(page, { method, ref, mark }) => ref && !page.element(ref) ? null : page[method](ref || undefined, mark)`,
		map[string]string{"method": method, "ref": ref, "mark": mark}, &got)
	if err != nil || got == nil {
		return "", false, err
	}
	marks := regexp.MustCompile(`<` + mark + ` (f?[0-9]*e[0-9]+)>`)
	if !marks.MatchString(*got) {
		return *got, true, nil
	}
	inner := ownersOf(ctx, p, f)
	var fault error
	text = marks.ReplaceAllStringFunc(*got, func(m string) string {
		child := inner[marks.FindStringSubmatch(m)[1]]
		if child == nil || fault != nil {
			return ""
		}
		text, _, err := Prose(ctx, p, child, method, "")
		if errors.Is(err, ErrPDF) {
			return PDFLine
		}
		if err != nil && !leftOut(child, err) {
			fault = err
		}
		return text
	})
	return strings.TrimSpace(blankLines().ReplaceAllString(text, "\n\n")), true, fault
}

// blankLines matches the blank lines that an empty frame leaves.
var blankLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n{3,}`) })
