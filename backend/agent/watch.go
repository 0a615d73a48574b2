package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Watched is what Watch looks for besides the agents of the catalogue.
type Watched struct {
	// Programs are names of further programs, or absolute paths.
	Programs []string
}

// shellFiles are the files in which installers add a folder to the PATH.
func shellFiles() []string {
	return []string{
		"~/.profile", "~/.bash_profile", "~/.bashrc", "~/.zshenv", "~/.zprofile", "~/.zshrc", "~/.config/fish/config.fish",
	}
}

// watchList is what decides what a probe finds: files by the folder that they
// are in, or would be in.
type watchList struct {
	// programs and shell files count as changed when they are written, and
	// files of sign-ins when they appear or go.
	written map[string]bool
	present map[string]bool
}

// watchList returns the files that decide what the next probe finds.
func (p *Prober) watchList(also Watched) watchList {
	list := watchList{written: map[string]bool{}, present: map[string]bool{}}
	folders := joinPath(p.searchPath(), usualFolders(p.home, lookup(p.env)))
	add := func(program string, own []string) {
		if program == "" {
			return
		}
		if filepath.IsAbs(program) {
			list.written[program] = true
			return
		}
		for _, folder := range slices.Concat(own, folders) {
			list.written[filepath.Join(underHome(folder, p.home), program)] = true
		}
	}
	for _, e := range Catalogue() {
		add(e.Program, e.Folders)
		for _, way := range e.Chat {
			add(way.Program, e.Folders)
		}
		for _, file := range p.signInFiles(e) {
			list.present[file] = true
		}
	}
	for _, program := range also.Programs {
		add(program, nil)
	}
	for _, file := range shellFiles() {
		list.written[underHome(file, p.home)] = true
	}
	return list
}

// state is what is there of the list: two states differ when a probe may find
// something else.
func (l watchList) state() map[string]string {
	found := map[string]string{}
	for path := range l.written {
		if info, err := os.Stat(path); err == nil {
			found[path] = info.Mode().String() + " " + strconv.FormatInt(info.Size(), 10) + " " + info.ModTime().String()
		}
	}
	for path := range l.present {
		if _, err := os.Stat(path); err == nil {
			found[path] = ""
		}
	}
	return found
}

// folders returns the folders to watch, with the names in them that matter.
// Where a folder does not exist yet, it is the nearest one above it, with the
// name of the folder that would be made there.
func (l watchList) folders() map[string]map[string]bool {
	watched := map[string]map[string]bool{}
	exists := map[string]bool{}
	is := func(folder string) bool {
		known, asked := exists[folder]
		if !asked {
			info, err := os.Stat(folder)
			known = err == nil && info.IsDir()
			exists[folder] = known
		}
		return known
	}
	for _, paths := range []map[string]bool{l.written, l.present} {
		for path := range paths {
			folder, name := filepath.Dir(path), filepath.Base(path)
			for !is(folder) && filepath.Dir(folder) != folder {
				folder, name = filepath.Dir(folder), filepath.Base(folder)
			}
			if watched[folder] == nil {
				watched[folder] = map[string]bool{}
			}
			watched[folder][name] = true
		}
	}
	return watched
}
