package details

import (
	"context"
	"fmt"
	"strings"

	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// editScript changes an attribute, a class or the text of an element. turnScript sets
// what editScript changed to another value, if nobody else changed it since.
const (
	editScript = `(page, { ref, what, name, value, remove }) => {
		/* secretFunction */
		const el = page.element(ref);
		if (!el) return { state: 'gone' };
		const attribute = what === 'class' ? 'class' : name;
		if (what === 'text') {
			if (el.childElementCount > 0) return { state: 'inner' };
			const old = el.textContent;
			el.textContent = value;
			return { state: 'ok', old, now: el.textContent };
		}
		const old = el.getAttribute(attribute);
		try {
			if (what === 'class') {
				if (remove) el.classList.remove(name);
				else el.classList.add(name);
			} else if (remove) el.removeAttribute(name);
			else el.setAttribute(name, value);
		} catch {
			return { state: 'bad' };
		}
		return { state: 'ok', old, now: el.getAttribute(attribute), masked: attribute === 'value' && secret(el) };
	}`
	turnScript = `(page, { ref, attribute, from, to }) => {
		const el = page.element(ref);
		if (!el) return 'gone';
		if ((attribute === '' ? el.textContent : el.getAttribute(attribute)) !== from) return 'changed';
		if (attribute === '') el.textContent = to;
		else if (to === null) el.removeAttribute(attribute);
		else el.setAttribute(attribute, to);
		return 'ok';
	}`
)

// editElement changes an attribute, a class or the text.
func (e *found) editElement(ctx context.Context, p *page.Page, want protocol.ElementEdit) (*edit, error) {
	var did struct {
		State    string
		Old, Now *string
		Masked   bool
	}
	args := map[string]any{"ref": e.ref, "what": want.What, "name": want.Name, "value": want.Value, "remove": want.Remove}
	script := strings.Replace(editScript, "/* secretFunction */", elements.SecretFunction, 1)
	if err := elements.InFrame(ctx, p, e.frame, script, args, &did); err != nil {
		return nil, err
	}
	switch did.State {
	case "gone":
		return nil, elements.NoElement(e.ref, "it is gone from the page")
	case "inner":
		return nil, protocol.NewError(protocol.CodeBadArgument, "the element has other elements inside, which its text would replace", "change the text of one of them")
	case "bad":
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.60q cannot be the name of a%s", want.Name, map[bool]string{true: " class", false: "n attribute"}[want.What == protocol.EditClass]), "use letters, digits and -")
	}
	out := &edit{old: did.Old, new: did.Now, EditEntry: protocol.EditEntry{What: want.What, Element: e.words(ctx)}}
	shown := func(v *string) string {
		switch {
		case v == nil:
			return ""
		case did.Masked:
			return out.attribute + `="••••"`
		case want.What == protocol.EditText:
			return bounded(*v)
		}
		return bounded(fmt.Sprintf("%s=%q", out.attribute, *v))
	}
	switch want.What {
	case protocol.EditClass:
		out.attribute = "class"
	case protocol.EditAttribute:
		out.attribute = want.Name
	}
	out.Before, out.After = shown(did.Old), shown(did.Now)
	if did.Old != nil && did.Now != nil && *did.Old == *did.Now || did.Old == nil && did.Now == nil {
		return nil, protocol.NewError(protocol.CodeBadArgument, "it is so already: nothing was changed", "")
	}
	return out, nil
}

func (e *edit) turnElement(ctx context.Context, p *page.Page, from, to *string) error {
	f, ref, err := elements.WhereIs(ctx, p, e.Ref)
	if err != nil {
		return err
	}
	var state string
	if err := elements.InFrame(ctx, p, f, turnScript, map[string]any{"ref": ref, "attribute": e.attribute, "from": from, "to": to}, &state); err != nil {
		return err
	}
	switch state {
	case "gone":
		return elements.NoElement(e.Ref, "it is gone from the page")
	case "changed":
		return changedSince()
	}
	return nil
}

// words describes the element in a few words.
func (e *found) words(ctx context.Context) string {
	words, err := elements.CallOn[string](ctx, e.Session, e.object, `function () {
		return (this.localName + (this.id ? '#' + this.id : '') + [...this.classList].slice(0, 4).map((c) => '.' + c).join('')).slice(0, 120);
	}`)
	if err != nil {
		return e.ref
	}
	return words
}
