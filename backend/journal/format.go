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

// A file of a log is lines of text. The first is the header; each further one
// is a record: its checksum, its index, and its data, as text when that has no
// line break in it (JSON has none), else in base64.
//
//	pilotfish journal 1
//	7d3f0c21 42 t{"command":"goto"}

const (
	headerText = "pilotfish journal "
	// headerSize is the size of the header of version 1 in bytes.
	headerSize = int64(len(headerText) + 2)
	fileSuffix = ".log"
)

// errNoHeader is the error of a file whose first line is not whole.
var errNoHeader = errors.New("the journal file has no beginning")

// checksum uses the polynomial that processors compute themselves; its table is
// made once by the library.
func checksum(body []byte) uint32 { return crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) }

func header() []byte { return []byte(headerText + strconv.Itoa(Format) + "\n") }

func filePath(dir string, first uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%020d%s", first, fileSuffix))
}

// listFiles finds the files of a log, oldest first.
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
			continue // not one of ours
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

// encode writes one record as a line.
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

// decode reads one line, its end included. It reports false for one that is
// not whole.
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

// scan hands the records of a file, from an offset up to size bytes, to each,
// with the offset behind the record, until it returns false. from is 0 or the
// beginning of a line. A line that is damaged is left out: its index is missing
// then.
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

// seekStep is below how many bytes a file is scanned and searched no further.
const seekStep = 16 << 10

// seek finds where to scan a file from for what stands after an index: no
// record with a larger one begins before it. The records are in the order of
// their indexes, so that some twenty lines of a file of any size are read.
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

// firstWhole finds the first whole record that begins behind an offset and
// before high.
func firstWhole(f io.ReaderAt, offset, high int64) (start int64, index uint64, found bool, err error) {
	in := bufio.NewReaderSize(io.NewSectionReader(f, offset, math.MaxInt64-offset), 4<<10)
	cut, err := in.ReadBytes('\n') // the rest of the line that offset is in
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

// findEnd reads a file to its last whole record.
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
