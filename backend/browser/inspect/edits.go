package inspect

import (
	"cmp"
	"context"
	"slices"

	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// styleHistory is how many style edits are remembered per document.
const styleHistory = 100

// styleEdit is an edit as a frame remembers it: it belongs to the document.
type styleEdit struct {
	protocol.StyleEdit
	At    float64 `json:"at"`
	Index int     `json:"index"`
}

// editScript sets a property in the element's style attribute and remembers its value
// before. It refuses values that the browser does not understand.
const editScript = `(page, { ref, property, value, limit }) => {
	const el = page.element(ref);
	if (!el) return { state: 'gone' };
	const important = /\s*!important\s*$/i.test(value);
	const plain = value.replace(/\s*!important\s*$/i, '');
	if (!property.startsWith('--') && plain !== '' && !CSS.supports(property, plain)) return { state: 'bad' };
	const attribute = el.getAttribute('style');
	const before = { value: el.style.getPropertyValue(property), priority: el.style.getPropertyPriority(property) };
	if (plain === '') el.style.removeProperty(property);
	else el.style.setProperty(property, plain, important ? 'important' : '');
	const all = (globalThis.pilotfishEdits ??= []);
	const written = (v, p) => (v === '' ? '' : v + (p ? ' !' + p : ''));
	all.push({
		el, was: before, attribute, left: el.getAttribute('style'), at: performance.timeOrigin + performance.now(), undone: false, element: page.words(el), property,
		before: written(before.value, before.priority), after: written(el.style.getPropertyValue(property), el.style.getPropertyPriority(property)),
	});
	if (all.length > limit) all.splice(0, all.length - limit);
	return { state: 'ok' };
}`

// historyScript lists a document's edits; undoScript undoes one.
const (
	historyScript = `() => (globalThis.pilotfishEdits ?? []).map(({ at, undone, element, property, before, after }, index) =>
		({ at, undone, element, property, before, after, index }))`
	undoScript = `(page, index) => {
		const edit = globalThis.pilotfishEdits?.[index];
		if (!edit) return false;
		// Nobody wrote to it since: it gets its very text back.
		if (edit.el.getAttribute('style') === edit.left) {
			if (edit.attribute === null) edit.el.removeAttribute('style');
			else edit.el.setAttribute('style', edit.attribute);
		} else if (edit.was.value === '') edit.el.style.removeProperty(edit.property);
		else edit.el.style.setProperty(edit.property, edit.was.value, edit.was.priority);
		edit.undone = true;
		return true;
	}`
)

// EditStyle sets a property of an element's own style; an empty value removes the
// property. It returns the edit with its number.
func (in *Inspector) EditStyle(ctx context.Context, by protocol.Caller, id protocol.TabID, element, property, value string) (protocol.StyleEdit, error) {
	var edit protocol.StyleEdit
	err := in.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		f, ref, err := elements.WhereIs(ctx, p, element)
		if err != nil {
			return err
		}
		var done struct{ State string }
		args := map[string]any{"ref": ref, "property": property, "value": value, "limit": styleHistory}
		if err := elements.InFrame(ctx, p, f, editScript, args, &done); err != nil {
			return err
		}
		switch done.State {
		case "gone":
			return elements.NoElement(element, "it is gone from the page")
		case "bad":
			return protocol.NewError(protocol.CodeBadArgument, "the browser does not understand "+property+": "+value, "", protocol.Example("style", "e3", "background-color", "tomato"))
		}
		all, _, err := edits(ctx, p)
		if err == nil && len(all) > 0 {
			edit = all[len(all)-1]
		}
		return err
	})
	return edit, err
}

// UndoStyle undoes the last edit that is not undone yet, or all of them, and returns
// the edits that it undid. A reloaded page has no edits.
func (in *Inspector) UndoStyle(ctx context.Context, by protocol.Caller, id protocol.TabID, all bool) ([]protocol.StyleEdit, error) {
	var undone []protocol.StyleEdit
	err := in.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		undone = nil
		edits, where, err := edits(ctx, p)
		if err != nil {
			return err
		}
		for i, e := range slices.Backward(edits) {
			if e.Undone {
				continue
			}
			var ok bool
			if err := elements.InFrame(ctx, p, where[i].f, undoScript, where[i].index, &ok); err != nil {
				return err
			}
			if ok {
				e.Undone = true
				undone = append(undone, e)
			}
			if !all {
				break
			}
		}
		if len(undone) == 0 {
			return protocol.NewError(protocol.CodeBadArgument, "there is no style edit to undo", "edits are lost when the page loads again")
		}
		return nil
	})
	return undone, err
}

// StyleHistory lists the edits of the tab's page, oldest first.
func (in *Inspector) StyleHistory(ctx context.Context, by protocol.Caller, id protocol.TabID) ([]protocol.StyleEdit, error) {
	var out []protocol.StyleEdit
	err := in.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		var err error
		out, _, err = edits(ctx, p)
		return err
	})
	return out, err
}

// editPlace is the frame that remembers an edit, and the edit's index in its list.
type editPlace struct {
	f     *page.Frame
	index int
}

// edits returns the edits of all frames in the order in which they were made.
func edits(ctx context.Context, p *page.Page) ([]protocol.StyleEdit, []editPlace, error) {
	type placed struct {
		styleEdit
		editPlace
	}
	var all []placed
	err := elements.EachFrame(p, func(f *page.Frame) error {
		var part []styleEdit
		if err := elements.InFrame(ctx, p, f, historyScript, nil, &part); err != nil {
			return err
		}
		for _, e := range part {
			all = append(all, placed{e, editPlace{f, e.Index}})
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.At, b.At) })
	edits, places := make([]protocol.StyleEdit, len(all)), make([]editPlace, len(all))
	for i, e := range all {
		edits[i], places[i] = e.StyleEdit, e.editPlace
		edits[i].Number = i + 1
	}
	return edits, places, err
}
