package toolservers

import (
	"context"
	"log/slog"
	"strings"
	"sync"

	"pilotfish/backend/protocol"
)

// Asker asks the user a question and waits for the answer; policy.Broker does.
type Asker interface {
	Ask(ctx context.Context, question protocol.Approval) (protocol.ApprovalAnswer, error)
}

// Offer decides which servers an agent gets.
type Offer struct {
	store *Store
	log   *slog.Logger
	// one is a lock: one question at a time, because its answer may answer the next.
	one chan struct{}

	mu sync.Mutex
	// denied are the servers that the user denied in this run of the app.
	denied map[string]Server
}

// NewOffer returns an Offer of a list.
func NewOffer(store *Store, log *slog.Logger) *Offer {
	return &Offer{store: store, log: log.With("component", "toolservers"), one: make(chan struct{}, 1), denied: map[string]Server{}}
}

// For returns the servers that an agent gets, and asks the user about those that need it.
// A server that is not answered for in time is left out, as is a list that cannot be
// read: an agent without a server is better than none.
func (o *Offer) For(ctx context.Context, user Asker, actor protocol.Actor, tab protocol.TabID) []Server {
	select {
	case o.one <- struct{}{}:
		defer func() { <-o.one }()
	case <-ctx.Done():
		return nil
	}
	all, err := o.store.List()
	if err != nil {
		o.log.Warn("the user's MCP servers are left out", "error", err)
		return nil
	}
	var offered []Server
	for _, server := range all {
		if server.Permission == Allow || server.Permission == Ask && o.asked(ctx, user, actor, tab, server) {
			offered = append(offered, server)
		}
	}
	return offered
}

// asked reports whether the user lets an agent have a server.
func (o *Offer) asked(ctx context.Context, user Asker, actor protocol.Actor, tab protocol.TabID, server Server) bool {
	o.mu.Lock()
	before, denied := o.denied[server.Name]
	o.mu.Unlock()
	if denied && before.same(server) {
		return false
	}
	answer, err := user.Ask(ctx, question(actor, tab, server))
	if err != nil {
		o.log.Info("an MCP server is left out", "server", server.Name, "error", err)
		return false
	}
	switch answer {
	case protocol.AnswerOnce:
		return true
	case protocol.AnswerAlways:
		if err := o.store.permitAs(server, Allow); err != nil {
			o.log.Warn("a permission could not be kept", "server", server.Name, "error", err)
		}
		return true
	case protocol.AnswerDeny:
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.denied[server.Name] = server
	return false
}

// question asks whether an agent may start a server. It shows no value of a variable.
func question(actor protocol.Actor, tab protocol.TabID, server Server) protocol.Approval {
	args := []protocol.ApprovalArg{
		{Name: "server", Value: server.Name},
		{Name: "command", Value: strings.Join(append([]string{server.Command}, server.Args...), " ")},
	}
	if names := server.Variables(); len(names) > 0 {
		args = append(args, protocol.ApprovalArg{Name: "variables", Value: strings.Join(names, "\n")})
	}
	return protocol.Approval{
		Actor: actor, Tab: tab, Command: protocol.ServerQuestion, Kind: protocol.ActionSensitive, Args: args,
		Options: []protocol.PermissionOption{
			{ID: "once", Name: "Allow once", Kind: protocol.AnswerOnce},
			{ID: "always", Name: "Allow always", Kind: protocol.AnswerAlways},
			{ID: "deny", Name: "Deny", Kind: protocol.AnswerDeny},
		},
	}
}
