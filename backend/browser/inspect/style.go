package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// Style explains an element's style: every rule that matches it, strongest first,
// with overridden declarations marked, and the computed values of properties. If
// properties is empty, it returns the values of all properties that the rules name.
func (in *Inspector) Style(ctx context.Context, by protocol.Caller, id protocol.TabID, element string, properties []string) (protocol.ElementStyle, error) {
	var out protocol.ElementStyle
	err := elements.On(ctx, by, in.tabs, id, element, func(ctx context.Context, _ *page.Page, e *elements.Found) error {
		out.URL, out.Element = e.URL, e.Words
		sheets := make(map[cdp.StyleSheetID]*css.StyleSheetHeader)
		added := e.Session.Events(css.StyleSheetAdded.Method)
		defer added.Cancel()
		if _, err := cdp.Call(ctx, e.Session, dom.Enable, dom.EnableParams{}); err != nil {
			return err
		}
		if _, err := cdp.Call(ctx, e.Session, css.Enable, cdp.Empty{}); err != nil {
			return err
		}
		added.Cancel() // events from before the answer are in the queue
		for ev := range added.C {
			if v, ok := devtools.Decode(ev, css.StyleSheetAdded); ok && v.Header != nil {
				sheets[v.Header.StyleSheetID] = v.Header
			}
		}
		node, err := e.Node(ctx)
		if err != nil {
			return err
		}
		matched, err := cdp.Call(ctx, e.Session, css.GetMatchedStylesForNode, css.GetMatchedStylesForNodeParams{NodeID: node})
		if err != nil {
			return err
		}
		out.Rules = cascade(&matched, sheets)
		computed, err := cdp.Call(ctx, e.Session, css.GetComputedStyleForNode, css.GetComputedStyleForNodeParams{NodeID: node})
		if err != nil {
			return err
		}
		out.Computed = pick(computed.ComputedStyle, properties, out.Rules)
		return nil
	})
	return out, err
}

// pick selects the wanted values; if none is wanted, those of the properties that the
// rules name.
func pick(all []*css.ComputedStyleProperty, wanted []string, rules []protocol.StyleRule) map[string]string {
	if len(wanted) == 0 {
		for _, r := range rules {
			for _, d := range r.Declarations {
				wanted = append(wanted, d.Name)
			}
		}
	}
	exact := make(map[string]bool, len(all))
	for _, p := range all {
		exact[p.Name] = true
	}
	out := make(map[string]string)
	for _, p := range all {
		if slices.Contains(wanted, p.Name) || slices.ContainsFunc(wanted, func(w string) bool {
			return !exact[w] && strings.HasPrefix(p.Name, w+"-")
		}) {
			out[p.Name] = p.Value
		}
	}
	return out
}

// cascadeRule is one rule in the cascade.
type cascadeRule struct {
	protocol.StyleRule
	style  *css.Style
	strong bool // an author's rule: its important declarations lose to the browser's own
}

// cascade sorts the rules, strongest first, and marks overridden declarations.
func cascade(m *css.GetMatchedStylesForNodeResult, sheets map[cdp.StyleSheetID]*css.StyleSheetHeader) []protocol.StyleRule {
	var rules []cascadeRule
	own := func(from string, inline *css.Style, matches []*css.RuleMatch) {
		if inline != nil && len(inline.CSSProperties) > 0 {
			rules = append(rules, cascadeRule{StyleRule: protocol.StyleRule{Selector: "style attribute", From: from, Source: "the element"}, style: inline, strong: true})
		}
		for _, match := range slices.Backward(matches) {
			if match.Rule != nil && match.Rule.Style != nil {
				rules = append(rules, ruleOf(match, from, sheets))
			}
		}
	}
	own("", m.InlineStyle, m.MatchedCSSRules)
	if m.AttributesStyle != nil && len(m.AttributesStyle.CSSProperties) > 0 {
		rules = append(rules, cascadeRule{StyleRule: protocol.StyleRule{Selector: "attributes", Source: "the element"}, style: m.AttributesStyle})
	}
	for i, inherited := range m.Inherited {
		own(fmt.Sprintf("ancestor %d", i+1), inherited.InlineStyle, inherited.MatchedCSSRules)
	}
	// Important declarations are decided first, the browser's own before the
	// author's. Inherited ones are weaker than all that match the element itself.
	won := make(map[string]bool)
	beaten := make(map[*css.Property]bool)
	decide := func(inherited, important bool, ok func(*cascadeRule) bool) {
		for i := range rules {
			r := &rules[i]
			if (r.From != "") != inherited || !ok(r) {
				continue
			}
			for _, p := range slices.Backward(r.style.CSSProperties) {
				if p.Important == important && declared(r.style, p) {
					beaten[p] = !claim(won, p)
				}
			}
		}
	}
	all := func(*cascadeRule) bool { return true }
	decide(false, true, func(r *cascadeRule) bool { return !r.strong })
	decide(false, true, func(r *cascadeRule) bool { return r.strong })
	decide(false, false, all)
	decide(true, true, all)
	decide(true, false, all)
	out := make([]protocol.StyleRule, 0, len(rules))
	for i := range rules {
		r := rules[i].StyleRule
		for _, p := range rules[i].style.CSSProperties {
			if !declared(rules[i].style, p) || (r.From != "" && !inherits(p.Name)) {
				continue
			}
			r.Declarations = append(r.Declarations, protocol.Declaration{Name: p.Name, Value: p.Value, Important: p.Important, Beaten: beaten[p]})
		}
		if len(r.Declarations) > 0 {
			out = append(out, r)
		}
	}
	return out
}

// declared reports whether a declaration is written in the style. It excludes what a
// shorthand implies and what the browser did not understand. The browser's own sheet
// has no text, so there every property counts.
func declared(style *css.Style, p *css.Property) bool {
	written := p.Text != "" || p.Range != nil || style.CSSText == ""
	return written && !p.Disabled && !p.Implicit
}

// claim marks a property, or all longhands of a shorthand, as set by its declaration.
// It reports whether any of them was not set yet.
func claim(won map[string]bool, p *css.Property) bool {
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

// inherits reports whether a property is inherited by children. It knows the common
// properties only. Custom properties always are.
func inherits(name string) bool {
	if strings.HasPrefix(name, "--") {
		return true
	}
	for _, p := range []string{
		"font", "color", "line-height", "letter-spacing", "word-", "text-align", "text-indent", "text-transform", "text-shadow", "white-space",
		"visibility", "cursor", "direction", "list-style", "quotes", "tab-size", "hyphens", "caret-color", "accent-color", "pointer-events",
		"border-collapse", "border-spacing", "caption-side", "empty-cells", "orphans", "widows", "fill", "stroke", "overflow-wrap", "user-select", "writing-mode",
	} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// ruleOf describes a rule: the selectors that matched, its location and its
// conditions.
func ruleOf(match *css.RuleMatch, from string, sheets map[cdp.StyleSheetID]*css.StyleSheetHeader) cascadeRule {
	r := match.Rule
	out := cascadeRule{style: r.Style, strong: r.Origin != css.StyleSheetOriginUserAgent}
	out.From = from
	if r.SelectorList != nil {
		var selectors []string
		for _, i := range match.MatchingSelectors {
			if int(i) < len(r.SelectorList.Selectors) {
				selectors = append(selectors, r.SelectorList.Selectors[i].Text)
			}
		}
		if len(selectors) == 0 {
			selectors = []string{r.SelectorList.Text}
		}
		out.Selector = strings.Join(selectors, ", ")
	}
	for _, m := range r.Media {
		out.Conditions = append(out.Conditions, "@media "+m.Text)
	}
	for _, q := range r.ContainerQueries {
		out.Conditions = append(out.Conditions, strings.TrimSpace("@container "+q.Name+" "+q.ConditionText))
	}
	for _, s := range r.Supports {
		out.Conditions = append(out.Conditions, "@supports "+s.Text)
	}
	for _, l := range r.Layers {
		out.Conditions = append(out.Conditions, "@layer "+l.Text)
	}
	sheet := sheets[r.StyleSheetID]
	switch {
	case !out.strong:
		out.Source = "browser"
	case sheet == nil:
		out.Source = string(r.Origin)
	default:
		line := int64(0)
		if r.Style.Range != nil {
			line = r.Style.Range.StartLine
		}
		name := sheet.SourceURL
		if sheet.IsInline || name == "" {
			name = "<style>"
		}
		out.Source = fmt.Sprintf("%s:%d", name, line+1)
	}
	return out
}
