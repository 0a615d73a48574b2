package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds one line of a stream, in bytes.
const maxLine = 8 << 20

// events calls take with the data of each server-sent event, until the stream
// ends or take returns an error. It returns the number of events. The event's
// name is not needed: in both formats the data says what it is.
func events(r io.Reader, take func(data []byte) error) (seen int, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	var data []byte
	deliver := func() error {
		whole := data
		data = nil
		if len(whole) == 0 {
			return nil
		}
		seen++
		return take(whole)
	}
	for lines.Scan() {
		line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		if len(line) == 0 {
			if err := deliver(); err != nil {
				return seen, err
			}
			continue
		}
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return seen, fmt.Errorf("a line of the answer is longer than %d MB", maxLine>>20)
		}
		return seen, err
	}
	// Some servers leave out the empty line after their last event. Any other
	// event without one was cut off.
	if err := deliver(); errors.Is(err, ErrForeign) {
		return seen, ErrBroken
	} else if err != nil {
		return seen, err
	}
	return seen, nil
}
