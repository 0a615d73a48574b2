package chat

import (
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

func putEvent(index uint64, id, text string) protocol.ChatEvent {
	return protocol.ChatEvent{Index: index, Op: protocol.ChatPut, Entry: &protocol.ChatEntry{ID: id, Text: text}}
}

func appendEvent(index uint64, id, text string) protocol.ChatEvent {
	return protocol.ChatEvent{Index: index, Op: protocol.ChatAppend, ID: id, Text: text}
}

// Consecutive additions to one text become one event, and so do consecutive
// changes of one entry, and consecutive heads.
func TestEventsAreJoined(t *testing.T) {
	var set viewerSet
	v := set.Add()
	for _, ev := range []protocol.ChatEvent{
		putEvent(1, "a", "x"), putEvent(2, "a", "y"), appendEvent(3, "a", "one "), appendEvent(4, "a", "two"), appendEvent(5, "b", "three"),
		{Index: 5, Op: protocol.ChatHead},
		{Index: 6, Op: protocol.ChatHead},
		putEvent(7, "b", "z"), putEvent(8, "c", "z"),
	} {
		set.Show(ev)
	}
	<-v.Wake()
	events, gap, ended := v.Take()
	var got []string
	for _, ev := range events {
		text := ev.Text
		if ev.Entry != nil {
			text = ev.Entry.ID + ev.Entry.Text
		}
		got = append(got, text)
	}
	if want := "ay|one two|three||bz|cz"; strings.Join(got, "|") != want || gap || ended {
		t.Errorf("it is shown %q, gap %v, ended %v", got, gap, ended)
	}
	if events[1].Index != 4 || events[3].Index != 6 {
		t.Errorf("a joined event has the index of its first: %+v", events)
	}
	if events, _, _ := v.Take(); len(events) > 0 {
		t.Errorf("it is shown again: %+v", events)
	}
}

// The queue is bounded in number and in size; beyond that, the viewer needs a
// page.
func TestTooMuchIsGivenUp(t *testing.T) {
	for name, show := range map[string]func(*viewerSet){
		"events": func(s *viewerSet) {
			for i := range uint64(2000) {
				s.Show(putEvent(i, strings.Repeat("i", int(i)%3+1), ""))
			}
		},
		"bytes": func(s *viewerSet) {
			for i := range uint64(100) {
				s.Show(appendEvent(i, "a", strings.Repeat("x", 64<<10)))
			}
		},
	} {
		var set viewerSet
		v := set.Add()
		show(&set)
		if events, gap, _ := v.Take(); !gap || len(events) > 0 {
			t.Errorf("%s: %d wait, gap %v", name, len(events), gap)
		}
		set.Show(putEvent(9000, "z", ""))
		if events, gap, _ := v.Take(); gap || len(events) != 1 {
			t.Errorf("%s: behind the page %d wait, gap %v", name, len(events), gap)
		}
	}
}

func TestEndAndRemove(t *testing.T) {
	var set viewerSet
	stays, leaves := set.Add(), set.Add()
	set.Remove(leaves)
	set.Show(putEvent(1, "a", ""))
	set.End()
	<-stays.Wake()
	if events, _, ended := stays.Take(); len(events) != 1 || !ended {
		t.Errorf("%d events, ended %v", len(events), ended)
	}
	if events, _, ended := leaves.Take(); len(events) > 0 || ended {
		t.Errorf("one that left is shown %d events, ended %v", len(events), ended)
	}
}
