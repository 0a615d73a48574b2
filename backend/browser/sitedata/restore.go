package sitedata

import (
	"context"
	"encoding/json"
	"fmt"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// RestoreScript returns a script that restores the storage of a site in a
// document of that site.
func RestoreScript(st protocol.Storage) (string, error) {
	data, err := json.Marshal(st)
	if err != nil {
		return "", fmt.Errorf("encoding the storage: %w", err)
	}
	return fmt.Sprintf(`(() => {
	const s = %s;
	if (s.origin !== location.origin) return;
	try {
		for (const i of s.local ?? []) localStorage.setItem(i.key, i.value);
		for (const i of s.session ?? []) sessionStorage.setItem(i.key, i.value);
	} catch { /* a sandboxed frame has no storage */ }
})()`, data), nil
}

// restoreStorage restores the storage of the tab's own site at once, and that of
// other sites when they are opened in the tab.
func (d *Sites) restoreStorage(ctx context.Context, by protocol.Caller, id protocol.TabID, all []protocol.Storage) error {
	later := map[string]protocol.Storage{}
	err := d.tabs.OnTab(ctx, by, id, true, func(ctx context.Context, p *page.Page) error {
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		for _, st := range all {
			if st.Origin != page.OriginOf(info.URL) {
				later[st.Origin] = st
				continue
			}
			script, err := RestoreScript(st)
			if err != nil {
				return err
			}
			world, err := p.PlainWorld(ctx)
			if err != nil {
				return err
			}
			if _, err := devtools.Evaluate[any](ctx, p.Session, script, world); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(later) == 0 {
		return err
	}
	return d.restoreLater(ctx, id, later)
}
