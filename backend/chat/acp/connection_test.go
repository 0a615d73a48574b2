//go:build unix

package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
)

// This test shows why the library's connection is not used. When it fails, the
// library has changed, and the decision should be reconsidered.
func TestTheLibrarysConnection(t *testing.T) {
	const update = `{"jsonrpc":"2.0","method":"session/update","params":{"n":%d}}` + "\n"
	// connect returns a connection, and the writer for the agent's side;
	// handler receives what is written there.
	connect := func(t *testing.T, handler sdk.MethodHandler) (*sdk.Connection, io.Writer) {
		t.Helper()
		r, w := io.Pipe()
		t.Cleanup(func() { _ = w.Close() }) // a pipe in memory
		c := sdk.NewConnection(handler, io.Discard, r)
		c.SetLogger(slog.New(slog.DiscardHandler))
		return c, w
	}
	t.Run("ends when 1,024 notifications wait", func(t *testing.T) {
		hold := make(chan struct{})
		defer close(hold)
		c, w := connect(t, func(context.Context, string, json.RawMessage) (any, *sdk.RequestError) {
			<-hold
			return nil, nil
		})
		go func() {
			for i := range 1100 {
				if _, err := fmt.Fprintf(w, update, i); err != nil {
					return
				}
			}
		}()
		<-c.Done()
	})
	t.Run("ends at a line of 11 MB", func(t *testing.T) {
		c, w := connect(t, func(context.Context, string, json.RawMessage) (any, *sdk.RequestError) { return nil, nil })
		go func() { _, _ = io.WriteString(w, strings.Repeat(" ", 11<<20)) }() // the library cuts it off
		<-c.Done()
	})
	t.Run("lets a permission overtake the update before it", func(t *testing.T) {
		asked := make(chan struct{})
		updated := make(chan struct{})
		_, w := connect(t, func(_ context.Context, method string, _ json.RawMessage) (any, *sdk.RequestError) {
			if method == sdk.ClientMethodSessionRequestPermission {
				close(asked)
				return nil, nil
			}
			<-asked // would block for ever if the order were kept
			close(updated)
			return nil, nil
		})
		go func() {
			_, _ = fmt.Fprintf(w, update, 1)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{}}`+"\n")
		}()
		<-updated
	})
	t.Run("takes an update that it does not know for the person's words", func(t *testing.T) {
		var n sdk.SessionNotification
		err := json.Unmarshal([]byte(`{"sessionId":"s","update":{"sessionUpdate":"a_kind_of_tomorrow","content":{"type":"text","text":"x"}}}`), &n)
		if err != nil || n.Update.UserMessageChunk == nil {
			t.Errorf("not any more: %+v, %v", n.Update, err)
		}
	})
}
