package journal

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A file of a log consists of lines of text. The first is the header; each further
// one is a record: its checksum, its index, and its data. Data without a line break
// (JSON has none) is written as text, other data in base64.
//
//	pilotfish journal 1
//	7d3f0c21 42 t{"command":"goto"}

const (
	headerText = "pilotfish journal "
	// headerSize is the size of the header of version 1 in bytes.
	headerSize = int64(len(headerText) + 2)
	fileSuffix = ".log"
)

// errNoHeader is returned for a file whose first line is incomplete.
var errNoHeader = errors.New("the journal file has no beginning")

// checksum uses the CRC-32C polynomial, for which processors have an instruction. The
// library makes its table once.
func checksum(body []byte) uint32 { return crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) }

func header() []byte { return []byte(headerText + strconv.Itoa(Format) + "\n") }

func filePath(dir string, first uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%020d%s", first, fileSuffix))
}

// listFiles returns the files of a log, oldest first.
func listFiles(dir string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the folder of the journal: %w", err)
	}
	var files []file
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), fileSuffix)
		first, err := strconv.ParseUint(name, 10, 64)
		if !ok || err != nil || len(name) != 20 || !e.Type().IsRegular() {
			continue // not a file of the log
		}
		info, err := e.Info()
		if err != nil {
			return nil, fmt.Errorf("reading the folder of the journal: %w", err)
		}
		files = append(files, file{path: filepath.Join(dir, e.Name()), first: first, size: info.Size()})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return files, nil
}

// encode encodes one record as a line.
func encode(index uint64, data []byte) []byte {
	body := make([]byte, 0, len(data)+24)
	body = strconv.AppendUint(body, index, 10)
	if bytes.IndexByte(data, '\n') < 0 {
		body = append(append(body, " t"...), data...)
	} else {
		body = base64.StdEncoding.AppendEncode(append(body, " b"...), data)
	}
	return fmt.Appendf(make([]byte, 0, len(body)+10), "%08x %s\n", checksum(body), body)
}

// decode decodes one line, including its line break. It returns false for an
// incomplete or damaged line.
func decode(line []byte) (Record, bool) {
	body, whole := bytes.CutSuffix(line, []byte{'\n'})
	if !whole || len(body) < 12 || body[8] != ' ' {
		return Record{}, false
	}
	sum, err := strconv.ParseUint(string(body[:8]), 16, 32)
	body = body[9:]
	if err != nil || sum != uint64(checksum(body)) {
		return Record{}, false
	}
	number, data, ok := bytes.Cut(body, []byte{' '})
	index, err := strconv.ParseUint(string(number), 10, 64)
	if !ok || err != nil || len(data) == 0 {
		return Record{}, false
	}
	switch data[0] {
	case 't':
		return Record{Index: index, Data: bytes.Clone(data[1:])}, true
	case 'b':
		plain, err := base64.StdEncoding.AppendDecode(nil, data[1:])
		return Record{Index: index, Data: plain}, err == nil
	}
	return Record{}, false
}

// scan calls each for the records of a file, from an offset up to size bytes, with
// the offset after the record, until each returns false. from is 0 or the beginning
// of a line. It skips a damaged line, whose index is then missing.
func scan(path string, from, size int64, each func(r Record, end int64) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	defer f.Close()
	if err := checkHeader(path, io.NewSectionReader(f, 0, size)); err != nil {
		return err
	}
	offset := max(from, headerSize)
	in := bufio.NewReaderSize(io.NewSectionReader(f, offset, max(size-offset, 0)), 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		offset += int64(len(line))
		if r, ok := decode(line); ok && !each(r, offset) {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the journal: %w", err)
		}
	}
}

// checkHeader reads the first line of a file.
func checkHeader(path string, in io.Reader) error {
	first := make([]byte, headerSize)
	if _, err := io.ReadFull(in, first); err != nil {
		return errNoHeader
	}
	version, ok := strings.CutPrefix(strings.TrimSuffix(string(first), "\n"), headerText)
	if !ok {
		return errNoHeader
	}
	if version != strconv.Itoa(Format) {
		return fmt.Errorf("the journal %s is of version %.20q, this program reads %d", path, version, Format)
	}
	return nil
}

// seekStep is the size in bytes below which seek stops halving the range: the rest is
// scanned.
const seekStep = 16 << 10

// seek returns an offset from which to scan a file for the records after an index: no
// record with a larger index begins before it. The records are sorted by index, so
// that it reads only about twenty lines of a file of any size.
func seek(path string, size int64, after uint64) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("reading the journal: %w", err)
	}
	defer f.Close()
	low, high := headerSize, size
	for high-low > seekStep {
		middle := low + (high-low)/2
		start, index, found, err := firstWhole(f, middle, high)
		switch {
		case err != nil:
			return 0, fmt.Errorf("reading the journal: %w", err)
		case found && index <= after:
			low = start
		default:
			high = middle
		}
	}
	return low, nil
}

// firstWhole finds the first complete record that begins after an offset and before
// high.
func firstWhole(f io.ReaderAt, offset, high int64) (start int64, index uint64, found bool, err error) {
	in := bufio.NewReaderSize(io.NewSectionReader(f, offset, math.MaxInt64-offset), 4<<10)
	cut, err := in.ReadBytes('\n') // the rest of the line that contains offset
	for start = offset + int64(len(cut)); err == nil && start < high; {
		var line []byte
		line, err = in.ReadBytes('\n')
		if r, ok := decode(line); ok {
			return start, r.Index, true, nil
		}
		start += int64(len(line))
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return 0, 0, false, err
}

// end is where the valid part of a file ends.
type end struct {
	offset, size int64
	last         uint64 // the index of its last record; 0 without one
}

// findEnd reads a file up to its last complete record.
func findEnd(path string) (end, error) {
	info, err := os.Stat(path)
	if err != nil {
		return end{}, fmt.Errorf("reading the journal: %w", err)
	}
	found := end{offset: headerSize, size: info.Size()}
	err = scan(path, 0, info.Size(), func(r Record, after int64) bool {
		found.offset, found.last = after, max(found.last, r.Index)
		return true
	})
	return found, err
}
