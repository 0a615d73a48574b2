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

// Dial opens the protocol of a browser that somebody else started, at a ws address. It
// sends no Origin, and waits for the handshake as long as ctx: the browser may ask its user
// first. status is the HTTP status of a refusal; 0 for none.
func Dial(ctx context.Context, address string) (t Transport, status int, err error) {
	// The default client follows redirects and proxies of the environment.
	client := &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c, res, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPClient: client}) //nolint:bodyclose // the package closes it
	if err != nil {
		if res != nil {
			status = res.StatusCode
		}
		return nil, status, fmt.Errorf("opening the browser's DevTools socket: %w", err)
	}
	c.SetReadLimit(-1) // a page's picture or source may have any size, as over a pipe
	return socket{c}, 0, nil
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
