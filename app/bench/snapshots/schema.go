package snapshots

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/report"
	"pilotfish/app/bench/site"
	"pilotfish/backend/protocol"
)

// Schema measure what a model must read before its first action.
func Schema() []report.Bench {
	return []report.Bench{{Rows: []string{"mcp.schema.chars"}, Run: mcpSchema}}
}

// mcpSchema measures the size of tools/list as a client receives it.
func mcpSchema(ctx context.Context, _ report.Options) (rows []report.Row, err error) {
	s := site.New()
	defer s.Close()
	c, err := peers.Gather(ctx, s.URL+"/empty", peers.PeerClients()...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	size := report.Samples{}
	err = c.Turns(ctx, 1, func(ctx context.Context, d peers.Driver, _ int) error {
		server, ok := d.(*peers.Client)
		if !ok {
			return errors.New("it has no tools")
		}
		list, err := server.Tools(ctx)
		if err != nil {
			return fmt.Errorf("listing the tools: %w", err)
		}
		text, err := json.Marshal(list)
		size.Add(d.Name(), float64(utf8.RuneCount(text)))
		return err
	})
	if err != nil {
		return nil, err
	}
	r := c.Only(size).Row("mcp.schema.chars", "chars")
	r.P99, r.Rule, r.Limit = nil, report.ValueAtMost, protocol.MCPSchemaChars
	return c.Noted([]report.Row{r}), nil
}
