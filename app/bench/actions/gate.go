package actions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pilotfish/app/bench/report"
	"pilotfish/backend/browser"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// gateCostMost is the largest allowed ratio of the load time of a page in an
// agent's tab, where the rules check every request, to that in a user's tab.
const gateCostMost = 1.4

// gateParts is how many resources the page loads.
const gateParts = 100

// Gate measure the cost of the rules for an agent's tab.
func Gate() []report.Bench {
	return []report.Bench{{Rows: []string{"gate.cost"}, Run: benchGate}}
}

// benchGate loads a page with a hundred scripts, styles and images, in turns in a
// tab with the rules for agents and in one without.
func benchGate(ctx context.Context, o report.Options) (rows []report.Row, err error) {
	s := httptest.NewServer(http.HandlerFunc(servePart))
	defer s.Close()
	dir, err := os.MkdirTemp("", "pilotfish-gate-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the profile: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b, stop, err := headless(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	free, err := b.NewTab(ctx, "", true)
	if err != nil {
		return nil, fmt.Errorf("opening a tab: %w", err)
	}
	held, err := b.NewTab(ctx, "", true)
	if err != nil {
		return nil, fmt.Errorf("opening a tab: %w", err)
	}
	patterns, allow, address := agentRules()
	if err := b.Gate(ctx, held, patterns, allow, address, nil); err != nil {
		return nil, fmt.Errorf("putting the tab under the rules: %w", err)
	}
	const warm = 3
	var ours, reference []float64
	for i := range actRuns(o) + warm {
		for _, tab := range []protocol.TabID{free, held} {
			began := time.Now()
			if _, err := b.Navigate(ctx, protocol.Caller{}, tab, fmt.Sprintf("%s/?%s%d", s.URL, tab, i), protocol.WaitLoad, nil); err != nil {
				return nil, fmt.Errorf("loading the page in %s: %w", tab, err)
			}
			took := report.MS(time.Since(began))
			switch {
			case i < warm:
			case tab == held:
				ours = append(ours, took)
			default:
				reference = append(reference, took)
			}
		}
	}
	r := report.Row{Name: "gate.cost", Unit: "ms", Value: report.Median(ours), Limit: gateCostMost, Rule: report.RatioAtMost, Than: "no rules"}
	return []report.Row{r.Beside(report.Median(reference))}, nil
}

// servePart serves the page and its resources, without caching, so that each load
// requests everything.
func servePart(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	switch filepath.Ext(r.URL.Path) {
	case ".js":
		w.Header().Set("Content-Type", "text/javascript")
	case ".css":
		w.Header().Set("Content-Type", "text/css")
	case ".svg":
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>`)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, gatePage())
	}
}

func gatePage() string {
	var page strings.Builder
	page.WriteString("<!doctype html><title>Parts</title><link rel=icon href='data:,'>")
	for i := range gateParts {
		switch i % 4 {
		case 0:
			fmt.Fprintf(&page, "<script async src=/%d.js></script>", i)
		case 1:
			fmt.Fprintf(&page, "<link rel=stylesheet href=/%d.css>", i)
		default:
			fmt.Fprintf(&page, "<img src=/%d.svg>", i)
		}
	}
	return page.String()
}

// agentRules are the rules over an agent's tab, as the registry holds them.
func agentRules() (patterns []string, allow func(string, bool) error, address func(string, netip.Addr) error) {
	p := policy.New(policy.Config{OwnPort: func() int { return 1 }})
	agent := protocol.Actor{Kind: protocol.ActorTerminal, ID: "bench"}
	return p.Patterns(), func(url string, document bool) error {
		if document {
			return p.Hop(agent, url, "")
		}
		return p.Resource(agent, url)
	}, p.Address
}

// headless starts a browser of ours without a window; stop ends it.
func headless(ctx context.Context, dir string) (b *browser.Browser, stop func() error, err error) {
	ready := make(chan struct{}, 1)
	b, err = browser.New(browser.Config{
		ProfileDir: filepath.Join(dir, "profile"), Headless: true, NoSandbox: os.Geteuid() == 0,
		OnTabs: func(tabs []protocol.Tab) {
			if len(tabs) > 0 {
				select {
				case ready <- struct{}{}:
				default:
				}
			}
		},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("making the browser: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	select {
	case <-ready:
		return b, func() error { cancel(); return <-ended }, nil
	case err := <-ended:
		cancel()
		return nil, nil, fmt.Errorf("the browser did not start: %w", err)
	}
}
