package details

import (
	_ "embed"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/css"

	"pilotfish/backend/protocol"
)

// initial has the initial values of all properties, as Chromium 156 computes them for
// an element with `all: initial`. A property that a newer browser has and the list has
// not is shown if a rule sets it.
//
//go:embed initial.json
var initialJSON []byte

// initialValues reads the list.
func initialValues() map[string]string {
	out := make(map[string]string)
	_ = json.Unmarshal(initialJSON, &out) // a test reads it
	return out
}

// laidOut are values that the layout gives, whatever the rules say.
var laidOut = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(inline-size|block-size|perspective-origin|transform-origin)$|^-webkit-.*(color|size)$`)
})

// differing returns the computed values that differ from the defaults: those that are
// neither initial nor what the browser's own style sheet gives to such an element.
// Colours that follow the text colour are left out.
func differing(all []*css.ComputedStyleProperty, initial map[string]string, m *css.GetMatchedStylesForNodeResult) []protocol.ComputedValue {
	set, browsers := make(map[string]bool), make(map[string]string)
	note := func(style *css.Style, browser bool) {
		if style == nil {
			return
		}
		var one func(p *css.Property)
		one = func(p *css.Property) {
			set[p.Name] = true
			if browser {
				browsers[p.Name] = p.Value
			} else {
				delete(browsers, p.Name)
			}
			for _, l := range p.LonghandProperties {
				one(l)
			}
		}
		for _, p := range style.CSSProperties {
			if !p.Disabled {
				one(p)
			}
		}
	}
	for _, match := range m.MatchedCSSRules {
		if match.Rule != nil {
			note(match.Rule.Style, originOf(match.Rule.Origin) == protocol.OriginBrowser)
		}
	}
	note(m.AttributesStyle, false)
	note(m.InlineStyle, false)
	text := valueOf(all, "color")
	out := []protocol.ComputedValue{}
	for _, p := range all {
		first, known := initial[p.Name]
		switch {
		case laidOut().MatchString(p.Name), known && p.Value == first, !known && !set[p.Name] && p.Name != "width" && p.Name != "height":
			continue
		case p.Name != "color" && p.Value == text && first == initial["color"]:
			continue
		}
		if own, is := browsers[p.Name]; is && own == p.Value {
			continue
		}
		out = append(out, protocol.ComputedValue{Name: bounded(p.Name), Value: bounded(p.Value)})
	}
	return out
}

func valueOf(all []*css.ComputedStyleProperty, name string) string {
	for _, p := range all {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// colors returns the colours of an element's text, and their contrast; nil without
// visible text.
func colors(all []*css.ComputedStyleProperty, behind *css.GetBackgroundColorsResult) *protocol.DetailColors {
	if behind.BackgroundColors == nil {
		return nil
	}
	out := &protocol.DetailColors{Text: bounded(valueOf(all, "color")), Behind: []string{}, Needed: 4.5, Best: 7}
	size, _ := strconv.ParseFloat(strings.TrimSuffix(behind.ComputedFontSize, "px"), 64)
	weight, err := strconv.ParseFloat(behind.ComputedFontWeight, 64)
	if err != nil && behind.ComputedFontWeight == "bold" {
		weight = 700
	}
	// 18 points, or 14 points and bold, is large text.
	if size >= 24 || size >= 18.66 && weight >= 700 {
		out.Needed, out.Best = 3, 4.5
	}
	text, ok := rgbaOf(out.Text)
	for i, b := range behind.BackgroundColors {
		if i == 10 {
			break
		}
		out.Behind = append(out.Behind, bounded(b))
		under, known := rgbaOf(b)
		if !ok || !known {
			out.Contrast = 0
			return out
		}
		under = over(under, [4]float64{255, 255, 255, 1})
		ratio := contrast(over(text, under), under)
		if out.Contrast == 0 || ratio < out.Contrast {
			out.Contrast = math.Floor(ratio*100) / 100
		}
	}
	return out
}

var rgbPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^rgba?\(\s*([\d.]+)[,\s]+([\d.]+)[,\s]+([\d.]+)(?:[,/\s]+([\d.]+)(%?))?\s*\)$`)
})

// rgbaOf reads a computed colour: three parts to 255 and the opacity to 1. Colours of
// other spaces are not known.
func rgbaOf(text string) ([4]float64, bool) {
	m := rgbPattern().FindStringSubmatch(text)
	if m == nil {
		return [4]float64{}, false
	}
	out := [4]float64{3: 1}
	for i := range 4 {
		if m[i+1] != "" {
			out[i], _ = strconv.ParseFloat(m[i+1], 64)
		}
	}
	if m[5] == "%" {
		out[3] /= 100
	}
	return out, true
}

// over returns a colour as it looks on another one.
func over(top, under [4]float64) [4]float64 {
	out := [4]float64{3: 1}
	for i := range 3 {
		out[i] = top[i]*top[3] + under[i]*(1-top[3])
	}
	return out
}

// contrast is the ratio that WCAG defines, from 1 to 21.
func contrast(a, b [4]float64) float64 {
	both := []float64{luminance(a), luminance(b)}
	slices.Sort(both)
	return (both[1] + 0.05) / (both[0] + 0.05)
}

func luminance(c [4]float64) float64 {
	sum := 0.0
	for i, share := range []float64{0.2126, 0.7152, 0.0722} {
		v := c[i] / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += share * v
	}
	return sum
}
