package observe

import (
	"context"
	"strings"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// AwaitConsole waits until a new entry of a tab's console matches. It returns the
// entry as "level: text", and the URL of its source.
func (o *Observer) AwaitConsole(ctx context.Context, id protocol.TabID, matches func(text string) bool) (what, origin string, err error) {
	k, err := o.tabs.Of(ctx, id)
	if err != nil {
		return "", "", err
	}
	c, err := watch.Use(ctx, k, featureConsole, o.newConsoleWatch(id))
	if err != nil {
		return "", "", err
	}
	if err := k.CatchUp(ctx); err != nil {
		return "", "", err
	}
	o.leases.keep(k, featureConsole)
	_, after := c.next() // only entries from now on
	for {
		more, _ := c.next()
		for _, e := range c.log(after).Entries {
			after = e.N
			if matches(e.Text) {
				return e.Level + ": " + e.Text, e.URL, nil
			}
		}
		if err := k.Until(ctx, more); err != nil {
			return "", "", err
		}
	}
}

// AwaitRequest waits until a request of a tab whose URL matches has ended, and
// describes that request.
func (o *Observer) AwaitRequest(ctx context.Context, id protocol.TabID, matches func(url string) bool) (string, error) {
	n, err := o.networkOf(ctx, id)
	if err != nil {
		return "", err
	}
	k := o.tabs.Kept(id)
	if k == nil {
		return "", page.UnknownTab(id)
	}
	seen := map[string]bool{}
	for _, e := range n.entries().Entries {
		seen[e.ID] = e.Done
	}
	for {
		n.mu.Lock()
		more := n.more
		n.mu.Unlock()
		for _, e := range n.entries().Entries {
			if !seen[e.ID] && e.Done && matches(e.URL) {
				how := itoa(int64(e.Status))
				if e.Failed != "" {
					how = e.Failed
				}
				return strings.Join([]string{e.ID, e.Method, e.URL, how}, " "), nil
			}
		}
		if err := k.Until(ctx, more); err != nil {
			return "", err
		}
	}
}
