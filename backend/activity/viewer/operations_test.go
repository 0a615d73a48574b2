package viewer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pilotfish/backend/auth"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// operation returns an operation of a viewer; of returns why there is none.
func operation(v *Viewer, of error, name string) op.Operation {
	all := Operations(func(protocol.SessionName) (*Viewer, error) { return v, of })
	return all[slices.IndexFunc(all, func(o op.Operation) bool { return o.Name == name })]
}

// A reader continues after what it has. One that names nothing gets what is new, and one
// from before the session was created anew gets everything.
func TestFollowActivity(t *testing.T) {
	v := watching(t)
	for range 3 {
		do(v, "url")
	}
	follow := operation(v, nil, "FollowActivity")
	for in, first := range map[string]uint64{`{"after":0}`: 1, `{"after":2}`: 3, `{"after":900}`: 1, `{}`: 4} {
		ctx, cancel := context.WithCancel(t.Context())
		events, err := follow.Stream(ctx, op.Call{Grant: auth.Grant{Kind: auth.KindPanel}}, json.RawMessage(in))
		if err != nil {
			t.Fatal(err)
		}
		if first == 4 {
			do(v, "url")
		}
		for e, err := range events {
			if entry, is := e.Data.(protocol.ActivityEntry); err != nil || e.ID != first || !is || entry.Index != first || e.Name != protocol.ActivityEventEntry {
				t.Errorf("after %s: %+v, %v", in, e, err)
			}
			break
		}
		cancel()
	}
	// An agent sees its own.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	events, err := follow.Stream(ctx, op.Call{Grant: agent("a")}, json.RawMessage(`{"after":0}`))
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range events {
		t.Errorf("an agent gets %+v, %v", e, err)
	}
	if gap := event(protocol.ActivityItem{Gap: &protocol.ActivityGap{From: 1, To: 5}}); gap.ID != 5 || gap.Name != protocol.ActivityEventGap {
		t.Errorf("%+v", gap)
	}
	if waiting := event(protocol.ActivityItem{Entry: protocol.ActivityEntry{Index: 7, Phase: protocol.ActivityWaiting}}); waiting.ID != 7 || waiting.Name != protocol.ActivityEventWaiting {
		t.Errorf("%+v", waiting)
	}
	if _, err := operation(nil, errors.New("gone"), "FollowActivity").Stream(t.Context(), op.Call{}, json.RawMessage(`{}`)); err == nil {
		t.Error("a session that is gone is followed")
	}
}

func TestActivityHistory(t *testing.T) {
	v := watching(t)
	for range 3 {
		do(v, "url")
	}
	history := operation(v, nil, "ActivityHistory")
	for in, want := range map[string]string{`{}`: "1 2 3", `{"after":1,"limit":1}`: "2", `{"after":3}`: ""} {
		out, err := history.Run(t.Context(), op.Call{Grant: auth.Grant{Kind: auth.KindPanel}}, json.RawMessage(in))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, e := range out.(protocol.ActivityPage).Entries {
			if i > 0 {
				got += " "
			}
			got += fmt.Sprint(e.Index)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{`{"limit":0}`, `{"limit":9999}`, `{"limit":-1}`} {
		if _, err := history.Run(t.Context(), op.Call{}, json.RawMessage(in)); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("%s: %v", in, err)
		}
	}
}
