package browser

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/attach"
	"pilotfish/backend/browser/files"
	"pilotfish/backend/protocol"
)

// Cannot is what a browser of the user, or a context in the browser of another session, cannot
// do for a session, each with why. It is the one list of that: commands and their help, the
// panel and this package ask it. A browser of the session's own can do everything.
func (c *Config) Cannot() map[protocol.Capability]string {
	switch {
	case c.Attach.Users():
		return map[protocol.Capability]string{
			protocol.CapabilitySignIns: "you are signed in there already",
			protocol.CapabilityLogins:  "requests of your own tabs would wait for it, too",
			protocol.CapabilityTrace:   "a trace names what your own tabs load, too",
		}
	case c.In != nil:
		return map[protocol.Capability]string{
			protocol.CapabilityLogins: "requests of session " + string(c.InName) + " would wait for it, too",
			protocol.CapabilityTrace:  "a trace names what session " + string(c.InName) + " loads, too",
		}
	}
	return nil
}

// cannot returns what the browser cannot do, in order.
func (c *Config) cannot() []protocol.Capability { return slices.Sorted(maps.Keys(c.Cannot())) }

// attach is Run for a browser that the user started.
func (b *Browser) attach(ctx context.Context) error {
	pipe, err := attach.Open(ctx, b.config.Attach, func(step protocol.AttachStep) {
		b.config.Events.Report(protocol.Attaching{Browser: b.config.Attach.Name, Step: step})
	})
	if ctx.Err() != nil {
		if err == nil {
			_ = pipe.Close()
		}
		return nil
	}
	if err != nil {
		return err
	}
	b.tabs.Reset(nil, false)
	b.LoseHeld()
	r := newRun(b, pipe, nil, false, false) //nolint:contextcheck // what a download waits for ends with the session
	b.mu.Lock()
	b.run = r
	b.info = protocol.BrowserInfo{Name: b.config.Attach.Name, Sandbox: true, Attached: true, Cannot: b.config.cannot()}
	b.mu.Unlock()
	err = r.serve(ctx)
	b.mu.Lock()
	b.run, b.closed = nil, nil
	b.mu.Unlock()
	b.tabs.Reset(nil, false)
	return err
}

// ours is what we made in a browser of the user. Its zero value is empty.
type ours struct {
	mu     sync.Mutex
	tabs   map[protocol.TabID]bool
	pages  []target.ID // of the tabs
	groups map[int]bool
}

// opened records a tab that a command opened. In a browser of the user it is written down,
// too: an app that is killed leaves the tab, and the next start closes it.
func (r *run) opened(id protocol.TabID) {
	r.ours.mu.Lock()
	defer r.ours.mu.Unlock()
	if r.ours.tabs == nil {
		r.ours.tabs = make(map[protocol.TabID]bool)
	}
	r.ours.tabs[id] = true
	if t, ok := r.b.tabs.Lookup(id); ok && r.attached() {
		r.ours.pages = append(r.ours.pages, t.Target)
		data, err := json.Marshal(r.ours.pages)
		if err == nil {
			err = files.Replace(r.leftFile(), data)
		}
		if err != nil {
			r.log.Warn("a tab that we opened is not written down", "tab", id, "error", err)
		}
	}
}

// leftFile has the tabs that we opened in the user's browser and did not close yet.
func (r *run) leftFile() string { return filepath.Join(r.b.config.FilesDir, "opened-tabs.json") }

// closeLeft closes the tabs that a killed app has left in the user's browser.
func (r *run) closeLeft(ctx context.Context) {
	data, err := os.ReadFile(r.leftFile())
	if err != nil {
		return // there are none
	}
	var left []target.ID
	if err := json.Unmarshal(data, &left); err != nil {
		r.log.WarnContext(ctx, "the tabs that were left are not known", "error", err)
	}
	list, err := cdp.Call(ctx, r.conn.Root, target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{Type: "page"}}})
	if err != nil {
		r.log.WarnContext(ctx, "the tabs that were left are not closed", "error", err)
		return
	}
	var closed []string
	for _, info := range list.TargetInfos {
		if !slices.Contains(left, info.TargetID) {
			continue
		}
		if len(closed)+1 == len(list.TargetInfos) { // with its last tab the browser would end
			_, _ = cdp.Call(ctx, r.conn.Root, target.CreateTarget, target.CreateTargetParams{URL: "about:blank"})
		}
		if _, err := cdp.Call(ctx, r.conn.Root, target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID}); err != nil {
			r.log.WarnContext(ctx, "a tab that was left is not closed", "error", err)
			continue
		}
		closed = append(closed, info.URL)
	}
	_ = os.Remove(r.leftFile())
	if len(closed) > 0 {
		r.b.config.Events.Report(*protocol.NewError(protocol.CodeCrashed, "Pilotfish ended without closing its tabs in "+r.b.config.Attach.Name+"; they are closed now: "+strings.Join(closed, " "), ""))
	}
}

// group records a group of tabs that a command made.
func (o *ours) group(id int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.groups == nil {
		o.groups = make(map[int]bool)
	}
	o.groups[id] = true
}

// leave takes away what is ours from a browser that somebody else started: the tabs that
// commands opened and those that their pages opened, and groups of tabs. What was set for a
// tab ends with the connection. Other tabs and windows stay.
func (r *run) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	r.ours.mu.Lock()
	made, grouped := r.ours.tabs, r.ours.groups
	r.ours.mu.Unlock()
	if len(grouped) > 0 {
		groups, err := r.b.Groups(ctx)
		if err != nil {
			r.log.DebugContext(ctx, "the groups of tabs are not known", "error", err)
		}
		for _, g := range groups {
			if grouped[g.ID] {
				if err := r.b.UngroupTabs(ctx, g.Tabs); err != nil {
					r.log.WarnContext(ctx, "a group of tabs stays", "error", err)
				}
			}
		}
	}
	open, stays := r.b.tabs.All(), false
	for _, t := range open {
		if !openedBy(made, open, t) {
			continue
		}
		if err := r.b.CloseTab(ctx, t.ID); err != nil {
			stays = true // the next start closes it
			r.log.WarnContext(ctx, "a tab stays", "tab", t.ID, "error", err)
		}
	}
	if !stays {
		_ = os.Remove(r.leftFile())
	}
}

// unload takes away the extension with its panel.
func (r *run) unload(ctx context.Context) {
	if r.b.config.ExtensionDir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, browserStopTimeout)
	defer cancel()
	if _, err := cdp.Call(ctx, r.conn.Root, extensions.Uninstall, extensions.UninstallParams{ID: protocol.ExtensionID}); err != nil {
		r.log.WarnContext(ctx, "the extension stays until the next start of the session", "error", err)
	}
}

// openedBy reports whether a tab is one of those that commands opened, or was opened by the page of one,
// unless the user made it do that.
func openedBy(made map[protocol.TabID]bool, open []protocol.Tab, t protocol.Tab) bool {
	for range len(open) + 1 {
		if made[t.ID] {
			return true
		}
		i := slices.IndexFunc(open, func(o protocol.Tab) bool { return o.ID == t.Opener })
		if t.ByUser || i < 0 {
			return false
		}
		t = open[i]
	}
	return false
}

// learnProfile finds the profile that a browser of the user gave us: tabs of its other
// profiles are not ours to see.
func (r *run) learnProfile(ctx context.Context) error {
	res, err := cdp.Call(ctx, r.conn.Root, target.GetBrowserContexts, cdp.Empty{})
	if err != nil {
		return err
	}
	r.profile = res.DefaultBrowserContextID
	return nil
}

// foreign reports whether a target is of another profile of the user's browser.
func (r *run) foreign(info *target.Info) bool {
	return r.profile != "" && info.BrowserContextID != r.profile && !strings.HasPrefix(info.URL, workerURL)
}
