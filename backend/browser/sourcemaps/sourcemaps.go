// Package sourcemaps finds the sources that a page's scripts and style sheets were made
// from. They and their maps are data of the page: their sizes are limited, and a map that cannot be
// read leaves a position as it is.
package sourcemaps

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/go-sourcemap/sourcemap"

	"pilotfish/backend/protocol"
)

const (
	// MaxBytes is the largest script or source map that is read.
	MaxBytes = 32 << 20
	// mapsKept is how many source maps of a document are kept.
	mapsKept = 32
	// maxMappings is how many positions a map may have. The map of a style sheet with
	// 50,000 lines has about 200,000.
	maxMappings = 4_000_000
)

// Load returns what is at an address as the page's own scripts would get it, and the
// address of its source map if its response's header names one.
type Load func(ctx context.Context, address string) (data []byte, mapAddress string, err error)

// Maps are the source maps of one tab. They are read when a position is asked for.
type Maps struct {
	mu   sync.Mutex
	page int
	kept map[string]*script
}

// script is a script with its map, or with the reason why there is none.
type script struct {
	once sync.Once
	maps *Map
	why  string
}

// Resolve returns the positions with their sources, in the same order. page counts the
// documents of the tab: what was read for an earlier one is not used any more.
func (m *Maps) Resolve(ctx context.Context, page int, load Load, places []protocol.CodePlace) []protocol.MappedPlace {
	out := make([]protocol.MappedPlace, 0, len(places))
	for _, place := range places {
		s := m.script(page, place.URL)
		s.once.Do(func() { s.maps, s.why = read(ctx, load, place.URL) })
		if ctx.Err() != nil {
			m.forget(place.URL, s) // the next call reads it again
		}
		one := protocol.MappedPlace{CodePlace: place, Why: s.why}
		if s.maps != nil {
			look(s.maps, &one)
		}
		out = append(out, one)
	}
	return out
}

func (m *Maps) script(page int, address string) *script {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil || m.page != page || len(m.kept) >= mapsKept {
		m.page, m.kept = page, make(map[string]*script)
	}
	s := m.kept[address]
	if s == nil {
		s = &script{}
		m.kept[address] = s
	}
	return s
}

func (m *Maps) forget(address string, s *script) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept[address] == s {
		delete(m.kept, address)
	}
}

// look finds a position in a map.
func look(m *Map, place *protocol.MappedPlace) {
	at, err := m.Original(place.Line, max(0, place.Column-1))
	if err != nil {
		place.Why = err.Error()
		return
	}
	place.Source, place.SourceLine, place.SourceColumn = at.Source, at.Line, at.Column+1
	if place.Function == "" {
		place.Function = at.Name
	}
}

// read loads a script and its map.
func read(ctx context.Context, load Load, address string) (m *Map, why string) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, "the script has no address of its own"
	}
	data, named, err := load(ctx, address)
	if err != nil {
		return nil, fmt.Sprintf("the script was not loaded: %v", err)
	}
	if named == "" {
		named = comment(data)
	}
	if named == "" {
		return nil, "the script has no source map"
	}
	at, err := u.Parse(named)
	if err != nil {
		return nil, "the address of the source map is not readable"
	}
	text := []byte(nil)
	switch at.Scheme {
	case "data":
		text, err = inline(named)
	case "http", "https":
		text, _, err = load(ctx, at.String())
	default:
		return nil, "the source map is not at a web address"
	}
	if err != nil {
		return nil, fmt.Sprintf("the source map was not loaded: %v", err)
	}
	where := at.String()
	if at.Scheme == "data" {
		where = address
	}
	m, err = Parse(where, text)
	if err != nil {
		return nil, err.Error()
	}
	return m, ""
}

// Map is a source map that was read.
type Map struct {
	base *url.URL
	maps *sourcemap.Consumer
}

// Position is where a piece of generated text comes from. Lines count from 1, columns
// from 0.
type Position struct {
	Source, Name string
	Line, Column int
}

func unreadable() error { return errors.New("the source map is not readable") }

// Parse reads a map. The text is the page's: a fault of the parser is one of the text.
// address is where the map is, for relative names of sources.
func Parse(address string, text []byte) (m *Map, err error) {
	defer func() {
		if recover() != nil {
			m, err = nil, unreadable()
		}
	}()
	// Some servers put this before JSON, so that no script can include it.
	if bytes.HasPrefix(text, []byte(")]}")) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	base, err := url.Parse(address)
	if err != nil || !wellFormed(text) {
		return nil, unreadable()
	}
	read, err := sourcemap.Parse(address, text)
	if err != nil {
		return nil, unreadable()
	}
	return &Map{base, read}, nil
}

// Original returns where a position of the generated file comes from: the line counts
// from 1, the column from 0. A map may name sources that it does not have, which the
// library does not check.
func (m *Map) Original(line, column int) (at Position, err error) {
	defer func() {
		if recover() != nil {
			at, err = Position{}, unreadable()
		}
	}()
	var ok bool
	at.Source, at.Name, at.Line, at.Column, ok = m.maps.Source(line, column)
	if !ok || at.Source == "" {
		return Position{}, errors.New("the source map does not have this position")
	}
	if u, err := m.base.Parse(at.Source); err == nil && m.base.IsAbs() {
		at.Source = u.String()
	}
	return at, nil
}

// wellFormed reports whether the mappings of a map, and of the maps in it, have only
// the characters that mappings have, and are not too many: the parser takes any other
// character for a number, and reserves memory for each separator.
func wellFormed(text []byte) bool {
	type flat struct {
		Mappings string `json:"mappings"`
	}
	var all struct {
		flat
		Sections []struct {
			Map flat `json:"map"`
		} `json:"sections"`
	}
	if json.Unmarshal(text, &all) != nil {
		return false
	}
	const known = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/,;"
	count := 0
	good := func(mappings string) bool {
		count += strings.Count(mappings, ",") + strings.Count(mappings, ";")
		return count <= maxMappings && !strings.ContainsFunc(mappings, func(r rune) bool { return !strings.ContainsRune(known, r) })
	}
	for _, one := range all.Sections {
		if !good(one.Map.Mappings) {
			return false
		}
	}
	return good(all.Mappings)
}

// comment returns the address in the last comment of a script that names a map.
func comment(script []byte) string {
	const mark = "# sourceMappingURL="
	at := bytes.LastIndex(script, []byte(mark))
	if at < 0 {
		return ""
	}
	line, _, _ := bytes.Cut(script[at+len(mark):], []byte("\n"))
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(line)), "*/"))
	if strings.ContainsAny(text, " \t\"'") {
		return ""
	}
	return text
}

// inline returns the content of a data address.
func inline(address string) ([]byte, error) {
	head, body, ok := strings.Cut(address, ",")
	if !ok {
		return nil, fmt.Errorf("reading the map in the script: it has no content")
	}
	if strings.HasSuffix(head, ";base64") {
		data, err := base64.StdEncoding.DecodeString(body)
		if err != nil {
			return nil, fmt.Errorf("reading the map in the script: %w", err)
		}
		return data, nil
	}
	text, err := url.PathUnescape(body)
	if err != nil {
		return nil, fmt.Errorf("reading the map in the script: %w", err)
	}
	return []byte(text), nil
}
