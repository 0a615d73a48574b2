package inspect

import (
	"context"
	"strings"
	"unicode/utf8"

	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// collect reads one kind of content of a page, frame by frame.
func collect[T any](ctx context.Context, by protocol.Caller, in *Inspector, id protocol.TabID, function string) (url string, out []T, err error) {
	err = in.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		url, out = "", nil
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		url = info.URL
		return page.EachDrawn(ctx, p, func(f *page.Frame) error {
			var part []T
			if err := page.Read(ctx, p, f, function, nil, &part); err != nil {
				return err
			}
			out = append(out, part...)
			return nil
		})
	})
	return url, out, err
}

// Links returns the visible links; links in frames follow those of the page.
func (in *Inspector) Links(ctx context.Context, by protocol.Caller, id protocol.TabID) (url string, links []protocol.Link, err error) {
	return collect[protocol.Link](ctx, by, in, id, `(page) => page.links()`)
}

// Forms returns the forms with their fields; secrets are masked.
func (in *Inspector) Forms(ctx context.Context, by protocol.Caller, id protocol.TabID) (url string, forms []protocol.Form, err error) {
	return collect[protocol.Form](ctx, by, in, id, `(page) => page.forms()`)
}

// Tables returns the visible tables.
func (in *Inspector) Tables(ctx context.Context, by protocol.Caller, id protocol.TabID) (url string, tables []protocol.Table, err error) {
	return collect[protocol.Table](ctx, by, in, id, `(page) => page.tables()`)
}

// Media returns images, videos and audio.
func (in *Inspector) Media(ctx context.Context, by protocol.Caller, id protocol.TabID) (url string, media []protocol.Medium, err error) {
	return collect[protocol.Medium](ctx, by, in, id, `(page) => page.media()`)
}

// Data returns the page's machine-readable data about itself.
func (in *Inspector) Data(ctx context.Context, by protocol.Caller, id protocol.TabID) (protocol.PageData, error) {
	var out protocol.PageData
	err := in.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		return elements.InFrame(ctx, p, p.Frames.Main(), `(page) => page.data()`, nil, &out)
	})
	return out, err
}

// Text returns the text of a tab's page that a user could read, including frames and
// shadow roots of every kind: at most limit characters.
func (in *Inspector) Text(ctx context.Context, by protocol.Caller, id protocol.TabID, limit int) (protocol.PageText, error) {
	return in.prose(ctx, by, id, "", limit, "text")
}

// Markdown returns the page, or an element, as Markdown: at most limit characters.
func (in *Inspector) Markdown(ctx context.Context, by protocol.Caller, id protocol.TabID, element string, limit int) (protocol.PageText, error) {
	return in.prose(ctx, by, id, element, limit, "markdown")
}

// prose reads the page or an element with a method of the page script.
func (in *Inspector) prose(ctx context.Context, by protocol.Caller, id protocol.TabID, element string, limit int, method string) (protocol.PageText, error) {
	return in.written(ctx, by, id, element, limit, func(ctx context.Context, p *page.Page, f *page.Frame, ref string) (string, bool, error) {
		return page.Prose(ctx, p, f, method, ref)
	})
}

// HTML returns the current markup of the page or an element: at most limit
// characters. The values of password, card and one-time-code fields are masked.
func (in *Inspector) HTML(ctx context.Context, by protocol.Caller, id protocol.TabID, element string, inner bool, limit int) (protocol.PageText, error) {
	script := htmlScript
	if inner {
		script = strings.Replace(script, "outerHTML", "innerHTML", 1)
	}
	return in.written(ctx, by, id, element, limit, func(ctx context.Context, p *page.Page, f *page.Frame, ref string) (string, bool, error) {
		var text *string
		if err := elements.InFrame(ctx, p, f, script, ref, &text); err != nil || text == nil {
			return "", false, err
		}
		return *text, true, nil
	})
}

// htmlScript serializes a copy, so that masking does not change the page.
const htmlScript = `(page, ref) => {
	const el = ref ? page.element(ref) : document.documentElement;
	if (!el) return null;
	const copy = el.cloneNode(true);
	` + elements.SecretFunction + `
	for (const field of [copy, ...copy.querySelectorAll('input,textarea')]) {
		if (!/^(input|textarea)$/.test(field.localName) || !secret(field)) continue;
		if (field.hasAttribute('value')) field.setAttribute('value', '•••');
		if (field.localName === 'textarea' && field.textContent !== '') field.textContent = '•••';
	}
	const text = copy.outerHTML;
	return ref || !document.doctype ? text : '<!doctype ' + document.doctype.name + '>\n' + text;
}`

// written reads text of the page or, where ref is not empty, of an element.
func (in *Inspector) written(
	ctx context.Context, by protocol.Caller, id protocol.TabID, element string, limit int,
	read func(ctx context.Context, p *page.Page, f *page.Frame, ref string) (text string, found bool, err error),
) (protocol.PageText, error) {
	var out protocol.PageText
	err := in.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		f, ref, err := p.Frames.Main(), "", error(nil)
		if element != "" {
			if f, ref, err = elements.WhereIs(ctx, p, element); err != nil {
				return err
			}
		}
		text, found, err := read(ctx, p, f, ref)
		if err != nil {
			return err
		}
		if !found {
			return elements.NoElement(element, "it is gone from the page")
		}
		out = protocol.PageText{URL: info.URL, Title: info.Title, Text: cut(text, limit), Length: utf8.RuneCountInString(text)}
		return nil
	})
	return out, err
}

// cut returns the first limit characters of a text.
func cut(text string, limit int) string {
	n := 0
	for i := range text {
		if n == limit {
			return text[:i]
		}
		n++
	}
	return text
}

// Search finds a text, or a /regular expression/flags, in the readable text of a
// page. It returns at most limit matches with the text around them, and with refs of
// the elements there that can be acted on.
func (in *Inspector) Search(ctx context.Context, by protocol.Caller, id protocol.TabID, what string, limit int) (protocol.Matches, error) {
	var out protocol.Matches
	err := in.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		out = protocol.Matches{URL: info.URL}
		return page.EachDrawn(ctx, p, func(f *page.Frame) error {
			var part protocol.Matches
			args := map[string]any{"what": what, "limit": limit - len(out.Matches)}
			if err := page.Read(ctx, p, f, `(page, { what, limit }) => page.search(what, limit)`, args, &part); err != nil {
				return err
			}
			out.Total += part.Total
			out.Matches = append(out.Matches, part.Matches...)
			return nil
		})
	})
	return out, err
}
