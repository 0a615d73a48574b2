package command

import (
	"context"
	"strings"
	"sync"

	"pilotfish/backend/command/foreign"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// saving is what a call knows of the files that pages of its tab would save. Pages
// do that also when no call runs; the newest one of the tab asks for them.
type saving struct {
	mu      sync.Mutex
	time    *patience // of the call, while it runs
	granted bool      // the user or a rule has allowed the call to save a file
	waiting int       // files that wait for their decision
	decided chan struct{}
	allowed int   // files that were allowed
	verdict error // why a file is not saved
}

// grant allows the call to save one file.
func (s *saving) grant() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.granted = true
}

// begin says that the call runs.
func (s *saving) begin(time *patience) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.time = time
}

// end waits for the decisions about files that came up while the call ran. It
// returns how many were allowed, and why one is not saved.
func (s *saving) end(ctx context.Context) (allowed int, err error) {
	s.mu.Lock()
	for s.waiting > 0 && ctx.Err() == nil {
		s.decided = make(chan struct{})
		decided := s.decided
		s.mu.Unlock()
		select {
		case <-decided:
		case <-ctx.Done():
		}
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	return s.allowed, s.verdict
}

// over says that the call runs no more.
func (s *saving) over() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.time, s.granted = nil, false
}

// wait notes that a file waits, unless the call was allowed to save one. runs: the
// call runs, and waits, too.
func (s *saving) wait() (granted, runs bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.granted {
		s.granted = false
		return true, s.time != nil
	}
	if s.time == nil {
		return false, false
	}
	s.time.hold()
	s.waiting++
	return false, true
}

// decide notes the decision about a file that the call waits for.
func (s *saving) decide(denied error, stopped bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.time != nil {
		s.time.release()
	}
	switch {
	case denied != nil:
		s.verdict = denied
	case stopped:
		s.verdict = protocol.NewError(protocol.CodeNavigation, "the user allowed the download, but the browser was stopped before the question, and nothing was saved", "do it again: the next time it is saved without a question")
	default:
		s.allowed++
	}
	s.waiting--
	if s.decided != nil {
		close(s.decided)
		s.decided = nil
	}
}

// saver is the protocol.Saver of a tab, in the name of a call.
type saver struct {
	in  *Invocation
	tab protocol.TabID
}

// Asks implements protocol.Saver.
func (s saver) Asks(address string) bool {
	return s.in.registry.policy.Saves(s.in.Actor, s.page(address))
}

// Save implements protocol.Saver.
func (s saver) Save(address, name string, stopped bool) func(context.Context, func()) error {
	request := policy.Request{
		Actor: s.in.Actor, Kind: protocol.ActionDownload, Tab: s.tab, Page: s.page(address), Command: "download",
		Args: []protocol.ApprovalArg{{Name: "address", Value: foreign.Line(address, 4*foreign.URLShown)}, {Name: "file", Value: name}},
	}
	granted, runs := s.in.saving.wait()
	if granted {
		return nil
	}
	if runs {
		request.Asking = s.in.call.Watch.Asking
	}
	return func(ctx context.Context, begin func()) error {
		if given, err := deadline(s.in.call.Request.TimeoutMS); err == nil && runs && s.in.call.Request.TimeoutMS != 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, given)
			defer cancel()
		}
		err := s.in.registry.policy.Authorize(ctx, request)
		if err == nil {
			begin()
		}
		if runs {
			s.in.saving.decide(err, stopped)
		}
		return err
	}
}

// page returns the page whose site a file is from: that of the file's address, or
// for a file that a page made, that of the page.
func (s saver) page(address string) string {
	if address = strings.TrimPrefix(address, "blob:"); strings.HasPrefix(address, "http:") || strings.HasPrefix(address, "https:") {
		return address
	}
	return s.in.address(s.tab)
}
