package downloads

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// longest is how many bytes a file's name has at most. Most file systems take no more.
const longest = 255

// shortest is how far a name is shortened for a file system that takes less.
const shortest = 32

// safeName returns a name that every system takes for what a page suggested: without
// separators, control characters, leading dots and the names of devices.
func safeName(suggested string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`/\:*?"<>|`, r), r == utf8.RuneError:
			return '_'
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r): // invisible, or it turns the direction of the text
			return -1
		}
		return r
	}, suggested)
	name = strings.TrimLeft(strings.Trim(name, " "), ". ")
	name = strings.TrimRight(name, ". ") // Windows drops them
	if name == "" {
		return "download"
	}
	if stem, _, _ := strings.Cut(strings.ToUpper(name), "."); device().MatchString(strings.TrimSpace(stem)) {
		return "_" + name
	}
	return name
}

// device matches the names that Windows keeps for devices.
var device = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|CLOCK\$|(COM|LPT)[0-9¹²³])$`)
})

// numbered returns a name with a number before its extension, as browsers write it:
// "report (1).csv". The number 0 is not written. The name has at most limit bytes and
// keeps its extension.
func numbered(name string, n, limit int) string {
	ext := extension(name)
	stem := strings.TrimSuffix(name, ext)
	if n > 0 {
		ext = fmt.Sprintf(" (%d)%s", n, ext)
	}
	if most := limit - len(ext); len(stem) > most {
		for most > 0 && !utf8.RuneStart(stem[most]) {
			most--
		}
		stem = strings.TrimRight(stem[:most], " ")
	}
	return stem + ext
}

// extension returns the extension of a name, both parts of ".tar.gz". What is longer
// than any extension is a part of the name.
func extension(name string) string {
	ext := filepath.Ext(name)
	if inner := filepath.Ext(strings.TrimSuffix(name, ext)); strings.EqualFold(inner, ".tar") {
		ext = inner + ext
	}
	if len(ext) > 24 || len(ext) == len(name) || strings.ContainsRune(ext, ' ') {
		return ""
	}
	return ext
}

// unfinished matches the incomplete files of downloads that we name: the browser calls
// them by its own ids.
var unfinished = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.crdownload$`)
})

// Tidy makes the folder for downloads, and removes the incomplete files that a crash left
// there. A file that was complete, and not named yet, keeps the browser's id as its name.
// The browser does not run.
func Tidy(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the folder for downloads: %w", err)
	}
	all, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("reading the folder for downloads: %w", err)
	}
	for _, one := range all {
		if one.Type().IsRegular() && unfinished().MatchString(one.Name()) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, one.Name())))
		}
	}
	return err
}
