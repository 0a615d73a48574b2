package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"pilotfish/backend/protocol"
)

// schemaBenches measure what a model pays before it has done anything.
func schemaBenches() []bench {
	return []bench{{rows: []string{"mcp.schema.chars"}, run: mcpSchema}}
}

// mcpSchema is the size of tools/list as a client gets it.
func mcpSchema(ctx context.Context, _ options) (rows []row, err error) {
	s := newSite()
	defer s.Close()
	c, err := gather(ctx, s.URL+"/empty", peerClients()...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	size := samples{}
	err = c.turns(ctx, 1, func(ctx context.Context, d driver, _ int) error {
		server, ok := d.(*client)
		if !ok {
			return errors.New("it has no tools")
		}
		list, err := server.session.ListTools(ctx, nil)
		if err != nil {
			return fmt.Errorf("listing the tools: %w", err)
		}
		text, err := json.Marshal(list)
		size.add(d.name(), float64(utf8.RuneCount(text)))
		return err
	})
	if err != nil {
		return nil, err
	}
	r := c.only(size).row("mcp.schema.chars", "chars")
	r.P99, r.Rule, r.Limit = nil, valueAtMost, protocol.MCPSchemaChars
	return c.noted([]row{r}), nil
}
