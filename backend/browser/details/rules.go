package details

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"

	"pilotfish/backend/protocol"
)

const (
	// rulesShown bounds the rules of an element, and declarationsShown those of a rule.
	rulesShown        = 200
	declarationsShown = 200
	// valueShown bounds a value, in bytes: a page may use pictures as data URLs.
	valueShown = 4000
)

// matchedStyle is a style that applies to an element, before it is described.
type matchedStyle struct {
	style  *css.Style
	match  *css.RuleMatch // nil for the style attribute and other attributes
	sheet  cdp.StyleSheetID
	origin string
	pseudo string
	from   string // the ancestor it is inherited from
	beaten map[*css.Property]bool
}

// cascade lists the styles of an element, strongest first, and marks the declarations
// that stronger ones override: of the element, then of its pseudo-elements, then of
// what it inherits from.
func (e *found) cascade(m *css.GetMatchedStylesForNodeResult) []*matchedStyle {
	var all []*matchedStyle
	add := func(from, pseudo string, inline *css.Style, matches []*css.RuleMatch) []*matchedStyle {
		var part []*matchedStyle
		if inline != nil && (from == "" || len(inline.CSSProperties) > 0) {
			part = append(part, &matchedStyle{style: inline, sheet: inline.StyleSheetID, origin: protocol.OriginElement, from: from})
		}
		for _, match := range slices.Backward(matches) {
			if match.Rule != nil && match.Rule.Style != nil {
				part = append(part, &matchedStyle{style: match.Rule.Style, match: match, sheet: match.Rule.StyleSheetID, origin: originOf(match.Rule.Origin), pseudo: pseudo, from: from})
			}
		}
		all = append(all, part...)
		return part
	}
	own := add("", "", m.InlineStyle, m.MatchedCSSRules)
	if m.AttributesStyle != nil && len(m.AttributesStyle.CSSProperties) > 0 {
		// They are weaker than every rule of the page, and stronger than the browser's.
		at := len(own)
		for at > 0 && own[at-1].origin == protocol.OriginBrowser {
			at--
		}
		own = slices.Insert(slices.Clone(own), at, &matchedStyle{style: m.AttributesStyle, origin: protocol.OriginAttributes})
		all = slices.Clone(own)
	}
	won := make(map[string]bool)
	decide(own, won, false)
	for _, p := range m.PseudoElements {
		name := "::" + string(p.PseudoType)
		if p.PseudoIdentifier != "" {
			name += "(" + p.PseudoIdentifier + ")"
		}
		decide(add("", name, nil, p.Matches), make(map[string]bool), false)
	}
	for i, inherited := range m.Inherited {
		from := fmt.Sprintf("ancestor %d", i+1)
		// What an ancestor nearer to the element decides, important or not, is what is
		// inherited.
		decide(add(from, "", inherited.InlineStyle, inherited.MatchedCSSRules), won, true)
	}
	return all
}

func originOf(o css.StyleSheetOrigin) string {
	switch o {
	case css.StyleSheetOriginUserAgent, css.StyleSheetOriginInjected:
		return protocol.OriginBrowser
	case css.StyleSheetOriginInspector:
		return protocol.OriginInspector
	}
	return protocol.OriginAuthor
}

// decide marks the declarations of styles, strongest first, that others override. won
// are the properties that are decided, which it extends. inherited leaves out
// properties that children do not inherit.
func decide(styles []*matchedStyle, won map[string]bool, inherited bool) {
	claim := func(m *matchedStyle, important bool) {
		if m.beaten == nil {
			m.beaten = make(map[*css.Property]bool)
		}
		for _, p := range slices.Backward(m.style.CSSProperties) {
			if p.Important == important && written(m.style, p) && !p.Disabled && understood(p) && (!inherited || inherits(p.Name)) {
				m.beaten[p] = !take(won, p)
			}
		}
	}
	// Important declarations are decided first: the browser's own, then those of the
	// style attribute, then those of layers, the first layer before later ones and
	// before rules outside of layers.
	for _, m := range styles {
		if m.origin == protocol.OriginBrowser {
			claim(m, true)
		}
	}
	for _, m := range styles {
		if m.origin == protocol.OriginElement {
			claim(m, true)
		}
	}
	var groups [][]*matchedStyle
	for _, m := range styles {
		if m.origin == protocol.OriginBrowser || m.origin == protocol.OriginElement {
			continue
		}
		if n := len(groups); n > 0 && layerOf(groups[n-1][0]) == layerOf(m) {
			groups[n-1] = append(groups[n-1], m)
			continue
		}
		groups = append(groups, []*matchedStyle{m})
	}
	for _, group := range slices.Backward(groups) {
		for _, m := range group {
			claim(m, true)
		}
	}
	for _, m := range styles {
		claim(m, false)
	}
}

func layerOf(m *matchedStyle) string {
	if m.match == nil {
		return ""
	}
	var names []string
	for _, l := range m.match.Rule.Layers {
		names = append(names, l.Text)
	}
	return strings.Join(names, "/")
}

// take marks a property, or all longhands of a shorthand, as decided. It reports whether
// any of them was not decided before.
func take(won map[string]bool, p *css.Property) bool {
	names := []string{p.Name}
	if len(p.LonghandProperties) > 0 {
		names = names[:0]
		for _, l := range p.LonghandProperties {
			names = append(names, l.Name)
		}
	}
	free := false
	for _, n := range names {
		if !won[n] {
			won[n], free = true, true
		}
	}
	won[p.Name] = true
	return free
}

// written reports whether a declaration is written in the style. It excludes what a
// shorthand implies. The browser's own sheet has no text, so there every property
// counts.
func written(style *css.Style, p *css.Property) bool {
	return (p.Text != "" || p.Range != nil || style.CSSText == "") && !p.Implicit
}

// understood reports whether the browser understands a declaration; see decodeMatched.
func understood(p *css.Property) bool { return !p.ParsedOk }

// inherits reports whether a property is inherited by children. It knows the common
// properties only. Custom properties always are.
func inherits(name string) bool {
	return strings.HasPrefix(name, "--") || slices.ContainsFunc([]string{
		"font", "color", "line-height", "letter-spacing", "word-", "text-align", "text-indent", "text-transform", "text-shadow", "text-wrap", "white-space",
		"visibility", "cursor", "direction", "list-style", "quotes", "tab-size", "hyphens", "caret-color", "accent-color", "pointer-events",
		"border-collapse", "border-spacing", "caption-side", "empty-cells", "orphans", "widows", "fill", "stroke", "overflow-wrap", "user-select", "writing-mode",
		"-webkit-font-smoothing", "-webkit-text-fill-color", "-webkit-text-stroke", "text-rendering",
	}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// rules describes styles. It leaves out inherited ones with nothing to inherit.
func (e *found) rules(styles []*matchedStyle, of *protocol.Details) []protocol.DetailRule {
	out := []protocol.DetailRule{}
	for _, m := range styles {
		r := e.rule(m)
		for i, p := range m.style.CSSProperties {
			if !written(m.style, p) || m.from != "" && !inherits(p.Name) {
				continue
			}
			if len(r.Declarations) == declarationsShown {
				break
			}
			r.Declarations = append(r.Declarations, protocol.DetailDeclaration{
				Index: i, Name: bounded(p.Name), Value: bounded(value(p)), Important: p.Important,
				Beaten: m.beaten[p], Off: p.Disabled, Unknown: !understood(p),
			})
		}
		if len(r.Declarations) == 0 && (r.Origin != protocol.OriginElement || r.From != "") && (r.Origin != protocol.OriginAuthor || m.from != "") {
			continue
		}
		if len(out) == rulesShown {
			of.Cut = append(of.Cut, "rules")
			break
		}
		out = append(out, r)
	}
	return out
}

// value returns a declaration's value without the word !important, which the browser
// leaves in it.
func value(p *css.Property) string {
	v := p.Value
	if p.Important {
		if at := strings.LastIndex(strings.ToLower(v), "!"); at >= 0 && strings.Contains(strings.ToLower(v[at:]), "important") {
			v = v[:at]
		}
	}
	return strings.TrimSpace(v)
}

func bounded(s string) string {
	if len(s) > valueShown {
		return strings.ToValidUTF8(s[:valueShown], "") + "…"
	}
	return s
}

// rule describes a style without its declarations.
func (e *found) rule(m *matchedStyle) protocol.DetailRule {
	out := protocol.DetailRule{Origin: m.origin, Pseudo: m.pseudo, From: m.from, Declarations: []protocol.DetailDeclaration{}}
	if m.match == nil {
		out.Selector = "style attribute"
		if m.origin == protocol.OriginAttributes {
			out.Selector = "attributes"
		}
		out.Key = keyOf(m)
		return out
	}
	r := m.match.Rule
	if r.SelectorList != nil {
		var selectors []string
		for _, i := range m.match.MatchingSelectors {
			if int(i) >= len(r.SelectorList.Selectors) {
				continue
			}
			s := r.SelectorList.Selectors[i]
			selectors = append(selectors, s.Text)
			if s.Specificity != nil {
				got := [3]int{int(s.Specificity.A), int(s.Specificity.B), int(s.Specificity.C)}
				if slices.Compare(got[:], out.Specificity[:]) > 0 {
					out.Specificity = got
				}
			}
		}
		if len(selectors) == 0 {
			selectors = []string{r.SelectorList.Text}
		}
		out.Selector = bounded(strings.Join(selectors, ", "))
	}
	for _, nesting := range r.NestingSelectors {
		out.Conditions = append(out.Conditions, "in "+bounded(nesting))
	}
	for _, c := range r.Media {
		out.Conditions = append(out.Conditions, "@media "+c.Text)
	}
	for _, c := range r.ContainerQueries {
		out.Conditions = append(out.Conditions, strings.TrimSpace("@container "+c.Name+" "+c.ConditionText))
	}
	for _, c := range r.Supports {
		out.Conditions = append(out.Conditions, "@supports "+c.Text)
	}
	for _, c := range r.Layers {
		out.Conditions = append(out.Conditions, "@layer "+c.Text)
	}
	for _, c := range r.Scopes {
		out.Conditions = append(out.Conditions, "@scope "+c.Text)
	}
	out.Source, out.Original = e.source(m)
	out.Key = keyOf(m)
	return out
}

// source says where a rule is written: in which sheet, and according to its source map
// in which file.
func (e *found) source(m *matchedStyle) (source, original string) {
	e.mu.Lock()
	sheet, mapped := e.sheets[m.sheet], e.maps[m.sheet]
	e.mu.Unlock()
	if sheet == nil {
		return "", ""
	}
	at := m.style.Range
	if list := m.match.Rule.SelectorList; list != nil && len(list.Selectors) > 0 && list.Selectors[0].Range != nil {
		at = list.Selectors[0].Range
	}
	if at == nil {
		return bounded(sheet.SourceURL), ""
	}
	name, line := sheet.SourceURL, at.StartLine+1
	switch {
	case sheet.IsInline:
		name, line = name+" <style>", line+int64(sheet.StartLine)
	case name == "" || sheet.IsConstructed:
		name = strings.TrimSpace(name + " constructed sheet")
	}
	if mapped != nil {
		if from, err := mapped.Original(int(at.StartLine)+1, int(at.StartColumn)); err == nil {
			original = fmt.Sprintf("%s:%d", bounded(from.Source), from.Line)
		}
	}
	return fmt.Sprintf("%s:%d", bounded(name), line), original
}

// keyOf names a style for an edit as long as its text and its place stay the same; it is
// empty for what cannot be edited.
func keyOf(m *matchedStyle) string {
	if m.style.StyleSheetID == "" || m.style.Range == nil || m.origin == protocol.OriginBrowser || m.origin == protocol.OriginAttributes {
		return ""
	}
	selector := ""
	if m.match != nil && m.match.Rule.SelectorList != nil {
		selector = m.match.Rule.SelectorList.Text
	}
	at := m.style.Range
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%s|%s|%s|%d:%d|%s", m.origin, m.pseudo, m.from, selector, at.StartLine, at.StartColumn, m.style.CSSText))
	return hex.EncodeToString(sum[:5])
}
