//go:build unix

package stdio

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pilotfish/backend/protocol"
)

func TestLines(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"a\nb\n", "a|b"}, {"a\r\nb", "a|b"}, {"\n\n", "|"}, {"", ""}, {strings.Repeat("x", 100) + "\ny", strings.Repeat("x", 100) + "|y"},
	} {
		for _, from := range []io.Reader{strings.NewReader(test.in), iotest.OneByteReader(strings.NewReader(test.in))} {
			lines := newLines(from, 1000)
			var got []string
			for {
				line, err := lines.next()
				if err != nil {
					if !errors.Is(err, io.EOF) {
						t.Error(err)
					}
					break
				}
				got = append(got, string(line))
			}
			if strings.Join(got, "|") != test.want {
				t.Errorf("%q: %q", test.in, got)
			}
		}
	}
}

func TestALineOverTheLimit(t *testing.T) {
	const limit = 64
	exact := newLines(strings.NewReader(strings.Repeat("x", limit-1)+"\n"), limit)
	if line, err := exact.next(); err != nil || len(line) != limit-1 {
		t.Errorf("a line at the limit: %d bytes, %v", len(line), err)
	}
	over := newLines(strings.NewReader(strings.Repeat("x", limit+1)+"\n"), limit)
	if _, err := over.next(); protocol.AsError(err).Code != protocol.CodeTooLarge {
		t.Errorf("%v", err)
	}
	cut := newLines(strings.NewReader(strings.Repeat("x", 3*limit)+"\n"), limit)
	cut.cut = true
	n := 0
	for {
		line, err := cut.next()
		if err != nil {
			break
		}
		n += len(line)
	}
	if n != 3*limit {
		t.Errorf("%d bytes of %d came", n, 3*limit)
	}
}

func TestTheLastWords(t *testing.T) {
	var words tail
	for i := range 2 * protocol.AgentStderr {
		words.add(string(rune('a' + i%26)))
	}
	if len(words.lines) != protocol.AgentStderr || words.last(4) != "m\nn" {
		t.Errorf("%d lines, %q", len(words.lines), words.last(4))
	}
}
