package tokens

import (
	"testing"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

func fixture() (*Tokens, func(token string) (auth.Grant, bool)) {
	authority := auth.New(auth.Config{})
	return New("work", authority), func(token string) (auth.Grant, bool) {
		grant, err := authority.Check(token, auth.CapabilityCommand)
		if err != nil {
			grant, err = authority.Check(token, auth.CapabilityPanel)
		}
		return grant, err == nil
	}
}

// A panel keeps its token until it is rotated; the epoch distinguishes
// pairings. When the session ends, all its tokens end, and the next run has
// others.
func TestThePanelsToken(t *testing.T) {
	tokens, good := fixture()
	if is, err := tokens.RotatePanel(); is || err != nil {
		t.Errorf("a token that there is not was rotated: %t, %v", is, err)
	}
	first, one := tokens.Pair()
	again, two := tokens.Pair()
	if first != again || two <= one {
		t.Errorf("epochs %d and %d, the same token: %t", one, two, first == again)
	}
	if grant, is := good(first); !is || grant.Kind != auth.KindPanel || grant.Session != "work" {
		t.Errorf("%+v, %t", grant, is)
	}
	if is, err := tokens.RotatePanel(); !is || err != nil {
		t.Fatalf("%t, %v", is, err)
	}
	next, three := tokens.Pair()
	if _, is := good(next); !is || next == first || three <= two {
		t.Errorf("the next token is good: %t, another: %t, epoch %d", is, next != first, three)
	}
	tokens.EndAll()
	if _, is := good(next); is {
		t.Error("a token outlives its session")
	}
	if other, _ := tokens.Pair(); other == next {
		t.Error("the next run has the old token")
	}
}

// An agent's token is for its own tab, and ends with its process or when the
// next process starts in its place. Tokens of other agents remain.
func TestAgentsTokens(t *testing.T) {
	tokens, good := fixture()
	claude := tokens.Terminal("p1", "t1", protocol.AgentClaude, true).Reveal()
	shell := tokens.Terminal("p2", "t2", protocol.AgentShell, true).Reveal()
	grant, is := good(claude)
	if !is || grant.Tab != "t1" || grant.Actor.Agent != "Claude Code" || grant.Actor.Name != "claude in t1" || grant.Scopes.Has(protocol.ScopeSensitive) || grant.Scopes.Has(protocol.ScopeAdmin) {
		t.Errorf("%+v, %t", grant, is)
	}
	if grant, is := good(shell); !is || grant.Actor.Agent != "" {
		t.Errorf("%+v, %t", grant, is)
	}
	next := tokens.Terminal("p1", "t1", protocol.AgentCustom, true).Reveal()
	if _, is := good(claude); is {
		t.Error("the token of a process that was replaced is good")
	}
	if grant, is := good(next); !is || grant.Actor.Agent != "Your command" {
		t.Errorf("%+v, %t", grant, is)
	}
	tokens.EndTerminal("p1")
	if _, is := good(next); is {
		t.Error("the token of a process that ended is good")
	}

	actor := protocol.Actor{Kind: protocol.ActorChat, ID: "c1"}
	token := tokens.Conversation(actor, "t3", "").Reveal()
	if grant, is := good(token); !is || grant.Tab != "t3" || grant.Actor.ID != "c1" {
		t.Errorf("%+v, %t", grant, is)
	}
	later := tokens.Conversation(actor, "t3", "").Reveal()
	if _, is := good(token); is {
		t.Error("a conversation has two tokens")
	}
	tokens.EndActor(actor)
	if _, is := good(later); is {
		t.Error("the token of a conversation that ended is good")
	}
	if _, is := good(shell); !is {
		t.Error("another agent's token ended")
	}
}

// The token of a process that serves conversations ends with the process, and the
// tokens of its conversations with it.
func TestTokenOfAProcess(t *testing.T) {
	tokens, good := fixture()
	id, secret, end := tokens.Process("Gemini", false)
	grant, is := good(secret.Reveal())
	if !is || !grant.Shared || !grant.Unconfined || grant.Actor.Agent != "Gemini" || grant.Scopes.Has(protocol.ScopeSensitive) {
		t.Errorf("%+v, %t", grant, is)
	}
	served := tokens.Conversation(protocol.Actor{Kind: protocol.ActorChat, ID: "c1"}, "t1", id).Reveal()
	if grant, is := good(served); !is || grant.Parent != id || grant.Shared {
		t.Errorf("%+v, %t", grant, is)
	}
	tokens.EndActor(protocol.Actor{Kind: protocol.ActorChat, ID: "c1"})
	if _, is := good(secret.Reveal()); !is {
		t.Error("the process lost its token with a conversation")
	}
	end()
	for _, token := range []string{secret.Reveal(), served} {
		if _, is := good(token); is {
			t.Error("a token outlives its process")
		}
	}
}
