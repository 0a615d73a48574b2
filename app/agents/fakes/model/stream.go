package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// stream writes server-sent events and flushes after each one.
type stream struct {
	w http.ResponseWriter
	r *http.Request
}

func newStream(w http.ResponseWriter, r *http.Request) *stream {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	return &stream{w: w, r: r}
}

// event writes one event. Without a name it has only data.
func (s *stream) event(name string, data any) {
	if name != "" {
		name = "event: " + name + "\n"
	}
	s.text(name + "data: " + encoded(data) + "\n\n")
}

func (s *stream) text(text string) {
	_, _ = io.WriteString(s.w, text)            // an error means that the agent has
	_ = http.NewResponseController(s.w).Flush() // disconnected
}

// hold waits as the reply requests, and cuts the connection if the reply says so.
func (s *stream) hold(answer Reply) {
	if answer.Hold != nil {
		select {
		case <-answer.Hold:
		case <-s.r.Context().Done():
		}
	}
	if answer.Cut {
		panic(http.ErrAbortHandler) // makes the server abort the connection
	}
}

// pieces splits a text as a model sends it: into parts of a few characters, never
// within a character.
func pieces(text string) []string {
	const size = 12
	var cut []string
	for runes := []rune(text); len(runes) > 0; {
		n := min(size, len(runes))
		cut = append(cut, string(runes[:n]))
		runes = runes[n:]
	}
	return cut
}

// encoded returns a value as JSON on one line.
func encoded(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprintf("%q", err.Error()) // a value in the script that cannot be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, encoded(v)) // see text
}

// retryAfter sets the header that says when to retry a refused request.
func retryAfter(w http.ResponseWriter, answer Reply) {
	if answer.RetryAfter != "" {
		w.Header().Set("Retry-After", answer.RetryAfter)
	}
}

// number formats a number for ids that users can tell apart.
func number(n int) string { return fmt.Sprintf("%08d", n) }
