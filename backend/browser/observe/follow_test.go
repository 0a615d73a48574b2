package observe

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// A watch ends some time after its last follower, unless one comes back or a command
// wants it.
func TestLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stopped atomic.Int32
		l := newLeases()
		l.stop = func(context.Context, *watch.Keeper, string) error { stopped.Add(1); return nil }
		k := &watch.Keeper{}
		pass := func(d time.Duration) { time.Sleep(d); synctest.Wait() }

		one, two := l.take(t.Context(), k, featureConsole), l.take(t.Context(), k, featureConsole)
		one()
		pass(2 * lingerFor)
		if stopped.Load() != 0 {
			t.Error("it ended while somebody followed")
		}
		two()
		pass(lingerFor - time.Second)
		back := l.take(t.Context(), k, featureConsole)
		pass(2 * lingerFor)
		back()
		pass(lingerFor - time.Second)
		if stopped.Load() != 0 {
			t.Error("it ended although a follower came back")
		}
		pass(2 * time.Second)
		if stopped.Load() != 1 || len(l.of) != 0 {
			t.Errorf("it ended %d times, %d leases are left", stopped.Load(), len(l.of))
		}

		l.take(t.Context(), k, featureNetwork)()
		l.keep(k, featureNetwork)
		pass(2 * lingerFor)
		held := l.take(t.Context(), k, featureNetwork)
		l.keep(k, featureNetwork)
		held()
		pass(2 * lingerFor)
		if stopped.Load() != 1 {
			t.Error("a watch that a command wants ended with its followers")
		}
	})
}

// A follower gets each line once, in parts, and all that is left after a loss.
func TestPendingLines(t *testing.T) {
	c := (&Observer{}).newConsoleWatch("t1")()
	for range followBatch + 3 {
		c.add(protocol.ConsoleItem{Entry: protocol.ConsoleEntry{Level: "error"}})
	}
	first := c.pending(0)
	rest := c.pending(first.last)
	if len(first.items) != followBatch || first.more != nil || len(rest.items) != 3 || rest.items[0].Entry.N != followBatch+1 || rest.gap || rest.more == nil {
		t.Errorf("%d and %d lines", len(first.items), len(rest.items))
	}
	if none := c.pending(rest.last); len(none.items) != 0 || none.gap {
		t.Errorf("who has it all gets %+v", none)
	}
	for range ConsoleRing {
		c.add(protocol.ConsoleItem{})
	}
	if late := c.pending(first.last); !late.gap || late.items[0].Entry.N == followBatch+1 {
		t.Errorf("after a loss: gap %v, from %d", late.gap, late.items[0].Entry.N)
	}
	last := c.pending(0)
	c.clear()
	if after := c.pending(last.last); !after.gap || len(after.items) != 0 || c.errors != 0 {
		t.Errorf("after a clear: %+v", after)
	}
}

// A stack has its asynchronous callers, is bounded, and leaves out what has no address.
func TestStackOf(t *testing.T) {
	frames := func(n int, url string) []*runtime.CallFrame {
		var out []*runtime.CallFrame
		for range n {
			out = append(out, &runtime.CallFrame{FunctionName: "f", URL: url, LineNumber: 1})
		}
		return out
	}
	st := &runtime.StackTrace{CallFrames: frames(2, ""), Parent: &runtime.StackTrace{CallFrames: frames(framesKept+4, "https://one.example/a.js")}}
	if got := stackOf(st); len(got) != framesKept || got[0].Line != 2 || got[0].Column != 1 {
		t.Errorf("%+v", got)
	}
	if got := stackOf(nil); got != nil {
		t.Errorf("%+v", got)
	}
}
