package llm

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// keyMark replaces the key in texts of a provider.
const keyMark = "[key]"

// redact removes the key from a text of a provider: some repeat it in an error.
func (t target) redact(text string) string {
	if t.key == "" {
		return text
	}
	return strings.ReplaceAll(text, t.key, keyMark)
}

// redacted returns an answer without the key. It is still streamed: only bytes
// that may be the beginning of the key are held back until the next ones
// arrive.
func (t target) redacted(body io.ReadCloser) io.ReadCloser {
	if t.key == "" {
		return body
	}
	return &redactor{ReadCloser: body, key: []byte(t.key)}
}

type redactor struct {
	io.ReadCloser
	key  []byte
	in   []byte // read, and may be the beginning of the key
	out  []byte // ready to be returned
	err  error  // to be returned after out
	read [32 << 10]byte
}

func (r *redactor) Read(p []byte) (int, error) {
	for len(r.out) == 0 && r.err == nil && len(p) > 0 {
		var n int
		n, r.err = r.ReadCloser.Read(r.read[:])
		r.in = bytes.ReplaceAll(append(r.in, r.read[:n]...), r.key, []byte(keyMark))
		ready := len(r.in)
		if !errors.Is(r.err, io.EOF) { // an answer that was cut off may end within the key
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

// begun returns how many bytes at the end of in may be the beginning of the
// key.
func (r *redactor) begun() int {
	for n := min(len(r.in), len(r.key)-1); n > 0; n-- {
		if bytes.HasPrefix(r.key, r.in[len(r.in)-n:]) {
			return n
		}
	}
	return 0
}
