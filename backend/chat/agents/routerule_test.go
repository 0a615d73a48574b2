package agents

import (
	"slices"
	"testing"

	"pilotfish/backend/chat/routing"
)

func TestRouteWords(t *testing.T) {
	ours := routing.Default().Strong
	for name, c := range map[string]struct {
		words []string
		word  string
		add   bool
		want  []string
	}{
		"added to ours":          {nil, "tidy", true, append(slices.Clone(ours), "tidy")},
		"added to the person's":  {[]string{"why"}, "tidy", true, []string{"why", "tidy"}},
		"added once":             {[]string{"Tidy", "why"}, "tidy", true, []string{"why", "tidy"}},
		"taken out":              {[]string{"Read … and …", "why"}, "read … and …", false, []string{"why"}},
		"taken out of ours":      {nil, ours[0], false, ours[1:]},
		"taken out, never there": {[]string{"why"}, "tidy", false, []string{"why"}},
		"the last one":           {[]string{"why"}, "why", false, []string{}},
	} {
		if got := routeWords(c.words, c.word, c.add); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if !slices.Equal(ours, routing.Default().Strong) {
		t.Error("our own words were changed")
	}
	if got := plainWord("  Find   Bugs "); got != "find bugs" {
		t.Errorf("the word is %q", got)
	}
}
