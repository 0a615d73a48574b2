package server

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
)

// TestConnectionThatOwesAnAnswerIsKept: between the end of a handler and the
// end of its response, a server that stops must not close the connection.
// Otherwise the request that restarts the server got an empty response.
func TestConnectionThatOwesAnAnswerIsKept(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	limit := newConnLimit(listener, 4, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = limit.Close() })
	client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	accepted, err := limit.Accept()
	if err != nil {
		t.Fatal(err)
	}
	release := accepted.(*conn).hold()
	limit.dropIdle()
	release()
	limit.dropIdle() // the handler has returned, its response is not written yet
	if _, err := accepted.Write([]byte("answer")); err != nil {
		t.Fatalf("the answer could not be written: %v", err)
	}
	limit.answered(accepted, http.StateActive)
	limit.dropIdle()
	limit.answered(accepted, http.StateIdle)
	limit.dropIdle()
	if _, err := accepted.Write([]byte("more")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("an idle connection is still open: %v", err)
	}
	if got, err := io.ReadAll(client); err != nil || string(got) != "answer" {
		t.Errorf("the caller read %q, %v", got, err)
	}
}
