package page

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// It is switched on once for all users, and off some time after the last release.
func TestLingering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lingering
		var ons, offs int
		use := func() {
			if err := l.use(func() (bool, error) { ons++; return true, nil }); err != nil {
				t.Error(err)
			}
		}
		release := func() { l.release(time.Second, func() { offs++ }) }
		is := func(when string, on, off int) {
			t.Helper()
			synctest.Wait()
			if ons != on || offs != off {
				t.Errorf("%s: switched on %d times and off %d times", when, ons, offs)
			}
		}
		use()
		use()
		release()
		time.Sleep(2 * time.Second)
		is("while one still uses it", 1, 0)
		release()
		time.Sleep(time.Second / 2)
		use() // the next command follows soon
		time.Sleep(2 * time.Second)
		is("used again in time", 1, 0)
		release()
		time.Sleep(2 * time.Second)
		is("after the last", 1, 1)
		use()
		is("the next time", 2, 1)
		release()
		time.Sleep(2 * time.Second)
	})
}

// A setting that was not switched on is not switched off, and switchOn's error is
// returned.
func TestLingeringThatIsNotOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lingering
		why := errors.New("why")
		if err := l.use(func() (bool, error) { return false, why }); !errors.Is(err, why) {
			t.Errorf("the error is %v", err)
		}
		l.release(time.Second, func() { t.Error("it was switched off") })
		time.Sleep(2 * time.Second)
		if on, users := l.state(); on || users != 0 {
			t.Errorf("on %t, for %d", on, users)
		}
	})
}
