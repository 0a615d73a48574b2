package toolservers

import (
	"context"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// Resolve returns a server with the values of all headers, as an agent needs it.
func (s *Store) Resolve(ctx context.Context, server Server) (Server, error) {
	server.Headers = slices.Clone(server.Headers)
	for i, header := range server.Headers {
		if !header.Secret {
			continue
		}
		if s.keeper == nil {
			return server, noKeeper(server, header)
		}
		value, err := s.keeper.Value(ctx, server, header.Name)
		if err != nil {
			return server, err
		}
		server.Headers[i].Value = value
	}
	return server, nil
}

// withSecrets returns a server to add with those of its headers marked that are
// credentials. It refuses a marked header without a value for which none was kept, or
// only for another origin.
func withSecrets(all []Server, server Server) (Server, error) {
	server.Permission, server.Tools = Ask, nil
	server.Headers = slices.Clone(server.Headers)
	var before Server
	if i := slices.IndexFunc(all, named(server.Name)); i >= 0 {
		before = all[i]
	}
	for i, header := range server.Headers {
		server.Headers[i].Secret = header.isCredential()
		if header.Secret && header.Value == "" && (before.Origin() != server.Origin() || !slices.ContainsFunc(before.Headers, secretNamed(header.Name))) {
			return server, bad("the value of "+header.Name+" of "+server.Name+" is not kept for this address", "give the value")
		}
	}
	return server, nil
}

// keep gives the credentials of a server to the keeper, and returns it without them. A
// new value for the same address is no change of what the user allowed: tokens expire.
func (s *Store) keep(ctx context.Context, server Server) (Server, error) {
	server.Headers = slices.Clone(server.Headers)
	for i, header := range server.Headers {
		if !header.Secret || header.Value == "" {
			continue
		}
		if s.keeper == nil {
			return server, noKeeper(server, header)
		}
		if err := s.keeper.Keep(ctx, server, header.Name, header.Value); err != nil {
			return server, err
		}
		server.Headers[i].Value = ""
	}
	return server, nil
}

func noKeeper(server Server, header Header) error {
	return protocol.NewError(protocol.CodeNoKeyring, "there is nothing to keep "+header.Name+" of "+server.Name+" in", "leave the header out")
}

// credential is a header whose value the keeper has.
type credential struct {
	server Server
	header string
}

// lost returns the credentials that a server has before a change and not after it.
func lost(before, after Server) []credential {
	var out []credential
	for _, header := range before.Headers {
		if header.Secret && !slices.ContainsFunc(after.Headers, secretNamed(header.Name)) {
			out = append(out, credential{before, header.Name})
		}
	}
	return out
}

// forget removes credentials from the keeper. The list is written already.
func (s *Store) forget(ctx context.Context, stale []credential) error {
	for _, one := range stale {
		if s.keeper == nil {
			return nil
		}
		if err := s.keeper.Forget(ctx, one.server, one.header); err != nil {
			return err
		}
	}
	return nil
}

func secretNamed(name string) func(Header) bool {
	return func(h Header) bool { return h.Secret && strings.EqualFold(h.Name, name) }
}
