// Command structure prints how the code is built: lines of each package, methods of
// each type, import cycles, tests beside code, and long files. It judges nothing but
// cycles, which end it with 1; the compiler already refuses those in Go.
// Usage: structure FOLDER (the top of the tree)
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
)

// What is printed of each list at most, and from which size on a file is long.
const (
	listed   = 8
	longFile = 450
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: structure FOLDER")
		os.Exit(2)
	}
	cycles, err := report(os.Stdout, os.DirFS(os.Args[1]))
	if err != nil {
		fmt.Fprintln(os.Stderr, "structure:", err)
		os.Exit(1)
	}
	if cycles > 0 {
		os.Exit(1)
	}
}

// counted is a name with a number.
type counted struct {
	name string
	n    int
}

// largest sorts a list, the largest first and then by name.
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

// median is the middle one of a sorted list; 0 of an empty one.
func median(list []counted) int {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)/2].n
}
