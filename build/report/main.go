// Command report reads the events of `go test -json` on its input and prints what
// `go test` itself would print. It appends one line "passed failed skipped" to
// the first file argument, and a line for each failure to the second, so that the
// end of a long run shows what failed. Only top-level tests are counted: a
// subtest is part of its test. A package that fails without a failed test (a
// compile error, a panic, a timeout) counts as one failure.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is a line of `go test -json`; see `go doc test2json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // of a build event
	Test       string
	Output     string
}

// counts are the results of a run.
type counts struct {
	passed, failed, skipped int
	// failures has a line for each failed test: its package, its name, and its
	// first message.
	failures []string
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go test -json ... | report COUNTS-FILE FAILURES-FILE")
		os.Exit(2)
	}
	if err := run(os.Stdin, os.Stdout, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, countsFile, failuresFile string) error {
	sum, err := report(in, out)
	if err != nil {
		return err
	}
	if err := appendTo(failuresFile, sum.failures...); err != nil {
		return err
	}
	return appendTo(countsFile, fmt.Sprint(sum.passed, sum.failed, sum.skipped))
}

// appendTo appends lines to a file.
func appendTo(file string, lines ...string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(f, line); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

// failure returns the line for a failed test: the first line of its output that
// comes from a test file or a panic, at most 240 bytes of it.
func failure(pkg, test, output string) string {
	said := ""
	for line := range strings.Lines(output) {
		if strings.Contains(line, "_test.go:") || strings.HasPrefix(line, "panic:") {
			said = strings.TrimSpace(line)
			break
		}
	}
	if len(said) > 240 {
		said = strings.ToValidUTF8(said[:240], "") + "…"
	}
	return strings.TrimSpace(pkg + " " + test + " " + said)
}

// report copies the output of packages and of failed tests, and counts tests.
func report(in io.Reader, out io.Writer) (counts, error) {
	var sum counts
	output := map[[2]string]*strings.Builder{}
	failedIn := map[string]bool{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			// The go command itself also prints plain text.
			fmt.Fprintln(out, lines.Text())
			continue
		}
		top, _, sub := strings.Cut(e.Test, "/")
		key := [2]string{e.Package, top}
		switch e.Action {
		case "build-output":
			fmt.Fprint(out, e.Output)
		case "output":
			if e.Test == "" {
				if e.Output != "PASS\n" {
					fmt.Fprint(out, e.Output)
				}
				continue
			}
			if output[key] == nil {
				output[key] = new(strings.Builder)
			}
			output[key].WriteString(e.Output)
		case "pass", "skip", "fail":
			if e.Test == "" {
				if e.Action == "fail" && !failedIn[e.Package] {
					sum.failed++
					said, name := "", ""
					for key, b := range output {
						if key[0] == e.Package && strings.Contains(b.String(), "panic:") {
							name, said = key[1], b.String()
						}
					}
					sum.failures = append(sum.failures, failure(e.Package, name, said))
				}
				continue
			}
			if sub {
				continue
			}
			switch e.Action {
			case "pass":
				sum.passed++
			case "skip":
				sum.skipped++
			case "fail":
				sum.failed++
				failedIn[e.Package] = true
				said := ""
				if b := output[key]; b != nil {
					said = b.String()
				}
				sum.failures = append(sum.failures, failure(e.Package, top, said))
			}
			if b := output[key]; b != nil && e.Action != "pass" {
				fmt.Fprint(out, b.String())
			}
			delete(output, key)
		}
	}
	// The rest belongs to tests that did not finish: a panic, a timeout.
	for _, b := range output {
		fmt.Fprint(out, b.String())
	}
	return sum, lines.Err()
}
