// Package threats checks that docs/threats.md names only tests that exist.
package threats

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the top of the repository.
const root = "../.."

// row is a line of a table of docs/threats.md.
type row struct {
	table, number, tests string
}

// rows reads the tables. A table is named by the heading above it.
func rows(t *testing.T, text string) []row {
	t.Helper()
	var all []row
	table := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			table = heading
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.TrimSpace(cells[0]) == "#" {
			continue
		}
		if len(cells) != 4 || slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) == "" }) {
			t.Errorf("%s: %q has not four cells with text", table, line)
			continue
		}
		all = append(all, row{table, strings.TrimSpace(cells[0]), strings.TrimSpace(cells[3])})
	}
	return all
}

// Every row is there once, in order, and says how it is proved, in one of three
// forms. The counts at the top are those of the rows.
func TestEveryRowSaysHowItIsProved(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "docs", "threats.md"))
	if err != nil {
		t.Fatal(err)
	}
	var want, have []string
	for _, table := range []struct {
		name string
		rows int
	}{{"Attacks", 73}, {"Faults", 35}} {
		for i := range table.rows {
			want = append(want, fmt.Sprintf("%s %d", table.name, i+1))
		}
	}
	proved, cannot, open := 0, 0, 0
	for _, r := range rows(t, string(data)) {
		name := r.table + " " + r.number
		have = append(have, name)
		switch {
		case strings.HasPrefix(r.tests, "cannot apply: "):
			cannot++
		case strings.HasPrefix(r.tests, "open: "):
			open++
		default:
			proved++
			checkTests(t, name, r.tests)
		}
	}
	if !slices.Equal(have, want) {
		t.Errorf("the rows are %q, want %q", have, want)
	}
	counts := fmt.Sprintf("\nOf %d rows %d are proved, %d cannot apply and %d are open.\n", len(want), proved, cannot, open)
	if !strings.Contains(string(data), counts) {
		t.Errorf("the line of counts must be %q", strings.TrimSpace(counts))
	}
}

// checkTests checks a column such as `backend/auth: TestOne, TestTwo; a/b.test.ts:
// "words of a name"`.
func checkTests(t *testing.T, name, column string) {
	t.Helper()
	group := regexp.MustCompile(`^([\w./-]+): ((?:Test\w+|"[^"]+")(?:, (?:Test\w+|"[^"]+"))*)(?:; |$)`)
	each := regexp.MustCompile(`"[^"]+"|Test\w+`)
	for rest := column; rest != ""; {
		found := group.FindStringSubmatch(rest)
		if found == nil {
			t.Errorf("%s: %q is neither tests, nor \"cannot apply: …\", nor \"open: …\"", name, rest)
			return
		}
		rest = rest[len(found[0]):]
		pattern, place := filepath.Join(root, found[1], "*_test.go"), "\nfunc %s(t *testing.T)"
		if strings.HasSuffix(found[1], ".test.ts") {
			pattern, place = filepath.Join(root, found[1]), "%s" // the name may stand anywhere in the file
		}
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range each.FindAllString(found[2], -1) {
			text := fmt.Sprintf(place, strings.Trim(test, `"`))
			if !slices.ContainsFunc(files, func(file string) bool {
				data, err := os.ReadFile(file)
				return err == nil && strings.Contains(string(data), text)
			}) {
				t.Errorf("%s: %s has no test %s", name, found[1], test)
			}
		}
	}
}
