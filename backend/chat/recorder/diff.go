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
	// diffFile is the largest file, in bytes, in which the place of a change is
	// looked up.
	diffFile = 8 << 20
)

// narrowed reduces a diff to the changed lines and some lines around them, and
// finds their place in the file. Some agents send whole files, so that a limit
// would cut off the change itself. Others send only the few words that they
// replace.
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

// same returns how many bytes two texts have in common at their beginning.
func same(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// sameEnd returns how many bytes two texts have in common at their end.
func sameEnd(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// beyond returns how many bytes of the common beginning (or end) of two texts
// are more than diffAround whole lines away from the difference.
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
		return len(part) + 1 // including the newline
	}
	return len(part)
}

// place returns the line of the file at which a diff begins, counted from 1; 0
// if it cannot be determined. The file may already contain the change.
func place(d protocol.ToolContent) int {
	if d.Fresh {
		return 1
	}
	info, err := os.Stat(d.Path)
	if err != nil || !filepath.IsAbs(d.Path) || !info.Mode().IsRegular() || info.Size() > diffFile {
		return 0
	}
	data, err := os.ReadFile(d.Path) // the user's own file, named by the user's own agent
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
