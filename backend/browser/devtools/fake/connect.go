package fake

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"pilotfish/backend/browser/devtools"
)

// Connect returns a browser in memory and a connection to it that is served until the
// test ends. sent hears of each command right after it was sent; it may be nil.
func Connect(t *testing.T, sent func(ctx context.Context, s *devtools.Session, params any)) (*Browser, *devtools.Conn) {
	t.Helper()
	b := New()
	c := devtools.New(b, slog.New(slog.NewTextHandler(t.Output(), nil)), sent)
	served := make(chan error, 1)
	go func() { served <- c.Serve(context.WithoutCancel(t.Context())) }()
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, devtools.ErrPipeEnded) {
			t.Error(err)
		}
	})
	return b, c
}

// Await returns a function that waits for the next command of a method; the browser
// answers it with an empty object.
func (b *Browser) Await(t *testing.T, method string) func() Call {
	t.Helper()
	came := make(chan Call, outbox)
	b.Answer(method, func(c Call) (any, error) { came <- c; return struct{}{}, nil })
	return func() Call {
		t.Helper()
		select {
		case c := <-came:
			return c
		case <-t.Context().Done():
			t.Fatal("the test ended before " + method)
		}
		return Call{}
	}
}
