package recorder

import (
	"os"
	"path/filepath"
	"strings"

	"pilotfish/backend/protocol"
)

const (
	// diffAround is how many unchanged lines are kept on each side of a change.
	diffAround = 20
	// diffFile is how large a file may be of which it is looked up where a change of
	// it is, in bytes.
	diffFile = 8 << 20
)

// narrowed leaves of a diff what changes and some lines around it, and says where
// in the file that is: agents send whole files, of which a limit would cut the
// change itself, or the few words that they replace.
func narrowed(d protocol.ToolContent) protocol.ToolContent {
	if d.Kind != protocol.ContentDiff {
		return d
	}
	if d.Line == 0 {
		d.Line = place(d)
	}
	before := beyond(d.Old, same(d.Old, d.New), true)
	cut := d.Old[:before]
	d.Old, d.New = d.Old[before:], d.New[before:]
	if d.Line > 0 {
		d.Line += strings.Count(cut, "\n")
	}
	after := beyond(d.Old, sameEnd(d.Old, d.New), false)
	d.Old, d.New = d.Old[:len(d.Old)-after], d.New[:len(d.New)-after]
	return d
}

// same is how many bytes two texts have in common at their beginning.
func same(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// sameEnd is how many bytes two texts have in common at their end.
func sameEnd(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// beyond is how much of what two texts have in common at their beginning, or their
// end, lies more than diffAround whole lines away from what differs.
func beyond(text string, common int, beginning bool) int {
	part := text[:common]
	if !beginning {
		part = text[len(text)-common:]
	}
	for range diffAround + 1 {
		at := strings.LastIndexByte(part, '\n')
		if !beginning {
			at = strings.IndexByte(part, '\n')
		}
		if at < 0 {
			return 0
		}
		if beginning {
			part = part[:at]
		} else {
			part = part[at+1:]
		}
	}
	if beginning {
		return len(part) + 1 // with the end of the line
	}
	return len(part)
}

// place is the line of the file at which a diff begins, from 1; 0 when that cannot
// be told. The file may have been changed already.
func place(d protocol.ToolContent) int {
	if d.Fresh {
		return 1
	}
	info, err := os.Stat(d.Path)
	if err != nil || !filepath.IsAbs(d.Path) || !info.Mode().IsRegular() || info.Size() > diffFile {
		return 0
	}
	data, err := os.ReadFile(d.Path) // the person's own file, named by the person's own agent
	if err != nil {
		return 0
	}
	file := string(data)
	for _, text := range []string{d.Old, d.New} {
		if text == file {
			return 1
		}
		above, below, found := strings.Cut(file, text)
		if text != "" && found && !strings.Contains(below, text) {
			return 1 + strings.Count(above, "\n")
		}
	}
	return 0
}
