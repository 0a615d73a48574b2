package say

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pilotfish/backend/protocol"
)

// forTerminal makes a text safe for a terminal, also when it goes into a pipe and is
// shown later: a page's title may contain control sequences. When only the user reads it,
// forTerminal removes the envelopes around page text, and note lists their
// origins in one line.
func forTerminal(out io.Writer, text string) (safe, note string) {
	if !onlyUserReads(out) {
		return protocol.Visible(text), ""
	}
	inner, origins := opened(text)
	if len(origins) > 0 {
		note = "\x1b[2mtext from " + protocol.Visible(strings.Join(origins, ", ")) + "\x1b[0m\n"
	}
	return protocol.Visible(inner), note
}

// onlyUserReads reports whether out is the terminal of the user's own shell. A
// model must see the envelopes. An agent's commands may have a terminal too: the
// agent's own, in which it runs them and reads their output. So it is not enough
// that out is a terminal, nor that the shell's environment is there, which the
// agent inherits.
func onlyUserReads(out io.Writer) bool {
	own := os.Getenv(protocol.EnvTTY)
	file, ok := out.(*os.File)
	if own == "" || !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	terminal, err := os.Stat(own)
	return err == nil && os.SameFile(info, terminal)
}

// Inner returns a text without the envelopes around page text, for a file that no model reads.
func Inner(text string) string {
	inner, _ := opened(text)
	return inner
}

// envelopeTag matches the start of page text. The page cannot know the tag's
// random number, so only the tag with the same number ends it, whatever the text
// contains.
var envelopeTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<(page-[0-9a-f]{16}) origin=("(?:[^"\\]|\\.)*")>`)
})

// opened removes the envelopes from a text and returns their origins without
// duplicates.
func opened(text string) (inner string, origins []string) {
	var b strings.Builder
	for {
		at := envelopeTag().FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		end := strings.Index(text[at[1]:], "</"+text[at[2]:at[3]]+">")
		origin, err := strconv.Unquote(text[at[4]:at[5]])
		if end < 0 || err != nil {
			break
		}
		content := text[at[1]:][:end]
		// An envelope of several lines has its tags on separate lines.
		if lines, ok := strings.CutPrefix(content, "\n"); ok {
			content = strings.TrimSuffix(lines, "\n")
		}
		b.WriteString(text[:at[0]])
		b.WriteString(content)
		if !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
		text = text[at[1]+end+len("</>")+at[3]-at[2]:]
	}
	return b.String() + text, origins
}
