package history

import (
	"context"
	"log/slog"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools/fake"
	"pilotfish/backend/browser/focus"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// one is a browser with one tab.
type one struct {
	page.Tabs
	p *page.Page
}

func (o one) OnTab(ctx context.Context, _ protocol.Caller, _ protocol.TabID, _ bool, f func(context.Context, *page.Page) error) error {
	return f(ctx, o.p)
}

// TestTheEndsOfHistory: there is no page before the first, and none before an empty
// tab for a caller that may see only websites.
func TestTheEndsOfHistory(t *testing.T) {
	b, c := fake.Connect(t, nil)
	s, err := c.Attach(t.Context(), "T1")
	if err != nil {
		t.Fatal(err)
	}
	b.Answer(cdppage.GetNavigationHistory.Method, func(fake.Call) (any, error) {
		entry := func(id int, url string) map[string]any {
			return map[string]any{"id": id, "url": url, "userTypedURL": url, "title": "", "transitionType": "link"}
		}
		return map[string]any{"currentIndex": 1, "entries": []any{entry(1, "about:blank"), entry(2, "https://example.com/")}}, nil
	})
	h := New(one{p: page.New(s, page.Host{
		Log: slog.New(slog.DiscardHandler), Judge: func() func() { return func() {} }, Refused: func() error { return nil },
		InFront: func() bool { return true },
	})}, nil, focus.New(slog.New(slog.DiscardHandler)))
	if _, err := h.Forward(t.Context(), protocol.Caller{}, "t1", protocol.WaitLoad, nil); protocol.AsError(err).Code != protocol.CodeNavigation {
		t.Errorf("forward: %v", err)
	}
	refused := protocol.NewError(protocol.CodeRefused, "not this one", "")
	_, err = h.Back(t.Context(), protocol.Caller{}, "t1", protocol.WaitLoad, func(string) error { return refused })
	if protocol.AsError(err).Code != protocol.CodeNavigation {
		t.Errorf("back to an empty tab: %v", err)
	}
}

func TestWebsite(t *testing.T) {
	for url, want := range map[string]bool{"https://example.com/": true, "data:text/html,x": true, "about:blank": false, "file:///etc": false, "chrome://settings": false} {
		if website(url) != want {
			t.Errorf("%s: %v", url, !want)
		}
	}
}
