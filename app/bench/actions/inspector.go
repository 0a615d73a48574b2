package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"pilotfish/app/bench/report"
	"pilotfish/backend/browser"
	"pilotfish/backend/protocol"
)

// inspectorPickMost is the largest allowed ratio of the time in which everything about
// a picked element is known to that of the two questions that no inspector can do
// without: the matching rules and the box. The other questions are eleven: the computed
// values, fonts, colours, accessibility, listeners, closed shadow roots, selectors.
// Alone, colours and computed values take longer than the reference.
const inspectorPickMost = 12

// Inspector measures how long the user waits for the facts of a picked element.
func Inspector() []report.Bench {
	return []report.Bench{{Rows: []string{"inspector.pick"}, Run: benchInspector}}
}

// benchInspector reads elements of a page with 1,000 rows and 300 rules, as the room
// Inspector does, in turns with the bare questions on the same page.
func benchInspector(ctx context.Context, o report.Options) (rows []report.Row, err error) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, inspectedPage())
	}))
	defer s.Close()
	dir, err := os.MkdirTemp("", "pilotfish-inspector-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the profile: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b, stop, err := headless(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	tab, err := b.NewTab(ctx, "", true)
	if err != nil {
		return nil, fmt.Errorf("opening a tab: %w", err)
	}
	if _, err := b.Navigate(ctx, protocol.Caller{}, tab, s.URL, protocol.WaitLoad, nil); err != nil {
		return nil, fmt.Errorf("loading the page: %w", err)
	}
	following, leave := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { // as the room does
		defer close(ended)
		for range b.InspectorEvents(following, tab, 0) {
			continue
		}
	}()
	defer func() { leave(); <-ended }()
	bare, err := newBare(ctx, b, tab)
	if err != nil {
		return nil, err
	}
	const warm = 3
	var ours, reference []float64
	for i := range actRuns(o) + warm {
		selector := fmt.Sprintf("#r%d .price", i*20)
		began := time.Now()
		if _, err := b.ReadDetails(ctx, protocol.Caller{}, tab, selector, ""); err != nil {
			return nil, fmt.Errorf("reading %s: %w", selector, err)
		}
		took := report.MS(time.Since(began))
		began = time.Now()
		if err := bare.ask(ctx, selector); err != nil {
			return nil, fmt.Errorf("asking for %s: %w", selector, err)
		}
		if i >= warm {
			ours, reference = append(ours, took), append(reference, report.MS(time.Since(began)))
		}
	}
	r := report.Row{Name: "inspector.pick", Unit: "ms", Value: report.Median(ours), Limit: inspectorPickMost, Rule: report.RatioAtMost, Than: "rules and box alone"}
	return []report.Row{r.Beside(report.Median(reference))}, nil
}

func inspectedPage() string {
	var page strings.Builder
	page.WriteString("<!doctype html><title>Prices</title><link rel=icon href='data:,'><style>.row { display: flex; color: #333 } .price { font-weight: bold; margin: 1px 2px }")
	for i := range 300 {
		fmt.Fprintf(&page, ".row:nth-child(%dn) .price, .unused%d { padding: %dpx }", i+1, i, i%9)
	}
	page.WriteString("</style><main>")
	for i := range 1000 {
		fmt.Fprintf(&page, "<div class=row id=r%d><span>Row %d</span><span class=price title=Price>%d.00</span></div>", i, i, i)
	}
	page.WriteString("</main>")
	return page.String()
}

// bareInspector asks for the matching rules and the box of an element. Before each
// question, the browser is also asked where the page is, as for every `cdp` command.
type bareInspector struct {
	b    *browser.Browser
	tab  protocol.TabID
	root int
}

func newBare(ctx context.Context, b *browser.Browser, tab protocol.TabID) (*bareInspector, error) {
	d := &bareInspector{b: b, tab: tab}
	var doc struct{ Root struct{ NodeID int } }
	for _, q := range []struct {
		method string
		into   any
	}{{"DOM.enable", nil}, {"CSS.enable", nil}, {"DOM.getDocument", &doc}} {
		if err := d.cdp(ctx, q.method, map[string]any{}, q.into); err != nil {
			return nil, err
		}
	}
	d.root = doc.Root.NodeID
	return d, nil
}

func (d *bareInspector) ask(ctx context.Context, selector string) error {
	var found struct{ NodeID int }
	if err := d.cdp(ctx, "DOM.querySelector", map[string]any{"nodeId": d.root, "selector": selector}, &found); err != nil {
		return err
	}
	node := map[string]any{"nodeId": found.NodeID}
	return errors.Join(d.cdp(ctx, "CSS.getMatchedStylesForNode", node, nil), d.cdp(ctx, "DOM.getBoxModel", node, nil))
}

func (d *bareInspector) cdp(ctx context.Context, method string, params map[string]any, into any) error {
	encoded, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("encoding the parameters: %w", err)
	}
	answer, _, err := d.b.RawCDP(ctx, protocol.Caller{}, d.tab, method, encoded)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(answer, into)
}
