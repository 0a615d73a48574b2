package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// acpAgent is an agent of the ACP registry's registry.json.
type acpAgent struct {
	ID           string `json:"id"`
	Distribution struct {
		NPX, UVX *struct {
			Package string   `json:"package"`
			Args    []string `json:"args"`
		}
		Binary map[string]struct {
			Cmd  string   `json:"cmd"`
			Args []string `json:"args"`
		} `json:"binary"`
	} `json:"distribution"`
}

// way returns how the registry starts an agent: the package or the program's name, and
// the arguments.
func (a acpAgent) way() (name string, args []string) {
	switch d := a.Distribution; {
	case d.NPX != nil:
		at := strings.LastIndex(d.NPX.Package, "@")
		if at <= 0 {
			at = len(d.NPX.Package)
		}
		return d.NPX.Package[:at], d.NPX.Args
	case d.UVX != nil:
		name, _, _ = strings.Cut(strings.Replace(d.UVX.Package, "==", "@", 1), "@")
		return name, d.UVX.Args
	default:
		one := d.Binary["linux-x86_64"]
		return path.Base(one.Cmd), one.Args
	}
}

// differences says how the catalogue differs from a registry.json.
func differences(registry []byte) ([]string, error) {
	var file struct {
		Agents []acpAgent `json:"agents"`
	}
	if err := json.Unmarshal(registry, &file); err != nil {
		return nil, err
	}
	var lines []string
	for _, a := range file.Agents {
		name, args := a.way()
		known := false
		for _, e := range Catalogue() {
			for _, w := range e.Chat {
				install := w.Install
				if install == "" {
					install = e.Install
				}
				installs := slices.ContainsFunc(strings.Fields(install), func(word string) bool { return strings.TrimSuffix(word, "@latest") == name })
				if w.Driver != DriverACP || !installs && w.Program != name {
					continue
				}
				known = true
				if !slices.Equal(w.Args, args) {
					lines = append(lines, fmt.Sprintf("%s: the registry starts %s with %q, we with %q", a.ID, name, args, w.Args))
				}
			}
		}
		if !known {
			lines = append(lines, fmt.Sprintf("%s: the catalogue does not have %s %q", a.ID, name, args))
		}
	}
	return lines, nil
}

// The catalogue is brought up to date by hand, from the differences to a registry.json
// that somebody has downloaded:
//
//	PILOTFISH_REGISTRY=registry.json go test -v -run TestDifferencesToTheRegistry ./backend/agent
//
// It prints them. Without the variable it compares with a file of the same form.
func TestDifferencesToTheRegistry(t *testing.T) {
	if given := os.Getenv("PILOTFISH_REGISTRY"); given != "" {
		text, err := os.ReadFile(given)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := differences(text)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d differences\n%s", len(lines), strings.Join(lines, "\n"))
		return
	}
	text, err := os.ReadFile("testdata/acp-registry.json")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`droid: the registry starts droid with ["exec" "--acp"], we with ["exec" "--output-format" "acp-daemon"]`,
		`made-up: the catalogue does not have @example/made-up []`,
	}
	if got, err := differences(text); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := differences([]byte("<html>")); err == nil {
		t.Error("a page was read as a registry")
	}
}
