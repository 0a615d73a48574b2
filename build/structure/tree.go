package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// tree is the result of counting.
type tree struct {
	packages map[string]int // lines of Go without tests, by folder
	methods  map[string]int // by type
	files    map[string]int // every file of code
	code     map[string]int // lines by language
	tests    map[string]int
	imports  map[string][]string // of TypeScript, by file
	phrases  []string            // findings of forbidden phrases
	refused  map[string]*regexp.Regexp
}

// skipped are folders with content that is not ours, or not written by hand.
var skipped = []string{"node_modules", "dist", "bin", "cache", "artifacts", "testdata", ".git"}

// report counts a tree and prints the result. It returns the number of faults:
// long files without a reason, import cycles and forbidden phrases.
func report(w io.Writer, top fs.FS) (faults int, err error) {
	t := tree{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string][]string{}, nil, forbidden()}
	err = fs.WalkDir(top, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skipped, entry.Name()):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		return t.add(top, name)
	})
	if err != nil {
		return 0, fmt.Errorf("reading the tree: %w", err)
	}
	rooms := make(map[string]int)
	for name, n := range t.packages {
		// backend/protocol is the common vocabulary; its size has no limit.
		if name != "backend/protocol" {
			rooms[name] = n
		}
	}
	packages := largest(rooms)
	over := func(lines int) (n int) {
		for _, p := range packages {
			if p.n > lines {
				n++
			}
		}
		return n
	}
	printList(w, fmt.Sprintf("Go packages: %d, median %d lines, %d over 2,000, %d over 3,000 (without tests, generated files and protocol)",
		len(packages), median(packages), over(2000), over(3000)), packages)
	printList(w, "methods of a type", largest(t.methods))
	for _, language := range []string{"Go", "TypeScript"} {
		fmt.Fprintf(w, "%s: %d lines of code, %d of tests, %.2f to one\n", language, t.code[language], t.tests[language], float64(t.tests[language])/float64(max(1, t.code[language])))
	}
	long := largest(t.files)
	long = long[:slices.IndexFunc(append(long, counted{}), func(c counted) bool { return c.n <= longFile })]
	fmt.Fprintf(w, "files over %d lines: %d\n", longFile, len(long))
	for _, c := range long {
		why := whyLong(c.name)
		if why == "" {
			why = "no reason is known: cut it"
			faults++
		}
		fmt.Fprintf(w, "  %6d  %s: %s\n", c.n, c.name, why)
	}
	found := cyclesOf(t.imports)
	fmt.Fprintf(w, "import cycles in TypeScript: %d\n", len(found))
	for _, cycle := range found {
		fmt.Fprintf(w, "  %s\n", strings.Join(cycle, " -> "))
	}
	fmt.Fprintf(w, "forbidden phrases: %d\n", len(t.phrases))
	for _, phrase := range t.phrases {
		fmt.Fprintf(w, "  %s\n", phrase)
	}
	return faults + len(found) + len(t.phrases), nil
}

// whyLong returns why a file may be longer than others, or "".
func whyLong(name string) string {
	switch {
	case name == "backend/protocol/chat.go":
		return "all that Chat says on the wire, which is read as one list"
	case name == "frontend/ui/protocol/schema.ts":
		return "one schema for each type on the wire, which are read as one list"
	case strings.HasSuffix(name, "_test.go") || strings.Contains(name, ".test."):
		return "the tests of one thing, which share their set-up"
	case strings.Contains(name, "/test/"):
		return "the cases of a test, as one table"
	}
	return ""
}

// add counts a file.
func (t *tree) add(top fs.FS, name string) error {
	extension := path.Ext(name)
	code := slices.Contains([]string{".go", ".ts", ".svelte", ".js"}, extension) && !strings.HasSuffix(name, ".config.js")
	if !code && extension != ".md" || strings.HasPrefix(name, "build/structure/") {
		return nil
	}
	data, err := fs.ReadFile(top, name)
	if err != nil {
		return err
	}
	t.phrases = append(t.phrases, phrasesIn(t.refused, name, string(data))...)
	if !code || generated().Match(data[:min(len(data), 400)]) {
		return nil
	}
	lines := bytes.Count(data, []byte("\n"))
	if extension == ".go" {
		test := strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "app/e2e/") || strings.Contains(name, "/fakes/") || strings.Contains(name, "/fake/")
		t.file("Go", name, lines, test)
		if test {
			return nil
		}
		t.packages[path.Dir(name)] += lines
		return t.methodsOf(name, data)
	}
	// A fake counts as a test, in whatever folder it is.
	test := strings.Contains(name, ".test.") || strings.Contains(name, "/test/") || strings.Contains(name, "/fakes/")
	t.file("TypeScript", name, lines, test)
	if !test {
		t.imports[name] = importsOf(name, string(data))
	}
	return nil
}

func (t *tree) file(language, name string, lines int, test bool) {
	if test {
		t.tests[language] += lines
	} else {
		t.code[language] += lines
	}
	t.files[name] = lines
}

// generated matches the header of a generated file.
var generated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(//|/\*).*(Code generated|generated by|DO NOT EDIT)`)
})

// methodsOf counts the methods of each type in a file.
func (t *tree) methodsOf(name string, data []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		at := f.Recv.List[0].Type
		for {
			switch x := at.(type) {
			case *ast.StarExpr:
				at = x.X
				continue
			case *ast.IndexExpr:
				at = x.X
				continue
			case *ast.Ident:
				t.methods[path.Dir(name)+"."+x.Name]++
			}
			break
		}
	}
	return nil
}
