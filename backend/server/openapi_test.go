package server_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// The description is checked against the specification's own schema (the file
// in testdata, OpenAPI 3.1, of 2026-08-03). Each schema in it is valid, every
// reference resolves, and every route of the table is in it.
func TestOpenAPIIsValid(t *testing.T) {
	w := start(t, nil)
	got := w.do(t, ask{path: "/openapi.json"})
	doc := parse[map[string]any](t, got.body)
	text, err := os.ReadFile(filepath.Join("testdata", "openapi-3.1.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	meta := parse[jsonschema.Schema](t, string(text))
	resolved, err := meta.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(doc); err != nil {
		t.Errorf("not OpenAPI 3.1: %v", err)
	}
	// Make sure that the check can fail.
	broken := parse[map[string]any](t, strings.Replace(got.body, `"operationId":"post-command"`, `"operationId":7`, 1))
	if resolved.Validate(broken) == nil {
		t.Error("a number was taken for an operationId")
	}

	components, _ := doc["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	if len(schemas) < 10 || schemas["command.goto"] == nil || schemas["CommandRequest"] == nil {
		t.Errorf("schemas: %d", len(schemas))
	}
	for name, schema := range schemas {
		b, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(b, &s); err != nil {
			t.Errorf("%s is not a schema: %v", name, err)
		}
	}
	for _, ref := range references(doc) {
		name, ours := strings.CutPrefix(ref, "#/components/schemas/")
		if !ours || schemas[name] == nil {
			t.Errorf("%s leads nowhere", ref)
		}
	}
	paths, _ := doc["paths"].(map[string]any)
	for _, rt := range routeTable {
		path, _, _ := strings.Cut(rt.path, "?")
		methods, _ := paths[path].(map[string]any)
		op, ok := methods[strings.ToLower(rt.method)].(map[string]any)
		if !ok {
			t.Errorf("%s %s is not described", rt.method, path)
			continue
		}
		security, _ := op["security"].([]any)
		if (len(security) > 0) != (len(rt.kinds) > 0) || op["summary"] == "" {
			t.Errorf("%s %s: %v", rt.method, path, op)
		}
	}
}

// references returns all $ref in a document.
func references(v any) (refs []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if ref, ok := inner.(string); ok && name == "$ref" {
				refs = append(refs, ref)
			}
			refs = append(refs, references(inner)...)
		}
	case []any:
		for _, inner := range v {
			refs = append(refs, references(inner)...)
		}
	}
	return refs
}
