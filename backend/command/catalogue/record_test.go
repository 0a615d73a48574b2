package catalogue_test

import (
	"context"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// kept is a browser with a recording that has ended.
type kept struct {
	*unfilmed
	form      string
	discarded bool
}

func (k *kept) EndRecording(context.Context, protocol.Caller, protocol.TabID) (protocol.Recording, error) {
	return protocol.Recording{Held: true, Steps: k.steps, Frames: 2}, nil
}

func (k *kept) SaveVideo(_ context.Context, _ protocol.Caller, _ protocol.TabID, form string) (protocol.SavedFile, error) {
	k.form = form
	return protocol.SavedFile{Path: "/t1." + form, Bytes: 2048, Entries: 2}, nil
}

func (k *kept) DiscardRecording(context.Context, protocol.TabID) error {
	k.discarded = true
	return nil
}

// TestAKeptRecording: it is saved in one form after another, and then removed.
func TestAKeptRecording(t *testing.T) {
	k := &kept{unfilmed: &unfilmed{tabs: newTabs(), steps: []protocol.RecordedStep{{Do: "click", CSS: "#go"}}}}
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"do": "end"}, "1 step, 2 pictures"},
		{map[string]any{"do": "save", "name": "shop"}, "/r.spec.ts"},
		{map[string]any{"do": "save", "video": "webm"}, "/t1.webm\n2 KB, 2 pictures"},
		{map[string]any{"do": "discard"}, "was removed"},
	} {
		if reply := say(k, newPolicy(), user, "t1", "record", c.args); !reply.OK || !strings.Contains(reply.Text, c.want) {
			t.Errorf("%v: %s", c.args, reply.Text)
		}
	}
	if k.form != "webm" || !k.discarded || k.saved.Name != "shop" {
		t.Errorf("%+v", k)
	}
	for _, args := range []map[string]any{{"do": "save", "name": "shop", "video": "gif"}, {"do": "save", "name": "../x"}} {
		if reply := say(k, newPolicy(), user, "t1", "record", args); reply.OK || reply.Error.Code != protocol.CodeBadArgument {
			t.Errorf("%v: %+v", args, reply)
		}
	}
}
