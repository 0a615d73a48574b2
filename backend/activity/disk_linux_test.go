package activity_test

import (
	"strconv"
	"testing"

	"pilotfish/backend/activity"
	"pilotfish/backend/journal/smalldisk"
	"pilotfish/backend/protocol"
)

// TestAFullDiskLosesNoCommand records while the disk is full (fault 9): what happened
// meanwhile is written with the next entry, or when the log is closed.
func TestAFullDiskLosesNoCommand(t *testing.T) {
	for name, next := range map[string]bool{"with the next": true, "when it is closed": false} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			smalldisk.Mount(t, dir, 64)
			l := open(t, dir)
			want := 40
			record(l, "a", "0")
			free := smalldisk.Fill(t, dir)
			for i := 1; i < want; i++ {
				record(l, "a", strconv.Itoa(i))
			}
			if last := l.Last(); last != uint64(want) {
				t.Errorf("the last index is %d", last)
			}
			free()
			if next {
				record(l, "a", strconv.Itoa(want))
				want++
				// As after the program was killed: nothing more is written.
				check(t, open(t, dir), want)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			check(t, open(t, dir), want)
		})
	}
}

// TestALongFullDiskLeavesAGap: what waits is bounded, and the rest is a gap.
func TestALongFullDiskLeavesAGap(t *testing.T) {
	dir := t.TempDir()
	smalldisk.Mount(t, dir, 256)
	l := open(t, dir)
	record(l, "a", "0")
	free := smalldisk.Fill(t, dir)
	for i := 1; i < protocol.ActivityRing; i++ {
		record(l, "a", strconv.Itoa(i))
	}
	free()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	page, err := open(t, dir).History(0, 2*protocol.ActivityRing, nil)
	if err != nil || len(page.Gaps) != 1 || page.Gaps[0].From < 2 || page.Last != protocol.ActivityRing {
		t.Fatalf("gaps %v, last %d, %v", page.Gaps, page.Last, err)
	}
	if kept := len(page.Entries); kept < protocol.ActivityRing/4 || uint64(kept) != page.Last-(page.Gaps[0].To-page.Gaps[0].From+1) {
		t.Errorf("%d entries beside the gap %v", kept, page.Gaps)
	}
}

// check compares the entries of a log, which have the numbers from 0 as commands.
func check(t *testing.T, l *activity.Log, want int) {
	t.Helper()
	page, err := l.History(0, 2*want, nil)
	if err != nil || len(page.Entries) != want || len(page.Gaps) != 0 {
		t.Fatalf("%d entries, gaps %v, %v", len(page.Entries), page.Gaps, err)
	}
	for i, e := range page.Entries {
		if e.Index != uint64(i+1) || e.Command != strconv.Itoa(i) {
			t.Errorf("entry %d is %d: %s", i, e.Index, e.Command)
		}
	}
}
