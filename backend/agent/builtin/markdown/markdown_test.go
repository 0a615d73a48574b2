package markdown

import (
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

func TestLinks(t *testing.T) {
	for _, test := range []struct{ text, to, want string }{
		{"The [first] one", "https://example.com/a?x=<y>", `[The \[first\] one](<https://example.com/a?x=%3Cy%3E>)`},
		{"", "https://example.com/c", "[https://example.com/c](<https://example.com/c>)"},
		{"Menu", "javascript:void(0)", "Menu (`javascript:void(0)`)"},
		{"nowhere", "", "nowhere"},
		{"", "about:blank", "about:blank"},
	} {
		if got := LinkNamed(test.text, test.to); got != test.want {
			t.Errorf("%q to %q is %s, not %s", test.text, test.to, got, test.want)
		}
	}
}

// No text of a page ends the block or the quotation that it is in.
func TestWordsOfAPage(t *testing.T) {
	block := Block("``` \n````\nx\u202e\x1b[31m", "")
	lines := strings.Split(block, "\n")
	if fence := lines[0]; fence != "`````" || lines[len(lines)-1] != fence || strings.ContainsAny(block, "\u202e\x1b") {
		t.Errorf("it is %q", block)
	}
	if got, want := Quotation("# a\n\n![x](y) <b>\n"), "> # a\n>\n> \\![x](y) \\<b>"; got != want {
		t.Errorf("it is %q, not %q", got, want)
	}
	if got, want := Escaped("*a* [b](c) `d`"), "\\*a\\* \\[b\\](c) \\`d\\`"; got != want {
		t.Errorf("it is %q, not %q", got, want)
	}
	if got := Code("a`b\nc"); got != "`a'b c`" {
		t.Errorf("it is %q", got)
	}
}

func TestTable(t *testing.T) {
	got := Table(protocol.Table{Caption: "Prices", Head: []string{"Tea", "per | kg"}, Rows: [][]string{{"Green", "12"}, {"Black"}, {"White", "30"}}}, 2)
	want := "Prices:\n\n| Tea | per \\| kg |\n|---|---|\n| Green | 12 |\n| Black |  |\n\n… 1 more rows are not shown."
	if got != want {
		t.Errorf("it is %q, not %q", got, want)
	}
	if got := Table(protocol.Table{Caption: "Empty"}, 2); got != "" {
		t.Errorf("an empty one is %q", got)
	}
}

func TestSentences(t *testing.T) {
	for said, want := range map[string]string{"it is covered": "It is covered.", "e5 is covered": "e5 is covered.", "done!": "Done!", "": ""} {
		if got := Sentence(said); got != want {
			t.Errorf("%q is %q, not %q", said, got, want)
		}
	}
	if LowerFirst("Click Save") != "click Save" || LowerFirst("PDF of it") != "PDF of it" {
		t.Error("the first letter is wrong")
	}
	envelope := `<page-0123456789abcdef origin="https://a">words</page-0123456789abcdef>`
	if got := Unwrapped("it says " + envelope); got != "it says words" {
		t.Errorf("it is %q", got)
	}
	if got := Thousands(1234567); got != "1,234,567" {
		t.Errorf("it is %s", got)
	}
}

// A text that is too long is cut, and the rest is counted.
func TestTrimmed(t *testing.T) {
	text, left := Trimmed(strings.Repeat("ü", Shown+5), 0)
	if len([]rune(text)) != Shown || left != "… 5 more characters are not shown." {
		t.Errorf("%d characters are left, %q", len([]rune(text)), left)
	}
	if text, left := Trimmed("short", 1005); text != "short" || left != "… 1,000 more characters are not shown." {
		t.Errorf("%q, %q", text, left)
	}
	lines, left := TrimmedLines([]string{strings.Repeat("a", Shown-1), "b", "c"}, "links")
	if strings.Contains(lines, "b") || left != "… 2 more links are not shown." {
		t.Errorf("%q, %q", lines[:10], left)
	}
	if got := Cut("abcdef", 4); got != "abc…" {
		t.Errorf("it is %q", got)
	}
}
