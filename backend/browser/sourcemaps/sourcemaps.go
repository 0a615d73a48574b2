// Package sourcemaps finds the sources that a page's scripts were made from. Scripts
// and maps are data of the page: their sizes are limited, and a map that cannot be
// read leaves a position as it is.
package sourcemaps

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
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
	maps *sourcemap.Consumer
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

// look finds a position in a map. A map may name sources that it does not have, which
// the library does not check.
func look(maps *sourcemap.Consumer, place *protocol.MappedPlace) {
	defer func() {
		if recover() != nil {
			place.Why = "the source map is not readable"
		}
	}()
	source, name, line, column, ok := maps.Source(place.Line, max(0, place.Column-1))
	if !ok || source == "" {
		place.Why = "the source map does not have this position"
		return
	}
	place.Source, place.SourceLine, place.SourceColumn = source, line, column+1
	if place.Function == "" {
		place.Function = name
	}
}

// read loads a script and its map.
func read(ctx context.Context, load Load, address string) (maps *sourcemap.Consumer, why string) {
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
	return parse(where, text)
}

// parse reads a map. The text is the page's: a fault of the parser is one of the text.
func parse(address string, text []byte) (maps *sourcemap.Consumer, why string) {
	defer func() {
		if recover() != nil {
			maps, why = nil, "the source map is not readable"
		}
	}()
	// Some servers put this before JSON, so that no script can include it.
	if bytes.HasPrefix(text, []byte(")]}")) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	maps, err := sourcemap.Parse(address, text)
	if err != nil || !wellFormed(text) {
		return nil, "the source map is not readable"
	}
	return maps, ""
}

// wellFormed reports whether the mappings of a map, and of the maps in it, have only
// the characters that mappings have: the parser takes any other one for a number.
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
	other := func(r rune) bool { return !strings.ContainsRune(known, r) }
	for _, one := range all.Sections {
		if strings.ContainsFunc(one.Map.Mappings, other) {
			return false
		}
	}
	return !strings.ContainsFunc(all.Mappings, other)
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
