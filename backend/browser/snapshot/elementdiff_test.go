package snapshot

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// listReader applies items as the room does.
type listReader struct {
	elements []protocol.PageElement
	page     protocol.ElementItem
}

func (r *listReader) take(t *testing.T, items []protocol.ElementItem) {
	t.Helper()
	drop := func(ref string) bool {
		for i := range r.elements {
			if r.elements[i].Ref == ref {
				r.elements = append(r.elements[:i:i], r.elements[i+1:]...)
				return true
			}
		}
		return false
	}
	for _, item := range items {
		switch item.Kind {
		case protocol.ElementNew:
			r.elements, r.page = nil, item
		case protocol.ElementPage:
			r.page = item
		case protocol.ElementGone:
			if !drop(item.Ref) {
				t.Fatalf("%s goes, and was not there", item.Ref)
			}
		case protocol.ElementPut:
			drop(item.Element.Ref)
			at := 0
			for i := range r.elements {
				if r.elements[i].Ref == item.After {
					at = i + 1
				}
			}
			r.elements = append(r.elements[:at:at], append([]protocol.PageElement{*item.Element}, r.elements[at:]...)...)
		case protocol.ElementFailed:
		}
	}
}

func (r *listReader) String() string {
	var all []string
	for _, e := range r.elements {
		all = append(all, e.Ref+"="+e.Name)
	}
	return strings.Join(all, " ")
}

// snapshotOf makes a snapshot of elements: "e1=Save e2".
func snapshotOf(url, text string) protocol.Snapshot {
	s := protocol.Snapshot{URL: url}
	for one := range strings.FieldsSeq(text) {
		ref, name, _ := strings.Cut(one, "=")
		s.Items = append(s.Items, &protocol.SnapshotItem{Ref: ref, Role: "button", Name: name})
	}
	return s
}

func TestElementList(t *testing.T) {
	var l elementList
	var r listReader
	for _, c := range []struct {
		name, url, list string
		items           int
	}{
		{"the first list", "/a", "e1=A e2=B e3=C", 4},
		{"nothing", "/a", "e1=A e2=B e3=C", 0},
		{"a name", "/a", "e1=A e2=X e3=C", 1},
		{"one comes and one goes", "/a", "e1=A e3=C e4=D", 2},
		{"one comes first", "/a", "e5=E e1=A e3=C e4=D", 1},
		{"one moves to the front", "/a", "e4=D e5=E e1=A e3=C", 1},
		{"another address of the same page", "/a#b", "e4=D e5=E e1=A e3=C", 1},
		{"another page", "/b", "e9=Z", 2},
		{"an empty page", "/c", "", 1},
	} {
		items := l.update(snapshotOf(c.url, c.list))
		if len(items) != c.items {
			t.Errorf("%s: %d items, want %d: %+v", c.name, len(items), c.items, items)
		}
		r.take(t, items)
		if got := r.String(); got != strings.Join(strings.Fields(c.list), " ") || r.page.URL != c.url {
			t.Errorf("%s: the reader has %s of %s", c.name, got, r.page.URL)
		}
	}
}

// Whatever changes, the reader has the same list.
func TestElementListOfAnything(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var l elementList
	var r listReader
	for range 500 {
		var want []string
		for _, n := range rnd.Perm(12)[:rnd.IntN(12)] {
			want = append(want, fmt.Sprintf("e%d=N%d", n, rnd.IntN(2)))
		}
		r.take(t, l.update(snapshotOf("/a", strings.Join(want, " "))))
		if got := r.String(); got != strings.Join(want, " ") {
			t.Fatalf("the reader has %s, want %v", got, want)
		}
	}
}

func TestElementListIsBounded(t *testing.T) {
	var all []string
	for i := range elementsMost + 5 {
		all = append(all, fmt.Sprintf("e%d", i+1))
	}
	snap := snapshotOf("/a", strings.Join(all, " "))
	snap.Items[0].Name = strings.Repeat("ä", 400)
	snap.Items[0].States = strings.Fields(strings.Repeat("s ", 40))
	var l elementList
	items := l.update(snap)
	if len(items) != elementsMost+1 || items[0].More != 5 {
		t.Errorf("%d items, %d more", len(items), items[0].More)
	}
	if e := items[1].Element; len([]rune(e.Name)) != elementText+1 || len(e.States) != 12 {
		t.Errorf("a name of %d characters, %d states", len([]rune(e.Name)), len(e.States))
	}
}
