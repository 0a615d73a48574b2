package terminal

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var expired atomic.Int32
		l := newLease(func() { expired.Add(1) })
		at := func(d time.Duration, want int32, what string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if got := expired.Load(); got != want {
				t.Errorf("%s: expired %d times", what, got)
			}
		}
		at(time.Hour, 0, "held from the start")
		l.release(30 * time.Minute)
		at(29*time.Minute, 0, "within the grace time")
		l.hold()
		at(time.Hour, 0, "held again")
		l.release(0)
		at(1000*time.Hour, 0, "kept")
		l.renew(2000 * time.Hour)
		at(999*time.Hour, 0, "renewed")
		at(2*time.Hour, 1, "over, counted from the release")
		l.hold()
		l.renew(time.Second)
		at(time.Minute, 1, "renewed while held")
		l.release(time.Second)
		l.end()
		at(time.Minute, 1, "ended")
	})
}
