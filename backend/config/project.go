package config

import (
	"os"
	"path/filepath"
)

// ProjectFile is the name of the file by which a repository describes its session.
const ProjectFile = "pilotfish.toml"

// FindProject returns the file of a repository, looking from a folder upward to the top
// of the work tree; "" for none. Outside of a work tree it looks in the folder only:
// what is above may be anybody's.
func FindProject(from string) string {
	found := ""
	for dir := from; ; dir = filepath.Dir(dir) {
		file := filepath.Join(dir, ProjectFile)
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() && found == "" {
			found = file
		}
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return found
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if filepath.Dir(found) != from {
		return ""
	}
	return found
}
