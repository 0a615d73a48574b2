package confine

import (
	"fmt"
	"os"
	"testing"
)

// The tests' own program takes the place of `pilotfish`: it seals what it starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "seal" {
		fmt.Fprintln(os.Stderr, Seal(os.Args[2], os.Args[3:]))
		os.Exit(1)
	}
	os.Exit(m.Run())
}
