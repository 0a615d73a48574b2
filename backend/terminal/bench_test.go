package terminal

import (
	"context"
	"slices"
	"testing"
	"time"
)

// The benchmarks are rows of `make bench`: app/bench runs each once, and
// defines their names and limits. A metric is named after its row.

// metrics are figures by row.
type metrics map[string]float64

// measured runs a measurement that repeats itself; -short makes it less exact.
func measured(b *testing.B, measure func(context.Context, bool) (metrics, error)) {
	b.Helper()
	for b.Loop() {
		figures, err := measure(b.Context(), testing.Short())
		if err != nil {
			b.Fatal(err)
		}
		for name, value := range figures {
			b.ReportMetric(value, name)
		}
	}
}

func BenchmarkEcho(b *testing.B)       { measured(b, terminalEcho) }
func BenchmarkThroughput(b *testing.B) { measured(b, terminalThroughput) }

// percentile is the q-th quantile, 0 to 1, by nearest rank.
func percentile(v []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[max(0, min(len(s)-1, int(q*float64(len(s))+0.5)-1))]
}

func inMS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
