package auth_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

func code(err error) protocol.Code {
	if err == nil {
		return ""
	}
	return protocol.AsError(err).Code
}

// check uses a token in the way of its kind: single use for attach.
func check(a *auth.Authority, kind auth.Kind, token string, capability auth.Capability) (auth.Grant, error) {
	if kind == auth.KindAttach {
		return a.Take(token, capability)
	}
	return a.Check(token, capability)
}

// The whole table, written a second time: what it does not name must be denied.
func TestEachKindHasItsOwnCapabilitiesOnly(t *testing.T) {
	want := map[auth.Kind][]auth.Capability{
		auth.KindPanel:   {auth.CapabilityPanel, auth.CapabilityCommand, auth.CapabilityTerminal, auth.CapabilityAgents, auth.CapabilityProbe, auth.CapabilityActivity, auth.CapabilityTask, auth.CapabilityTaskRun, auth.CapabilityModels, auth.CapabilityChat, auth.CapabilityFile},
		auth.KindAttach:  {auth.CapabilityAttach},
		auth.KindAgent:   {auth.CapabilityCommand, auth.CapabilityTabs, auth.CapabilityAgents, auth.CapabilityAgentStatus, auth.CapabilityMCP, auth.CapabilityActivity, auth.CapabilityFile, auth.CapabilityTask},
		auth.KindCLI:     {auth.CapabilityCommand, auth.CapabilityTabs, auth.CapabilityAgents, auth.CapabilityProbe, auth.CapabilityApp, auth.CapabilityMCP, auth.CapabilityActivity, auth.CapabilityFile, auth.CapabilityTask, auth.CapabilityChat},
		auth.KindControl: {auth.CapabilityControl},
		"unknown":        nil,
	}
	capabilities := append(auth.Capabilities(), "", "unheard of")
	for kind, open := range want {
		for _, capability := range capabilities {
			a := auth.New(auth.Config{})
			_, secret := a.Mint(kind, auth.Grant{}, time.Hour)
			_, err := check(a, kind, secret.Reveal(), capability)
			if slices.Contains(open, capability) {
				if err != nil {
					t.Errorf("%s at %s: %v, want open", kind, capability, err)
				}
			} else if code(err) != protocol.CodeForbidden {
				t.Errorf("%s at %s: %v, want forbidden", kind, capability, err)
			}
		}
	}
}

func TestScopesAreCutToTheKind(t *testing.T) {
	a := auth.New(auth.Config{})
	all := auth.Scopes{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeSensitive, protocol.ScopeAdmin, "root"}
	for kind, want := range map[auth.Kind]int{auth.KindPanel: 3, auth.KindAttach: 0, auth.KindAgent: 3, auth.KindCLI: 4, auth.KindControl: 0} {
		grant, _ := a.Mint(kind, auth.Grant{Scopes: all, Kind: auth.KindCLI, ID: "chosen", Generation: 9}, 0)
		if len(grant.Scopes) != want || grant.Scopes.Has("root") {
			t.Errorf("%s has %v, want %d scopes", kind, grant.Scopes, want)
		}
		if grant.Kind != kind || grant.ID == "chosen" || grant.Generation != 1 {
			t.Errorf("%s: the caller chose what the mint decides: %+v", kind, grant)
		}
	}
	if len(all) != 5 {
		t.Error("Mint changed the caller's slice")
	}
}

// The holder of a Grant cannot change the authority's copy.
func TestGrantIsACopy(t *testing.T) {
	a := auth.New(auth.Config{})
	_, secret := a.Mint(auth.KindAgent, auth.Grant{Scopes: auth.Scopes{protocol.ScopeRead}}, 0)
	grant, err := a.Check(secret.Reveal(), auth.CapabilityCommand)
	if err != nil {
		t.Fatal(err)
	}
	grant.Scopes[0] = protocol.ScopeAdmin
	again, err := a.Check(secret.Reveal(), auth.CapabilityCommand)
	if err != nil || again.Scopes.Has(protocol.ScopeAdmin) {
		t.Errorf("scopes %v, %v", again.Scopes, err)
	}
}

func TestAttachTokenIsGoodForOneUse(t *testing.T) {
	a := auth.New(auth.Config{})
	_, secret := a.Mint(auth.KindAttach, auth.Grant{Terminal: "a"}, protocol.AttachTokenLife)
	if _, err := a.Check(secret.Reveal(), auth.CapabilityAttach); code(err) != protocol.CodeForbidden {
		t.Errorf("Check of a single use token: %v", err)
	}
	if _, err := a.Take(secret.Reveal(), auth.CapabilityCommand); code(err) != protocol.CodeForbidden {
		t.Errorf("for another capability: %v", err)
	}
	// Of many concurrent uses, one succeeds.
	var wins, losses int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			grant, err := a.Take(secret.Reveal(), auth.CapabilityAttach)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && grant.Terminal == "a":
				wins++
			case code(err) == protocol.CodeUnauthorized:
				losses++
			}
		})
	}
	wg.Wait()
	if wins != 1 || losses != 49 {
		t.Errorf("%d wins, %d losses; want 1, 49", wins, losses)
	}
}

func TestTokensExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := auth.New(auth.Config{})
		_, attach := a.Mint(auth.KindAttach, auth.Grant{}, protocol.AttachTokenLife)
		_, agent := a.Mint(auth.KindAgent, auth.Grant{}, 0)
		_, cli := a.Mint(auth.KindCLI, auth.Grant{}, protocol.CLITokenLife)
		time.Sleep(protocol.AttachTokenLife + time.Second)
		if _, err := a.Take(attach.Reveal(), auth.CapabilityAttach); code(err) != protocol.CodeUnauthorized {
			t.Errorf("attach after 31 s: %v", err)
		}
		if _, err := a.Check(cli.Reveal(), auth.CapabilityApp); err != nil {
			t.Errorf("cli within its life: %v", err)
		}
		time.Sleep(365 * 24 * time.Hour)
		if _, err := a.Check(cli.Reveal(), auth.CapabilityApp); code(err) != protocol.CodeUnauthorized {
			t.Errorf("cli after its life: %v", err)
		}
		if _, err := a.Check(agent.Reveal(), auth.CapabilityCommand); err != nil {
			t.Errorf("a token without an end: %v", err)
		}
	})
}

func TestRotationHonoursTheOldTokenForTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := auth.New(auth.Config{})
		grant, first := a.Mint(auth.KindPanel, auth.Grant{Session: "s"}, protocol.PanelTokenLife)
		second, err := a.Rotate(grant.ID, protocol.PanelTokenLife)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(protocol.RotatedTokenGrace - time.Millisecond)
		got, err := a.Check(first.Reveal(), auth.CapabilityPanel)
		if err != nil || got.Generation != 1 || got.ID != grant.ID {
			t.Errorf("old token within the grace: %+v, %v", got, err)
		}
		got, err = a.Check(second.Reveal(), auth.CapabilityPanel)
		if err != nil || got.Generation != 2 {
			t.Errorf("new token: %+v, %v", got, err)
		}
		time.Sleep(time.Millisecond)
		if _, err := a.Check(first.Reveal(), auth.CapabilityPanel); code(err) != protocol.CodeUnauthorized {
			t.Errorf("old token after the grace: %v", err)
		}
		// Two rotations in a row: the first token is invalid, even within its grace
		// period.
		third, err := a.Rotate(grant.ID, protocol.PanelTokenLife)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Rotate(grant.ID, protocol.PanelTokenLife); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Check(second.Reveal(), auth.CapabilityPanel); code(err) != protocol.CodeUnauthorized {
			t.Errorf("token before the one before: %v", err)
		}
		if _, err := a.Check(third.Reveal(), auth.CapabilityPanel); err != nil {
			t.Errorf("token before: %v", err)
		}
		a.Revoke(grant.ID)
		if _, err := a.Check(third.Reveal(), auth.CapabilityPanel); code(err) != protocol.CodeUnauthorized {
			t.Errorf("grace outlived the revocation: %v", err)
		}
		if _, err := a.Rotate(grant.ID, 0); code(err) != protocol.CodeUnauthorized {
			t.Errorf("rotating a revoked grant: %v", err)
		}
	})
}

// jumped returns t with its wall clock moved by whole seconds and its monotonic
// reading unchanged, as time.Now returns it after the clock was set.
func jumped(t time.Time, seconds int64) time.Time {
	// time.Time with a monotonic reading keeps 33 bits of wall seconds above 30
	// bits of nanoseconds in its first word.
	wall := (*uint64)(unsafe.Pointer(&t)) //nolint:gosec // the only way to have a jumped clock without setting the machine's
	*wall = uint64(int64(*wall) + seconds<<30)
	return t
}

func TestClockJumpsNeitherEndNorKeepTokens(t *testing.T) {
	const day = 24 * 60 * 60
	for name, seconds := range map[string]int64{"a day forward": day, "a day back": -day} {
		t.Run(name, func(t *testing.T) {
			// Not in a synctest bubble: its times have no monotonic reading.
			base, passed, jump := time.Now(), time.Duration(0), int64(0)
			now := func() time.Time { return jumped(base.Add(passed), jump) }
			a := auth.New(auth.Config{Now: now})
			grant, secret := a.Mint(auth.KindPanel, auth.Grant{}, protocol.PanelTokenLife)
			watch := a.Watch(grant.ID)
			defer watch.Close()
			jump = seconds
			if moved := now().Unix() - base.Unix(); moved != seconds {
				t.Fatalf("the test's clock moved %d s, want %d", moved, seconds)
			}
			if _, err := a.Check(secret.Reveal(), auth.CapabilityPanel); err != nil {
				t.Errorf("after the jump: %v", err)
			}
			passed = protocol.PanelTokenLife - time.Second
			if _, err := a.Check(secret.Reveal(), auth.CapabilityPanel); err != nil {
				t.Errorf("at the end of its life: %v", err)
			}
			passed = protocol.PanelTokenLife
			if _, err := a.Check(secret.Reveal(), auth.CapabilityPanel); code(err) != protocol.CodeUnauthorized {
				t.Errorf("after its life: %v", err)
			}
			if !watch.Status().Ended {
				t.Error("the watch was not told")
			}
		})
	}
}

func TestWatchTellsOfRotationExpiryAndRevocation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := auth.New(auth.Config{})
		grant, _ := a.Mint(auth.KindPanel, auth.Grant{}, time.Minute)
		w := a.Watch(grant.ID)
		defer w.Close()
		<-w.Changed()
		if s := w.Status(); s != (auth.Status{Generation: 1}) {
			t.Fatalf("at first: %+v", s)
		}
		if _, err := a.Rotate(grant.ID, time.Minute); err != nil {
			t.Fatal(err)
		}
		<-w.Changed()
		if s := w.Status(); s.Generation != 2 || s.Grace != protocol.RotatedTokenGrace || s.Ended {
			t.Fatalf("rotated: %+v", s)
		}
		time.Sleep(4 * time.Second)
		if s := w.Status(); s.Grace != protocol.RotatedTokenGrace-4*time.Second {
			t.Fatalf("4 s later: %+v", s)
		}
		before := time.Now()
		<-w.Changed() // without any call of the authority
		<-w.Ended()
		if s := w.Status(); !s.Ended || time.Since(before) != 56*time.Second {
			t.Fatalf("expired: %+v after %v", s, time.Since(before))
		}
		late := a.Watch(grant.ID)
		defer late.Close()
		<-late.Changed()
		if !late.Status().Ended {
			t.Fatal("a watch of an ended grant says that it lives")
		}
	})
}

func TestRevocationTakesTheChildrenAlong(t *testing.T) {
	a := auth.New(auth.Config{})
	panel, panelToken := a.Mint(auth.KindPanel, auth.Grant{Session: "one"}, 0)
	other, otherToken := a.Mint(auth.KindPanel, auth.Grant{Session: "two"}, 0)
	child, childToken := a.Mint(auth.KindAttach, auth.Grant{Parent: panel.ID}, time.Minute)
	w := a.Watch(child.ID)
	defer w.Close()
	<-w.Changed()
	a.RevokeWhere(func(g auth.Grant) bool { return g.Session == "one" })
	<-w.Changed()
	if !w.Status().Ended {
		t.Error("the child's watch was not told")
	}
	if _, err := a.Take(childToken.Reveal(), auth.CapabilityAttach); code(err) != protocol.CodeUnauthorized {
		t.Errorf("child: %v", err)
	}
	if _, err := a.Check(panelToken.Reveal(), auth.CapabilityPanel); code(err) != protocol.CodeUnauthorized {
		t.Errorf("parent: %v", err)
	}
	if _, err := a.Check(otherToken.Reveal(), auth.CapabilityPanel); err != nil {
		t.Errorf("a grant of another session (%s): %v", other.ID, err)
	}
	_, orphan := a.Mint(auth.KindAttach, auth.Grant{Parent: panel.ID}, time.Minute)
	if _, err := a.Take(orphan.Reveal(), auth.CapabilityAttach); code(err) != protocol.CodeUnauthorized {
		t.Errorf("child minted after its parent ended: %v", err)
	}
}

func TestFailuresAreSlowedDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := auth.New(auth.Config{})
		start := time.Now()
		for range protocol.AuthFailuresPerSecond {
			if err := a.Failed(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if waited := time.Since(start); waited != 0 {
			t.Fatalf("the first %d waited %v", protocol.AuthFailuresPerSecond, waited)
		}
		var busy, served int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 10_000 {
			wg.Go(func() {
				err := a.Failed(t.Context())
				mu.Lock()
				defer mu.Unlock()
				if code(err) == protocol.CodeBusy {
					busy++
				} else if err == nil {
					served++
				}
			})
		}
		wg.Wait()
		if served != protocol.AuthFailureWaiters || busy != 10_000-served {
			t.Errorf("%d answered, %d sent away", served, busy)
		}
		if waited := time.Since(start); waited != protocol.AuthFailureWaiters*time.Second/protocol.AuthFailuresPerSecond {
			t.Errorf("the last answer came after %v", waited)
		}
		// A caller that disconnects does not wait.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 20 {
			if err := a.Failed(ctx); err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("a caller that went away: %v", err)
			}
		}
		time.Sleep(time.Minute)
		start = time.Now()
		if err := a.Failed(t.Context()); err != nil || time.Since(start) != 0 {
			t.Errorf("after a quiet minute: %v, waited %v", err, time.Since(start))
		}
	})
}

func TestTokensAreLongAndFitASubprotocol(t *testing.T) {
	a := auth.New(auth.Config{})
	seen := map[string]bool{}
	for range 100 {
		_, secret := a.Mint(auth.KindCLI, auth.Grant{}, 0)
		token := secret.Reveal()
		if len(token) != 43 || seen[token] {
			t.Fatalf("token of %d characters, seen before: %v", len(token), seen[token])
		}
		seen[token] = true
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		if strings.Trim(token, alphabet) != "" {
			t.Fatalf("a character outside of %s", alphabet)
		}
	}
}

func FuzzCheckAcceptsNothingElse(f *testing.F) {
	a := auth.New(auth.Config{})
	_, secret := a.Mint(auth.KindCLI, auth.Grant{}, 0)
	token := secret.Reveal()
	f.Add("")
	f.Add(token[:42])
	f.Add(token + "=")
	f.Add(token + "\x00")
	f.Add(" " + token)
	f.Fuzz(func(t *testing.T, s string) {
		_, err := a.Check(s, auth.CapabilityApp)
		if (err == nil) != (s == token) {
			t.Errorf("Check(%q): %v", s, err)
		}
	})
}
