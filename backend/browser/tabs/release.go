package tabs

import (
	"slices"

	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/protocol"
)

// Claim says which tab a restored page is.
type Claim struct {
	Page target.ID
	URL  string
	ID   protocol.TabID
}

// Release ends the hold that Reset began: the pages of claims become tabs with
// these ids, and every other page becomes a tab by the usual rules.
func (r *Registry) Release(claims []Claim) {
	r.mu.Lock()
	r.holding = false
	for _, c := range claims {
		r.restore = slices.DeleteFunc(r.restore, func(t RestoreTab) bool { return t.ID == c.ID })
		t := r.put(c.Page, c.URL, c.ID)
		t.Shown = true
		if info := r.pages[c.Page]; info != nil && info.URL != "" {
			t.URL, t.Title = info.URL, info.Title // it navigated since
		}
	}
	var others []*target.Info
	for id, info := range r.pages {
		if r.byTarget(id) == nil {
			others = append(others, info)
		}
	}
	report := r.held
	r.held = nil
	r.wake()
	r.mu.Unlock()
	for _, info := range others {
		r.TargetInfo(info)
	}
	if report != nil {
		r.Report(report)
	}
}
