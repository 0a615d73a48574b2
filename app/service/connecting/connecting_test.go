package connecting

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pilotfish/backend/command/catalogue"
)

// The skill is short, and every command that it shows exists.
func TestSkill(t *testing.T) {
	text := Skill()
	if n := utf8.RuneCountInString(text); n > skillLimit {
		t.Errorf("%d characters, at most %d", n, skillLimit)
	}
	if !strings.HasPrefix(text, "---\nname: pilotfish\ndescription: ") {
		t.Error("it does not begin as a skill does")
	}
	for _, use := range regexp.MustCompile("`pilotfish ([a-z]+)").FindAllStringSubmatch(text, -1) {
		if use[1] == "help" {
			continue
		}
		if _, err := catalogue.Find(use[1]); err != nil {
			t.Error(err)
		}
	}
}
