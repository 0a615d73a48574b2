package sourcemaps_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"pilotfish/backend/browser/sourcemaps"
	"pilotfish/backend/protocol"
)

const (
	script = "https://one.example/js/app.js"
	// Line 1 of the script is line 7 of ask.ts, line 2 is line 1 of fails.ts.
	text = `{"version":3,"sources":["../src/ask.ts","../src/fails.ts"],"names":[],"mappings":"AAMA;ACNA"}`
)

// A script is found with its map however it names it; what cannot be read leaves the
// position, with the reason.
func TestResolve(t *testing.T) {
	inline := "data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(text))
	for name, one := range map[string]struct {
		files  map[string]string
		header string
		source string
		why    string
	}{
		"a comment":                  {files: map[string]string{script: "a\n//# sourceMappingURL=app.js.map\n", "https://one.example/js/app.js.map": text}, source: "https://one.example/src/ask.ts"},
		"an old comment":             {files: map[string]string{script: "a\n//@ sourceMappingURL=x\n//# sourceMappingURL=/m", "https://one.example/m": ")]}'\n" + text}, source: "https://one.example/src/ask.ts"},
		"a comment of CSS":           {files: map[string]string{script: "a\n/*# sourceMappingURL=/m */", "https://one.example/m": text}, source: "https://one.example/src/ask.ts"},
		"a header":                   {files: map[string]string{script: "a", "https://cdn.example/m": text}, header: "https://cdn.example/m", source: "https://cdn.example/../src/ask.ts"},
		"a map in the script":        {files: map[string]string{script: "a\n//# sourceMappingURL=" + inline}, source: "https://one.example/src/ask.ts"},
		"no map":                     {files: map[string]string{script: "a"}, why: "no source map"},
		"a string, no comment":       {files: map[string]string{script: `x = "//# sourceMappingURL=" + y`}, why: "no source map"},
		"no script":                  {files: map[string]string{}, why: "the script was not loaded"},
		"a map that is gone":         {files: map[string]string{script: "//# sourceMappingURL=/m"}, why: "the source map was not loaded"},
		"a map of the machine":       {files: map[string]string{script: "//# sourceMappingURL=file:///etc/passwd"}, why: "not at a web address"},
		"an unreadable map":          {files: map[string]string{script: "//# sourceMappingURL=/m", "https://one.example/m": `{"version":3,"sources":["a"],"mappings":"\u0000!!"}`}, why: "not readable"},
		"a source that is not there": {files: map[string]string{script: "//# sourceMappingURL=/m", "https://one.example/m": `{"version":3,"sources":["a"],"mappings":"AQAA"}`}, why: "not readable"},
		"no JSON":                    {files: map[string]string{script: "//# sourceMappingURL=/m", "https://one.example/m": "<html>"}, why: "not readable"},
		"half of base64":             {files: map[string]string{script: "//# sourceMappingURL=data:application/json;base64,e!"}, why: "the source map was not loaded"},
		"an address of nonsense":     {files: map[string]string{script: "//# sourceMappingURL=http://[::"}, why: "not readable"},
	} {
		load := func(_ context.Context, address string) ([]byte, string, error) {
			data, ok := one.files[address]
			if !ok {
				return nil, "", errors.New("status 404")
			}
			if address == script {
				return []byte(data), one.header, nil
			}
			return []byte(data), "", nil
		}
		got := (&sourcemaps.Maps{}).Resolve(t.Context(), 1, load, []protocol.CodePlace{{URL: script, Line: 1, Column: 1}})[0]
		if one.source != "" && (!strings.HasSuffix(got.Source, "src/ask.ts") || got.SourceLine != 7 || got.Why != "") {
			t.Errorf("%s: %+v", name, got)
		}
		if one.why != "" && (got.Source != "" || !strings.Contains(got.Why, one.why) || got.URL != script) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A script is read once for each document of the tab, and again after a call that ended
// too early.
func TestReadOnce(t *testing.T) {
	maps, loads := &sourcemaps.Maps{}, 0
	load := func(ctx context.Context, address string) ([]byte, string, error) {
		loads++
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
		if address == script {
			return []byte("//# sourceMappingURL=/m"), "", nil
		}
		return []byte(text), "", nil
	}
	places := []protocol.CodePlace{{URL: script, Line: 1, Column: 1}, {URL: script, Line: 2, Column: 1}, {URL: script, Line: 99, Column: 1}, {URL: "chrome-extension://x/a.js", Line: 1, Column: 1}}
	ended, end := context.WithCancel(t.Context())
	end()
	maps.Resolve(ended, 1, load, places[:1])
	for range 2 {
		got := maps.Resolve(t.Context(), 1, load, places)
		if got[0].SourceLine != 7 || got[1].Source == got[0].Source || got[2].Source == "" && got[2].Why == "" || got[3].Why == "" {
			t.Errorf("%+v", got)
		}
	}
	if loads != 3 { // one that ended, then the script and its map
		t.Errorf("%d loads", loads)
	}
	maps.Resolve(t.Context(), 2, load, places[:1])
	if loads != 5 {
		t.Errorf("%d loads with another document", loads)
	}
}

// card.scss, compiled by sass: line 2 of the CSS comes from line 4 of the SCSS, line 6
// from line 1 of another file.
const compiled = `{"version":3,"sourceRoot":"","sources":["../scss/card.scss","../scss/base.scss"],"names":[],"mappings":"AAGA;EACE;EACA;;AAGA;ECRF"}`

func TestOriginal(t *testing.T) {
	m, err := sourcemaps.Parse("https://example.com/css/app.css.map", []byte(")]}'\n"+compiled))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line, column int
		source       string
		original     int
	}{
		{1, 0, "https://example.com/scss/card.scss", 4},
		{2, 2, "https://example.com/scss/card.scss", 5},
		{2, 9, "https://example.com/scss/card.scss", 5},
		{5, 0, "https://example.com/scss/card.scss", 9},
		{6, 2, "https://example.com/scss/base.scss", 1},
	} {
		if at, err := m.Original(c.line, c.column); err != nil || at.Source != c.source || at.Line != c.original {
			t.Errorf("%d:%d: %+v, %v, not %s:%d", c.line, c.column, at, err, c.source, c.original)
		}
	}
	if at, err := m.Original(100, 0); err == nil {
		t.Errorf("line 100 comes from %+v", at)
	}
}

func TestNames(t *testing.T) {
	for address, names := range map[string][]string{
		"":                            {"src/a.css", "webpack:///b.css", "/c.css"},
		"https://example.com/x/a.map": {"https://example.com/x/src/a.css", "webpack:///b.css", "https://example.com/c.css"},
	} {
		m, err := sourcemaps.Parse(address, []byte(`{"version":3,"sourceRoot":"src/","sources":["a.css","webpack:///b.css","/c.css"],"mappings":"AAAA;ACAA;ACAA"}`))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range names {
			if at, _ := m.Original(i+1, 0); at.Source != want {
				t.Errorf("%s, not %s", at.Source, want)
			}
		}
	}
}

func TestBadMaps(t *testing.T) {
	for _, bad := range []string{
		``, `[]`, `{"version":2}`, `{"version":3,"sections":[]}`, `{"version":3,"sections":[{}]}`,
		`{"version":3,"sources":[],"mappings":"AAAA"}`,    // a source that is not there
		`{"version":3,"sources":["a"],"mappings":"ADAA"}`, // before the first source
		`{"version":3,"sources":["a"],"mappings":"A!AA"}`, // not base 64
		`{"version":3,"sources":["a"],"mappings":"` + strings.Repeat(";", 4_000_001) + `AAAA"}`,
	} {
		m, err := sourcemaps.Parse("", []byte(bad))
		if err != nil {
			continue
		}
		if at, err := m.Original(1, 0); err == nil {
			t.Errorf("%.60s leads to %+v", bad, at)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(compiled))
	f.Add([]byte(`{"version":3,"sections":[{"offset":{"line":1,"column":0},"map":` + compiled + `}]}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if m, err := sourcemaps.Parse("https://example.com/a.map", data); err == nil {
			_, _ = m.Original(1, 0)
			_, _ = m.Original(2, 7)
		}
	})
}
