// Package paths completes a mention of a file by what there is in a folder.
package paths

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// How many paths a mention is completed by, and how many of the folder are looked at
// for that.
const (
	maxFound   = 30
	maxVisited = 20000
)

// Find returns what of a folder has the words, what is nearest to its top first. A
// path that ends in a slash is a folder. The folder need not exist.
func Find(ctx context.Context, dir, text string) ([]string, error) {
	if dir == "" {
		return []string{}, nil
	}
	// Nothing outside of it is listed, wherever a link leads.
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []string{}, nil // it is made when an agent first works there
	}
	if err != nil {
		return []string{}, fmt.Errorf("opening the working folder: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	return find(ctx, root.FS(), strings.ToLower(text)), nil
}

// find looks through a folder level by level, no further than is fast.
func find(ctx context.Context, in fs.FS, text string) []string {
	var ranked [3][]string
	folders := []string{"."}
	if at := strings.LastIndexByte(text, '/'); at > 0 {
		// A folder that was typed out is looked into first.
		if named := exactly(in, text[:at]); named != "" {
			folders = []string{named, "."}
		}
	}
	hidden := strings.HasPrefix(text[strings.LastIndexByte(text, '/')+1:], ".")
	seen := map[string]bool{}
	for visited := 0; len(folders) > 0 && visited < maxVisited && ctx.Err() == nil; {
		folder := folders[0]
		folders = folders[1:]
		if seen[folder] {
			continue
		}
		seen[folder] = true
		entries, err := fs.ReadDir(in, folder)
		if err != nil {
			continue // it is not ours to read
		}
		for _, e := range entries {
			visited++
			name := path.Join(folder, e.Name())
			if strings.HasPrefix(e.Name(), ".") && !hidden || e.Name() == "node_modules" {
				continue
			}
			if e.IsDir() {
				name += "/"
				// Without a word only what is at the top is worth a line.
				if text != "" {
					folders = append(folders, strings.TrimSuffix(name, "/"))
				}
			}
			if r := rank(name, e.Name(), text); r >= 0 && len(ranked[r]) < maxFound {
				ranked[r] = append(ranked[r], name)
			}
		}
		if len(ranked[0]) == maxFound {
			break // the best places are taken
		}
	}
	all := slices.Concat(ranked[:]...)
	return slices.Clip(all[:min(len(all), maxFound)])
}

// exactly is a folder by its path in small letters.
func exactly(in fs.FS, lower string) string {
	at := "."
	for part := range strings.SplitSeq(lower, "/") {
		entries, err := fs.ReadDir(in, at)
		if err != nil {
			return ""
		}
		i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.IsDir() && strings.ToLower(e.Name()) == part })
		if i < 0 {
			return ""
		}
		at = path.Join(at, entries[i].Name())
	}
	return at
}

// rank is 0 for what begins with the words, 1 for a name that has them, 2 for a
// path that does, and -1 for what has not.
func rank(whole, name, text string) int {
	whole, name = strings.ToLower(whole), strings.ToLower(name)
	switch {
	case strings.HasPrefix(name, text), strings.HasPrefix(whole, text):
		return 0
	case strings.Contains(name, text):
		return 1
	case strings.Contains(whole, text):
		return 2
	}
	return -1
}
