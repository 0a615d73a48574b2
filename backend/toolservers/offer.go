package toolservers

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
)

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

// Left is a server that the user allows and that no agent can get now.
type Left struct {
	Server Server
	// Why says what is missing, such as a locked keychain, and what to do.
	Why *protocol.Error
}

// For returns the servers that an agent gets, with the values of their headers, and asks
// the user about those that need it. A server that is not answered for in time is left
// out, as is a list that cannot be read: an agent without a server is better than none.
// left are those whose credentials cannot be had.
func (o *Offer) For(ctx context.Context, user question.Asker, actor protocol.Actor, tab protocol.TabID) (offered []Server, left []Left) {
	select {
	case o.one <- struct{}{}:
		defer func() { <-o.one }()
	case <-ctx.Done():
		return nil, nil
	}
	all, err := o.store.List()
	if err != nil {
		o.log.Warn("the user's MCP servers are left out", "error", err)
		return nil, nil
	}
	for _, server := range all {
		if server.Permission == Deny || server.Permission != Allow && !o.asked(ctx, user, actor, tab, server) {
			continue
		}
		whole, err := o.store.Resolve(ctx, server)
		if err != nil {
			o.log.Warn("an MCP server is left out: its credentials cannot be had", "server", server.Name, "error", err)
			left = append(left, Left{server, protocol.AsError(err)})
			continue
		}
		offered = append(offered, whole)
	}
	return offered, left
}

// asked reports whether the user lets an agent have a server.
func (o *Offer) asked(ctx context.Context, user question.Asker, actor protocol.Actor, tab protocol.TabID, server Server) bool {
	o.mu.Lock()
	before, denied := o.denied[server.Name]
	o.mu.Unlock()
	if denied && before.Same(server) {
		return false
	}
	answer, err := user.Ask(ctx, approval(actor, tab, server))
	if err != nil {
		o.log.Info("an MCP server is left out", "server", server.Name, "error", err)
		return false
	}
	switch answer {
	case protocol.AnswerOnce, protocol.AnswerTask:
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

// Names returns the names of the servers that an agent gets, or is asked about. A list
// that cannot be read has none.
func (o *Offer) Names() []string {
	all, err := o.store.List()
	if err != nil {
		o.log.Warn("the user's MCP servers are left out", "error", err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var names []string
	for _, server := range all {
		before, denied := o.denied[server.Name]
		if server.Permission == Deny || server.Permission == Ask && denied && before.Same(server) {
			continue
		}
		names = append(names, server.Name)
	}
	return names
}

// Current returns a server that was offered as it is in the list now. It returns false
// when the user has removed, changed or denied it since.
func (o *Offer) Current(server Server) (Server, bool) {
	all, err := o.store.List()
	if err != nil {
		o.log.Warn("the user's MCP servers cannot be used", "error", err)
		return Server{}, false
	}
	i := slices.IndexFunc(all, named(server.Name))
	if i < 0 || !all[i].Same(server) || all[i].Permission == Deny {
		return Server{}, false
	}
	return all[i], true
}

// AllowTool lets tasks use a tool of a server from now on, without a question. A list
// that cannot be written is logged: the user is asked again later.
func (o *Offer) AllowTool(server Server, tool string) {
	if err := o.store.allowTool(server, tool); err != nil {
		o.log.Warn("a permission could not be kept", "server", server.Name, "tool", tool, "error", err)
	}
}

// approval asks whether an agent may have a server. It shows no value of a variable or
// a header.
func approval(actor protocol.Actor, tab protocol.TabID, server Server) protocol.Approval {
	args := []protocol.ApprovalArg{{Name: "server", Value: server.Name}}
	parts, names := "variables", server.Variables()
	if server.Remote() {
		args = append(args, protocol.ApprovalArg{Name: "address", Value: server.Shown()})
		parts, names = "headers", server.HeaderNames()
	} else {
		// All of it: what is hidden could be what the program is asked to do.
		args = append(args, protocol.ApprovalArg{Name: "command", Value: strings.Join(append([]string{server.Command}, server.Args...), " ")})
	}
	if len(names) > 0 {
		args = append(args, protocol.ApprovalArg{Name: parts, Value: strings.Join(names, "\n")})
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
