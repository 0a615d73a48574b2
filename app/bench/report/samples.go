package report

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Ours is the name of our own figures.
const Ours = "pilotfish"

// Samples are the figures of each driver, by name.
type Samples map[string][]float64

// Add adds a figure.
func (s Samples) Add(name string, value float64) { s[name] = append(s[name], value) }

// Row returns a row with the medians of our figures and of all peers; the best
// peer is the reference. The row has no limit yet.
func (s Samples) Row(name, unit string) Row {
	r := Row{Name: name, Unit: unit, Value: Percentile(s[Ours], 0.5), Rule: Informs}.With99(Percentile(s[Ours], 0.99))
	for peer, values := range s {
		if peer != Ours {
			r = r.Peer(peer, Percentile(values, 0.5))
		}
	}
	return r
}

// Peer adds a peer's figure. The lowest one is the reference.
func (r Row) Peer(name string, value float64) Row {
	r.Peers = maps.Clone(r.Peers)
	if r.Peers == nil {
		r.Peers = make(map[string]float64)
	}
	r.Peers[name] = value
	best := slices.MinFunc(slices.Collect(maps.Keys(r.Peers)), func(a, b string) int { return cmp.Compare(r.Peers[a], r.Peers[b]) })
	return r.Against(best)
}

// Against makes a peer the reference.
func (r Row) Against(peer string) Row {
	value, ok := r.Peers[peer]
	if !ok {
		return r
	}
	r.Than = peer
	return r.Beside(value)
}

// Percentile returns the q-th quantile, 0 to 1, by nearest rank.
func Percentile(v []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[max(0, min(len(s)-1, int(q*float64(len(s))+0.5)-1))]
}

// Median returns the median of values, which it sorts.
func Median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// MS returns a duration in milliseconds.
func MS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
