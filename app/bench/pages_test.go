package main

import (
	"strings"
	"testing"
)

// A snapshot that omits, repeats or renames something in view fails the
// measurement.
func TestWhatIsInViewIsCompared(t *testing.T) {
	const text = "page \"Bench\" http://x 1280x713 [↑0 ↓0]\nmain\n e1 link Item 0 →/item/0\n e2 btn Edit 0 [disabled]"
	if err := shows(text, []string{"link Item 0 →/item/0", "btn Edit 0 [disabled]"}); err != nil {
		t.Error(err)
	}
	for _, want := range [][]string{nil, {"btn Edit 1"}, {"btn Edit 0"}} {
		if shows(text, want) == nil {
			t.Errorf("%q was found", want)
		}
	}
	if shows(text+"\n e3 btn Edit 0 [disabled]", []string{"btn Edit 0 [disabled]"}) == nil {
		t.Error("an element was shown twice")
	}
	if shows(text+"\n e2 btn Other", []string{"btn Other"}) == nil {
		t.Error("two elements had one ref")
	}
}

// The page of sections has the promised number of nodes.
func TestSectionsHaveTheirNodes(t *testing.T) {
	if n := strings.Count(sections(), "<section>") * sectionNodes; n < 19_900 || n > 20_000 {
		t.Errorf("the page of sections has %d nodes", n)
	}
}
