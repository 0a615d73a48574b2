package snapshot

import (
	"slices"

	"pilotfish/backend/protocol"
)

// elementText bounds each text of an element, in characters. The page chooses them.
const elementText = 300

// elementList is what a reader has.
type elementList struct {
	begun      bool
	url, title string
	more       int
	elements   []protocol.PageElement
}

// update takes a new snapshot and returns the items that change the reader's list to
// it.
func (l *elementList) update(snap protocol.Snapshot) []protocol.ElementItem {
	now := elementsOf(nil, snap.Items)
	more := max(0, len(now)-elementsMost)
	now = now[:len(now)-more]
	var items []protocol.ElementItem
	about := protocol.ElementItem{Kind: protocol.ElementPage, URL: boundedText(snap.URL), Title: boundedText(snap.Title), More: more}
	switch {
	case !l.begun || l.url != about.URL && !commonElements(l.elements, now):
		about.Kind, l.elements = protocol.ElementNew, nil
		items = append(items, about)
	case l.url != about.URL || l.title != about.Title || l.more != more:
		items = append(items, about)
	}
	items = append(items, changedElements(l.elements, now)...)
	l.begun, l.url, l.title, l.more, l.elements = true, about.URL, about.Title, more, now
	return items
}

// page returns the item that only says which page it is.
func (l *elementList) page() protocol.ElementItem {
	return protocol.ElementItem{Kind: protocol.ElementPage, URL: l.url, Title: l.title, More: l.more}
}

// commonElements reports whether two lists have a ref in common: the page is the same one.
func commonElements(a, b []protocol.PageElement) bool {
	refs := make(map[string]bool, len(a))
	for i := range a {
		refs[a[i].Ref] = true
	}
	return slices.ContainsFunc(b, func(e protocol.PageElement) bool { return refs[e.Ref] })
}

// changedElements returns the items that change a list to another one. It finds what came,
// went and changed; where several elements moved, it may name more than the fewest.
func changedElements(before, now []protocol.PageElement) []protocol.ElementItem {
	var items []protocol.ElementItem
	stays := make(map[string]bool, len(now))
	for i := range now {
		stays[now[i].Ref] = true
	}
	old := make(map[string]protocol.PageElement, len(before))
	left := make([]string, 0, len(before)) // the order that the reader still has
	for _, e := range before {
		if !stays[e.Ref] {
			items = append(items, protocol.ElementItem{Kind: protocol.ElementGone, Ref: e.Ref})
			continue
		}
		old[e.Ref] = e
		left = append(left, e.Ref)
	}
	moved := make(map[string]bool)
	at, after := 0, ""
	for i := range now {
		e := now[i]
		for at < len(left) && moved[left[at]] {
			at++
		}
		was, known := old[e.Ref]
		inPlace := at < len(left) && left[at] == e.Ref
		if inPlace {
			at++
		} else if known {
			moved[e.Ref] = true
		}
		if !known || !inPlace || !sameElement(was, e) {
			items = append(items, protocol.ElementItem{Kind: protocol.ElementPut, Element: &e, After: after})
		}
		after = e.Ref
	}
	return items
}

func sameElement(a, b protocol.PageElement) bool {
	return a.Role == b.Role && a.Name == b.Name && a.Value == b.Value && a.Context == b.Context && slices.Equal(a.States, b.States)
}

// elementsOf appends the items of a snapshot that have a ref, in the order of the page.
func elementsOf(out []protocol.PageElement, items []*protocol.SnapshotItem) []protocol.PageElement {
	for _, i := range items {
		if i.Ref != "" {
			e := protocol.PageElement{Ref: i.Ref, Role: i.Role, Name: boundedText(i.Name), Value: boundedText(i.Value), Context: boundedText(i.Context)}
			if e.Context == "" {
				e.Context = boundedText(i.Which)
			}
			for _, s := range i.States[:min(len(i.States), 12)] {
				e.States = append(e.States, boundedText(s))
			}
			out = append(out, e)
		}
		out = elementsOf(out, i.Children)
	}
	return out
}

// boundedText shortens a text of the page.
func boundedText(s string) string {
	n := 0
	for i := range s {
		if n++; n > elementText {
			return s[:i] + "…"
		}
	}
	return s
}
