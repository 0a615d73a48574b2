package main_test

import (
	"go/ast"
	"slices"
	"testing"
)

// TestNothingTravelsInContexts: what changes a function's behaviour must be a
// parameter. A context carries only deadlines, and what net/http passes only in a
// request's context.
func TestNothingTravelsInContexts(t *testing.T) {
	edge := []string{"backend/server/conns.go", "backend/mcp/handler.go"}
	for _, file := range tree(t) {
		if file.test || slices.Contains(edge, file.path) {
			continue
		}
		ast.Inspect(file.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok || call.Sel.Name != "WithValue" {
				return true
			}
			if of, ok := call.X.(*ast.Ident); ok && of.Name == "context" {
				t.Errorf("%s: a value is put into a context: make it a parameter", file.pos(call.Pos()))
			}
			return true
		})
	}
}
