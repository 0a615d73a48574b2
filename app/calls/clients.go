package calls

import (
	"context"

	"pilotfish/backend/protocol"
)

// ConnectedClients are the programs that use Pilotfish with a token.
type ConnectedClients interface {
	Do(req protocol.ClientsRequest) (protocol.ClientsReply, error)
}

// StoredData is what is stored on this computer.
type StoredData interface {
	Do(ctx context.Context, req protocol.StoredRequest) (protocol.StoredReply, error)
}

// Kept has the clients and the stored data; each is nil when there are none.
type Kept interface {
	Clients() ConnectedClients
	Stored() StoredData
}

// KeptCalls are the calls about connected clients and stored data.
type KeptCalls struct {
	ctx context.Context
	of  Kept
}

// NewKeptCalls returns the calls.
func NewKeptCalls(ctx context.Context, of Kept) *KeptCalls { return &KeptCalls{ctx: ctx, of: of} }

// Clients lists the connected clients, and revokes one.
func (c *KeptCalls) Clients(req protocol.ClientsRequest) (protocol.ClientsReply, error) {
	if clients := c.of.Clients(); clients != nil {
		return clients.Do(req)
	}
	return protocol.ClientsReply{}, protocol.NewError(protocol.CodeNotRunning, "The app has no clients", "start Pilotfish again")
}

// Stored lists and measures what is stored, and deletes some.
func (c *KeptCalls) Stored(req protocol.StoredRequest) (protocol.StoredReply, error) {
	if stored := c.of.Stored(); stored != nil {
		return stored.Do(c.ctx, req)
	}
	return protocol.StoredReply{}, protocol.NewError(protocol.CodeNotRunning, "The app has stored nothing", "start Pilotfish again")
}
