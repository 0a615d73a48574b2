package llm

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"pilotfish/backend/protocol"
)

// TestKeyInTheMiddleOfAnAnswer: if a provider repeats the key in an error
// within its stream, the key does not reach the caller, in whichever way the
// answer is read.
func TestKeyInTheMiddleOfAnAnswer(t *testing.T) {
	h := newHarness(t, protocol.LLMOpenAI, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"error\":{\"message\":\"Incorrect API key provided: %s.\"}}\n\n", secret)
	})
	var logged bytes.Buffer
	h.log = slog.New(slog.NewTextHandler(&logged, nil))
	const want = "data: {\"error\":{\"message\":\"Incorrect API key provided: [key].\"}}\n\n"
	body, err := h.Stream(t.Context(), h.id, []byte("{}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if got, err := io.ReadAll(body); err != nil || string(got) != want {
		t.Errorf("Stream gave %q, %v", got, err)
	}
	w := httptest.NewRecorder()
	if err := h.Call(t.Context(), w, h.id, []byte("{}")); err != nil || w.Body.String() != want {
		t.Errorf("Call wrote %q, %v", w.Body, err)
	}
	if strings.Contains(logged.String(), secret) {
		t.Errorf("the log has %s", &logged)
	}
}

func TestRedactedStream(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"no key", "no key"},
		{"abcab", "[key]"},
		{"abcabcab", "[key]cab"},
		{"xabca abcab!abcab", "xabca [key]![key]"},
		{"ends like it: abca", "ends like it: abca"},
		{"", ""},
	} {
		for name, reader := range map[string]func(io.Reader) io.Reader{
			"whole":       func(r io.Reader) io.Reader { return r },
			"by bytes":    iotest.OneByteReader,
			"by halves":   iotest.HalfReader,
			"end at once": iotest.DataErrReader,
		} {
			r := target{key: "abcab"}.redacted(io.NopCloser(reader(strings.NewReader(c.in))))
			if got, err := io.ReadAll(r); err != nil || string(got) != c.want {
				t.Errorf("%q %s: %q, %v; want %q", c.in, name, got, err, c.want)
			}
		}
	}
	// Data is passed on at once, except what may be the beginning of the key.
	in, out := io.Pipe()
	r := target{key: "abcab"}.redacted(in)
	go func() { _, _ = out.Write([]byte("hello abc")) }()
	p := make([]byte, 100)
	if n, err := r.Read(p); err != nil || string(p[:n]) != "hello " {
		t.Errorf("at once: %q, %v", p[:n], err)
	}
	_ = out.CloseWithError(io.ErrUnexpectedEOF)
	if n, err := r.Read(p); n != 0 || err != io.ErrUnexpectedEOF { //nolint:errorlint // as it came
		t.Errorf("at the end: %q, %v", p[:n], err)
	}
}
