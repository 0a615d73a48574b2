package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// numbered returns a file in which each line has its number.
func numbered(lines int) string {
	var b strings.Builder
	for i := 1; i <= lines; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestADiffIsWhatChanges(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	whole := numbered(100_000) // longer than a diff may be
	changed := strings.Replace(whole, "line 70000\n", "line seventy\nand one\n", 1)
	for name, test := range map[string]struct {
		disk string
		diff protocol.ToolContent
		line int // where the change is, 0 for unknown
	}{
		"the whole file, before it is written": {whole, protocol.ToolContent{Old: whole, New: changed}, 70_000},
		"the whole file, after it was written": {changed, protocol.ToolContent{Old: whole, New: changed}, 70_000},
		"the words that are replaced":          {whole, protocol.ToolContent{Old: "line 70000\n", New: "line seventy\nand one\n"}, 70_000},
		"the words that were replaced":         {changed, protocol.ToolContent{Old: "line 70000\n", New: "line seventy\nand one\n"}, 70_000},
		"words that are there more than once":  {whole, protocol.ToolContent{Old: "line 7", New: "line seven"}, 0},
		"a file that says something else":      {"other\n", protocol.ToolContent{Old: whole, New: changed}, 0},
		"a new file":                           {"", protocol.ToolContent{New: "line 1\nline 2\n", Fresh: true}, 1},
		"the last line, which has no end":      {"a\nb", protocol.ToolContent{Old: "a\nb", New: "a\nc"}, 2},
		"nothing":                              {"a\nb", protocol.ToolContent{Old: "a\nb", New: "a\nb"}, 1},
		"an empty file that gets something":    {"", protocol.ToolContent{Old: "", New: "a\n"}, 1},
		"a line that is taken out":             {whole, protocol.ToolContent{Old: whole, New: strings.Replace(whole, "line 500\n", "", 1)}, 500},
		"the same line again, behind itself":   {whole, protocol.ToolContent{Old: whole, New: strings.Replace(whole, "line 9\n", "line 9\nline 9\n", 1)}, 10},
		"everything":                           {"x\n", protocol.ToolContent{Old: "x\n", New: numbered(50)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(test.disk), 0o600); err != nil {
				t.Fatal(err)
			}
			test.diff.Kind, test.diff.Path = protocol.ContentDiff, file
			got := narrowed(test.diff)
			if len(got.Old) > 2_000 || len(got.New) > 2_000 {
				t.Fatalf("%d and %d bytes are left", len(got.Old), len(got.New))
			}
			if known := got.Line > 0; known != (test.line > 0) {
				t.Fatalf("it begins at line %d, want %d", got.Line, test.line)
			}
			if test.line > 0 {
				at := got.Line + strings.Count(got.Old[:same(got.Old, got.New)], "\n")
				if at != test.line && got.Old != got.New {
					t.Errorf("the change is at line %d, want %d; left are\n%s\nand\n%s", at, test.line, got.Old, got.New)
				}
			}
			// The reduced diff still turns the old file into the new one.
			if strings.Count(test.diff.Old, got.Old) == 1 && strings.Replace(test.diff.Old, got.Old, got.New, 1) != test.diff.New {
				t.Error("what is left is another change")
			}
		})
	}
}

// A text about the outcome does not replace the diff; an empty list removes
// everything.
func TestAChangeStaysWhenItsOutcomeIsTold(t *testing.T) {
	change := protocol.ToolContent{Kind: protocol.ContentDiff, Path: "a", Old: "3", New: "5"}
	word := protocol.ToolContent{Kind: protocol.ContentText, Text: "Replaced 1 occurrence"}
	var tool protocol.ChatTool
	for _, step := range []struct{ said, want []protocol.ToolContent }{
		{[]protocol.ToolContent{change}, []protocol.ToolContent{change}},
		{[]protocol.ToolContent{word}, []protocol.ToolContent{change, word}},
		{[]protocol.ToolContent{word}, []protocol.ToolContent{change, word}},
		{nil, []protocol.ToolContent{change, word}},
		{[]protocol.ToolContent{}, []protocol.ToolContent{}},
		{[]protocol.ToolContent{word}, []protocol.ToolContent{word}},
	} {
		merge(&tool, driver.ToolUpdate{Content: step.said})
		if !slices.Equal(tool.Content, step.want) {
			t.Fatalf("%+v makes %+v, want %+v", step.said, tool.Content, step.want)
		}
	}
}
