package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// memory returns how much memory a process has in use, in KiB.
func memory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if size, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(size), " kB"))
			if err != nil {
				t.Fatal(err)
			}
			return kib
		}
	}
	t.Fatalf("process %d has no VmRSS", pid)
	return 0
}

// panelHeap returns the memory that the panel's page uses after a collection, in KiB.
func (p *product) panelHeap(panel *tap.Page) int {
	p.t.Helper()
	var heap struct {
		UsedSize float64 `json:"usedSize"`
	}
	for _, call := range []struct {
		method string
		result any
	}{{"HeapProfiler.collectGarbage", nil}, {"Runtime.getHeapUsage", &heap}} {
		if err := panel.Call(p.ctx, call.method, nil, call.result); err != nil {
			p.t.Fatal(err)
		}
	}
	return int(heap.UsedSize / 1024)
}

// TestHundredTabs opens 100 tabs (fault 18), or 40 with -short: the app lists them all with
// their titles, what app and panel keep does not double after 10 tabs, and keys reach the
// terminal.
func TestHundredTabs(t *testing.T) {
	few, many := 10, 100
	if testing.Short() {
		many = 40
	}
	pages := site(t)
	p, browser, panel := shared(t)
	open := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			page := map[string]any{"url": fmt.Sprintf("%s/page-%d", pages, i), "background": true}
			if err := browser.Call(p.ctx, "", "Target.createTarget", page, nil); err != nil {
				t.Fatal(err)
			}
		}
		p.eventually(fmt.Sprintf("the app lists %d tabs", to), func() bool {
			titles := map[string]bool{}
			for _, tab := range p.session(protocol.DefaultSession).Tabs {
				titles[tab.Title] = true
			}
			for i := range to {
				if !titles[fmt.Sprintf("page-%d", i)] {
					return false
				}
			}
			return true
		})
		p.typeLine(panel, fmt.Sprintf("echo with $((%d+0)) tabs", to))
		p.untilScreen(panel, fmt.Sprintf("with %d tabs", to))
	}
	open(0, few)
	appFew, panelFew := memory(t, p.app.Process.Pid), p.panelHeap(panel)
	open(few, many)
	appMany, panelMany := memory(t, p.app.Process.Pid), p.panelHeap(panel)
	t.Logf("with %d and %d tabs: the app has %d and %d KiB, the panel %d and %d KiB", few, many, appFew, appMany, panelFew, panelMany)
	if appMany > 2*appFew || panelMany > 2*panelFew {
		t.Errorf("from %d to %d tabs, the app's memory grew from %d to %d KiB, the panel's from %d to %d KiB", few, many, appFew, appMany, panelFew, panelMany)
	}
	tabs := p.session(protocol.DefaultSession).Tabs
	last := tabs[len(tabs)-1].ID
	if title := p.cli("title", "--tab", string(last)); !strings.Contains(title, "page-") {
		t.Errorf("the title of %s is %q", last, title)
	}
}
