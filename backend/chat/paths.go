package chat

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

// How many completions completePath returns, and how many paths of the folder it visits
// at most.
const (
	maxPathsFound   = 30
	maxPathsVisited = 20000
)

// completePath returns the paths of a folder that contain text; those nearest to its
// top come first. A path that ends in a slash is a folder. The folder need not
// exist.
func completePath(ctx context.Context, dir, text string) ([]string, error) {
	if dir == "" {
		return []string{}, nil
	}
	// Nothing outside of the folder is listed, wherever a link points.
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []string{}, nil // it is created when an agent first works there
	}
	if err != nil {
		return []string{}, fmt.Errorf("opening the working folder: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	return searchPaths(ctx, root.FS(), strings.ToLower(text)), nil
}

// searchPaths searches a folder level by level, up to maxPathsVisited paths, so that it
// stays fast.
func searchPaths(ctx context.Context, in fs.FS, text string) []string {
	var ranked [3][]string
	folders := []string{"."}
	if at := strings.LastIndexByte(text, '/'); at > 0 {
		// A folder that was typed in full is searched first.
		if named := exactFolder(in, text[:at]); named != "" {
			folders = []string{named, "."}
		}
	}
	hidden := strings.HasPrefix(text[strings.LastIndexByte(text, '/')+1:], ".")
	seen := map[string]bool{}
	for visited := 0; len(folders) > 0 && visited < maxPathsVisited && ctx.Err() == nil; {
		folder := folders[0]
		folders = folders[1:]
		if seen[folder] {
			continue
		}
		seen[folder] = true
		entries, err := fs.ReadDir(in, folder)
		if err != nil {
			continue // no permission to read it
		}
		for _, e := range entries {
			visited++
			name := path.Join(folder, e.Name())
			if strings.HasPrefix(e.Name(), ".") && !hidden || e.Name() == "node_modules" {
				continue
			}
			if e.IsDir() {
				name += "/"
				// Without a text only the top level is listed.
				if text != "" {
					folders = append(folders, strings.TrimSuffix(name, "/"))
				}
			}
			if r := rankPath(name, e.Name(), text); r >= 0 && len(ranked[r]) < maxPathsFound {
				ranked[r] = append(ranked[r], name)
			}
		}
		if len(ranked[0]) == maxPathsFound {
			break // the best rank is full already
		}
	}
	all := slices.Concat(ranked[:]...)
	return slices.Clip(all[:min(len(all), maxPathsFound)])
}

// exactFolder returns the folder with a path that is given in lower case; empty if
// there is none.
func exactFolder(in fs.FS, lower string) string {
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

// rankPath returns 0 if the path or the name begins with text, 1 if the name
// contains it, 2 if the path contains it, and -1 otherwise.
func rankPath(whole, name, text string) int {
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
