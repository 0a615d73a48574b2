package main

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// imported matches the modules that a file imports at run time; type imports do
// not exist then.
var imported = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'`)
})

// importsOf returns the relative imports of a file, as paths without an
// extension.
func importsOf(name, text string) []string {
	var out []string
	for _, m := range imported().FindAllStringSubmatch(text, -1) {
		if m[1] == "" && strings.HasPrefix(m[2], ".") {
			out = append(out, path.Join(path.Dir(name), m[2]))
		}
	}
	return out
}

// cyclesOf returns one cycle for each file that a search reaches again on its own
// path. A component that imports itself is none: a tree is shown that way.
func cyclesOf(imports map[string][]string) (cycles [][]string) {
	byName := make(map[string]string)
	for name := range imports {
		byName[name], byName[strings.TrimSuffix(name, path.Ext(name))] = name, name
	}
	done := make(map[string]bool)
	var way []string
	var visit func(name string)
	visit = func(name string) {
		if at := slices.Index(way, name); at >= 0 {
			cycles = append(cycles, append(slices.Clone(way[at:]), name))
			return
		}
		if done[name] {
			return
		}
		way = append(way, name)
		for _, to := range imports[name] {
			for _, spelled := range []string{to, strings.TrimSuffix(to, ".js"), to + "/index"} {
				if file, ok := byName[spelled]; ok {
					if file != name || !strings.HasSuffix(name, ".svelte") {
						visit(file)
					}
					break
				}
			}
		}
		way = way[:len(way)-1]
		done[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		visit(name)
	}
	return cycles
}
