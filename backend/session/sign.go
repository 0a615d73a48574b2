package session

import (
	"context"
	"time"

	"pilotfish/backend/protocol"
)

// signTimeout bounds how long a panel may take to open after a click on the sign of an
// agent.
const signTimeout = 10 * time.Second

// signClicked returns what happens when the user clicks on the sign of an agent in a
// page: the panel opens. The browser calls it, so it does not block.
func signClicked(s *Session) func(protocol.TabID) {
	return func(tab protocol.TabID) {
		s.m.running.Go(func() {
			r, err := s.current()
			if err != nil {
				return // the browser is ending
			}
			ctx, cancel := context.WithTimeout(context.Background(), signTimeout)
			defer cancel()
			if err := r.browser.OpenPanel(ctx, tab); err != nil {
				s.log.Warn("the panel could not be opened from a page", "tab", tab, "error", err)
			}
		})
	}
}
