package catalogue

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/protocol"
)

// maxPlaces is how many positions one call looks up.
const maxPlaces = 50

// runValues prints the parts of a value, or the sources of positions. The values may be
// those of another site's frame, and the sources are loaded beside the rules of the
// tab, so both are for the user.
func (c *commands) runValues(ctx context.Context, in *command.Invocation, do string) (command.Result, error) {
	if in.Agent() {
		return command.Result{}, protocol.NewError(protocol.CodeRefused, "agents may not use console "+do, "", protocol.Try("prints the entries", "console"))
	}
	example := map[string]string{"open": "console open v3", "where": "console where https://example.com/app.js:1:2345"}[do]
	if err := in.Args.Needs("console "+do, "what", example); err != nil {
		return command.Result{}, err
	}
	what := in.Args.Text("what")
	if do == "open" {
		parts, err := c.Browser.OpenValue(ctx, in.Tab, what, in.Args.Number("from"))
		if err != nil {
			return command.Result{}, err
		}
		lines := make([]string, 0, len(parts.Parts))
		for _, p := range parts.Parts {
			line := foreign.Line(p.Name, 200) + ": " + foreign.Line(p.Value.Text, 500)
			if p.Value.Handle != "" {
				line += "  (" + p.Value.Handle + ")"
			}
			lines = append(lines, line)
		}
		return command.Result{Text: listing.Rows(in, in.Current(), lines, "it has no parts"), Data: parts}, nil
	}
	places, err := placesOf(what)
	if err != nil {
		return command.Result{}, err
	}
	found, err := c.Browser.SourcesOf(ctx, in.Tab, places)
	if err != nil {
		return command.Result{}, err
	}
	lines := make([]string, 0, len(found))
	for _, m := range found {
		line := fmt.Sprintf("%s:%d:%d  ", foreign.Line(m.URL, foreign.URLShown), m.Line, m.Column)
		if m.Source == "" {
			line += foreign.Line(m.Why, 300)
		} else {
			line += fmt.Sprintf("%s:%d:%d", foreign.Line(m.Source, foreign.URLShown), m.SourceLine, m.SourceColumn)
		}
		lines = append(lines, line)
	}
	return command.Result{Text: listing.Rows(in, in.Current(), lines, "no positions"), Data: found}, nil
}

// placesOf reads positions of the form address:line:column.
func placesOf(text string) ([]protocol.CodePlace, error) {
	words := strings.Fields(text)
	if len(words) > maxPlaces {
		return nil, command.BadArgument(fmt.Sprintf("these are more than %d positions", maxPlaces), "ask for some at a time")
	}
	places := make([]protocol.CodePlace, 0, len(words))
	for _, word := range words {
		rest, column := lastNumber(word)
		address, line := lastNumber(rest)
		if line < 1 || column < 1 || address == "" {
			return nil, command.BadArgument(fmt.Sprintf("%.200q is no position", word), "", protocol.Example("console", "where", "https://example.com/app.js:1:2345"))
		}
		places = append(places, protocol.CodePlace{URL: address, Line: line, Column: column})
	}
	return places, nil
}

// lastNumber splits a text at its last colon; the number is 0 when there is none.
func lastNumber(text string) (before string, n int) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return text, 0
	}
	n, err := strconv.Atoi(text[at+1:])
	if err != nil {
		return text, 0
	}
	return text[:at], n
}
