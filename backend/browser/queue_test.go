package browser

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
)

// TestPictureLetsLooksPass: a picture that nobody waits for holds back what would
// change the page, and no look.
func TestPictureLetsLooksPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		q := newQueues()
		enter := func(ctx context.Context) func() {
			t.Helper()
			release, err := q.enter(ctx, "t1")
			if err != nil {
				t.Fatal(err)
			}
			return release
		}
		look := looking(ctx)

		action := enter(ctx)
		var order []string
		var picture func()
		go func() { picture = enter(BesideLooks(ctx)); order = append(order, "picture") }()
		synctest.Wait()
		if len(order) > 0 {
			t.Fatal("a picture was taken while the page was acted on")
		}
		action()
		synctest.Wait()
		enter(look)()
		order = append(order, "look")
		go func() { release := enter(ctx); order = append(order, "action"); release() }()
		synctest.Wait()
		if len(order) != 2 {
			t.Fatalf("the order is %v: the page was acted on while its picture was taken", order)
		}
		// Behind an action that waits, a look waits, too: it must see what that did.
		go func() { release := enter(look); order = append(order, "look after"); release() }()
		synctest.Wait()
		picture()
		synctest.Wait()
		if want := []string{"picture", "look", "action", "look after"}; !slices.Equal(order, want) {
			t.Errorf("the order is %v, not %v", order, want)
		}
		if len(q.tab) > 0 {
			t.Error("a queue that nobody uses is kept")
		}
	})
}

// TestPictureThatIsGivenUpLeavesTheQueue: whoever gives up waiting holds nobody
// up.
func TestPictureThatIsGivenUpLeavesTheQueue(t *testing.T) {
	q := newQueues()
	first, err := q.enter(BesideLooks(t.Context()), "t1")
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.enter(BesideLooks(gone), "t1"); err == nil {
		t.Fatal("a second picture was taken beside the first")
	}
	first()
	last, err := q.enter(t.Context(), "t1")
	if err != nil {
		t.Fatal(err)
	}
	last()
	if len(q.tab) > 0 {
		t.Error("a queue that nobody uses is kept")
	}
}
