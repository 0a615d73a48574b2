package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"

	"pilotfish/app/bench/peers"
)

// rule says how a row's limit applies.
type rule string

const (
	ratioAtMost  rule = "ratio at most"
	ratioAtLeast rule = "ratio at least"
	valueAtMost  rule = "at most"
	noLimit      rule = "no limit"
)

// row is one measurement. Times are in ms, memory in MB, throughput in MB/s, sizes
// in characters.
type row struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	// P99 is the 99th percentile, or the worst of a few runs.
	P99 *float64 `json:"p99,omitempty"`
	// Reference is the figure to compare with, Than its name, and Ratio is Value
	// / Reference.
	Reference *float64 `json:"reference,omitempty"`
	Than      string   `json:"than,omitempty"`
	Ratio     *float64 `json:"ratio,omitempty"`
	// Peers are the figures of the peers in the same run.
	Peers map[string]float64 `json:"peers,omitempty"`
	Limit float64            `json:"limit"`
	Rule  rule               `json:"rule"`
	// Notes say what was left out, and why.
	Notes []string `json:"notes,omitempty"`
	OK    bool     `json:"ok"`
}

// timed is a row of times in ms: their median and the 99th percentile. It has no
// limit yet.
func timed(name string, values []float64) row {
	p99 := percentile(values, 0.99)
	return row{Name: name, Unit: "ms", Value: percentile(values, 0.5), P99: &p99, Rule: noLimit}
}

// compared is timed for our figures, with the medians of all peers. The best peer
// is the reference.
func compared(name string, s peers.Samples) row {
	r := timed(name, s[peers.Ours])
	for peer, values := range s {
		if peer != peers.Ours {
			r = r.peer(peer, percentile(values, 0.5))
		}
	}
	return r
}

// peer adds a peer's figure. The lowest one is the reference.
func (r row) peer(name string, value float64) row {
	r.Peers = maps.Clone(r.Peers)
	if r.Peers == nil {
		r.Peers = make(map[string]float64)
	}
	r.Peers[name] = value
	best := slices.MinFunc(slices.Collect(maps.Keys(r.Peers)), func(a, b string) int { return cmp.Compare(r.Peers[a], r.Peers[b]) })
	return r.against(best)
}

// against makes a peer the reference, unless it was left out.
func (r row) against(peer string) row {
	if value, ok := r.Peers[peer]; ok {
		return r.beside(peer, value)
	}
	return r
}

// beside sets the reference.
func (r row) beside(than string, reference float64) row {
	ratio := r.Value / reference
	r.Than, r.Reference, r.Ratio = than, &reference, &ratio
	return r
}

// atMost limits the ratio to the reference. A row without a reference, because no
// peer runs on this machine, has no limit.
func (r row) atMost(ratio float64) row {
	if r.Ratio != nil {
		r.Rule, r.Limit = ratioAtMost, ratio
	}
	return r
}

// judged returns the row with OK set: whether the limit is met.
func (r row) judged() row {
	switch r.Rule {
	case valueAtMost:
		r.OK = r.Value <= r.Limit
	case ratioAtMost:
		r.OK = r.Ratio != nil && *r.Ratio <= r.Limit
	case ratioAtLeast:
		r.OK = r.Ratio != nil && *r.Ratio >= r.Limit
	case noLimit:
		r.OK = true
	}
	return r
}

// options are the options of a measurement.
type options struct {
	// quick requests a rough figure in a fraction of the time.
	quick bool
}

// runs is how often something is measured.
func (o options) runs(usual, quick int) int {
	if o.quick {
		return quick
	}
	return usual
}

// bench is a measurement of one or more rows.
type bench struct {
	// rows are the names of what run returns, for -only.
	rows []string
	run  func(context.Context, options) ([]row, error)
}

// verdict returns nil when all rows meet their limits.
func verdict(rows []row) error {
	var errs []error
	for _, r := range rows {
		if !r.OK {
			errs = append(errs, fmt.Errorf("%s does not hold its limit (%s): %s, a ratio of %s", r.Name, r.limit(), number(&r.Value), number(r.Ratio)))
		}
	}
	return errors.Join(errs...)
}

// percentile returns the q-th quantile, 0 to 1, by nearest rank.
func percentile(v []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[max(0, min(len(s)-1, int(q*float64(len(s))+0.5)-1))]
}

// printRows prints the rows as a table, followed by their notes.
func printRows(out io.Writer, rows []row) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "name\tunit\tvalue\tp99\treference\tratio\tlimit\t\t")
	for _, r := range rows {
		mark := ""
		if !r.OK {
			mark = "MISSED"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s %s\t%s\t%s\t%s\t\n", r.Name, r.Unit,
			number(&r.Value), number(r.P99), number(r.Reference), r.Than, number(r.Ratio), r.limit(), mark)
	}
	_ = w.Flush() // to the console
	var said []string
	for _, r := range rows {
		for _, note := range r.Notes {
			if !slices.Contains(said, note) {
				said = append(said, note)
				fmt.Fprintf(out, "%s: %s\n", r.Name, note)
			}
		}
	}
}

func (r row) limit() string {
	if r.Rule == noLimit {
		return string(r.Rule)
	}
	return string(r.Rule) + " " + number(&r.Limit)
}

// number formats a value with three significant digits.
func number(v *float64) string {
	if v == nil {
		return "-"
	}
	if a := math.Abs(*v); a >= 1000 {
		return strconv.FormatFloat(*v, 'f', 0, 64)
	}
	return strconv.FormatFloat(*v, 'g', 3, 64)
}

// writeRows writes the rows as JSON.
func writeRows(file string, rows []row) error {
	b, err := json.MarshalIndent(rows, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o750)
	}
	if err == nil {
		err = os.WriteFile(file, append(b, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing the rows: %w", err)
	}
	return nil
}
