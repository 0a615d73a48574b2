package sourcemap

import "testing"

// card.scss, compiled by sass: line 2 of the CSS comes from line 4 of the SCSS, line 6
// from line 1 of another file.
const compiled = `{"version":3,"sourceRoot":"","sources":["../scss/card.scss","../scss/base.scss"],"names":[],"mappings":"AAGA;EACE;EACA;;AAGA;ECRF"}`

func TestOriginal(t *testing.T) {
	m, err := Parse("https://example.com/css/app.css.map", []byte(")]}'\n"+compiled))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line, column int
		source       string
		original     int
	}{
		{0, 0, "https://example.com/scss/card.scss", 4},
		{1, 2, "https://example.com/scss/card.scss", 5},
		{1, 9, "https://example.com/scss/card.scss", 5},
		{2, 0, "https://example.com/scss/card.scss", 6}, // before the first mapping of the line
		{4, 0, "https://example.com/scss/card.scss", 9},
		{5, 2, "https://example.com/scss/base.scss", 1},
	} {
		source, original, ok := m.Original(c.line, c.column)
		if !ok || source != c.source || original != c.original {
			t.Errorf("%d:%d: %s:%d %v, not %s:%d", c.line, c.column, source, original, ok, c.source, c.original)
		}
	}
	for _, line := range []int{3, 6, 100} {
		if source, _, ok := m.Original(line, 0); ok {
			t.Errorf("line %d comes from %s", line, source)
		}
	}
}

func TestNames(t *testing.T) {
	m, err := Parse("", []byte(`{"version":3,"sourceRoot":"src/","sources":["a.css","webpack:///b.css","/c.css"],"mappings":"AAAA;ACAA;ACAA"}`))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range []string{"src/a.css", "webpack:///b.css", "/c.css"} {
		if source, _, _ := m.Original(line, 0); source != want {
			t.Errorf("%s, not %s", source, want)
		}
	}
}

func TestBadMaps(t *testing.T) {
	for _, bad := range []string{
		``, `[]`, `{"version":2}`, `{"version":3,"sections":[]}`,
		`{"version":3,"sources":[],"mappings":"AAAA"}`,           // a source that is not there
		`{"version":3,"sources":["a"],"mappings":"ADAA"}`,        // before the first source
		`{"version":3,"sources":["a"],"mappings":"AAAg"}`,        // ends early
		`{"version":3,"sources":["a"],"mappings":"A!AA"}`,        // not base 64
		`{"version":3,"sources":["a"],"mappings":"ggggggggggA"}`, // too large
		`{"version":3,"sources":["a"],"mappings":"AADA"}`,        // a line before the first
	} {
		if _, err := Parse("", []byte(bad)); err == nil {
			t.Errorf("%s is no error", bad)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(compiled))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if m, err := Parse("https://example.com/a.map", data); err == nil {
			m.Original(0, 0)
			m.Original(1, 7)
		}
	})
}
