package llm

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// keyMark stands where a key stood.
const keyMark = "[key]"

// redact takes the key out of what a provider said: some repeat it in an error.
func (t target) redact(text string) string {
	if t.key == "" {
		return text
	}
	return strings.ReplaceAll(text, t.key, keyMark)
}

// redacted is an answer without the key. It is streamed as it comes: only what
// may be the beginning of the key waits for what follows it.
func (t target) redacted(body io.ReadCloser) io.ReadCloser {
	if t.key == "" {
		return body
	}
	return &redactor{ReadCloser: body, key: []byte(t.key)}
}

type redactor struct {
	io.ReadCloser
	key  []byte
	in   []byte // read, and may begin the key
	out  []byte // ready
	err  error  // after out
	read [32 << 10]byte
}

func (r *redactor) Read(p []byte) (int, error) {
	for len(r.out) == 0 && r.err == nil && len(p) > 0 {
		var n int
		n, r.err = r.ReadCloser.Read(r.read[:])
		r.in = bytes.ReplaceAll(append(r.in, r.read[:n]...), r.key, []byte(keyMark))
		ready := len(r.in)
		if !errors.Is(r.err, io.EOF) { // what broke off may have done so within the key
			ready -= r.begun()
		}
		r.out, r.in = r.in[:ready:ready], bytes.Clone(r.in[ready:])
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	if len(r.out) == 0 && n < len(p) {
		return n, r.err
	}
	return n, nil
}

// begun is how many bytes at the end of what was read may begin the key.
func (r *redactor) begun() int {
	for n := min(len(r.in), len(r.key)-1); n > 0; n-- {
		if bytes.HasPrefix(r.key, r.in[len(r.in)-n:]) {
			return n
		}
	}
	return 0
}
