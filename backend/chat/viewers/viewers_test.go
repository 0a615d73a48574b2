package viewers_test

import (
	"strings"
	"testing"

	"pilotfish/backend/chat/viewers"
	"pilotfish/backend/protocol"
)

func put(index uint64, id, text string) protocol.ChatEvent {
	return protocol.ChatEvent{Index: index, Op: protocol.ChatPut, Entry: &protocol.ChatEntry{ID: id, Text: text}}
}

func words(index uint64, id, text string) protocol.ChatEvent {
	return protocol.ChatEvent{Index: index, Op: protocol.ChatAppend, ID: id, Text: text}
}

// Consecutive additions to one text become one event, and so do consecutive
// changes of one entry, and consecutive heads.
func TestEventsAreJoined(t *testing.T) {
	var set viewers.Set
	v := set.Add()
	for _, ev := range []protocol.ChatEvent{
		put(1, "a", "x"), put(2, "a", "y"), words(3, "a", "one "), words(4, "a", "two"), words(5, "b", "three"),
		{Index: 5, Op: protocol.ChatHead},
		{Index: 6, Op: protocol.ChatHead},
		put(7, "b", "z"), put(8, "c", "z"),
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
	for name, show := range map[string]func(*viewers.Set){
		"events": func(s *viewers.Set) {
			for i := range uint64(2000) {
				s.Show(put(i, strings.Repeat("i", int(i)%3+1), ""))
			}
		},
		"bytes": func(s *viewers.Set) {
			for i := range uint64(100) {
				s.Show(words(i, "a", strings.Repeat("x", 64<<10)))
			}
		},
	} {
		var set viewers.Set
		v := set.Add()
		show(&set)
		if events, gap, _ := v.Take(); !gap || len(events) > 0 {
			t.Errorf("%s: %d wait, gap %v", name, len(events), gap)
		}
		set.Show(put(9000, "z", ""))
		if events, gap, _ := v.Take(); gap || len(events) != 1 {
			t.Errorf("%s: behind the page %d wait, gap %v", name, len(events), gap)
		}
	}
}

func TestEndAndRemove(t *testing.T) {
	var set viewers.Set
	stays, leaves := set.Add(), set.Add()
	set.Remove(leaves)
	set.Show(put(1, "a", ""))
	set.End()
	<-stays.Wake()
	if events, _, ended := stays.Take(); len(events) != 1 || !ended {
		t.Errorf("%d events, ended %v", len(events), ended)
	}
	if events, _, ended := leaves.Take(); len(events) > 0 || ended {
		t.Errorf("one that left is shown %d events, ended %v", len(events), ended)
	}
}
