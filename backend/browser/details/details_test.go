package details

import (
	"math"
	"testing"

	"github.com/chromedp/cdproto/css"
)

func TestInitialValues(t *testing.T) {
	initial := initialValues()
	if len(initial) < 400 || initial["opacity"] != "1" || initial["display"] != "inline" {
		t.Errorf("%d initial values", len(initial))
	}
}

func TestContrast(t *testing.T) {
	for text, want := range map[string]float64{
		"rgb(0, 0, 0)": 21, "rgb(255, 255, 255)": 1, "rgba(0, 0, 0, 0)": 1, "rgb(118, 118, 118)": 4.54, "rgba(0 0 0 / 50%)": 3.95,
	} {
		c := colors([]*css.ComputedStyleProperty{{Name: "color", Value: text}}, &css.GetBackgroundColorsResult{BackgroundColors: []string{"rgb(255, 255, 255)"}, ComputedFontSize: "16px"})
		if math.Abs(c.Contrast-want) > 0.05 {
			t.Errorf("%s on white: %v, not %v", text, c.Contrast, want)
		}
	}
	if c := colors(nil, &css.GetBackgroundColorsResult{BackgroundColors: []string{"oklch(1 0 0)"}}); c.Contrast != 0 {
		t.Errorf("of colours that are not known: %v", c.Contrast)
	}
	if c := colors(nil, &css.GetBackgroundColorsResult{BackgroundColors: []string{}, ComputedFontSize: "19px", ComputedFontWeight: "bold"}); c.Needed != 3 {
		t.Errorf("large text needs %v", c.Needed)
	}
	if colors(nil, &css.GetBackgroundColorsResult{}) != nil {
		t.Error("colours without text")
	}
}
