package command

// nearest returns the name that was probably meant; empty when none is near.
func nearest(typed string, names []string) string {
	best, least := "", len(typed)/2+1
	for _, n := range names {
		if d := distance(typed, n); d <= least && (best == "" || d < least) {
			best, least = n, d
		}
	}
	return best
}

// distance counts the letters that have to be put in, left out, changed or
// swapped with their neighbour.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a) // nothing is near a text
	}
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
