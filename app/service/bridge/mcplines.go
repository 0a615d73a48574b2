package bridge

import (
	"bufio"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lines reads the client's messages, one per line. The SDK ends a server at a
// line that it cannot parse. So lines answers such a line itself, as JSON-RPC
// requires, and skips it. Reading ends with the input.
type lines struct {
	in   *bufio.Reader
	out  *messageWriter
	rest []byte // the rest of the line that is being read
}

// Close does nothing: the caller owns the input.
func (l *lines) Close() error { return nil }

// Read returns the next bytes of the messages.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if len(trimSpace(line)) == 0 {
			if err != nil {
				return 0, err
			}
			continue
		}
		if refusal := judge(line); refusal != nil {
			if err := l.out.reply(json.RawMessage("null"), nil, refusal); err != nil {
				return 0, err
			}
			continue
		}
		if line[len(line)-1] != '\n' {
			line = append(line, '\n') // the last line of the input
		}
		l.rest = line
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next returns the next line. It keeps only the beginning of a line that is too
// long, which is then refused.
func (l *lines) next() (line []byte, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line) <= sdk.DefaultMaxLineLength {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// judge returns why a line is not a message, or nil when it is one.
func judge(line []byte) *rpcError {
	if len(line) > sdk.DefaultMaxLineLength {
		return refuse(rpcInvalid, "a message has %d MB at most", sdk.DefaultMaxLineLength>>20)
	}
	if !json.Valid(line) {
		return refuse(rpcParse, "this is no JSON")
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return refuse(rpcInvalid, "this is no message: send one JSON-RPC 2.0 object a line (%v)", err)
	}
	return nil
}
