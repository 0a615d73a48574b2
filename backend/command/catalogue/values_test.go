package catalogue_test

import (
	"context"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// scripts is a fake browser whose page has values and a source map.
type scripts struct{ *keepsake }

func (scripts) OpenValue(_ context.Context, _ protocol.TabID, handle string, from int) (protocol.PageParts, error) {
	if handle != "v3" {
		return protocol.PageParts{}, protocol.NewError(protocol.CodeGone, "the value is gone", "")
	}
	return protocol.PageParts{Parts: []protocol.PagePart{{Name: "list", Value: protocol.PageValue{Type: "array", Text: "[1]", Handle: "v4"}}}, Total: from + 1}, nil
}

func (scripts) SourcesOf(_ context.Context, _ protocol.TabID, places []protocol.CodePlace) ([]protocol.MappedPlace, error) {
	return []protocol.MappedPlace{{CodePlace: places[0], Source: "src/app.ts", SourceLine: 7, SourceColumn: 3}, {CodePlace: places[0], Why: "no source map"}}, nil
}

func (scripts) RunInPage(_ context.Context, _ protocol.Caller, _ protocol.TabID, script string) (protocol.PageRun, error) {
	return protocol.PageRun{URL: "https://one.example/", Value: protocol.PageValue{Type: "string", Text: script, Handle: "v9"}}, nil
}

// The user opens values and looks up sources; agents do not.
func TestValuesAndSources(t *testing.T) {
	b := scripts{&keepsake{tabs: newTabs()}}
	for _, one := range []struct {
		name string
		args map[string]any
		text string
		code protocol.Code
	}{
		{"console", map[string]any{"do": "open", "what": "v3"}, "list: [1]  (v4)", ""},
		{"console", map[string]any{"do": "open", "what": "v4"}, "", protocol.CodeGone},
		{"console", map[string]any{"do": "open"}, "", protocol.CodeBadArgument},
		{"console", map[string]any{"do": "where", "what": "https://one.example/a.js:1:20"}, "src/app.ts:7:3", ""},
		{"console", map[string]any{"do": "where", "what": "https://one.example/a.js:1"}, "", protocol.CodeBadArgument},
		{"console", map[string]any{"do": "where", "what": "a.js"}, "", protocol.CodeBadArgument},
		{"console", map[string]any{"do": "where", "what": strings.Repeat("https://one.example/a.js:1:1 ", 51)}, "", protocol.CodeBadArgument},
		{"eval", map[string]any{"expression": "what it came to", "tree": true}, "what it came to", ""},
	} {
		reply := say(b, trusting(), user, "t1", one.name, one.args)
		if !strings.Contains(reply.Text, one.text) || code(reply) != one.code {
			t.Errorf("%s %v: %+v", one.name, one.args, reply)
		}
		if one.code != "" {
			continue
		}
		if reply := say(b, trusting(), agent, "t1", one.name, one.args); reply.OK || code(reply) != protocol.CodeRefused {
			t.Errorf("an agent: %s %v: %+v", one.name, one.args, reply)
		}
	}
}

// The user may ask for what an agent would see.
func TestMaskedForTheUser(t *testing.T) {
	b := &keepsake{tabs: newTabs()}
	for _, do := range []string{"show", "body", "har"} {
		for _, masked := range []bool{false, true} {
			reply := say(b, trusting(), user, "t1", "network", map[string]any{"do": do, "what": "n1", "masked": masked})
			if !reply.OK || strings.Contains(reply.Text+string(reply.Data), "topsecret") == masked {
				t.Errorf("%s, masked %v: %s %s", do, masked, reply.Text, reply.Data)
			}
		}
	}
}
