package browser

import (
	"context"
	"errors"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/scripts"
	"pilotfish/backend/protocol"
)

// Share lets another program speak the DevTools protocol with tabs of the browser, until its
// socket, the browser or ctx ends.
func (b *Browser) Share(ctx context.Context, socket scripts.Socket, terms scripts.Terms) error {
	r, err := b.running()
	if err != nil {
		return err
	}
	err = scripts.Serve(ctx, scripts.Browser{Conn: r.conn, Tabs: b.tabs, Gates: b.Rules, Opener: b, Log: b.log}, socket, terms)
	if errors.Is(err, devtools.ErrPipeEnded) || errors.Is(err, devtools.ErrSessionEnded) {
		return protocol.NewError(protocol.CodeNotRunning, "the browser ended", "start the session")
	}
	return err
}
