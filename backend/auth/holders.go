package auth

import (
	"time"

	"pilotfish/backend/protocol"
)

// Holder is a valid grant as its use is shown to the user.
type Holder struct {
	Grant Grant
	// Made is when its current token was made. Used is when a request last came with it;
	// zero for never.
	Made, Used time.Time
	// Expires is when its current token ends; zero for not by itself.
	Expires time.Time
	// Open is how many requests and sockets of it are open.
	Open int
}

// Holders returns the valid grants, in no order.
func (a *Authority) Holders() []Holder {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sweep(a.elapsed())
	list := make([]Holder, 0, len(a.records))
	for _, r := range a.records {
		one := Holder{Grant: r.grant, Made: r.made, Used: r.used}
		for w := range r.watches {
			if w.connected {
				one.Open++
			}
		}
		if r.expires != 0 {
			one.Expires = a.now().Add(r.expires - a.last)
		}
		list = append(list, one)
	}
	return list
}

// Use records that a request comes on behalf of a grant although it has another token.
// It reports whether the grant is valid.
func (a *Authority) Use(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sweep(a.elapsed())
	r := a.records[id]
	if r != nil {
		r.used = a.now()
	}
	return r != nil
}

// maxRefusals is how many tokens the authority can say of why they were ended.
const maxRefusals = 256

// refusals are the latest tokens that were ended for a reason.
type refusals struct {
	why   map[digest]*protocol.Error
	order []digest // oldest first
}

func newRefusals() refusals { return refusals{why: map[digest]*protocol.Error{}} }

func (r *refusals) add(sum digest, why *protocol.Error) {
	if r.why[sum] == nil {
		r.order = append(r.order, sum)
	}
	r.why[sum] = why
	if len(r.order) > maxRefusals {
		delete(r.why, r.order[0])
		r.order = r.order[1:]
	}
}

// Refuse ends a grant as Revoke does. A request with one of its tokens, or of those of
// its child grants, is refused with why from now on.
func (a *Authority) Refuse(id string, why *protocol.Error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.records {
		if r.grant.ID == id || r.grant.Parent == id {
			a.refused.add(r.current, why)
			if r.previous != (digest{}) {
				a.refused.add(r.previous, why)
			}
		}
	}
	if r := a.records[id]; r != nil {
		a.end(r)
	}
}
