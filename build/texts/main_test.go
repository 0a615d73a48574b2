package main

import (
	"slices"
	"strings"
	"testing"
)

const source = `package words

func (m *menu) draw(n int, who string) string {
	item.SetTitle("Quit “now”")
	log.Debug("no text", "who", who)
	label := fmt.Sprintf("%d of %q tabs", n, who)
	if who == "no code" || n+1 > 2 {
		label += "1"
	}
	list := []setting{{Name: "no name", Label: "A label", Choices: []choice{{Value: "x", Text: "Ten"}}}}
	do := func() string { return "inside" }
	switch m.arg("no argument") {
	case "no case":
		return quoted("no") + " may not " + ("read " + who)
	}
	return map[string]string{"no key": "A value"}[who]
}

func other() string { return "not asked for" }
`

func TestTextsAreFoundByWhereTheyStand(t *testing.T) {
	found, err := messagesOf("words.go", []byte(source), []string{"draw"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range found {
		// Here all characters are one UTF-16 unit.
		got = append(got, m.Kind+" "+m.Text+" = "+string([]rune(source)[m.Start:m.End]))
	}
	want := []string{
		"chain Quit “now” = \"Quit “now”\"",
		"format {0} of {1} tabs = %d of %q tabs",
		`chain A label = "A label"`,
		`chain Ten = "Ten"`,
		`chain inside = "inside"`,
		`chain {0} may not {1} = quoted("no") + " may not " + ("read " + who)`,
		`chain read {0} = "read " + who`,
		`chain A value = "A value"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestWhatCannotBeTranslatedIsAnError(t *testing.T) {
	for source, want := range map[string]string{
		"package a\nfunc f() string { return \" (gone)\" }": "whole sentence",
		"package a\nfunc g() string { return \"Gone\" }":    "no function f",
		"package a\nfunc": "reading the texts",
	} {
		if found, err := messagesOf("a.go", []byte(source), []string{"f"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q has %v and the error %v, want %q", source, found, err, want)
		}
	}
}
