// Package trust knows which folders the user trusts with settings for agents. Such
// settings name programs that an agent runs: hooks, tool servers, plugins. An agent
// reads them in the folder that it starts in and in the folders above, and a folder
// may come from anybody.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// settings are the files and folders in which agents look for settings that can run
// programs.
func settings() []string {
	return []string{
		".mcp.json",
		".claude/settings.json", ".claude/settings.local.json", ".claude/hooks", ".claude/agents", ".claude/commands", ".claude/skills",
		".codex",
		".gemini",
		"opencode.json", "opencode.jsonc", ".opencode",
		".goose", ".copilot", ".github/hooks", ".qwen", ".kimi", ".aider.conf.yml", ".cursor",
	}
}

// skipped is not part of settings: agents install what their settings name there.
const skipped = "node_modules"

// Folder is a folder and the settings for agents that apply in it.
type Folder struct {
	// Path is the folder without symbolic links.
	Path string
	// Files are the files with settings; empty when there are none.
	Files []string
	// sum changes with every change to a file's name or content.
	sum string
}

// Look finds the settings for agents in a folder and in all folders above it. Those
// in home, the user's home folder, are the user's own and do not count.
func Look(dir, home string) (Folder, error) {
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Folder{}, fmt.Errorf("looking for settings of agents: %w", err)
	}
	if whole, err := filepath.EvalSymlinks(home); err == nil {
		home = whole
	}
	f := Folder{Path: path}
	sum := sha256.New()
	for at := path; at != home; at = filepath.Dir(at) {
		for _, name := range settings() {
			if err := f.add(sum, filepath.Join(at, filepath.FromSlash(name))); err != nil {
				return Folder{}, fmt.Errorf("looking for settings of agents: %w", err)
			}
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	f.sum = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// File returns a file with its content, as something to trust.
func File(path string, content []byte) Folder {
	sum := sha256.Sum256(content)
	return Folder{Path: path, Files: []string{path}, sum: hex.EncodeToString(sum[:])}
}

// add adds a file, or the files of a folder.
func (f *Folder) add(sum io.Writer, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().IsRegular():
		return f.file(sum, path)
	case !info.IsDir():
		return nil // a pipe or a device has no settings, and reading it may never end
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		// A link to a folder may lead back to a folder above.
		if e.Name() == skipped || e.Type()&fs.ModeSymlink != 0 && isDir(filepath.Join(path, e.Name())) {
			continue
		}
		if err := f.add(sum, filepath.Join(path, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (f *Folder) file(sum io.Writer, path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	content := sha256.New()
	if _, err := io.Copy(content, in); err != nil {
		return err
	}
	f.Files = append(f.Files, path)
	_, err = fmt.Fprintf(sum, "%q %x\n", path, content.Sum(nil))
	return err
}

// Same reports whether nothing has changed between two looks.
func (f Folder) Same(other Folder) bool {
	return f.Path == other.Path && f.sum == other.sum && slices.Equal(f.Files, other.Files)
}
