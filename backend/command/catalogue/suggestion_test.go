package catalogue

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// written returns the calls of the named functions in the sources of the
// backend.
func written(t *testing.T, names ...string) map[string]*ast.CallExpr {
	t.Helper()
	found := map[string]*ast.CallExpr{}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path) //nolint:gosec // our own sources
		// Parsing is slow with the race detector, and most files have no such call.
		if err != nil || !slices.ContainsFunc(names, func(name string) bool { return bytes.Contains(source, []byte(name+"(")) }) {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && slices.Contains(names, called(call)) {
				found[files.Position(call.Pos()).String()] = call
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// called returns the name of the function that a call names, without its
// package.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// literals returns the string literals in an expression.
func literals(n ast.Node) []string {
	var texts []string
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				texts = append(texts, text)
			}
		}
		return true
	})
	return texts
}

// The registry accepts every suggestion: a caller that follows one gets no
// further error.
func TestSuggestionsAreCommands(t *testing.T) {
	program := []string{"help", "task", "schedule"} // commands of the command line and of MCP
	calls := written(t, "Try", "Example")
	if len(calls) < 80 {
		t.Fatalf("%d suggestions were found", len(calls))
	}
	for at, call := range calls {
		words := call.Args
		if called(call) == "Try" {
			words = words[1:]
		}
		var line []string
		for _, word := range words {
			texts := literals(word)
			if _, whole := word.(*ast.BasicLit); !whole || len(texts) != 1 {
				line = nil // known only at run time
				break
			}
			line = append(line, texts[0])
		}
		if len(line) == 0 || slices.Contains(program, line[0]) {
			continue
		}
		s := protocol.Example(line[0], line[1:]...)
		request, err := command.ParseLine(s.Line(), Find)
		if err != nil {
			t.Errorf("%s: %s: %v", at, s.Line(), err)
			continue
		}
		if called(call) == "Try" {
			continue // it names the command, but not all its arguments
		}
		spec, err := Find(request.Command)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := spec.Check(request.Args); err != nil {
			t.Errorf("%s: %s: %v", at, s.Line(), err)
		}
	}
}

// Errors name commands of the registry only as data, so that each client can
// render them in its own form.
func TestNoErrorNamesACommandInWords(t *testing.T) {
	line := regexp.MustCompile(`pilotfish ([a-z]+)`)
	for at, call := range written(t, "NewError", "BadArgument") {
		for _, text := range literals(call) {
			for _, m := range line.FindAllStringSubmatch(text, -1) {
				if _, err := Find(m[1]); err == nil || m[1] == "help" {
					t.Errorf("%s: %q names the command %s", at, text, m[1])
				}
			}
		}
	}
}
