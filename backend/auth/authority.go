package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"slices"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// Config is what an Authority needs.
type Config struct {
	// Now is the clock; nil means time.Now. Only differences of its monotonic
	// reading are used.
	Now func() time.Time
}

// digest is a token as the authority keeps it: an HMAC under a key of this run,
// so that neither memory nor timing reveals a token.
type digest [sha256.Size]byte

// record is one grant with its current token and, for a while, the previous
// one.
type record struct {
	grant   Grant
	current digest
	// expires is when the current token ends; 0 means not before it is revoked.
	expires time.Duration
	// previous is valid until previousUntil.
	previous      digest
	previousUntil time.Duration
	watches       map[*Watch]struct{}
	// made is when the current token was made, used when a request last came with the
	// grant; both are times of the clock, to be shown.
	made, used time.Time
}

// Authority holds every token of this run. It is safe for concurrent use.
type Authority struct {
	now   func() time.Time
	start time.Time
	key   []byte

	mu      sync.Mutex
	last    time.Duration // the latest elapsed time seen; time never goes back
	records map[string]*record
	refused refusals

	failures failures
}

// New returns an Authority without tokens.
func New(cfg Config) *Authority {
	now := cfg.Now
	if now == nil {
		now = time.Now
	}
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the program instead
	return &Authority{now: now, start: now(), key: key, records: map[string]*record{}, refused: newRefusals()}
}

// elapsed returns the monotonic time since New. The caller holds mu.
func (a *Authority) elapsed() time.Duration {
	// Sub uses the monotonic readings of both, so the wall clock may jump.
	a.last = max(a.last, a.now().Sub(a.start))
	return a.last
}

// newToken returns a new random token: base64url without padding, whose
// characters are all allowed in a WebSocket subprotocol.
func (a *Authority) newToken() (Secret, digest) {
	raw := make([]byte, protocol.TokenBytes)
	_, _ = rand.Read(raw)
	token := base64.RawURLEncoding.EncodeToString(raw)
	return NewSecret(token), a.digest(token)
}

func (a *Authority) digest(token string) digest {
	mac := hmac.New(sha256.New, a.key)
	mac.Write([]byte(token))
	return digest(mac.Sum(nil))
}

// Mint creates a token of a kind. It sets the grant's ID, Kind and Generation,
// and limits its scopes to those that the kind can have. life is how long the
// token is current; 0 means until it is revoked. If the grant's Parent has
// ended, the grant is already ended: its token is valid for no route.
func (a *Authority) Mint(kind Kind, grant Grant, life time.Duration) (Grant, Secret) {
	secret, sum := a.newToken()
	limit := kind.maxScopes()
	grant.ID = rand.Text()
	grant.Kind = kind
	grant.Generation = 1
	grant.Scopes = slices.DeleteFunc(slices.Clone(grant.Scopes), func(s protocol.Scope) bool { return !limit.Has(s) })

	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.elapsed()
	a.sweep(now)
	if grant.Parent != "" && a.records[grant.Parent] == nil {
		return grant, secret
	}
	r := &record{grant: grant, current: sum, watches: map[*Watch]struct{}{}, made: a.now()}
	if life > 0 {
		r.expires = now + life
	}
	a.records[grant.ID] = r
	return grant, secret
}

// Rotate gives a grant a new token, current for life (0: until revoked). The
// previous token stays valid for protocol.RotatedTokenGrace, and the grant's
// watches are notified. It returns CodeUnauthorized when the grant has ended.
func (a *Authority) Rotate(id string, life time.Duration) (Secret, error) {
	secret, sum := a.newToken()
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.elapsed()
	a.sweep(now)
	r := a.records[id]
	if r == nil {
		return Secret{}, errEnded()
	}
	r.previous, r.previousUntil = r.current, now+protocol.RotatedTokenGrace
	r.current, r.expires, r.made = sum, 0, a.now()
	if life > 0 {
		r.expires = now + life
	}
	r.grant.Generation++
	for w := range r.watches {
		w.changed(r, now)
	}
	return secret, nil
}

// Check returns the grant of a token that has the capability. It returns
// CodeUnauthorized for a token that is not, or no longer, valid; for one that Refuse
// ended, with that reason. It returns
// CodeForbidden for a valid token that is not for this route, and for a
// single-use token, which needs Take.
func (a *Authority) Check(token string, capability Capability) (Grant, error) {
	return a.find(token, capability, false)
}

// Take is Check for a single-use token: the token ends with the call. A token
// that is used for the wrong route is not used up.
func (a *Authority) Take(token string, capability Capability) (Grant, error) {
	return a.find(token, capability, true)
}

func (a *Authority) find(token string, capability Capability, take bool) (Grant, error) {
	sum := a.digest(token)
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.elapsed()
	a.sweep(now)
	// Every record is compared, so that the duration does not reveal which one
	// matched.
	var found *record
	generation := 0
	for _, r := range a.records {
		if subtle.ConstantTimeCompare(sum[:], r.current[:]) == 1 {
			found, generation = r, r.grant.Generation
		}
		old := subtle.ConstantTimeCompare(sum[:], r.previous[:]) == 1
		if old && r.grant.Generation > 1 && now < r.previousUntil {
			found, generation = r, r.grant.Generation-1
		}
	}
	switch why := a.refused.why[sum]; {
	case found == nil && why != nil:
		return Grant{}, why
	case token == "" || found == nil:
		return Grant{}, errEnded()
	case !found.grant.Kind.Opens(capability) || found.grant.Kind.singleUse() != take:
		return Grant{}, protocol.NewError(protocol.CodeForbidden, "this token is not valid for this route", "")
	}
	found.used = a.now()
	grant := found.grant
	grant.Generation = generation
	grant.Scopes = slices.Clone(grant.Scopes)
	if take {
		a.end(found)
	}
	return grant, nil
}

// Revoke ends a grant at once, with its current and previous token and all its
// child grants.
func (a *Authority) Revoke(id string) {
	a.RevokeWhere(func(g Grant) bool { return g.ID == id })
}

// RevokeWhere ends every grant that match reports true for. match must not call
// the Authority.
func (a *Authority) RevokeWhere(match func(Grant) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.records {
		if match(r.grant) {
			a.end(r)
		}
	}
}

// Any reports whether a grant is valid that match reports true for. match must not
// call the Authority.
func (a *Authority) Any(match func(Grant) bool) bool {
	return len(a.where(match)) > 0
}

// Children returns the valid grants that depend on a grant, in no order.
func (a *Authority) Children(id string) []Grant {
	return a.where(func(g Grant) bool { return g.Parent == id })
}

func (a *Authority) where(match func(Grant) bool) []Grant {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sweep(a.elapsed())
	var found []Grant
	for _, r := range a.records {
		if match(r.grant) {
			found = append(found, r.grant)
		}
	}
	return found
}

// sweep ends the grants that have expired. The caller holds mu.
func (a *Authority) sweep(now time.Duration) {
	for _, r := range a.records {
		if r.expires != 0 && now >= r.expires {
			a.end(r)
		}
	}
}

// end removes a record and its children and notifies their watches. The caller
// holds mu.
func (a *Authority) end(r *record) {
	if a.records[r.grant.ID] != r {
		return
	}
	delete(a.records, r.grant.ID)
	for w := range r.watches {
		w.ended()
	}
	for _, child := range a.records {
		if child.grant.Parent == r.grant.ID {
			a.end(child)
		}
	}
}

func errEnded() error {
	return protocol.NewError(protocol.CodeUnauthorized, "this token is not valid, or not any more", "")
}
