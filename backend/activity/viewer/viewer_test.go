package viewer

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pilotfish/backend/activity/recorder"
	"pilotfish/backend/activity/shots"
	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type camera struct{}

func (camera) Moment(context.Context, protocol.TabID, int) ([]byte, error) {
	return []byte("jpeg"), nil
}

// watching returns a Viewer whose screenshots are taken until the test ends.
func watching(t *testing.T) *Viewer {
	t.Helper()
	settings, err := config.Open(filepath.Join(t.TempDir(), "settings.toml"))
	if err != nil {
		t.Fatal(err)
	}
	taken := shots.New(shots.Config{Dir: t.TempDir(), Settings: settings, Commands: catalogue.Table(), Logger: slog.New(slog.DiscardHandler)})
	r := recorder.New(recorder.Config{
		Session: protocol.DefaultSession, Dir: t.TempDir(), Commands: catalogue.Table(),
		Shots: taken, Logger: slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		taken.Run(ctx, camera{})
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		r.Close()
	})
	return New(r, taken)
}

func agent(id string) auth.Grant {
	return auth.Grant{Kind: auth.KindAgent, Actor: protocol.Actor{Kind: protocol.ActorTerminal, ID: id, Name: id}}
}

func do(v *Viewer, name string) {
	v.Do(agent("a").Actor, protocol.CommandRequest{Command: name, Tab: "t1"}, nil, func(command.Watch) protocol.CommandReply {
		return protocol.CommandReply{OK: true, Tab: "t1"}
	})
}

// The feed has every entry once and in order, and says when a screenshot is there.
// The agent that acted sees it, another agent does not.
func TestFeedAndScreenshots(t *testing.T) {
	v := watching(t)
	const many = 2000
	go func() {
		for range many {
			do(v, "url")
		}
		do(v, "click")
	}()
	next, batches := uint64(1), 0
	var shot uint64
	for batch, err := range v.Feed(t.Context(), "", 0) {
		if err != nil || batch.Gap {
			t.Fatalf("%+v, %v", batch, err)
		}
		batches++
		for _, raw := range batch.Items {
			var item protocol.ActivityFeedItem
			if err := json.Unmarshal(raw, &item); err != nil {
				t.Fatal(err)
			}
			switch {
			case item.Entry != nil && item.Entry.Index == next && batch.Last >= next:
				next++
			case item.Shot != 0:
				shot = item.Shot
			default:
				t.Fatalf("%s instead of entry %d", raw, next)
			}
		}
		if shot != 0 && next == many+2 {
			break
		}
	}
	if next != many+2 || shot != many+1 || batches > many/4 {
		t.Errorf("the next entry is %d, the screenshot is of %d, %d batches", next, shot, batches)
	}
	for grant, want := range map[*auth.Grant]protocol.Code{{Kind: auth.KindPanel}: "", new(agent("a")): "", new(agent("b")): protocol.CodeForbidden} {
		got, err := v.Shot(t.Context(), *grant, shot)
		if code := codeOf(err); code != want || (want == "" && got.Data != "anBlZw==") {
			t.Errorf("%s: %+v, %v", grant.Actor.ID, got, err)
		}
	}
	if _, err := v.Shot(t.Context(), agent("a"), 1<<40); codeOf(err) != protocol.CodeForbidden {
		t.Errorf("an index that is not there: %v", err)
	}
	found, err := v.Search(t.Context(), agent("a"), protocol.ActivityQuery{Limit: 2, Markdown: true})
	if err != nil || len(found.Shots) != 1 || found.Shots[0] != shot || len(found.Entries) != 2 || found.Markdown == "" {
		t.Errorf("%+v, %v", found, err)
	}
}

func codeOf(err error) protocol.Code {
	if err == nil {
		return ""
	}
	return protocol.AsError(err).Code
}

func TestBadQueries(t *testing.T) {
	v := watching(t)
	for _, q := range []protocol.ActivityQuery{{Limit: -1}, {Limit: protocol.ActivityPageMax + 1}, {Kinds: []protocol.ActivityKind{"thing"}}} {
		if _, err := v.Search(t.Context(), agent("a"), q); codeOf(err) != protocol.CodeBadArgument {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// A panel that knows an index of an earlier record gets a gap, and then what is new.
func TestFeedAfterTheRecordBeganAnew(t *testing.T) {
	v := watching(t)
	do(v, "url")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var got []string
	for batch, err := range v.Feed(ctx, "", 500) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(batch.Gap, len(batch.Items), batch.Last))
		if len(got) == 2 {
			break
		}
		do(v, "url")
	}
	if fmt.Sprint(got) != "[true 0 1 false 1 2]" {
		t.Errorf("%q", got)
	}
}
