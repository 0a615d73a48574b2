package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every path that a document of the project links to or names exists. The records
// in docs/adr describe their time, so only their links are checked.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	named := regexp.MustCompile("`((?:app|backend|build|docs|extension|frontend)/[A-Za-z0-9_./-]+)`")
	// These exist after a build, or are meant as a pattern.
	built := []string{"build/bin", "build/cache/bin", "docs/adr/NNN-title.md"}
	names := []string{"../README.md", "../ARCHITECTURE.md", "../CONTRIBUTING.md", "../SECURITY.md", "../CHANGELOG.md", "../docs/GLOSSARY.md"}
	records, err := filepath.Glob("../docs/*/*.md")
	if err != nil || len(records) < 10 {
		t.Fatalf("%d files in docs, %v", len(records), err)
	}
	for _, name := range slices.Concat(names, records) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if target := found[1]; !strings.Contains(target, "://") && !exists(filepath.Join(filepath.Dir(name), target)) {
				t.Errorf("%s links to %s, which is not there", name, target)
			}
		}
		if slices.Contains(records, name) {
			continue
		}
		for _, found := range named.FindAllStringSubmatch(string(text), -1) {
			if target := strings.TrimSuffix(found[1], "/"); !slices.Contains(built, target) && !exists(filepath.Join("..", target)) {
				t.Errorf("%s names %s, which is not there", name, target)
			}
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// A document must be short enough to be read to its end.
func TestDocumentsAreShort(t *testing.T) {
	for name, most := range map[string]int{"../README.md": 150, "../ARCHITECTURE.md": 300} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > most {
			t.Errorf("%s has %d lines, %d at most: decisions belong in docs/adr, mechanisms in package comments", name, n, most)
		}
	}
}

// The glossary is in alphabetical order.
func TestGlossaryIsSorted(t *testing.T) {
	text, err := os.ReadFile("../docs/GLOSSARY.md")
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for _, found := range regexp.MustCompile(`(?m)^\| \*\*(.+?)\*\*`).FindAllStringSubmatch(string(text), -1) {
		term := strings.ToLower(strings.ReplaceAll(found[1], "-", " "))
		if term < last {
			t.Errorf("%q stands after %q", term, last)
		}
		last = term
	}
	if last == "" {
		t.Error("no terms were found")
	}
}
