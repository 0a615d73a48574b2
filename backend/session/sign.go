package session

import (
	"context"
	"time"

	"pilotfish/backend/protocol"
)

// signTimeout bounds how long a panel may take to open after a click on the sign of an
// agent.
const signTimeout = 10 * time.Second

// openPanel opens the panel after a click on the sign of an agent in a page.
func (s *Session) openPanel(tab protocol.TabID) {
	r, err := s.current()
	if err != nil {
		return // the browser is ending
	}
	ctx, cancel := context.WithTimeout(context.Background(), signTimeout)
	defer cancel()
	if err := r.browser.OpenPanel(ctx, tab); err != nil {
		s.log.Warn("the panel could not be opened from a page", "tab", tab, "error", err)
	}
}
