package browser

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"pilotfish/backend/browser/attach"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

// byHand is a browser with nothing but the extension, and what it says.
func byHand(t *testing.T) (b *Browser, events chan any, ended <-chan error) {
	t.Helper()
	events = make(chan any, 100)
	all := hub.New[any](1)
	all.Observe(func(e any) { events <- e })
	b, err := New(Config{Attach: attach.Browser{Name: "a browser", ByHand: true}, Events: all})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- b.Run(t.Context()) }()
	return b, events, done
}

func report(seq int, tabs ...protocol.BridgeTab) protocol.BridgeEvent {
	return protocol.BridgeEvent{Type: protocol.BridgeTabs, Seq: seq, Tabs: tabs, FocusedWindow: 1}
}

func bridgeTab(chrome int, url string) protocol.BridgeTab {
	return protocol.BridgeTab{ChromeTabID: chrome, WindowID: 1, URL: url, Active: true}
}

// Such a browser runs while a panel is connected. The last report counts, whoever sends it;
// a tab keeps its id when the panel is loaded again, and another browser has other tabs.
func TestByHandPanels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, events, ended := byHand(t)
		if step, _ := (<-events).(protocol.Attaching); step.Step != protocol.AttachInstall {
			t.Errorf("%v", step)
		}
		b.Paired()
		if step, _ := (<-events).(protocol.Attaching); step.Step != protocol.AttachPanel {
			t.Errorf("%v", step)
		}
		b.Reported("p1", report(1, bridgeTab(7, "https://a.example/"))) // it is not connected
		gone := b.PanelHere("p1")
		b.Reported("p1", report(2, bridgeTab(7, "https://b.example/")))
		b.Reported("p1", report(1)) // was overtaken
		if info, is := (<-events).(protocol.BrowserInfo); !is || !info.Attached {
			t.Errorf("%+v", info)
		}
		if tabs, is := (<-events).([]protocol.Tab); !is || len(tabs) != 1 || tabs[0].ID != "t1" || tabs[0].URL != "https://b.example/" {
			t.Errorf("%+v", tabs)
		}
		gone()
		gone = b.PanelHere("p2") // it is loaded again
		b.Reported("p2", report(1, bridgeTab(7, "https://c.example/")))
		if tabs, is := (<-events).([]protocol.Tab); !is || len(tabs) != 1 || tabs[0].ID != "t1" || tabs[0].URL != "https://c.example/" {
			t.Errorf("%+v", tabs)
		}
		gone()
		if err := <-ended; !errors.Is(err, ErrClosed) {
			t.Errorf("%v", err)
		}
		b.Paired()
		defer b.PanelHere("p3")()
		b.Reported("p3", report(1, bridgeTab(7, "https://d.example/")))
		if tabs := b.Tabs(); len(tabs) != 1 || tabs[0].ID != "t2" {
			t.Errorf("%+v", tabs)
		}
	})
}

// A panel carries something out, and fails with its connection; without one nothing is
// carried out. What needs the protocol is refused.
func TestByHandCarries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, events, _ := byHand(t)
		code := func(err error) protocol.Code { return protocol.AsError(err).Code }
		ctx := t.Context()
		b.Paired()
		if _, err := b.NewTab(ctx, "", true); code(err) != protocol.CodeNotRunning {
			t.Errorf("without a panel: %v", err)
		}
		gone := b.PanelHere("p1")
		b.Reported("p1", report(1, bridgeTab(7, "https://a.example/")))
		carried := func() protocol.CarryEvent {
			for {
				if e, is := (<-events).(protocol.CarryEvent); is {
					return e
				}
			}
		}
		made := make(chan protocol.TabID, 1)
		go func() {
			id, err := b.NewTab(ctx, "t1", true)
			if err != nil {
				t.Error(err)
			}
			made <- id
		}()
		e := carried()
		if e.Do != protocol.CarryNewTab || e.Panel != "p1" || e.ChromeTabID != 7 || e.Front {
			t.Errorf("%+v", e)
		}
		b.Carried(protocol.CarryDoneRequest{ID: e.ID, ChromeTabID: 8})
		b.Reported("p1", report(2, bridgeTab(7, "https://a.example/"), bridgeTab(8, "about:blank")))
		if id := <-made; id != "t2" {
			t.Errorf("%s", id)
		}

		replies := make(chan protocol.CommandReply, 1)
		go func() {
			replies <- b.Carry(ctx, "t2", "mcp:a", "click", map[string]any{"count": 2}, func(_ context.Context, given protocol.ByPage) protocol.CommandReply {
				return protocol.CommandReply{OK: given.Facts != nil}
			})
		}()
		e = carried()
		if e.Command != "click" || string(e.Args["count"]) != "2" || e.ChromeTabID != 8 {
			t.Errorf("%+v", e)
		}
		if b.MayCarry(ctx, protocol.CarryAllowRequest{ID: e.ID}).OK || !b.MayCarry(ctx, protocol.CarryAllowRequest{ID: e.ID, ByPage: protocol.ByPage{Facts: &protocol.TargetFacts{}}}).OK {
			t.Error("another decision than the registry's")
		}
		if b.MayCarry(ctx, protocol.CarryAllowRequest{ID: e.ID + 1}).OK {
			t.Error("what nobody asked for may be carried out")
		}
		gone()
		if reply := <-replies; reply.Error == nil || reply.Error.Code != protocol.CodeNotRunning {
			t.Errorf("%+v", reply)
		}
		b.Carried(protocol.CarryDoneRequest{ID: e.ID}) // too late
		if _, err := b.Snapshot(ctx, protocol.Caller{}, "t2", protocol.SnapshotRequest{}, nil); code(err) != protocol.CodeNoInput {
			t.Errorf("%v", err)
		}
	})
}
