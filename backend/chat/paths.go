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

	"pilotfish/backend/protocol"
)

// Paths completes a mention of a file: what of the working folder has the words,
// what is nearest to its top first. A path that ends in a slash is a folder.
func (m *Manager) Paths(ctx context.Context, req protocol.ChatPathsRequest) (protocol.ChatPathsReply, error) {
	out := protocol.ChatPathsReply{Paths: []string{}}
	dir := m.config.WorkDir()
	if dir == "" {
		return out, nil
	}
	// Nothing outside of it is listed, wherever a link leads.
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil // it is made when an agent first works there
	}
	if err != nil {
		return out, fmt.Errorf("opening the working folder: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	out.Paths = findPaths(ctx, root.FS(), strings.ToLower(req.Text))
	return out, nil
}

// findPaths looks through a folder level by level, no further than is fast.
func findPaths(ctx context.Context, in fs.FS, text string) []string {
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
	for visited := 0; len(folders) > 0 && visited < chatPathsVisited && ctx.Err() == nil; {
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
			if r := rank(name, e.Name(), text); r >= 0 && len(ranked[r]) < chatPathsMax {
				ranked[r] = append(ranked[r], name)
			}
		}
		if len(ranked[0]) == chatPathsMax {
			break // the best places are taken
		}
	}
	all := slices.Concat(ranked[:]...)
	return slices.Clip(all[:min(len(all), chatPathsMax)])
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
