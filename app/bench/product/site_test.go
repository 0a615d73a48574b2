package product

import (
	"regexp"
	"strings"
	"testing"
)

// The pages send their records, and contain what the measurements need.
func TestPagesHoldWhatIsMeasured(t *testing.T) {
	if n := strings.Count(formPage(), "<input") + strings.Count(formPage(), "<select") + strings.Count(formPage(), "<button"); n != 19 {
		t.Errorf("the form has %d controls", n)
	}
	if n := strings.Count(largePage(), "</"); n != 20000 {
		t.Errorf("the large page has %d elements", n)
	}
	if n := strings.Count(labelsPage(), "</button>"); n != 600 {
		t.Errorf("the page of labels has %d buttons", n)
	}
	if n := len(regexp.MustCompile("<(a|button|input) ").FindAllString(Controls(1000), -1)) + strings.Count(Controls(1000), "<button>"); n != 1000 {
		t.Errorf("the page of controls has %d", n)
	}
}
