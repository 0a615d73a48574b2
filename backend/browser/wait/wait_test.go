package wait

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// noPages are tabs whose pages are never asked for.
type noPages struct{ page.Tabs }

func (noPages) Explain(_ context.Context, _ protocol.TabID, err error) error { return err }

func TestAddressMatcher(t *testing.T) {
	for _, c := range []struct {
		pattern, url string
		want         bool
	}{
		{"/order", "https://example.com/order/5", true},
		{"/order", "https://example.com/orde", false},
		{"https://*.example.com/*", "https://a.example.com/x", true},
		{"https://*.example.com/*", "https://example.com/x", false},
		{"*.example.com", "https://a.example.com/x", false},
		{`/order-\d+$/`, "https://example.com/order-17", true},
		{`/order-\d+$/`, "https://example.com/order-x", false},
	} {
		match, err := addressMatcher(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if match(c.url) != c.want {
			t.Errorf("%s of %s: %v", c.url, c.pattern, !c.want)
		}
	}
	if _, err := addressMatcher("/(/"); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Error(err)
	}
}

// TestWatchFor: an address that is there is not waited for; an unknown kind and an unknown
// tab are refused; and for an event that does not come in time, the error says so.
func TestWatchFor(t *testing.T) {
	open := tabs.New(0)
	open.TargetInfo(&target.Info{TargetID: "T1", Type: "page", URL: "https://example.com/there"})
	e, ok := open.Find(func(e *tabs.Entry) bool { return e.Target == "T1" })
	if !ok {
		t.Fatal("there is no tab")
	}
	w := New(noPages{}, Config{Open: open})
	if got, err := w.WatchFor(t.Context(), protocol.Caller{}, e.ID, protocol.WatchRequest{Kind: "url", Value: "*/there"}); err != nil || got.What != "https://example.com/there" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := w.WatchFor(t.Context(), protocol.Caller{}, e.ID, protocol.WatchRequest{Kind: "moon"}); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Error(err)
	}
	if _, err := w.WatchFor(t.Context(), protocol.Caller{}, "t99", protocol.WatchRequest{Kind: "url", Value: "x"}); protocol.AsError(err).Code != protocol.CodeUnknownTab {
		t.Error(err)
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if _, err := w.WatchFor(ctx, protocol.Caller{}, e.ID, protocol.WatchRequest{Kind: "url", Value: "*/elsewhere"}); protocol.AsError(err).Code != protocol.CodeTimeout {
		t.Error(err)
	}
}
