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

// forTerminal makes a text safe for a terminal. Where only the user reads it, the
// envelopes of page text are opened, and note has where they came from, as one
// quiet line.
func forTerminal(out io.Writer, text string) (safe, note string) {
	if !onlyUserReads(out) {
		return Clean(out, text), ""
	}
	inner, origins := opened(text)
	if len(origins) > 0 {
		note = "\x1b[2mtext from " + printable(strings.Join(origins, ", ")) + "\x1b[0m\n"
	}
	return printable(inner), note
}

// onlyUserReads reports whether out is the terminal on which the user's own shell
// shows. A model must see the envelopes, and an agent's commands may well have a
// terminal, too: of its own, in which it runs them and reads what they say. So a
// terminal is not enough, nor is the shell's environment, which it inherits.
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

// envelopeTag begins page text. Its number is one that the page cannot know, so
// that the tag with the same number ends it, whatever stands in between.
var envelopeTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<(page-[0-9a-f]{16}) origin=("(?:[^"\\]|\\.)*")>`)
})

// opened takes the tags of the envelopes out of a text and names their origins,
// each once.
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
		// One of several lines has its tags on lines of their own.
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
