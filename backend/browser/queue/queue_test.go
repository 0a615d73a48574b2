package queue

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"pilotfish/backend/protocol"
)

// TestPictureLetsLooksPass: a picture that nobody waits for holds back what would
// change the page, and no look.
func TestPictureLetsLooksPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		q := New()
		enter := func(ctx context.Context) func() {
			t.Helper()
			turn, err := q.Enter(ctx, "t1")
			if err != nil {
				t.Fatal(err)
			}
			return turn.Release
		}
		look := Looking(ctx)

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
	q := New()
	first, err := q.Enter(BesideLooks(t.Context()), "t1")
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Enter(BesideLooks(gone), "t1"); err == nil {
		t.Fatal("a second picture was taken beside the first")
	}
	first.Release()
	last, err := q.Enter(t.Context(), "t1")
	if err != nil {
		t.Fatal(err)
	}
	last.Release()
	if len(q.tab) > 0 {
		t.Error("a queue that nobody uses is kept")
	}
}

// TestWaitLetsOthersPass: a wait begins in its turn and then holds back only the
// commands of its own caller, where these are in order.
func TestWaitLetsOthersPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New()
		agent := protocol.KeepOrder(protocol.WithCaller(t.Context(), "agent:1"))
		shell := protocol.WithCaller(t.Context(), "shell:")
		var order []string
		run := func(ctx context.Context, name string) {
			go func() {
				turn, err := q.Enter(ctx, "t1")
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, name)
				turn.Release()
			}()
			synctest.Wait()
		}
		before, err := q.Enter(shell, "t1")
		if err != nil {
			t.Fatal(err)
		}
		met := make(chan struct{})
		go func() {
			turn, err := q.Enter(InWait(agent), "t1")
			if err != nil {
				t.Error(err)
				return
			}
			order = append(order, "wait begins")
			turn.pass()
			<-met
			order = append(order, "wait ends")
			turn.Release()
		}()
		synctest.Wait()
		if len(order) > 0 {
			t.Fatal("a wait began before its turn")
		}
		before.Release()
		synctest.Wait()
		run(agent, "its own click")
		run(shell, "a shell's click")
		run(Looking(shell), "a shell's look")
		run(InWait(shell), "a shell's wait")
		close(met)
		synctest.Wait()
		if want := []string{"wait begins", "a shell's click", "a shell's look", "a shell's wait", "wait ends", "its own click"}; !slices.Equal(order, want) {
			t.Errorf("the order is %q, not %q", order, want)
		}
		if len(q.tab) > 0 {
			t.Error("a queue that nobody uses is kept")
		}
	})
}
