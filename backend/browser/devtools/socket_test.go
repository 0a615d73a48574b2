package devtools

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// A user may answer the browser's dialog after days: nothing of ours gives up before, and
// what waits can be cancelled all the same.
func TestDialWaitsForTheUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := func(answers time.Duration) DialOptions {
			return DialOptions{Client: &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				ours, its := net.Pipe()
				go func() {
					if _, err := http.ReadRequest(bufio.NewReader(its)); err != nil {
						t.Error(err)
					}
					select {
					case <-time.After(answers): // of the test's clock
						_, _ = io.WriteString(its, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
					case <-t.Context().Done():
					}
					_ = its.Close()
				}()
				return ours, nil
			}}}}
		}
		const late = 30 * 24 * time.Hour
		_, err := Dial(t.Context(), "ws://127.0.0.1:9222/devtools/browser/1", open(late))
		if refused, is := errors.AsType[*RefusedError](err); !is || refused.Status != http.StatusForbidden {
			t.Errorf("an answer after a month: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(late-time.Hour, cancel)
		if _, err := Dial(ctx, "ws://127.0.0.1:9222/devtools/browser/1", open(late)); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before: %v", err)
		}
	})
}
