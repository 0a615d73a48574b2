package observe

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

const (
	// handlesKept is how many handles a browser has; the oldest go first.
	handlesKept = 20_000
	// textKept is the longest string, and wordsKept the longest text of any other
	// value, in characters.
	textKept  = 10_000
	wordsKept = 2000
	// partsShown is how many parts one call returns.
	partsShown = 100
)

// values are the handles of a browser.
type values struct {
	mu    sync.Mutex
	kept  map[string]heldValue
	order []string // oldest first
	last  uint64
}

type heldValue struct {
	tab protocol.TabID
	s   *devtools.Session
	id  runtime.RemoteObjectID
}

// newValues returns the handles of a browser: none yet.
func newValues() *values { return &values{kept: make(map[string]heldValue)} }

// Of describes a value of a tab, that was read over the session s.
func (v *values) Of(tab protocol.TabID, s *devtools.Session, o *runtime.RemoteObject) protocol.PageValue {
	if o == nil {
		return protocol.PageValue{Type: "undefined", Text: "undefined"}
	}
	out := protocol.PageValue{Type: string(o.Type), Text: valueText(o)}
	if o.Subtype != "" {
		out.Type = string(o.Subtype)
	}
	limit := wordsKept
	if out.Type == "string" || out.Type == "error" {
		limit = textKept
	}
	out.Text = cutText(out.Text, limit)
	if o.ObjectID != "" && (o.Type == runtime.RemoteObjectTypeObject || o.Type == runtime.RemoteObjectTypeFunction) {
		out.Handle = v.keep(heldValue{tab, s, o.ObjectID})
	}
	return out
}

func (v *values) keep(h heldValue) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.order) >= handlesKept {
		gone := v.order[:handlesKept/10]
		for _, name := range gone {
			delete(v.kept, name)
		}
		v.order = append(v.order[:0:0], v.order[len(gone):]...)
	}
	v.last++
	name := "v" + strconv.FormatUint(v.last, 10)
	v.kept[name] = h
	v.order = append(v.order, name)
	return name
}

// partsFunction is evaluated with a value as this. It returns an object with some of the
// value's own properties, from the index from on, and does not read one that would run
// code of the page.
const partsFunction = `function (from, count) {
	const out = {};
	const list = Array.isArray(this) || ArrayBuffer.isView(this) && !(this instanceof DataView);
	const names = list ? null : Object.getOwnPropertyNames(this);
	const total = list ? this.length : names.length;
	for (let at = from; at < Math.min(total, from + count); at++) {
		const name = list ? String(at) : names[at];
		const one = Object.getOwnPropertyDescriptor(this, name);
		if (one) out[name] = 'value' in one ? one.value : one.get;
	}
	return out;
}`

// countFunction is evaluated with a value as this: the number of its own properties.
const countFunction = `function () {
	const list = Array.isArray(this) || ArrayBuffer.isView(this) && !(this instanceof DataView);
	return list ? this.length : Object.getOwnPropertyNames(this).length;
}`

// Open returns parts of the value with a handle, from the index from on: its own
// properties, and behind the last of them what the browser adds, such as the
// prototype. No code of the page runs.
func (v *values) Open(ctx context.Context, tab protocol.TabID, handle string, from int) (protocol.PageParts, error) {
	v.mu.Lock()
	h, ok := v.kept[handle]
	v.mu.Unlock()
	if !ok || h.tab != tab {
		return protocol.PageParts{}, gone(handle)
	}
	yes := true
	count, err := cdp.Call(ctx, h.s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		ObjectID: h.id, FunctionDeclaration: countFunction, ReturnByValue: &yes, ThrowOnSideEffect: &yes, Silent: &yes,
	})
	if err != nil {
		return protocol.PageParts{}, gone(handle)
	}
	out := protocol.PageParts{Parts: []protocol.PagePart{}}
	id := h.id
	if count.ExceptionDetails == nil && count.Result != nil {
		_ = json.Unmarshal(count.Result.Value, &out.Total) // a proxy may say anything
	}
	if out.Total > partsShown {
		some, err := cdp.Call(ctx, h.s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			ObjectID: h.id, FunctionDeclaration: partsFunction, ThrowOnSideEffect: &yes, Silent: &yes, ObjectGroup: valueGroup,
			Arguments: []*runtime.CallArgument{{Value: jsonNumber(from)}, {Value: jsonNumber(partsShown)}},
		})
		if err != nil || some.ExceptionDetails != nil || some.Result == nil {
			return protocol.PageParts{}, gone(handle)
		}
		id = some.Result.ObjectID
	}
	res, err := cdp.Call(ctx, h.s, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: id, OwnProperties: &yes, GeneratePreview: &yes})
	if err != nil {
		return protocol.PageParts{}, gone(handle)
	}
	v.add(&out, h, res, id == h.id)
	return out, nil
}

// add adds what the browser says of an object to out; whole says that it is the value
// itself and not some of its parts.
func (v *values) add(out *protocol.PageParts, h heldValue, res runtime.GetPropertiesResult, whole bool) {
	for _, p := range res.Result {
		if len(out.Parts) >= 2*partsShown || p == nil || !p.IsOwn || (p.Name == "__proto__" && p.Value == nil) {
			continue
		}
		one := protocol.PagePart{Name: cutText(p.Name, wordsKept), Hidden: !p.Enumerable}
		switch {
		case p.Value != nil:
			one.Value = v.Of(h.tab, h.s, p.Value)
		case p.Get != nil && p.Get.Type != runtime.RemoteObjectTypeUndefined:
			one.Accessor = true
			one.Value = v.Of(h.tab, h.s, p.Get)
			one.Value.Text = "(getter)"
		default:
			one.Value = protocol.PageValue{Type: "undefined", Text: "undefined"}
		}
		out.Parts = append(out.Parts, one)
	}
	if !whole {
		return
	}
	for _, p := range res.InternalProperties {
		if p == nil || p.Value == nil {
			continue
		}
		out.Parts = append(out.Parts, protocol.PagePart{Name: "[[" + strings.Trim(cutText(p.Name, wordsKept), "[]") + "]]", Value: v.Of(h.tab, h.s, p.Value), Hidden: true})
	}
	out.Total = max(out.Total, len(out.Parts))
}

// valueGroup names the values that the page keeps for handles.
const valueGroup = "pilotfish.console"

func jsonNumber(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }

func gone(handle string) error {
	return protocol.NewError(protocol.CodeGone, "the value "+cutText(handle, 40)+" is not there any more", "its page went away, or newer values took its place; print it again")
}

// valueText returns a value as the console shows it.
func valueText(o *runtime.RemoteObject) string {
	if o == nil {
		return "undefined"
	}
	if o.UnserializableValue != "" {
		return string(o.UnserializableValue)
	}
	if o.Subtype == runtime.RemoteObjectSubtypeNull {
		return "null"
	}
	if len(o.Value) > 0 {
		var s string
		if json.Unmarshal(o.Value, &s) == nil {
			return s
		}
		return string(o.Value)
	}
	if p := o.Preview; p != nil && o.Subtype != "error" {
		return previewText(p)
	}
	if o.Description != "" {
		return o.Description
	}
	return string(o.Type)
}

func previewText(p *runtime.ObjectPreview) string {
	var parts []string
	list := p.Subtype == "array"
	for _, f := range p.Properties {
		if len(p.Entries) > 0 {
			break // the properties of a map or a set are its size
		}
		value := f.Value
		if f.Type == "string" {
			value = `"` + value + `"`
		}
		if f.ValuePreview != nil {
			value = previewText(f.ValuePreview)
		}
		if list {
			parts = append(parts, value)
		} else {
			parts = append(parts, f.Name+": "+value)
		}
	}
	for _, e := range p.Entries {
		if e == nil || e.Value == nil {
			continue
		}
		value := entryText(e.Value)
		if e.Key != nil {
			value = entryText(e.Key) + " → " + value
		}
		parts = append(parts, value)
	}
	if p.Overflow {
		parts = append(parts, "…")
	}
	switch {
	case list:
		return "[" + strings.Join(parts, ", ") + "]"
	case len(parts) == 0 && p.Description != "" && p.Description != "Object":
		return p.Description
	case p.Description != "" && p.Description != "Object":
		return p.Description + " {" + strings.Join(parts, ", ") + "}"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// entryText returns the key or the value of an entry of a map or a set.
func entryText(p *runtime.ObjectPreview) string {
	if p.Type == runtime.ObjectPreviewTypeString {
		return strconv.Quote(p.Description)
	}
	return previewText(p)
}

// cutText returns at most so many characters of a text.
func cutText(text string, characters int) string {
	if len(text) <= characters {
		return text
	}
	runes := []rune(text)
	if len(runes) <= characters {
		return text
	}
	return string(runes[:characters]) + "…"
}
