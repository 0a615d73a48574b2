// Package sourcemap reads source maps (version 3): from which line of which file a
// line of a generated file was made. A map comes from a page and may contain anything:
// a bad map is an error, and never more.
package sourcemap

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

const (
	// maxMappings bounds what is read of a map. The map of a style sheet with 50,000
	// lines has about 200,000.
	maxMappings = 1_000_000
	// maxSource bounds the name of a source file, in bytes.
	maxSource = 2048
)

// Map is a source map that was read.
type Map struct {
	sources  []string
	mappings []mapping // ordered by position
}

// mapping is one position of the generated file and where it comes from. Lines and
// columns count from 0.
type mapping struct{ line, column, source, sourceLine int }

// file is the form of a source map.
type file struct {
	Version    int             `json:"version"`
	SourceRoot string          `json:"sourceRoot"`
	Sources    []string        `json:"sources"`
	Mappings   string          `json:"mappings"`
	Sections   json.RawMessage `json:"sections"`
}

// Parse reads a map. address is where the map is, for relative names of sources; it may
// be empty.
func Parse(address string, data []byte) (*Map, error) {
	// Some servers put this before JSON, so that it cannot be run as a script.
	text := strings.TrimPrefix(string(data), ")]}'")
	var f file
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return nil, fmt.Errorf("reading a source map: %w", err)
	}
	if f.Version != 3 || len(f.Sections) > 0 {
		return nil, errors.New("the source map is not a plain map of version 3")
	}
	m := &Map{}
	base, err := url.Parse(address)
	if err != nil {
		base = nil
	}
	for _, s := range f.Sources {
		m.sources = append(m.sources, name(base, f.SourceRoot, s))
	}
	if m.mappings, err = decode(f.Mappings, len(m.sources)); err != nil {
		return nil, err
	}
	return m, nil
}

// name returns the address of a source. A source that is not relative, such as
// "webpack:///src/a.scss", keeps its name.
func name(base *url.URL, root, source string) string {
	if root != "" && !strings.Contains(source, "://") && !strings.HasPrefix(source, "/") {
		source = strings.TrimSuffix(root, "/") + "/" + source
	}
	if len(source) > maxSource {
		source = source[:maxSource]
	}
	if base == nil || base.Host == "" {
		return source
	}
	if u, err := base.Parse(source); err == nil {
		return u.String()
	}
	return source
}

// Original returns the file and the line, from 1, that a position of the generated
// file comes from. line and column count from 0. ok is false if the map does not say.
func (m *Map) Original(line, column int) (source string, original int, ok bool) {
	i, exact := slices.BinarySearchFunc(m.mappings, mapping{line: line, column: column}, order)
	if !exact {
		i--
	}
	if i < 0 || m.mappings[i].line != line {
		// The first mapping of the line may be behind the column.
		if i++; i >= len(m.mappings) || m.mappings[i].line != line {
			return "", 0, false
		}
	}
	at := m.mappings[i]
	return m.sources[at.source], at.sourceLine + 1, true
}

func order(a, b mapping) int {
	return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
}

// decode reads the mappings: lines with ";" between, in them positions with "," between,
// each of 1, 4 or 5 numbers that are differences to the ones before.
func decode(text string, sources int) ([]mapping, error) {
	var out []mapping
	var source, sourceLine int
	line := 0
	for part := range strings.SplitSeq(text, ";") {
		column := 0
		for segment := range strings.SplitSeq(part, ",") {
			if segment == "" {
				continue
			}
			numbers, err := vlq(segment)
			if err != nil {
				return nil, err
			}
			column += numbers[0]
			if len(numbers) < 4 {
				continue // a position that comes from nowhere
			}
			source += numbers[1]
			sourceLine += numbers[2]
			if source < 0 || source >= sources || sourceLine < 0 || column < 0 {
				return nil, errors.New("the source map names a place that is not there")
			}
			if len(out) == maxMappings {
				return nil, fmt.Errorf("the source map has more than %d mappings", maxMappings)
			}
			out = append(out, mapping{line, column, source, sourceLine})
		}
		line++
	}
	slices.SortStableFunc(out, order)
	return out, nil
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// vlq decodes the numbers of a segment: base 64, five bits in each character, the
// lowest first, the lowest bit of the number is its sign.
func vlq(segment string) ([]int, error) {
	var out []int
	value, shift := 0, 0
	for i := range len(segment) {
		digit := strings.IndexByte(alphabet, segment[i])
		if digit < 0 || shift > 30 {
			return nil, fmt.Errorf("the source map has a segment that cannot be read: %.20q", segment)
		}
		value |= (digit & 31) << shift
		if shift += 5; digit&32 != 0 {
			continue
		}
		if value&1 != 0 {
			out = append(out, -(value >> 1))
		} else {
			out = append(out, value>>1)
		}
		value, shift = 0, 0
	}
	if shift != 0 || len(out) == 0 {
		return nil, fmt.Errorf("the source map has a segment that ends early: %.20q", segment)
	}
	return out, nil
}
