// Package spelling finds the command, option or setting that is nearest to a
// misspelled word. It also formats counts of things.
package spelling

import (
	"fmt"
	"strings"
)

// longest is the longest word for which a nearest word is searched, in bytes.
const longest = 64

// Nearest returns the word of known that was probably meant; "" when none is
// near. A word is near when at most a third of its letters would have to
// change, or when one word begins with the other.
func Nearest(word string, known []string) string {
	if len(word) > longest {
		return ""
	}
	best, least, exact := "", len([]rune(word))/3+1, 0
	for _, candidate := range known {
		changes := distance(word, candidate)
		d := changes
		if len(word) > 2 && (strings.HasPrefix(candidate, word) || strings.HasPrefix(word, candidate)) {
			d = min(d, 1)
		}
		if d < least || d == least && (best == "" || changes < exact) {
			best, least, exact = candidate, d, changes
		}
	}
	return best
}

// distance counts the letters to add, remove, change, or swap with their
// neighbour, to get from a to b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}

// Plural returns a number with its noun: "1 file", "2 files".
func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
