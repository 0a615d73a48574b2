// Package firefox reads profiles of Firefox: their cookies and the local storage of
// sites, which Firefox keeps in plain SQLite databases. Everything is read on a private
// copy, also while Firefox runs. The formats are those of Firefox's CookiePersistentStorage
// (versions up to 17), SessionStore and LSNG.
package firefox

import (
	"bufio"
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Profile is a profile of Firefox that has cookies.
type Profile struct {
	ID, Name, Folder string
}

// iniMost is the size up to which a list of profiles is read, in bytes.
const iniMost = 1 << 20

// Profiles returns the profiles that the file profiles.ini of a folder names, the one
// that Firefox starts with first.
func Profiles(data string) []Profile {
	raw, err := os.ReadFile(filepath.Join(data, "profiles.ini"))
	if err != nil || len(raw) > iniMost {
		return nil
	}
	type entry struct {
		Profile
		first bool
	}
	var found []entry
	first := map[string]bool{} // the profiles that an installed Firefox starts with
	for _, section := range sections(raw) {
		if strings.HasPrefix(section[""], "Install") {
			first[section["Default"]] = true
		}
		path := section["Path"]
		if !strings.HasPrefix(section[""], "Profile") || path == "" {
			continue
		}
		one := entry{Profile{path, cmp.Or(section["Name"], filepath.Base(path)), path}, section["Default"] == "1"}
		if section["IsRelative"] != "0" {
			if !filepath.IsLocal(filepath.FromSlash(path)) {
				continue
			}
			one.Folder = filepath.Join(data, filepath.FromSlash(path))
		}
		info, err := os.Stat(filepath.Join(one.Folder, cookieFile))
		if err == nil && info.Mode().IsRegular() {
			found = append(found, one)
		}
	}
	for i := range found {
		if len(first) > 0 {
			found[i].first = first[found[i].ID]
		}
	}
	slices.SortStableFunc(found, func(a, b entry) int {
		if a.first != b.first {
			if a.first {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	out := make([]Profile, 0, len(found))
	for _, one := range found {
		out = append(out, one.Profile)
	}
	return out
}

// sections returns the sections of an INI file, each with its name under "".
func sections(raw []byte) []map[string]string {
	var all []map[string]string
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			all = append(all, map[string]string{"": line[1 : len(line)-1]})
		} else if key, value, ok := strings.Cut(line, "="); ok && len(all) > 0 && !strings.HasPrefix(line, ";") && key != "" {
			all[len(all)-1][strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return all
}
