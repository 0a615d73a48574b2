// Package report defines the rows of the benchmark: what was measured, the limit,
// the table and the file.
package report

import (
	"context"
	"errors"
	"fmt"
)

// Rule says how a row's limit applies.
type Rule string

// The rules.
const (
	RatioAtMost  Rule = "ratio at most"
	RatioAtLeast Rule = "ratio at least"
	ValueAtMost  Rule = "at most"
	ValueAtLeast Rule = "at least"
	// Informs means that there is no limit.
	Informs Rule = "no limit"
)

// Row is one measurement. Times are in ms, memory and backlog in MB, throughput
// in MB/s, sizes in characters.
type Row struct {
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
	Rule  Rule               `json:"rule"`
	// Notes say what was left out, and why.
	Notes []string `json:"notes,omitempty"`
	OK    bool     `json:"ok"`
}

// With99 adds the 99th percentile.
func (r Row) With99(v float64) Row {
	r.P99 = &v
	return r
}

// Beside sets the reference.
func (r Row) Beside(reference float64) Row {
	ratio := r.Value / reference
	r.Reference, r.Ratio = &reference, &ratio
	return r
}

// AtMost limits the ratio to the reference. A row without a reference, for
// example when no peer runs on this machine, has no limit.
func (r Row) AtMost(ratio float64) Row {
	if r.Ratio != nil {
		r.Rule, r.Limit = RatioAtMost, ratio
	}
	return r
}

// Judged returns the row with OK set: whether the limit is met.
func (r Row) Judged() Row {
	switch r.Rule {
	case ValueAtMost:
		r.OK = r.Value <= r.Limit
	case ValueAtLeast:
		r.OK = r.Value >= r.Limit
	case RatioAtMost:
		r.OK = r.Ratio != nil && *r.Ratio <= r.Limit
	case RatioAtLeast:
		r.OK = r.Ratio != nil && *r.Ratio >= r.Limit
	case Informs:
		r.OK = true
	}
	return r
}

// Options are the options of a measurement.
type Options struct {
	// Quick requests a rough figure in a tenth of the time.
	Quick bool
}

// Bench is a measurement of one or more rows.
type Bench struct {
	// Rows are the names of what Run returns, for -only.
	Rows []string
	Run  func(context.Context, Options) ([]Row, error)
}

// Verdict returns nil when all rows meet their limits.
func Verdict(rows []Row) error {
	var errs []error
	for _, r := range rows {
		if !r.OK {
			errs = append(errs, fmt.Errorf("%s does not hold its limit", r.Name))
		}
	}
	return errors.Join(errs...)
}
