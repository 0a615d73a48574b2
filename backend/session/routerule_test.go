package session

import (
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/chat/agents"
	"pilotfish/backend/chat/routing"
	"pilotfish/backend/config"
	"pilotfish/backend/hub"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// A rule is in Settings and on disk, and the route of the next message follows
// it.
func TestRouteRule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	store, err := config.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	m := &Manager{cfg: Config{Settings: store}, changes: hub.New[struct{}](1)}
	agents, err := agents.New(agents.Config{Settings: store, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	panel := (gateway{m}).ofPanel()
	set := func(req protocol.ChatRouteRuleRequest) error {
		in, err := json.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(panel, func(o op.Operation) bool { return o.Name == "SetRouteRule" })
		_, err = panel[at].Run(t.Context(), op.Call{}, in)
		return err
	}
	route := func(text string) protocol.ChatRoute {
		route, _ := agents.Settings().Router.Route(text, nil, routing.Asker{Agent: protocol.AgentClaude, CanInstant: true}, "")
		return route
	}
	if got := route("tidy the form"); got.Kind != protocol.RouteFast {
		t.Fatalf("the route is %+v before there is a rule", got)
	}
	if err := set(protocol.ChatRouteRuleRequest{Word: " Tidy ", Strong: true}); err != nil {
		t.Fatal(err)
	}
	if got := route("tidy the form"); got.Kind != protocol.RouteStrong || got.Word != "tidy" {
		t.Errorf("the route is %+v with the rule", got)
	}
	if got := route("why does it fail"); got.Kind != protocol.RouteStrong {
		t.Errorf("our own words are lost: %+v", got)
	}
	if again, err := config.Open(path); err != nil || !slices.Contains(again.Get().ChatRouting.Strong, "tidy") {
		t.Errorf("the file has no such word: %v", err)
	}
	if err := set(protocol.ChatRouteRuleRequest{Word: route("tidy the form").Word}); err != nil {
		t.Fatal(err)
	}
	if got := route("tidy the form"); got.Kind != protocol.RouteFast {
		t.Errorf("the route is %+v after the word was taken out", got)
	}

	for _, word := range []string{" ", strings.Repeat("a", protocol.MaxRouteWord+1)} {
		var refused *protocol.Error
		if err := set(protocol.ChatRouteRuleRequest{Word: word, Strong: true}); !errors.As(err, &refused) || refused.Code != protocol.CodeBadArgument {
			t.Errorf("a word of %d bytes: %v", len(word), err)
		}
	}
}
