package server_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"pilotfish/backend/server"
)

var update = flag.Bool("update", false, "write docs/reference/http.md anew")

// TestReference keeps docs/reference/http.md, and the types of requests in TypeScript, equal
// to the table of routes.
func TestReference(t *testing.T) {
	for path, want := range map[string]string{
		"docs/reference/http.md":           server.Reference(operations()),
		"frontend/ui/protocol/requests.ts": server.Requests(operations()),
	} {
		path = filepath.Join("..", "..", filepath.FromSlash(path))
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(path)
		if err != nil || string(have) != want {
			t.Errorf("%s differs from the routes (make generate writes it)", path)
		}
	}
}
