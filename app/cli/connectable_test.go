package main

import (
	"slices"
	"testing"

	"pilotfish/backend/connect"
)

func TestConnectablePrograms(t *testing.T) {
	var names []string
	for _, p := range connect.Programs() {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, connectable()) {
		t.Errorf("the command line names %v, the package %v", connectable(), names)
	}
}
