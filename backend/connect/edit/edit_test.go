package edit_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pilotfish/backend/connect/edit"
)

var server = map[string]any{"command": "/opt/pilotfish/bin/pilotfish", "args": []string{"mcp"}}

// Every file gets the entry and is, byte for byte, as before when it is taken back:
// with what was remembered of the change, and, where the entry was added to others,
// also by its structure.
func TestThereAndBack(t *testing.T) {
	for name, one := range map[string]struct {
		format edit.Format
		path   []string
		file   string
		// unmarked: without the remembered change an empty table may remain.
		unmarked bool
	}{
		"no file":              {edit.JSON, []string{"mcpServers"}, "", true},
		"empty object":         {edit.JSON, []string{"mcpServers"}, "{}", true},
		"empty, on lines":      {edit.JSON, []string{"mcpServers"}, "{\n}\n", true},
		"no table":             {edit.JSON, []string{"mcpServers"}, "{\n\t\"a\": 1\n}\n", true},
		"empty table":          {edit.JSON, []string{"mcpServers"}, "{\"mcpServers\": {}}", false},
		"another server":       {edit.JSON, []string{"mcpServers"}, "{\n    \"mcpServers\": {\n        \"x\": {\"command\": \"x\"}\n    },\n    \"b\": [1,2]\n}\n", false},
		"on one line":          {edit.JSON, []string{"mcpServers"}, `{"mcpServers":{"x":{"command":"x"}},"b":1}`, false},
		"trailing comma":       {edit.JSON, []string{"context_servers"}, "// mine\n{\n  \"context_servers\": {\n    // first\n    \"x\": {},\n  },\n  /* end */\n}\n", false},
		"comma after comments": {edit.JSON, []string{"m"}, "{\"m\": {\n  \"x\": 1 /* a , b */, // c, d\n}}\n", false},
		"CRLF":                 {edit.JSON, []string{"servers"}, "{\r\n  \"servers\": {\r\n    \"x\": {}\r\n  }\r\n}\r\n", false},
		"two levels":           {edit.JSON, []string{"mcp", "servers"}, "{\n  \"z\": null\n}", true},
		"foreign characters":   {edit.JSON, []string{"mcpServers"}, "{\"<ü>\": \"\\u0026 & \\\"}\"}", true},
		"toml, none":           {edit.TOML, []string{"mcp_servers"}, "", false},
		"toml":                 {edit.TOML, []string{"mcp_servers"}, "# mine\nmodel = \"o\"   # why\n\n[mcp_servers.x]\ncommand = \"x\"\n", false},
		"toml, no line end":    {edit.TOML, []string{"mcp_servers"}, "model = 'o'", true},
		"yaml, none":           {edit.YAML, []string{"extensions"}, "", false},
		"yaml":                 {edit.YAML, []string{"extensions"}, "# mine\nextensions:\n  # builtin\n  developer:\n    enabled: true   # yes\n    args: [a, b]\nGOOSE_MODEL: x\n", false},
		"yaml, no table":       {edit.YAML, []string{"extensions"}, "GOOSE_MODEL: x", true},
	} {
		t.Run(name, func(t *testing.T) {
			place := edit.Place{Format: one.format, Path: one.path, Name: "pilotfish"}
			change, err := place.Set([]byte(one.file), server)
			if err != nil {
				t.Fatal(err)
			}
			with := change.Apply([]byte(one.file))
			if got, err := place.Get(with); err != nil || got == nil {
				t.Fatalf("%s\n%v, %v", with, got, err)
			}
			undo, ok := change.Undo(with)
			if !ok || string(undo.Apply(with)) != one.file {
				t.Errorf("taken back:\n%s", undo.Apply(with))
			}
			removed, ok, err := place.Remove(with)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if left := string(removed.Apply(with)); left != one.file && !one.unmarked {
				t.Errorf("removed:\n%q, was\n%q, with\n%q", left, one.file, with)
			} else if again, is, err := place.Remove([]byte(left)); is || err != nil {
				t.Errorf("removed twice: %v, %v", again, err)
			}
			// Connected again, with another path: only the value changes.
			other := map[string]any{"command": "/other"}
			again, err := place.Set(with, other)
			if err != nil {
				t.Fatal(err)
			}
			if undo, ok := again.Undo(again.Apply(with)); !ok || !bytes.Equal(undo.Apply(again.Apply(with)), with) {
				t.Errorf("set again and taken back:\n%s", again.Apply(with))
			}
		})
	}
}

// What others changed since stays when the entry is taken back.
func TestUndoAmongOtherChanges(t *testing.T) {
	place := edit.Place{Format: edit.JSON, Path: []string{"mcpServers"}, Name: "pilotfish"}
	change, err := place.Set([]byte("{\n  \"a\": 1\n}\n"), server)
	if err != nil {
		t.Fatal(err)
	}
	later := strings.Replace(string(change.Apply([]byte("{\n  \"a\": 1\n}\n"))), `"a": 1`, `"a": 2`, 1)
	undo, ok := change.Undo([]byte(later))
	if got := string(undo.Apply([]byte(later))); !ok || got != "{\n  \"a\": 2\n}\n" {
		t.Errorf("%q", got)
	}
	// Another server was added into our table: the remembered text is gone.
	shared := strings.Replace(later, "\"pilotfish\"", "\"x\": {},\n    \"pilotfish\"", 1)
	if _, ok := change.Undo([]byte(shared)); ok {
		t.Error("a change that is not there was found")
	}
	removed, ok, err := place.Remove([]byte(shared))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if left := string(removed.Apply([]byte(shared))); !strings.Contains(left, `"x"`) || strings.Contains(left, "pilotfish") {
		t.Error(left)
	}
}

func TestFilesThatStayAsTheyAre(t *testing.T) {
	for name, one := range map[string]struct {
		place edit.Place
		file  string
	}{
		"broken JSON":      {edit.Place{Format: edit.JSON, Path: []string{"m"}, Name: "p"}, `{"m": `},
		"a list":           {edit.Place{Format: edit.JSON, Path: []string{"m"}, Name: "p"}, `{"m": []}`},
		"not an object":    {edit.Place{Format: edit.JSON, Path: []string{"m"}, Name: "p"}, `[]`},
		"broken TOML":      {edit.Place{Format: edit.TOML, Path: []string{"m"}, Name: "p"}, `a = `},
		"inline TOML":      {edit.Place{Format: edit.TOML, Path: []string{"m"}, Name: "p"}, "m = { p = { a = 1 } }\n"},
		"TOML in the way":  {edit.Place{Format: edit.TOML, Path: []string{"m"}, Name: "p"}, "m = 3\n"},
		"flow YAML":        {edit.Place{Format: edit.YAML, Path: []string{"m"}, Name: "p"}, "m: {x: 1}\n"},
		"empty YAML table": {edit.Place{Format: edit.YAML, Path: []string{"m"}, Name: "p"}, "m: {}\n"},
		"YAML list":        {edit.Place{Format: edit.YAML, Path: []string{"m"}, Name: "p"}, "m: [1]\n"},
		"broken YAML":      {edit.Place{Format: edit.YAML, Path: []string{"m"}, Name: "p"}, "m: ]\n"},
	} {
		if change, err := one.place.Set([]byte(one.file), server); err == nil {
			t.Errorf("%s: became %q", name, change.Apply([]byte(one.file)))
		}
	}
	_, err := edit.Place{Format: edit.YAML, Path: []string{"m"}, Name: "p"}.Set([]byte("m: {x: 1}\n"), server)
	if !errors.Is(err, edit.ErrForm) {
		t.Error(err)
	}
}

// Whatever a file is, a change leaves everything else as it means, or is refused.
func FuzzSet(f *testing.F) {
	f.Add("json", `{"m": {"x": 1,}, /* c */ "b": [1]}`)
	f.Add("toml", "a = 1\n[m.x]\nb = 2 # c\n")
	f.Add("yaml", "m:\n  x: 1 # c\nb:\n- 1\n")
	f.Fuzz(func(t *testing.T, format, file string) {
		place := edit.Place{Format: edit.Format(format), Path: []string{"m"}, Name: "p"}
		switch place.Format {
		case edit.JSON, edit.TOML, edit.YAML:
		default:
			return
		}
		change, err := place.Set([]byte(file), server)
		if err != nil {
			return
		}
		with := change.Apply([]byte(file))
		if undo, ok := change.Undo(with); ok && string(undo.Apply(with)) != file {
			t.Errorf("%q became %q and then %q", file, with, undo.Apply(with))
		}
		if _, ok, err := place.Remove(with); !ok && err == nil {
			t.Errorf("not found again in %q", with)
		}
	})
}
