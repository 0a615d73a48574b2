// Command structure prints the structure of the code: lines of each package,
// methods of each type, import cycles, tests compared with code, long files, and
// forbidden phrases. It exits with 1 for import cycles in TypeScript (the
// compiler already refuses them in Go), for forbidden phrases, and for long files
// without a reason.
// Usage: structure FOLDER (the top of the tree)
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
)

// How many entries of each list are printed, and from how many lines on a file is
// long.
const (
	listed   = 8
	longFile = 450
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: structure FOLDER")
		os.Exit(2)
	}
	faults, err := report(os.Stdout, os.DirFS(os.Args[1]))
	if err != nil {
		fmt.Fprintln(os.Stderr, "structure:", err)
		os.Exit(1)
	}
	if faults > 0 {
		os.Exit(1)
	}
}

// counted is a name with a count.
type counted struct {
	name string
	n    int
}

// largest sorts a list by count, the largest first, and then by name.
func largest(list map[string]int) []counted {
	out := make([]counted, 0, len(list))
	for name, n := range list {
		out = append(out, counted{name, n})
	}
	slices.SortFunc(out, func(a, b counted) int {
		if a.n != b.n {
			return b.n - a.n
		}
		if a.name < b.name {
			return -1
		}
		return 1
	})
	return out
}

func printList(w io.Writer, title string, list []counted) {
	fmt.Fprintf(w, "%s\n", title)
	for _, c := range list[:min(listed, len(list))] {
		fmt.Fprintf(w, "  %6d  %s\n", c.n, c.name)
	}
}

// median returns the middle count of a sorted list; 0 for an empty list.
func median(list []counted) int {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)/2].n
}
