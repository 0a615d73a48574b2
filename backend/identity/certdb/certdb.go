// Package certdb writes the list of certificate authorities that one browser profile
// trusts. Chromium keeps it in the SQLite file "ServerCertificate" of the profile; what
// its certificate manager adds is there. It is read at the start.
//
// The file is written without a database engine: it has one page for each of its two
// tables and their indexes, in the documented format of SQLite (sqlite.org/fileformat2).
package certdb

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"pilotfish/backend/journal"
)

// ErrForeign is returned for a profile to which its user added certificates in the
// browser: they would be lost.
var ErrForeign = errors.New("the profile has certificates that were added in the browser")

// ErrTooMany is returned when the certificates do not fit.
var ErrTooMany = errors.New("the certificates have more than 60,000 bytes")

const (
	name     = "ServerCertificate"
	pageSize = 1 << 16
	most     = 60000
	// owner is the application id in the file's header: it says that we wrote it.
	owner = 0x50694654

	// Where the user version and the application id are in the header.
	versionAt, ownerAt = 60, 68
)

// trusted is the setting of a certificate that is an authority, in the protocol buffer
// that Chromium keeps there.
func trusted() []byte { return []byte{0x0a, 2, 8, 3} }

// Write makes a profile trust these authorities (DER) and no others. folder is the one
// of the profile itself, "Default". Without certificates it takes back what it wrote.
func Write(folder string, certificates [][]byte) error {
	path := filepath.Join(folder, name)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the profile's certificates: %w", err)
	}
	ours := len(old) > 100 && binary.BigEndian.Uint32(old[ownerAt:]) == owner
	switch {
	case len(certificates) == 0 && !ours:
		return nil
	case len(certificates) == 0:
		return remove(path)
	case !ours && len(old) > 0 && !empty(old):
		return ErrForeign
	}
	data, err := encode(certificates)
	if err != nil {
		return err
	}
	// Chromium rewrites the file in place: with the same authorities it stays.
	if ours && bytes.Equal(old[versionAt:versionAt+4], data[versionAt:versionAt+4]) {
		return nil
	}
	if err := remove(path); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("writing the profile's certificates: %w", err)
	}
	return journal.WriteFile(path, data, 0o600)
}

// remove removes the file with what belongs to it.
func remove(path string) error {
	for _, end := range []string{"", "-journal", "-wal", "-shm"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("taking back the profile's certificates: %w", err)
		}
	}
	return nil
}

// encode returns the file.
func encode(certificates [][]byte) ([]byte, error) {
	sum, size := sha256.New(), 0
	type row struct {
		hash string
		der  []byte
	}
	var rows []row
	for _, der := range certificates {
		hash := sha256.Sum256(der)
		rows = append(rows, row{hex.EncodeToString(hash[:]), der})
		size += len(der) + 200
	}
	if size > most {
		return nil, ErrTooMany
	}
	slices.SortFunc(rows, func(a, b row) int { return bytes.Compare([]byte(a.hash), []byte(b.hash)) })
	rows = slices.CompactFunc(rows, func(a, b row) bool { return a.hash == b.hash })
	var table, index [][]byte
	for i, r := range rows {
		_, _ = sum.Write([]byte(r.hash)) // never fails
		id := int64(i + 1)
		table = append(table, cell(id, record(r.hash, r.der, trusted())))
		index = append(index, indexCell(record(r.hash, id)))
	}
	pages := [][]byte{
		leaf(100, 0x0d, [][]byte{
			cell(1, record("table", "meta", "meta", int64(2), "CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR)")),
			cell(2, record("index", "sqlite_autoindex_meta_1", "meta", int64(3), nil)),
			cell(3, record("table", "certificates", "certificates", int64(4), "CREATE TABLE certificates(sha256hash_hex TEXT PRIMARY KEY,der_cert BLOB NOT NULL,trust_settings BLOB NOT NULL)")),
			cell(4, record("index", "sqlite_autoindex_certificates_1", "certificates", int64(5), nil)),
		}),
		leaf(0, 0x0d, [][]byte{cell(1, record("version", "1")), cell(2, record("last_compatible_version", "1"))}),
		leaf(0, 0x0a, [][]byte{indexCell(record("last_compatible_version", int64(2))), indexCell(record("version", int64(1)))}),
		leaf(0, 0x0d, table),
		leaf(0, 0x0a, index),
	}
	header(pages[0], len(pages), binary.BigEndian.Uint32(sum.Sum(nil)))
	return bytes.Join(pages, nil), nil
}

// header fills the first 100 bytes of the file.
func header(page []byte, pages int, version uint32) {
	copy(page, "SQLite format 3\x00")
	copy(page[16:], []byte{0, 1, 1, 1, 0, 64, 32, 32}) // pages of 65,536 bytes, a rollback journal
	at := func(offset int, value uint32) { binary.BigEndian.PutUint32(page[offset:], value) }
	at(24, 1)             // changes
	at(28, uint32(pages)) // there are five
	at(40, 1)             // changes of the schema
	at(44, 4)             // format of the schema
	at(56, 1)             // UTF-8
	at(versionAt, version)
	at(ownerAt, owner)
	at(92, 1)       // the change that the next line is of
	at(96, 3046000) // version of SQLite
}

// leaf returns a page of a B-tree with all its cells; begin is where its header is.
func leaf(begin int, kind byte, cells [][]byte) []byte {
	page := make([]byte, pageSize)
	end := pageSize
	for i, c := range cells {
		end -= len(c)
		copy(page[end:], c)
		binary.BigEndian.PutUint16(page[begin+8+2*i:], uint16(end)) // below pageSize
	}
	page[begin] = kind
	binary.BigEndian.PutUint16(page[begin+3:], uint16(len(cells))) // few
	binary.BigEndian.PutUint16(page[begin+5:], uint16(end))        // 65,536 is written as 0
	return page
}

// cell is a row of a table.
func cell(id int64, payload []byte) []byte {
	return slices.Concat(varint(uint64(len(payload))), varint(uint64(id)), payload) // ids count from 1
}

// indexCell is an entry of an index.
func indexCell(payload []byte) []byte {
	return slices.Concat(varint(uint64(len(payload))), payload)
}

// record encodes the values of a row: texts, bytes, small numbers and nil.
func record(values ...any) []byte {
	var types, body []byte
	for _, value := range values {
		switch v := value.(type) {
		case string:
			types = append(types, varint(uint64(len(v))*2+13)...)
			body = append(body, v...)
		case []byte:
			types = append(types, varint(uint64(len(v))*2+12)...)
			body = append(body, v...)
		case int64:
			types = append(types, 1) // one byte
			body = append(body, byte(v))
		default:
			types = append(types, 0)
		}
	}
	// The header's own length counts, and is below 128.
	return slices.Concat(varint(uint64(len(types)+1)), types, body)
}

// varint is SQLite's: seven bits in a byte, the highest first.
func varint(v uint64) []byte {
	out := []byte{byte(v & 0x7f)}
	for v >>= 7; v > 0; v >>= 7 {
		out = slices.Insert(out, 0, byte(v&0x7f|0x80))
	}
	return out
}

// empty reports whether a file of Chromium's has no certificates. What it cannot read
// is not empty.
func empty(data []byte) bool {
	if len(data) < 108 || !bytes.HasPrefix(data, []byte("SQLite format 3\x00")) || data[100] != 0x0d {
		return false
	}
	size := int(binary.BigEndian.Uint16(data[16:]))
	if size == 1 {
		size = pageSize
	}
	for i := range int(binary.BigEndian.Uint16(data[103:])) {
		if 110+2*i > len(data) {
			return false
		}
		root, table := schemaRow(data, int(binary.BigEndian.Uint16(data[108+2*i:])))
		if table != "certificates" {
			continue
		}
		at := (root - 1) * size
		if root < 2 || at+5 > len(data) {
			return false
		}
		return data[at] == 0x0d && binary.BigEndian.Uint16(data[at+3:]) == 0
	}
	return true // the table is not there yet
}

// schemaRow reads the root page and the name of a table from a row of the schema.
func schemaRow(data []byte, at int) (root int, table string) {
	_, at = readVarint(data, at) // the payload's length
	_, at = readVarint(data, at) // the row's number
	length, next := readVarint(data, at)
	body := at + length
	var sizes []int
	for next < at+length && next < len(data) && len(sizes) < 5 {
		var kind int
		kind, next = readVarint(data, next)
		switch {
		case kind >= 13 && kind%2 == 1:
			sizes = append(sizes, (kind-13)/2)
		case kind >= 1 && kind <= 4:
			sizes = append(sizes, kind)
		default:
			sizes = append(sizes, 0)
		}
	}
	if len(sizes) < 5 || body+sizes[0]+sizes[1]+sizes[2]+sizes[3] > len(data) || body < 0 {
		return 0, ""
	}
	kind := string(data[body : body+sizes[0]])
	table = string(data[body+sizes[0] : body+sizes[0]+sizes[1]])
	if kind != "table" {
		return 0, ""
	}
	for _, b := range data[body+sizes[0]+sizes[1]+sizes[2]:][:sizes[3]] {
		root = root<<8 | int(b)
	}
	return root, table
}

func readVarint(data []byte, at int) (value, next int) {
	for range 4 { // enough for a page
		if at < 0 || at >= len(data) {
			return 0, len(data)
		}
		b := data[at]
		at++
		value = value<<7 | int(b&0x7f)
		if b < 0x80 {
			break
		}
	}
	return value, at
}
