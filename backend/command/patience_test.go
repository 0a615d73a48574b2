package command

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, cancel := newPatience(t.Context(), time.Minute)
		defer cancel()
		time.Sleep(30 * time.Second)
		p.hold()
		p.hold()
		time.Sleep(time.Hour)
		p.release()
		time.Sleep(time.Hour)
		if until, ok := p.Deadline(); !ok || time.Until(until) != 30*time.Second || p.Err() != nil {
			t.Errorf("while it is held: %v, %v", time.Until(until), p.Err())
		}
		p.release()
		time.Sleep(29 * time.Second)
		if until, _ := p.Deadline(); time.Until(until) != time.Second || p.Err() != nil {
			t.Errorf("after that: %v, %v", time.Until(until), p.Err())
		}
		inner, stop := context.WithCancel(p)
		defer stop()
		<-inner.Done()
		if !errors.Is(p.Err(), context.DeadlineExceeded) || !errors.Is(inner.Err(), context.DeadlineExceeded) {
			t.Errorf("it ended with %v, %v", p.Err(), inner.Err())
		}
		parent, end := context.WithCancel(t.Context())
		child, cancelChild := newPatience(parent, time.Minute)
		defer cancelChild()
		child.hold()
		end()
		<-child.Done()
		if !errors.Is(child.Err(), context.Canceled) {
			t.Errorf("it ended with %v", child.Err())
		}
		child.release() // nothing is left to run
	})
}
