package observe

import (
	"cmp"
	"context"
	"fmt"

	"pilotfish/backend/protocol"
)

// HAR writes the recorded requests of a tab to a HAR 1.2 file. With secrets,
// cookies and credentials are not masked (package redact says which); with bodies, the file includes the
// response bodies that the browser still has.
func (o *Observer) HAR(ctx context.Context, by protocol.Caller, id protocol.TabID, bodies, secrets bool) (protocol.SavedFile, error) {
	n, err := o.networkOf(ctx, id)
	if err != nil {
		return protocol.SavedFile{}, err
	}
	info, err := o.config.History.Page(ctx, by, id)
	if err != nil {
		return protocol.SavedFile{}, err
	}
	n.mu.Lock()
	all := make([]traffic, len(n.ring.Items))
	for i, t := range n.ring.Items {
		all[i] = *t
		all[i].NetworkEntry = t.copy()
	}
	n.mu.Unlock()
	browser := o.config.Info()
	file := newHAR(browser.Name, browser.Version, harPage{ID: string(id), Title: cmp.Or(info.Title, info.URL, string(id)), Since: n.since}, secrets)
	size := 0
	for i := range all {
		var body []byte
		if bodies && all[i].Done && all[i].Failed == "" && size < networkBuffer {
			// A body that the browser no longer has is left out.
			body, _ = bodyOf(ctx, all[i].key)
			size += len(body)
		}
		file.Add(&all[i].harRequest, body)
	}
	data, err := file.JSON()
	if err != nil {
		return protocol.SavedFile{}, fmt.Errorf("writing the HAR file: %w", err)
	}
	saved, err := o.config.Folder.SaveMasked("har", string(id), "har", data)
	saved.Entries = len(all)
	return saved, err
}
