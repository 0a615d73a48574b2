// Command texts finds the texts in Go sources that only users see, for
// frontend/ui/texts (docs/adr/259). Its arguments name files and functions in
// them:
//
//	go run ./build/texts app/tray/menu.go:newMenu,draw
//
// It prints, for each file, the texts in the form of frontend/ui/texts/extract.mjs:
// a text with its slots, and where it is in the source. Positions count UTF-16
// units, as JavaScript does.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

func main() {
	found := map[string][]message{}
	for _, arg := range os.Args[1:] {
		file, names, _ := strings.Cut(arg, ":")
		source, err := os.ReadFile(file)
		if err == nil {
			found[file], err = messagesOf(file, source, strings.Split(names, ","))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "texts:", err)
			os.Exit(1)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		fmt.Fprintln(os.Stderr, "texts:", err)
		os.Exit(1)
	}
}

// The kinds of messages.
const (
	// chain is a literal, or literals and expressions that are joined by "+".
	chain = "chain"
	// format is a literal with verbs, such as "%d more tabs".
	format = "format"
)

// message is one text. Start and End are around a chain, and inside the quotes of a
// format.
type message struct {
	Kind  string `json:"kind"`
	Text  string `json:"text"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Slots []span `json:"slots"`
}

type span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Functions that show a string that they get, or return it. An argument of any
// other function is no text.
var showing = []string{"AddMenuItem", "SetTitle", "plain", "Sprintf", "claim", "Or", "on", "opens", "stored"}

// Fields of structs that hold a code, or what the user is to type.
var coded = []string{"ID", "Name", "Field", "Group", "Value", "Example", "Is", "Not"}

// finder collects the messages of one file.
type finder struct {
	files  *token.FileSet
	source []byte
	verb   *regexp.Regexp // a verb of package fmt without an index
	found  []message
	err    error
}

// messagesOf returns the texts of some functions of a file, in the order of the
// source.
func messagesOf(name string, source []byte, wanted []string) ([]message, error) {
	f := &finder{files: token.NewFileSet(), source: source, verb: regexp.MustCompile(`%[-+#.\d]*[a-zA-Z]`), found: []message{}}
	file, err := parser.ParseFile(f.files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("reading the texts: %w", err)
	}
	missing := slices.Clone(wanted)
	for _, declared := range file.Decls {
		function, is := declared.(*ast.FuncDecl)
		if !is {
			continue
		}
		if slices.Contains(wanted, function.Name.Name) {
			missing = slices.DeleteFunc(missing, func(name string) bool { return name == function.Name.Name })
			f.walk(function.Body)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s has no function %s: correct frontend/ui/texts/catalogue.mjs", name, strings.Join(missing, ", "))
	}
	slices.SortFunc(f.found, func(a, b message) int { return a.Start - b.Start })
	return f.found, f.err
}

// walk looks for the places in statements where a text may be.
func (f *finder) walk(root ast.Node) {
	ast.Inspect(root, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.ReturnStmt:
			f.expressions(node.Results, true)
		case *ast.AssignStmt:
			f.expressions(node.Rhs, true)
		case *ast.ValueSpec:
			f.expressions(node.Values, true)
		case ast.Expr:
			f.expression(node, false)
		default:
			return true
		}
		return false
	})
}

func (f *finder) expressions(all []ast.Expr, shown bool) {
	for _, one := range all {
		f.expression(one, shown)
	}
}

// expression looks at an expression, whose value is shown or not.
func (f *finder) expression(node ast.Expr, shown bool) {
	switch node := node.(type) {
	case *ast.BasicLit:
		if shown && node.Kind == token.STRING {
			f.chain([]ast.Expr{node})
		}
	case *ast.BinaryExpr:
		parts := operands(node)
		if shown && len(parts) > 0 {
			f.chain(parts)
			return
		}
		f.expressions([]ast.Expr{node.X, node.Y}, false)
	case *ast.CallExpr:
		f.expression(node.Fun, false)
		name := ""
		switch called := node.Fun.(type) {
		case *ast.Ident:
			name = called.Name
		case *ast.SelectorExpr:
			name = called.Sel.Name
		}
		f.expressions(node.Args, slices.Contains(showing, name))
	case *ast.CompositeLit:
		f.expressions(node.Elts, shown)
	case *ast.KeyValueExpr:
		key, named := node.Key.(*ast.Ident)
		f.expression(node.Value, shown && (!named || !slices.Contains(coded, key.Name)))
	case *ast.UnaryExpr:
		f.expression(node.X, shown)
	case *ast.ParenExpr:
		f.expression(node.X, shown)
	case *ast.IndexExpr:
		f.expression(node.X, shown)
	case *ast.SelectorExpr:
		f.expression(node.X, false)
	case *ast.FuncLit:
		f.walk(node.Body)
	}
}

// operands returns what "+" joins, if that is text.
func operands(node ast.Expr) []ast.Expr {
	switch node := node.(type) {
	case *ast.BinaryExpr:
		if node.Op != token.ADD {
			return nil
		}
		if left := operands(node.X); left != nil {
			return append(left, node.Y)
		}
		return nil
	default:
		return []ast.Expr{node}
	}
}

// chain adds the message of joined parts, if they have text, and those within its
// expressions.
func (f *finder) chain(parts []ast.Expr) {
	m := message{Kind: chain, Slots: []span{}, Start: f.at(parts[0].Pos()), End: f.at(parts[len(parts)-1].End())}
	letters := false
	for _, part := range parts {
		literal, is := part.(*ast.BasicLit)
		if !is || literal.Kind != token.STRING {
			m.Text += fmt.Sprintf("{%d}", len(m.Slots))
			m.Slots = append(m.Slots, span{f.at(part.Pos()), f.at(part.End())})
			f.expression(part, true)
			continue
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil || strings.ContainsAny(value, "{}") {
			return // braces would be read as slots
		}
		letters = letters || strings.IndexFunc(f.verb.ReplaceAllString(value, ""), unicode.IsLetter) >= 0
		m.Text += value
	}
	if len(parts) == 1 && f.verb.MatchString(m.Text) {
		m = f.format(parts[0].(*ast.BasicLit))
	}
	switch {
	case !letters:
	case strings.TrimSpace(m.Text) != m.Text:
		f.err = fmt.Errorf("%s: %q is a part of a sentence: write the whole sentence", f.files.Position(parts[0].Pos()), m.Text)
	default:
		f.found = append(f.found, m)
	}
}

// format returns the message of a literal with verbs.
func (f *finder) format(literal *ast.BasicLit) message {
	m := message{Kind: format, Slots: []span{}, Start: f.at(literal.Pos() + 1), End: f.at(literal.End() - 1)}
	inside := literal.Value[1 : len(literal.Value)-1]
	for _, at := range f.verb.FindAllStringIndex(inside, -1) {
		start := literal.Pos() + 1
		m.Slots = append(m.Slots, span{f.at(start + token.Pos(at[0])), f.at(start + token.Pos(at[1]))})
	}
	slot := -1
	m.Text = f.verb.ReplaceAllStringFunc(inside, func(string) string { slot++; return fmt.Sprintf("{%d}", slot) })
	return m
}

// at returns a position in UTF-16 units.
func (f *finder) at(pos token.Pos) int {
	return len(utf16.Encode([]rune(string(f.source[:f.files.Position(pos).Offset]))))
}
