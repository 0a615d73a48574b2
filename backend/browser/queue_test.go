package browser

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"pilotfish/backend/protocol"
)

// A screenshot that no caller waits for blocks commands that would change the
// page, but no snapshot.
func TestScreenshotLetsReadersPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		q := newQueues()
		enter := func(kind turnKind) func() {
			t.Helper()
			turn, err := q.Enter(ctx, protocol.Caller{}, "t1", kind)
			if err != nil {
				t.Fatal(err)
			}
			return turn.Release
		}

		action := enter(turnAlone)
		var order []string
		var picture func()
		go func() { picture = enter(turnScreenshot); order = append(order, "picture") }()
		synctest.Wait()
		if len(order) > 0 {
			t.Fatal("a picture was taken while the page was acted on")
		}
		action()
		synctest.Wait()
		enter(turnRead)()
		order = append(order, "look")
		go func() { release := enter(turnAlone); order = append(order, "action"); release() }()
		synctest.Wait()
		if len(order) != 2 {
			t.Fatalf("the order is %v: the page was acted on while its picture was taken", order)
		}
		// A snapshot behind a waiting action waits, too, because it must show the
		// action's result.
		go func() { release := enter(turnRead); order = append(order, "look after"); release() }()
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

// A command that gives up waiting blocks no other command.
func TestScreenshotThatIsGivenUpLeavesTheQueue(t *testing.T) {
	q := newQueues()
	first, err := q.Enter(t.Context(), protocol.Caller{}, "t1", turnScreenshot)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Enter(gone, protocol.Caller{}, "t1", turnScreenshot); err == nil {
		t.Fatal("a second picture was taken beside the first")
	}
	first.Release()
	last, err := q.Enter(t.Context(), protocol.Caller{}, "t1", turnAlone)
	if err != nil {
		t.Fatal(err)
	}
	last.Release()
	if len(q.tab) > 0 {
		t.Error("a queue that nobody uses is kept")
	}
}

// A Wait begins in its turn and then blocks only later commands of its own
// caller, if that caller's commands are in order.
func TestWaitLetsOthersPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueues()
		agent := protocol.Caller{Name: "agent:1", InOrder: true}
		shell := protocol.Caller{Name: "shell:"}
		var order []string
		run := func(by protocol.Caller, kind turnKind, name string) {
			go func() {
				turn, err := q.Enter(t.Context(), by, "t1", kind)
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, name)
				turn.Release()
			}()
			synctest.Wait()
		}
		before, err := q.Enter(t.Context(), shell, "t1", turnAlone)
		if err != nil {
			t.Fatal(err)
		}
		met := make(chan struct{})
		go func() {
			turn, err := q.Enter(t.Context(), agent, "t1", turnWait)
			if err != nil {
				t.Error(err)
				return
			}
			order = append(order, "wait begins")
			turn.Pass()
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
		run(agent, turnAlone, "its own click")
		run(shell, turnAlone, "a shell's click")
		run(shell, turnRead, "a shell's look")
		run(shell, turnWait, "a shell's wait")
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
