//go:build unix

package stdio

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"pilotfish/backend/protocol"
)

// Lines are those of the input, and no more is kept than a line may have.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"), false)
	f.Add(bytes.Repeat([]byte("x"), 100), true)
	f.Fuzz(func(t *testing.T, input []byte, cut bool) {
		const limit = 64
		lines := newLines(bytes.NewReader(input), limit)
		lines.cut = cut
		var got []byte
		for {
			line, err := lines.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				if cut || protocol.AsError(err).Code != protocol.CodeTooLarge {
					t.Errorf("%q: %v", input, err)
				}
				return
			}
			if len(line) > 2*limit {
				t.Errorf("a line of %d bytes", len(line))
			}
			got = append(got, line...)
		}
		ends := func(b []byte) []byte {
			return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r"), nil), []byte("\n"), nil)
		}
		if !bytes.Equal(ends(got), ends(input)) {
			t.Errorf("%q was read as %q", input, got)
		}
	})
}
