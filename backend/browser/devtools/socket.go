package devtools

import (
	"context"
	"fmt"
	"net/http"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"
)

// socket carries the protocol over a WebSocket.
type socket struct{ c *websocket.Conn }

// DialOptions say how Dial connects.
type DialOptions struct {
	// Client sends the request; nil is one that follows no redirect and uses no proxy.
	Client *http.Client
	// Header goes along with the request.
	Header http.Header
	// Largest is the size of the longest message that is read, in bytes; 0 for any.
	Largest int64
}

// Dial opens the protocol of a browser that somebody else started, at a ws or wss address. It
// sends no Origin, and waits for the handshake as long as ctx: the browser may ask its user
// first. An answer that is no connection is a *RefusedError.
func Dial(ctx context.Context, address string, o DialOptions) (Transport, error) {
	if o.Client == nil {
		o.Client = &http.Client{
			Transport:     &http.Transport{DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	c, res, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPClient: o.Client, HTTPHeader: o.Header}) //nolint:bodyclose // of a refusal the package has read it
	if err != nil && res != nil {
		return nil, &RefusedError{Status: res.StatusCode, Header: res.Header}
	}
	if err != nil {
		return nil, fmt.Errorf("opening the browser's DevTools socket: %w", err)
	}
	if o.Largest == 0 {
		o.Largest = -1 // a page's picture or source may have any size, as over a pipe
	}
	c.SetReadLimit(o.Largest)
	return socket{c}, nil
}

// RefusedError is the answer of HTTP to a request for a connection.
type RefusedError struct {
	Status int
	Header http.Header
}

// Error names the status.
func (r *RefusedError) Error() string {
	return fmt.Sprintf("the DevTools socket was refused with status %d", r.Status)
}

// Read returns the next message.
func (s socket) Read(ctx context.Context, msg *cdproto.Message) error {
	_, data, err := s.c.Read(ctx)
	if err != nil {
		return err
	}
	return jsonv2.Unmarshal(data, msg, chromedp.DefaultUnmarshalOptions)
}

// Write sends a message. A context that ends does not interrupt it: that would end the
// connection.
func (s socket) Write(ctx context.Context, msg *cdproto.Message) error {
	data, err := jsonv2.Marshal(msg, chromedp.DefaultMarshalOptions)
	if err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	return s.c.Write(context.WithoutCancel(ctx), websocket.MessageText, data)
}

// Close ends the connection.
func (s socket) Close() error { return s.c.CloseNow() }
