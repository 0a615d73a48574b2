package details

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// editsKept is how many edits of a page are remembered.
const editsKept = 200

// edit is an edit that can be undone: of the text of a style in a sheet, or of an
// attribute or the text of an element.
type edit struct {
	protocol.EditEntry
	sight *sight

	// Of a style: its sheet, its text before and after, and its place when it has the
	// one and the other.
	sheet         cdp.StyleSheetID
	before, after string
	was, is       css.SourceRange
	lines         [2][]string // its declarations before and after, for the diff

	// Of an element: the attribute, or "" for its text; nil is no attribute.
	attribute string
	old, new  *string
}

// EditElement makes one change, and returns the history with it.
func (r *Reader) EditElement(ctx context.Context, by protocol.Caller, id protocol.TabID, want protocol.ElementEdit) (protocol.Edits, error) {
	return r.editing(ctx, by, id, func(ctx context.Context, p *page.Page, d *desk) error {
		e, release, err := r.find(ctx, p, id, want.Element, true)
		if err != nil {
			return err
		}
		defer release()
		var done *edit
		if want.What == protocol.EditDeclaration {
			done, err = e.editStyle(ctx, want)
		} else {
			done, err = e.editElement(ctx, p, want)
		}
		if err != nil {
			return err
		}
		done.sight, done.Ref = e.sight, e.ref
		d.mu.Lock()
		// What was undone cannot be done again on top of something else.
		d.edits = append(d.edits[:d.done:d.done], done)
		if len(d.edits) > editsKept {
			d.edits = d.edits[1:]
		}
		d.done = len(d.edits)
		d.mu.Unlock()
		return nil
	})
}

// UndoEdit undoes the last edit, or all, and returns the history.
func (r *Reader) UndoEdit(ctx context.Context, by protocol.Caller, id protocol.TabID, all bool) (protocol.Edits, error) {
	return r.editing(ctx, by, id, func(ctx context.Context, p *page.Page, d *desk) error {
		for first := true; ; first = false {
			d.mu.Lock()
			var last *edit
			if d.done > 0 {
				last = d.edits[d.done-1]
			}
			d.mu.Unlock()
			if last == nil {
				if first {
					return protocol.NewError(protocol.CodeBadArgument, "there is no edit to undo", "edits are lost when the page loads again")
				}
				return nil
			}
			if err := last.turn(ctx, p, true); err != nil {
				return err
			}
			d.move(last, -1)
			if !all {
				return nil
			}
		}
	})
}

// RedoEdit makes the edit again that was undone last, and returns the history.
func (r *Reader) RedoEdit(ctx context.Context, by protocol.Caller, id protocol.TabID) (protocol.Edits, error) {
	return r.editing(ctx, by, id, func(ctx context.Context, p *page.Page, d *desk) error {
		d.mu.Lock()
		var next *edit
		if d.done < len(d.edits) {
			next = d.edits[d.done]
		}
		d.mu.Unlock()
		if next == nil {
			return protocol.NewError(protocol.CodeBadArgument, "there is no undone edit to do again", "")
		}
		if err := next.turn(ctx, p, false); err != nil {
			return err
		}
		d.move(next, 1)
		return nil
	})
}

// EditHistory returns the edits of a tab's page.
func (r *Reader) EditHistory(ctx context.Context, by protocol.Caller, id protocol.TabID) (protocol.Edits, error) {
	var out protocol.Edits
	err := r.tabs.OnTab(ctx, by, id, false, func(ctx context.Context, p *page.Page) error {
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		out = historyOf(r.desk(id, false))
		out.URL = info.URL
		return nil
	})
	return out, err
}

// editing runs a change of the history in the tab's order, and returns the history.
func (r *Reader) editing(ctx context.Context, by protocol.Caller, id protocol.TabID, change func(context.Context, *page.Page, *desk) error) (protocol.Edits, error) {
	var out protocol.Edits
	err := r.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		d := r.desk(id, true)
		if err := change(ctx, p, d); err != nil {
			return err
		}
		d.tell(protocol.InspectorEdited, "")
		out = historyOf(d)
		out.URL = info.URL
		return nil
	})
	return out, err
}

// move changes how many edits are done, if the edit is still there.
func (d *desk) move(e *edit, by int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if slices.Contains(d.edits, e) {
		d.done += by
	}
}

// historyOf returns a tab's edits with their diff.
func historyOf(d *desk) protocol.Edits {
	out := protocol.Edits{Edits: []protocol.EditEntry{}}
	if d == nil {
		return out
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, e := range d.edits {
		entry := e.EditEntry
		entry.Number, entry.Undone = i+1, i >= d.done
		out.Edits = append(out.Edits, entry)
	}
	out.Diff = diffOf(d.edits[:d.done])
	return out
}

// turn undoes an edit, or makes it again. It changes nothing that somebody else changed
// since.
func (e *edit) turn(ctx context.Context, p *page.Page, undo bool) error {
	if e.sheet == "" {
		from, to := e.old, e.new
		if undo {
			from, to = e.new, e.old
		}
		return e.turnElement(ctx, p, from, to)
	}
	at, now, then := &e.was, e.before, e.after
	if undo {
		at, now, then = &e.is, e.after, e.before
	}
	text, err := cdp.Call(ctx, e.sight.Session, css.GetStyleSheetText, css.GetStyleSheetTextParams{StyleSheetID: e.sheet})
	if err != nil {
		return protocol.NewError(protocol.CodeGone, "the style sheet of the edit is gone", "read the element again")
	}
	if slice(text.Text, at) != now {
		return changedSince()
	}
	style, err := e.sight.setText(ctx, e.sheet, at, then)
	if err != nil {
		return err
	}
	if undo {
		e.was = *style.Range
	} else {
		e.is = *style.Range
	}
	return nil
}

func changedSince() error {
	return protocol.NewError(protocol.CodeChanged, "the page changed what the edit changed", "the edit stays as it is; read the element again")
}

// diffOf returns what edits change together, with the file and line of each rule.
func diffOf(edits []*edit) string {
	var out []string
	for i, e := range edits {
		if e.sheet == "" {
			out = append(out, fmt.Sprintf("/* %s %s: %s */", e.What, e.Ref, e.Element))
			if e.Before != "" {
				out = append(out, "-"+e.Before)
			}
			if e.After != "" {
				out = append(out, "+"+e.After)
			}
			continue
		}
		same := func(o *edit) bool {
			return o.sheet == e.sheet && o.sight == e.sight && o.Selector == e.Selector && o.Source == e.Source
		}
		if slices.ContainsFunc(edits[:i], same) {
			continue // it came with the first edit of the rule
		}
		last := e
		for _, o := range edits[i:] {
			if same(o) {
				last = o
			}
		}
		lines := diffText(e.lines[0], last.lines[1])
		if !slices.ContainsFunc(lines, func(l string) bool { return l[0] != ' ' }) {
			continue
		}
		where := e.Source
		if where == "" {
			where = "style attribute of " + e.Element
		}
		out = append(out, "/* "+where+" */", " "+e.Selector+" {")
		out = append(append(out, lines...), " }")
	}
	return strings.ReplaceAll(strings.Join(out, "\n"), "\x00", "")
}
