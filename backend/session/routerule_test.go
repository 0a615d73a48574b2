package session

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/chat"
	"pilotfish/backend/config"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

// A rule is in Settings, on disk, and the next message's route follows it.
func TestRouteRule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	store, _, err := config.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	m := &Manager{cfg: Config{Settings: store}, changes: hub.New[struct{}](1)}
	agents := &chatAgents{s: &Session{m: m}}
	route := func(text string) protocol.ChatRoute {
		route, _ := agents.settings().Router.Route(text, nil, chat.Asker{Agent: protocol.AgentClaude, CanInstant: true}, "")
		return route
	}
	if got := route("tidy the form"); got.Kind != protocol.RouteFast {
		t.Fatalf("the route is %+v before there is a rule", got)
	}
	if err := (gateway{m}).RouteRule(t.Context(), protocol.ChatRouteRuleRequest{Word: " Tidy ", Strong: true}); err != nil {
		t.Fatal(err)
	}
	if got := route("tidy the form"); got.Kind != protocol.RouteStrong || got.Word != "tidy" {
		t.Errorf("the route is %+v with the rule", got)
	}
	if got := route("why does it fail"); got.Kind != protocol.RouteStrong {
		t.Errorf("our own words are lost: %+v", got)
	}
	if again, _, err := config.Open(path); err != nil || !slices.Contains(again.Get().ChatRouting.Strong, "tidy") {
		t.Errorf("the file has no such word: %v", err)
	}
	if err := (gateway{m}).RouteRule(t.Context(), protocol.ChatRouteRuleRequest{Word: route("tidy the form").Word}); err != nil {
		t.Fatal(err)
	}
	if got := route("tidy the form"); got.Kind != protocol.RouteFast {
		t.Errorf("the route is %+v after the word was taken out", got)
	}

	for _, word := range []string{" ", strings.Repeat("a", protocol.MaxRouteWord+1)} {
		var refused *protocol.Error
		if err := (gateway{m}).RouteRule(t.Context(), protocol.ChatRouteRuleRequest{Word: word, Strong: true}); !errors.As(err, &refused) || refused.Code != protocol.CodeBadArgument {
			t.Errorf("a word of %d bytes: %v", len(word), err)
		}
	}
}

func TestRouteWords(t *testing.T) {
	ours := chat.DefaultRouting().Strong
	for name, c := range map[string]struct {
		words []string
		word  string
		add   bool
		want  []string
	}{
		"added to ours":          {nil, "tidy", true, append(slices.Clone(ours), "tidy")},
		"added to the person's":  {[]string{"why"}, "tidy", true, []string{"why", "tidy"}},
		"added once":             {[]string{"Tidy", "why"}, "tidy", true, []string{"why", "tidy"}},
		"taken out":              {[]string{"Read … and …", "why"}, "read … and …", false, []string{"why"}},
		"taken out of ours":      {nil, ours[0], false, ours[1:]},
		"taken out, never there": {[]string{"why"}, "tidy", false, []string{"why"}},
		"the last one":           {[]string{"why"}, "why", false, []string{}},
	} {
		if got := routeWords(c.words, c.word, c.add); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if !slices.Equal(ours, chat.DefaultRouting().Strong) {
		t.Error("our own words were changed")
	}
	if got := plainWord("  Find   Bugs "); got != "find bugs" {
		t.Errorf("the word is %q", got)
	}
}
