package details

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/chromedp"

	"pilotfish/backend/protocol"
)

// decodeMatched decodes the answer about matching styles. In it, the browser leaves out
// parsedOk when it understands a property; the decoded form cannot say that. So the field
// is turned over: ParsedOk says then that the browser does not understand.
func decodeMatched(data jsonv2.Value, into any) error {
	turned := bytes.ReplaceAll(data, []byte(`"parsedOk":false`), []byte(`"parsedOk":1`))
	turned = bytes.ReplaceAll(turned, []byte(`"parsedOk":true`), []byte(`"parsedOk":false`))
	turned = bytes.ReplaceAll(turned, []byte(`"parsedOk":1`), []byte(`"parsedOk":true`))
	return jsonv2.Unmarshal(turned, into, chromedp.DefaultUnmarshalOptions)
}

// styleOf returns the style of a key, among those that apply to the element.
func (e *found) styleOf(ctx context.Context, key string) (*matchedStyle, error) {
	var raw jsonv2.Value
	if err := e.Call(ctx, css.GetMatchedStylesForNode.Method, css.GetMatchedStylesForNodeParams{NodeID: e.node}, &raw); err != nil {
		return nil, err
	}
	var matched css.GetMatchedStylesForNodeResult
	if err := decodeMatched(raw, &matched); err != nil {
		return nil, err
	}
	styles := e.cascade(&matched)
	e.loadMaps(ctx, styles)
	for _, m := range styles {
		if key == "" && m.match == nil && m.origin == protocol.OriginElement && m.from == "" && m.style.Range != nil || key != "" && keyOf(m) == key {
			return m, nil
		}
	}
	if key == "" {
		return nil, protocol.NewError(protocol.CodeNotActable, "the element has no style of its own that can be changed", "change a rule")
	}
	return nil, protocol.NewError(protocol.CodeChanged, "the rule is not there any more, or its text changed", "read the element again")
}

// editStyle changes a declaration of a rule or of the style attribute.
func (e *found) editStyle(ctx context.Context, want protocol.ElementEdit) (*edit, error) {
	m, err := e.styleOf(ctx, want.Rule)
	if err != nil {
		return nil, err
	}
	p, err := declarationOf(m, want)
	if err != nil {
		return nil, err
	}
	text := readStyle(m.style)
	name, val, important := strings.TrimSpace(want.Name), strings.TrimSpace(want.Value), false
	if !strings.HasPrefix(name, "--") {
		name = strings.ToLower(name)
	}
	if cut, ok := strings.CutSuffix(strings.ToLower(val), "!important"); ok {
		val, important = strings.TrimSpace(val[:len(cut)]), true
	}
	if p != nil && (want.Off || want.On || name == "") {
		name = p.Name
	}
	if p != nil && (want.Off || want.On || val == "") {
		val, important = value(p), p.Important || strings.Contains(p.Text, "!important")
	}
	if p != nil && p.Disabled && !want.On {
		want.Off = true // a declaration that is off stays so when it is changed
	}
	if !want.Remove {
		if !propertyName(name) || val == "" || !wholeDeclaration(val) {
			return nil, notUnderstood(name, val)
		}
		if want.Off && strings.Contains(val, "*/") {
			return nil, notUnderstood(name, val)
		}
	}
	changed := ""
	switch {
	case want.Remove && p == nil:
		return nil, protocol.NewError(protocol.CodeNoElement, fmt.Sprintf("there is no declaration of %.60q to remove", want.Name), "read the element again")
	case want.Remove:
		changed = text.replaced(p, "")
	case p != nil:
		changed = text.replaced(p, declaration(name, val, important, want.Off))
	default:
		changed = text.added(declaration(name, val, important, want.Off))
	}
	style, err := e.setText(ctx, m.style.StyleSheetID, m.style.Range, changed)
	if err != nil {
		return nil, notUnderstood(name, val)
	}
	done := &edit{
		sheet: m.style.StyleSheetID, before: m.style.CSSText, after: style.CSSText, was: *m.style.Range, is: *style.Range,
		lines: [2][]string{declarationLines(m.style), declarationLines(style)},
	}
	if !want.Remove && !want.Off && !slices.ContainsFunc(style.CSSProperties, func(q *css.Property) bool {
		return q.Name == name && understood(q) && !q.Disabled
	}) {
		if _, err := e.setText(ctx, done.sheet, &done.is, done.before); err != nil {
			return nil, err
		}
		return nil, notUnderstood(name, val)
	}
	rule := e.rule(m)
	done.EditEntry = protocol.EditEntry{What: protocol.EditDeclaration, Selector: rule.Selector, Source: rule.Source}
	if rule.Original != "" {
		done.Source = rule.Original
	}
	done.Element = e.words(ctx)
	if p != nil {
		done.Before = strings.TrimSuffix(strings.TrimSpace(bounded(declaration(p.Name, value(p), p.Important, p.Disabled))), ";")
	}
	if !want.Remove {
		done.After = strings.TrimSuffix(declaration(name, val, important, want.Off), ";")
	}
	return done, nil
}

func notUnderstood(name, val string) error {
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the browser does not understand %.80s: %.200s", name, val), "give one property and one value, such as color and tomato")
}

// propertyName reports whether a text can be the name of a property.
func propertyName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(c rune) bool {
		return c != '-' && c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c < 0x80
	}) < 0
}

// declarationOf returns the declaration that an edit means; nil for a new one.
func declarationOf(m *matchedStyle, want protocol.ElementEdit) (*css.Property, error) {
	if want.Index < 0 {
		for _, p := range slices.Backward(m.style.CSSProperties) {
			if p.Range != nil && strings.EqualFold(p.Name, strings.TrimSpace(want.Name)) && (!p.Disabled || want.On) {
				return p, nil
			}
		}
		if want.On || want.Off {
			return nil, protocol.NewError(protocol.CodeNoElement, fmt.Sprintf("the rule has no declaration of %.60q", want.Name), "read the element again")
		}
		return nil, nil //nolint:nilnil // documented: a new one
	}
	if want.Index >= len(m.style.CSSProperties) || m.style.CSSProperties[want.Index].Range == nil {
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the rule has no declaration %d that is written in it", want.Index), "read the element again")
	}
	return m.style.CSSProperties[want.Index], nil
}

// declarationLines returns the declarations of a style as lines of a diff.
func declarationLines(style *css.Style) []string {
	var out []string
	for _, p := range style.CSSProperties {
		if p.Range != nil && written(style, p) {
			out = append(out, "  "+bounded(declaration(p.Name, value(p), p.Important, p.Disabled)))
		}
	}
	return out
}

// setText replaces the text of a style in its sheet.
func (s *sight) setText(ctx context.Context, sheet cdp.StyleSheetID, at *css.SourceRange, text string) (*css.Style, error) {
	var raw jsonv2.Value
	err := s.Call(ctx, css.SetStyleTexts.Method, css.SetStyleTextsParams{Edits: []*css.StyleDeclarationEdit{{StyleSheetID: sheet, Range: at, Text: text}}}, &raw)
	if err != nil {
		return nil, err
	}
	var res css.SetStyleTextsResult
	if err := decodeMatched(raw, &res); err != nil {
		return nil, err
	}
	if len(res.Styles) != 1 || res.Styles[0] == nil || res.Styles[0].Range == nil {
		return nil, protocol.NewError(protocol.CodeInternal, "the browser did not say what it changed", "read the element again")
	}
	return res.Styles[0], nil
}
