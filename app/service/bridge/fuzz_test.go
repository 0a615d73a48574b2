package bridge

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Whatever a client writes, the SDK gets only messages, and each other line that
// is not empty is answered with an error.
func FuzzMCPLines(f *testing.F) {
	for _, seed := range []string{"{\n", "\r\n \nno JSON", `{"jsonrpc":"2.0","id":2,"method":"ping"}{}`, `{"jsonrpc":"2.0","id":4,"method":"ping"}` + "\r\n[]\n", `  {"jsonrpc":"2.0","id":4,"method":"ping"} ` + "\t\r\n\t\n", "\xff\n\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		passed, err := io.ReadAll(&lines{in: bufio.NewReader(bytes.NewReader(input)), out: &messageWriter{out: &out}})
		if err != nil {
			t.Fatal(err)
		}
		messages := 0
		for line := range bytes.Lines(passed) {
			messages++
			if _, err := jsonrpc.DecodeMessage(line); err != nil {
				t.Errorf("the SDK gets %q: %v", line, err)
			}
		}
		said := 0
		for line := range bytes.Lines(input) {
			if len(bytes.Trim(line, space)) > 0 {
				said++
			}
		}
		if answers := bytes.Count(out.Bytes(), []byte("\n")); messages+answers != said {
			t.Errorf("of %d lines %d were passed on and %d answered", said, messages, answers)
		}
	})
}
