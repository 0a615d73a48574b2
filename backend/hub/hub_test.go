package hub

import (
	"sync"
	"testing"
)

func TestEverySubscriberSeesEverythingInOrder(t *testing.T) {
	h := New[int](8)
	a, b := h.Subscribe(), h.Subscribe()
	for i := range 8 {
		h.Publish(i)
	}
	for _, s := range []*Subscription[int]{a, b} {
		for i := range 8 {
			if got := <-s.C(); got != i {
				t.Fatalf("event %d = %d", i, got)
			}
		}
		if s.Gap() {
			t.Error("a reader that kept up was told of a gap")
		}
	}
}

func TestSlowSubscriberIsToldOnceAndGoesOn(t *testing.T) {
	h := New[int](4)
	slow, quick := h.Subscribe(), h.Subscribe()
	for i := range 10_000 {
		h.Publish(i)
		<-quick.C()
	}
	if quick.Gap() {
		t.Error("the quick reader was told of a gap")
	}
	got := <-slow.C()
	if !slow.Gap() {
		t.Fatalf("no gap after %d came first", got)
	}
	if slow.Gap() {
		t.Error("the same gap was told twice")
	}
	for want := got + 1; want < 10_000; want++ {
		if v := <-slow.C(); v != want {
			t.Fatalf("after the gap %d came instead of %d", v, want)
		}
	}
	h.Publish(-1)
	if v := <-slow.C(); v != -1 {
		t.Errorf("after resynchronising %d came", v)
	}
}

func TestCloseEndsTheChannel(t *testing.T) {
	h := New[string](1)
	s := h.Subscribe()
	s.Close()
	s.Close()
	if _, ok := <-s.C(); ok {
		t.Error("a closed subscription delivered an event")
	}
	h.Publish("nobody reads this")
}

func TestPublishWhileSubscribersComeAndGo(t *testing.T) {
	h := New[int](2)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 1000 {
				h.Publish(i)
			}
		})
		wg.Go(func() {
			for range 200 {
				s := h.Subscribe()
				select {
				case <-s.C():
				default:
				}
				s.Gap()
				s.Close()
			}
		})
	}
	wg.Wait()
	if len(h.subs) != 0 {
		t.Errorf("%d subscriptions are left", len(h.subs))
	}
}

// The observer misses no event, and may publish.
func TestObserver(t *testing.T) {
	h := New[int](1)
	var got []int
	h.Observe(func(v int) {
		if got = append(got, v); v == 1 {
			h.Publish(2)
		}
	})
	h.Publish(1)
	h.Publish(3)
	if len(got) != 3 || got[1] != 2 {
		t.Errorf("it has %d", got)
	}
}
