package auth_test

import (
	"errors"
	"testing"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// holderOf returns how a grant is shown.
func holderOf(t *testing.T, a *auth.Authority, id string) auth.Holder {
	t.Helper()
	for _, h := range a.Holders() {
		if h.Grant.ID == id {
			return h
		}
	}
	t.Fatalf("no grant %s", id)
	return auth.Holder{}
}

func TestHoldersSayWhenATokenWasMadeAndUsed(t *testing.T) {
	now := time.Now()
	a := auth.New(auth.Config{Now: func() time.Time { return now }})
	grant, secret := a.Mint(auth.KindCLI, auth.Grant{}, 0)
	if h := holderOf(t, a, grant.ID); !h.Made.Equal(now) || !h.Used.IsZero() || h.Open != 0 {
		t.Errorf("a new one: %+v", h)
	}
	made := now
	now = now.Add(time.Minute)
	if _, err := a.Check(secret.Reveal(), auth.CapabilityApp); err != nil {
		t.Fatal(err)
	}
	watch := a.Watch(grant.ID)
	if h := holderOf(t, a, grant.ID); !h.Made.Equal(made) || !h.Used.Equal(now) || h.Open != 1 {
		t.Errorf("after a use: %+v", h)
	}
	watch.Close()
	now = now.Add(time.Minute)
	if !a.Use(grant.ID) || !holderOf(t, a, grant.ID).Used.Equal(now) {
		t.Errorf("after Use: %+v", holderOf(t, a, grant.ID))
	}
	if _, err := a.Rotate(grant.ID, 0); err != nil {
		t.Fatal(err)
	}
	if h := holderOf(t, a, grant.ID); !h.Made.Equal(now) || h.Open != 0 {
		t.Errorf("after a rotation: %+v", h)
	}
	a.Revoke(grant.ID)
	if a.Use(grant.ID) || len(a.Holders()) != 0 {
		t.Error("a revoked grant is in use")
	}
}

// A refused token is refused with the reason, and so are its child's and the one before a
// rotation. The reasons are bounded.
func TestRefuse(t *testing.T) {
	a := auth.New(auth.Config{})
	why := protocol.NewError(protocol.CodeUnauthorized, "the user revoked it", "ask them")
	parent, old := a.Mint(auth.KindCLI, auth.Grant{}, 0)
	current, err := a.Rotate(parent.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, child := a.Mint(auth.KindAgent, auth.Grant{Parent: parent.ID}, 0)
	ended := make(chan struct{})
	a.Watch(parent.ID).OnEnd(func() { close(ended) })
	a.Watch(parent.ID).OnEnd(func() { t.Error("a stopped callback is called") })()
	a.Refuse(parent.ID, why)
	<-ended
	for name, secret := range map[string]auth.Secret{"current": current, "previous": old, "child": child} {
		if _, err := a.Check(secret.Reveal(), auth.CapabilityCommand); !errors.Is(err, why) {
			t.Errorf("the %s token: %v", name, err)
		}
	}
	late := false
	a.Watch(parent.ID).OnEnd(func() { late = true })()
	if !late {
		t.Error("a watch of an ended grant does not say so")
	}
	if _, err := a.Check("unknown", auth.CapabilityCommand); code(err) != protocol.CodeUnauthorized || errors.Is(err, why) {
		t.Errorf("an unknown token: %v", err)
	}
	for range 256 {
		grant, _ := a.Mint(auth.KindCLI, auth.Grant{}, 0)
		a.Refuse(grant.ID, why)
	}
	if _, err := a.Check(current.Reveal(), auth.CapabilityCommand); code(err) != protocol.CodeUnauthorized || errors.Is(err, why) {
		t.Errorf("the oldest of many: %v", err)
	}
}
