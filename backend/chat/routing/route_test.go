package routing

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

func claude(options ...protocol.ChatOption) Asker {
	return Asker{Agent: protocol.AgentClaude, Options: options, CanInstant: true}
}

// Every phrase has the route that a user would expect, and its plan does
// exactly what the user said.
func TestRoutesOfPhrases(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/routes.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := New(Default())
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		want := strings.Split(lines.Text(), "\t")
		if len(want) != 3 {
			t.Fatalf("the line %q has not three parts", lines.Text())
		}
		n++
		route, plan := r.Route(want[1], nil, claude(), "")
		is := plan.String()
		if route.Kind != protocol.RouteInstant {
			is = route.Reason
			if len(plan.Steps) > 0 {
				t.Errorf("%q has a plan and is %s", want[1], route.Kind)
			}
		}
		if string(route.Kind) != want[0] || is != want[2] {
			t.Errorf("%q is %s: %s\nwant %s: %s", want[1], route.Kind, is, want[0], want[2])
		}
		if route.Reason == "" {
			t.Errorf("%q has no reason", want[1])
		}
	}
	if n < 120 {
		t.Errorf("only %d phrases", n)
	}
}

func TestRouteByTable(t *testing.T) {
	t.Parallel()
	models := protocol.ChatOption{ID: "m", Category: "model", Choices: []protocol.ChatChoice{
		{Value: "default", Name: "Default"}, {Value: "claude-sonnet-4", Name: "Sonnet"}, {Value: "claude-haiku-4", Name: "Haiku"},
	}}
	table := Default()
	table.Strong = []string{"ponder", " "}
	table.Models = map[protocol.AgentKind]protocol.ChatModels{protocol.AgentClaude: {Fast: "haiku", Strong: "SONNET"}}
	off := Default()
	off.Instant = false
	byTable, instantOff := New(table), New(off)
	picture := []protocol.ChatAttachment{{Kind: protocol.AttachImage, Name: "a.png"}}
	for name, test := range map[string]struct {
		router *Router
		text   string
		with   []protocol.ChatAttachment
		who    Asker
		chosen protocol.RouteKind
		want   protocol.ChatRoute
	}{
		"a word of the table":              {byTable, "ponder this", nil, claude(models), "", protocol.ChatRoute{Kind: protocol.RouteStrong, Model: "claude-sonnet-4", Word: "ponder"}},
		"a word that was taken out":        {byTable, "book what I like", nil, claude(models), "", protocol.ChatRoute{Kind: protocol.RouteFast, Model: "claude-haiku-4"}},
		"an instruction has no model":      {byTable, "click Save", nil, claude(models), "", protocol.ChatRoute{Kind: protocol.RouteInstant}},
		"models that it has not":           {byTable, "book a flight", nil, claude(), "", protocol.ChatRoute{Kind: protocol.RouteFast}},
		"instant is off":                   {instantOff, "click Save", nil, claude(), "", protocol.ChatRoute{Kind: protocol.RouteFast}},
		"instant is off, but chosen":       {instantOff, "click Save", nil, claude(), protocol.RouteInstant, protocol.ChatRoute{Kind: protocol.RouteInstant, Chosen: true}},
		"no tab":                           {byTable, "click Save", nil, Asker{Agent: protocol.AgentClaude}, "", protocol.ChatRoute{Kind: protocol.RouteFast}},
		"something attached":               {byTable, "click Save", picture, claude(), "", protocol.ChatRoute{Kind: protocol.RouteStrong}},
		"a command of the agent":           {byTable, "/screenshot", nil, claude(), "", protocol.ChatRoute{Kind: protocol.RouteStrong}},
		"long":                             {byTable, strings.Repeat("book it. ", 100), nil, claude(), "", protocol.ChatRoute{Kind: protocol.RouteStrong}},
		"strong, chosen for an action":     {byTable, "click Save", nil, claude(models), protocol.RouteStrong, protocol.ChatRoute{Kind: protocol.RouteStrong, Model: "claude-sonnet-4", Chosen: true}},
		"fast, chosen against the words":   {byTable, "ponder", nil, claude(models), protocol.RouteFast, protocol.ChatRoute{Kind: protocol.RouteFast, Model: "claude-haiku-4", Chosen: true}},
		"instant chosen, not understood":   {byTable, "book a flight", nil, claude(), protocol.RouteInstant, protocol.ChatRoute{Kind: protocol.RouteFast}},
		"instant chosen, what is attached": {byTable, "click Save", picture, claude(), protocol.RouteInstant, protocol.ChatRoute{Kind: protocol.RouteStrong}},
		"Pilot itself":                     {instantOff, "book a flight", picture, Asker{Agent: protocol.AgentPilot}, protocol.RouteStrong, protocol.ChatRoute{Kind: protocol.RouteInstant}},
	} {
		route, _ := test.router.Route(test.text, test.with, test.who, test.chosen)
		if route.Reason == "" {
			t.Errorf("%s: no reason", name)
		}
		if route.Reason = ""; route != test.want {
			t.Errorf("%s: %+v, want %+v", name, route, test.want)
		}
	}
}

// A word that selects the strong model wins at any place in the text, unless it
// is in quotes.
func TestComprehensionAlwaysWins(t *testing.T) {
	t.Parallel()
	r := New(Default())
	for _, action := range []string{"click Save", "go to hn", "type hello into Search", "scroll down", "fill Name with Ada", "take a screenshot"} {
		for _, word := range []string{"what", "Why", "HOW", "summarise", "summarize", "describe", "analyse", "explain", "compare", "find bugs", "review", "translate"} {
			for _, text := range []string{word + " " + action, action + " and " + word, action + ", then " + word + " it", word + ": " + action, action + "\n" + word} {
				if route, plan := r.Route(text, nil, claude(), ""); route.Kind != protocol.RouteStrong || len(plan.Steps) > 0 {
					t.Errorf("%q is %s (%s)", text, route.Kind, route.Reason)
				}
			}
			if text := `type "` + word + " " + action + `" into Notes`; true {
				if route, plan := r.Route(text, nil, claude(), ""); route.Kind != protocol.RouteInstant || len(plan.Steps) != 1 {
					t.Errorf("%q is %s (%s)", text, route.Kind, route.Reason)
				}
			}
		}
	}
}

// Whatever a user writes, the route is one of three, it has a reason, and it
// has a plan only if it is instant. A message in capitals or with courtesies
// has the same route.
func FuzzRoute(f *testing.F) {
	file, err := os.ReadFile("testdata/routes.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		if parts := strings.Split(line, "\t"); len(parts) == 3 {
			f.Add(parts[1])
		}
	}
	r := New(Default())
	f.Fuzz(func(t *testing.T, text string) {
		route, plan := r.Route(text, nil, claude(), "")
		if !slices.Contains([]protocol.RouteKind{protocol.RouteInstant, protocol.RouteFast, protocol.RouteStrong}, route.Kind) || route.Reason == "" {
			t.Errorf("%q: %+v", text, route)
		}
		if (route.Kind == protocol.RouteInstant) != (len(plan.Steps) > 0) {
			t.Errorf("%q is %s and has %d steps", text, route.Kind, len(plan.Steps))
		}
		again, same := r.Route(text, nil, claude(), "")
		if again != route || same.String() != plan.String() {
			t.Errorf("%q: twice is not the same", text)
		}
	})
}
